import Futures

/// All that a program keeps, to be written when it ends.
///
///     let group = SaveGroup()
///     let kept = Stored("palettes", in: store, …, settings: AutosaveSettings(group: group))
///     // at the end:
///     for failure in await group.flush(within: .seconds(5)) { logger.error("\(failure)") }
///
/// Nobody has to leave it: who has nothing to write and is not held by anybody else goes by itself. Everything here may be
/// called from any thread.
public final class SaveGroup: Sendable {
    /// Each holds its member weakly: one that has something to write is held by its own tasks.
    private let members = Lock<[ObjectIdentifier: @Sendable () -> (any SaveGroupMember)?]>([:])

    /// Creates a group without members.
    public init() {}
}

extension SaveGroup {
    /// Writes all that was given to its members before, all at a time.
    ///
    /// A cancellation ends the waiting; the writes go on.
    ///
    /// - Parameter limit: How long to wait; without it, for as long as it takes.
    /// - Returns: Why some could not be written, or not in time; of those that were, nothing.
    @discardableResult
    public func flush(within limit: Duration? = nil) async -> [StoreError] {
        let members = members.withLock { Array($0.values) }
        return await withTaskGroup(of: StoreError?.self) { flushes in
            for member in members {
                guard let member = member() else { continue }
                flushes.addTask {
                    do throws(StoreError) {
                        try await member.flush(within: limit)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            var failures: [StoreError] = []
            for await case let failure? in flushes { failures.append(failure) }
            return failures
        }
    }

    /// How many are in it, for the tests.
    package var count: Int { members.withLock { $0.count } }

    func add(_ member: some SaveGroupMember) {
        members.withLock { $0[ObjectIdentifier(member)] = { [weak member] in member } }
    }

    func remove(_ id: ObjectIdentifier) {
        members.withLock { _ = $0.removeValue(forKey: id) }
    }
}

/// What a ``SaveGroup`` flushes.
protocol SaveGroupMember: AnyObject, Sendable {
    func flush(within limit: Duration?) async throws(StoreError)
}
