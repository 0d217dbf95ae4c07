import Egress
import FaultServer
import Foundation
import Futures
import Loading
import StoreTesting
import Testing
import VirtualTime

@testable import HTTPFetching

extension HTTPFetcher {
    /// Creates a fetcher that may connect to 127.0.0.1 but to no other private address.
    ///
    /// Its connection timeouts are long, and its default clock stands still, so that no time limit is reached on a busy
    /// machine. Tests of time limits pass their own clock.
    static func local(
        resolver: (any NameResolver)? = nil, limits: FetchLimits = FetchLimits(),
        settings: FetcherSettings = FetcherSettings(), clock: some Clock<Duration> = ManualClock()
    ) throws -> HTTPFetcher {
        var (limits, settings) = (limits, settings)
        limits.connecting = .seconds(600)
        settings.idleConnections = .seconds(600)
        return HTTPFetcher(
            addresses: try checker(resolver), limits: limits, settings: settings, clock: clock)
    }

    /// The number of callers that wait for the shared transfer of a request.
    func waiterCount(_ request: FetchRequest) -> Int { flights.waiterCount(request) }

    static func checker(_ resolver: (any NameResolver)? = nil) throws -> AddressChecker {
        let policy = AddressPolicy(allowing: [try AllowRule("127.0.0.1")])
        return AddressChecker(policy: policy, resolver: resolver ?? SystemNameResolver())
    }
}

/// Runs an operation and returns the `FetchError` that it throws; `nil` if it throws none.
func failure(_ body: () async throws -> Void) async -> FetchError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? FetchError
    }
}

/// Collects elements from any thread.
final class Collected<Element: Sendable>: Sendable {
    private let state = Lock<[Element]>([])

    var elements: [Element] { state.withLock { $0 } }

    func add(_ element: Element) {
        state.withLock { $0.append(element) }
    }
}

extension TemporaryFolder {
    /// The paths of all files in the folder, sorted.
    func files(_ folder: String = "") -> [String] {
        let all = FileManager.default.enumerator(atPath: path + folder)?.compactMap { $0 as? String } ?? []
        return all.map { "\(path)\(folder)/\($0)" }.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
        }.sorted()
    }
}
