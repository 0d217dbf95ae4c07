import Futures

/// All autosaves of a program, to be flushed when it ends.
///
///     let group = SaveGroup()
///     let palettes = Stored("palettes", in: store, …, settings: AutosaveSettings(group: group))
///     // When the program ends:
///     for failure in await group.flush(within: .seconds(5)) { logger.error("\(failure)") }
///
/// A member is removed automatically once it has nothing to write and is released. A group may be used from any thread.
public final class SaveGroup: Sendable {
    /// Holds each member weakly; a member with something to write is retained by its own tasks.
    private let members = Lock<[ObjectIdentifier: @Sendable () -> (any SaveGroupMember)?]>([:])

    /// Creates an empty group.
    public init() {}
}

extension SaveGroup {
    /// Writes everything that the members have enqueued so far, concurrently.
    ///
    /// Cancellation ends only the wait; the writes continue.
    ///
    /// - Returns: The errors of the members whose writes failed or didn't finish in time.
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

    /// The number of members, for tests.
    package var count: Int { members.withLock { $0.count } }

    func add(_ member: some SaveGroupMember) {
        members.withLock { $0[ObjectIdentifier(member)] = { [weak member] in member } }
    }

    func remove(_ id: ObjectIdentifier) {
        members.withLock { _ = $0.removeValue(forKey: id) }
    }
}

/// A member of a ``SaveGroup``.
protocol SaveGroupMember: AnyObject, Sendable {
    func flush(within limit: Duration?) async throws(StoreError)
}
