import Futures
import Testing

@testable import Egress

@Suite struct AddressCheckerTests {
    /// A resolver with a long timeout: look-ups share a few threads, and one that fails may block its thread for long.
    private let system = SystemNameResolver(limit: .seconds(600))

    @Test func oneForbiddenAddressRefusesTheHost() async throws {
        let checker = AddressChecker(resolver: FixedResolver(["8.8.8.8", "10.0.0.1"]))
        let error = await #expect(throws: EgressError.self) {
            try await checker.addresses(of: "both.example", port: 443)
        }
        #expect(error?.refusal?.address == IPAddress("10.0.0.1"))
        #expect(error?.message.contains("--allow both.example:443") == true)
    }

    @Test func allAddressesAreReturnedInOrder() async throws {
        let checker = AddressChecker(resolver: FixedResolver(["2606:4700:4700::1111", "1.1.1.1"]))
        let addresses = try await checker.addresses(of: "one.example", port: 443)
        #expect(addresses.map(\.description) == ["2606:4700:4700::1111", "1.1.1.1"])
    }

    @Test func aNameWithoutAddressesIsNotFound() async {
        let error = await #expect(throws: EgressError.self) {
            try await AddressChecker(resolver: FixedResolver([])).addresses(of: "none.example", port: 80)
        }
        #expect(error?.code == .nameNotFound)
    }

    @Test(.timeLimit(.minutes(10))) func localhostIsResolvedAndRefused() async {
        let error = await #expect(throws: EgressError.self) {
            try await AddressChecker(resolver: system).addresses(of: "localhost", port: 80)
        }
        #expect(error?.refusal?.allowance == "--allow localhost:80")
    }

    @Test(.timeLimit(.minutes(10))) func systemResolvesLocalhost() async throws {
        let addresses = try await system.addresses(of: "localhost")
        #expect(addresses.contains { $0.description == "127.0.0.1" || $0.description == "::1" })
    }

    @Test(.timeLimit(.minutes(10))) func unknownNameIsAnError() async {
        let error = await #expect(throws: EgressError.self) {
            try await system.addresses(of: "nobody.invalid")
        }
        #expect(error?.code == .nameNotFound || error?.code == .resolutionFailed)
    }

    @Test(.timeLimit(.minutes(10))) func cancelledLookUpEnds() async {
        let search = Task { try await system.addresses(of: "nobody.invalid") }
        search.cancel()
        let result = await search.result
        #expect(throws: EgressError.self) { try result.get() }
    }
}

/// Returns the same addresses for each name.
struct FixedResolver: NameResolver {
    private let list: [IPAddress]

    init(_ list: [String]) {
        self.list = list.compactMap { IPAddress($0) }
    }

    func addresses(of host: String) async throws -> [IPAddress] { list }
}
