public import Foundation
import Futures

/// How long attempts to sign in must wait after failures.
///
/// Five attempts may fail. After each further failure the account's next attempt must wait, 2 seconds at first and twice as
/// long each time, up to 15 minutes. A correct password, or a day without an attempt, ends this.
public enum SignInThrottle {
    /// The number of failures without a wait.
    static let freeFailures = 5
    /// The longest wait, in seconds.
    static let longestWait: TimeInterval = 15 * 60
    /// How long failures are remembered, in seconds.
    static let memory: TimeInterval = 24 * 3_600
    /// The largest number of names whose failures are remembered; most are of accounts that don't exist.
    static let maximumNames = 10_000

    /// The wait between a failure and the next attempt.
    ///
    /// - Parameter failures: The number of failures.
    /// - Returns: The wait, in seconds.
    static func wait(after failures: Int) -> TimeInterval {
        guard failures >= freeFailures else { return 0 }
        return min(longestWait, pow(2, Double(min(failures - freeFailures + 1, 20))))
    }
}

/// Limits the attempts to sign in from one address, for all accounts together.
///
/// An address, or a network of 64 bits for IPv6, has 20 attempts at once and one more every 30 seconds. The counters end with the process.
public final class AddressThrottle: Sendable {
    private static let attempts = 20.0
    private static let interval: TimeInterval = 30
    private static let maximumAddresses = 10_000

    private let known = Lock<[String: (used: Double, at: Date)]>([:])

    /// Creates a throttle without any attempts.
    public init() {}

    /// Counts an attempt.
    ///
    /// - Parameters:
    ///   - address: The client's address.
    ///   - now: The current time.
    /// - Throws: ``AccountError/tooManyAttempts(_:)`` if the address has no attempt left.
    public func admit(_ address: String, at now: Date) throws(AccountError) {
        let address = ClientNetwork.name(of: address)
        let wait = known.withLock { known -> TimeInterval? in
            func used(_ entry: (used: Double, at: Date)) -> Double {
                max(0, entry.used - max(0, now.timeIntervalSince(entry.at)) / Self.interval)
            }
            if known.count >= Self.maximumAddresses, known[address] == nil {
                known = known.filter { used($0.value) > 0 }
                if known.count >= Self.maximumAddresses { known = [:] }
            }
            let before = known[address].map(used) ?? 0
            guard before + 1 <= Self.attempts else { return (before + 1 - Self.attempts) * Self.interval }
            known[address] = (before + 1, now)
            return nil
        }
        if let wait { throw .tooManyAttempts(wait) }
    }
}
