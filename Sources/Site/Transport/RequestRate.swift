import Accounts
import Foundation
import Futures
import HTTPTypes
import Hummingbird
import Persistence

/// Limits the requests of each address and of each person.
///
/// Each has a number of requests at once, which are replenished continuously. Requests of programs on this computer that
/// come without a proxy aren't limited.
struct RequestRate: RouterMiddleware {
    typealias Context = SiteContext

    /// The counters of addresses or people.
    final class Counters: Sendable {
        /// The number of requests at once; a page has about 20 files.
        static let burst = 1_000.0
        /// The number of requests per second afterwards.
        static let perSecond = 50.0
        private static let maximumCount = 20_000

        private let known = Lock<[String: (used: Double, at: ContinuousClock.Instant)]>([:])

        /// Counts a request; returns how long to wait if it comes too early, in seconds.
        func admit(_ key: String, at now: ContinuousClock.Instant) -> Int? {
            known.withLock { known in
                func used(_ entry: (used: Double, at: ContinuousClock.Instant)) -> Double {
                    max(0, entry.used - (now - entry.at) / .seconds(1) * Self.perSecond)
                }
                if known.count >= Self.maximumCount, known[key] == nil {
                    known = known.filter { used($0.value) > 0 }
                    if known.count >= Self.maximumCount { known = [:] }
                }
                let before = known[key].map(used) ?? 0
                guard before + 1 <= Self.burst else {
                    return max(1, Int(((before + 1 - Self.burst) / Self.perSecond).rounded(.up)))
                }
                known[key] = (before + 1, now)
                return nil
            }
        }
    }

    let counters = Counters()
    /// Whether the counters are those of people, of whom one may use several addresses.
    let isPerPerson: Bool
    /// Whether the addresses of clients are known; otherwise all are a proxy's.
    let knowsAddresses: Bool

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        if let key = key(of: context), let wait = counters.admit(key, at: .now) {
            throw Problem(
                .tooManyRequests, title: SiteWords.tooManyRequests, detail: SiteWords.tooManyRequestsDetail,
                headers: [.retryAfter: "\(wait)"])
        }
        return try await next(request, context)
    }

    private func key(of context: SiteContext) -> String? {
        if isPerPerson { return context.person?.account.owner.rawValue }
        let address = context.clientAddress
        guard knowsAddresses, !address.isEmpty, !["127.0.0.1", "::1"].contains(address) else { return nil }
        return ClientNetwork.name(of: address)
    }
}
