import Testing

@testable import Egress

@Suite struct PinnedNamesTests {
    @Test func firstRespondingAddressIsPinned() async throws {
        let names = PinnedNames(FixedResolver(["8.8.8.8", "1.1.1.1", "9.9.9.9"]))
        let all = try await names.addresses(of: "name.example")
        #expect(all.count == 3)
        #expect(names.pin(all[1], for: "name.example") == all[1])
        // A connection that was started earlier reaches another address.
        #expect(names.pin(all[0], for: "name.example") == all[1])
        #expect(try await names.addresses(of: "name.example") == [all[1]])
        #expect(try await names.addresses(of: "other.example") == all)
    }

    @Test func moreNamesThanCanBePinnedAreRefused() async throws {
        let names = PinnedNames(ChangingResolver([["8.8.8.8"], ["1.1.1.1"]]))
        for number in 0..<PinnedNames.limit { _ = try await names.addresses(of: "\(number).example") }
        let error = await #expect(throws: EgressError.self) { try await names.addresses(of: "last.example") }
        #expect(error?.code == .limitExceeded)
        #expect(try await names.addresses(of: "0.example").map(\.description) == ["8.8.8.8"])
    }
}
