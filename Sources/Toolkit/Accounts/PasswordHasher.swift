import Foundation
import Futures
import FuturesFoundation

/// Hashes and checks passwords on threads of its own, a few at a time.
///
/// Each takes 200 ms and 32 MiB, so a flood of sign-ins must not take all processors and all memory.
public final class PasswordHasher: Sendable {
    /// The number of passwords that may wait for a thread.
    private static let maximumWaiting = 50

    /// The cost of new hashes.
    public let cost: ScryptCost
    private let threads: WorkerThreads
    private let state = Lock((pending: 0, count: 0))
    /// The hash that stands for those of unknown names.
    private let dummy: ScryptHash

    /// Creates a hasher.
    ///
    /// - Parameters:
    ///   - cost: The cost of new hashes.
    ///   - parallelism: The number of passwords that are hashed at the same time.
    public init(cost: ScryptCost = ScryptCost(), parallelism: Int = 2) {
        self.cost = cost
        dummy = ScryptHash(ofNoPasswordWithCost: cost)
        threads = WorkerThreads(limit: parallelism)
    }
}

extension PasswordHasher {
    /// The number of hashes that were computed, for tests.
    package var count: Int { state.withLock(\.count) }

    /// Hashes a password.
    ///
    /// - Returns: The hash with its parameters.
    /// - Throws: ``AccountError/busy`` if too many passwords wait.
    public func hash(_ password: Password) async throws(AccountError) -> String {
        try await run { [cost] in try ScryptHash(of: password, cost: cost).text }
    }

    /// Checks a password.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - stored: The stored hash; `nil` for an unknown name, which takes the same time.
    /// - Returns: Whether the password is correct, and whether the stored hash should be replaced because its cost is
    ///   lower than ``cost``.
    /// - Throws: ``AccountError/busy`` if too many passwords wait.
    func check(_ password: Password, _ stored: String?) async throws(AccountError) -> (isCorrect: Bool, isOld: Bool) {
        try await run { [cost, dummy] in
            let known = stored.flatMap { ScryptHash($0) } ?? dummy
            return (try known.matches(password), known.cost.isLower(than: cost))
        }
    }

    private func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws(AccountError) -> Value {
        let isAdmitted = state.withLock { state in
            guard state.pending < Self.maximumWaiting else { return false }
            state.pending += 1
            state.count += 1
            return true
        }
        guard isAdmitted else { throw .busy }
        let result = await threads.runUncancellable { _ in Result { try work() } }
        state.withLock { $0.pending -= 1 }
        do {
            return try result.get()
        } catch {
            throw .storage("The password couldn't be hashed: \(error)")
        }
    }
}
