import Foundation
import Futures

/// Reports changes of a part of the database, by this and other processes, to subscribers.
///
/// Each change of the part has a number. Commits of this process are reported without reading the database, unless
/// another process's change precedes them. After a ``ChangeSignal`` of another process, the watch reads the changes
/// since the last reported one. Without subscribers, it reads nothing.
package final class DatabaseWatch<Change: Hashable & Sendable>: Sendable {
    /// Reads the changes after a given one: what has changed, and the number of the last change; `nil` if there are none.
    package typealias ReadChanges =
        @Sendable (_ after: Int64, _ connection: any SQLConnection) throws -> (changes: Set<Change>, last: Int64)?

    private struct State {
        /// The last change that needs no report; `nil` if it is unknown, which is possible only before the first read.
        var last: Int64?
        /// The database's ID when ``last`` was read; with another ID, the numbers may be those of other changes.
        var instanceID: UUID
        /// The number under which this watch is registered with the signal; `nil` before the first subscriber.
        var watcher: Int?
        /// Triggers a read.
        var trigger: AsyncStream<Void>.Continuation?
    }

    private let database: any SQLDatabase
    private let signal: any ChangeSignal
    private let progress: Progress
    private let listeners: ChangeListeners<Change>

    private final class Progress: Sendable {
        let state: Lock<State>

        init(last: Int64?, instanceID: UUID) {
            state = Lock(State(last: last, instanceID: instanceID))
        }
    }

    /// Creates a watch, which starts with the first subscriber.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - part: The name of the part's signal, in lower-case letters.
    ///   - last: The last change that needs no report; `nil` if it is unknown, and then the first read reports everything.
    ///   - find: Reads the changes.
    package init(_ database: any SQLDatabase, part: String, last: Int64?, find: @escaping ReadChanges) {
        let signal = database.changeSignal(of: part)
        let progress = Progress(last: last, instanceID: database.instanceID)
        self.database = database
        self.signal = signal
        self.progress = progress
        self.listeners = ChangeListeners { listeners in
            let (triggers, trigger) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let (watcher, watch) = signal.watch { trigger.yield() }
            progress.state.withLock { state in
                state.watcher = watcher
                state.trigger = trigger
            }
            // Changes before this point must be reported too.
            trigger.yield()
            let reading = Task { [weak listeners] in
                for await _ in triggers {
                    guard let listeners else { break }
                    do {
                        try await Self.readChanges(in: database, progress, find, listeners)
                    } catch let error as StoreError where error.code == .closed {
                        break
                    } catch {
                        // The database is busy or damaged; the next read finds all changes.
                    }
                }
            }
            return ChangeWatch {
                watch.stop()
                reading.cancel()
                trigger.finish()
            }
        }
    }
}

extension DatabaseWatch {
    /// Subscribes to changes until the sequence or its task ends.
    package func updates() -> Updates<Set<Change>> { listeners.updates() }

    /// Notifies all processes of a commit of this one.
    package func committed(_ changes: Set<Change>, after before: Int64, upTo last: Int64) {
        // A later subscriber needs no report of changes up to here.
        let hasSubscribers = !listeners.isEmpty
        let isNext = progress.state.withLock { [instanceID = database.instanceID] state in
            // The next read reports everything.
            guard state.instanceID == instanceID else { return false }
            let isNext = state.last == before
            if isNext || !hasSubscribers { state.last = max(state.last ?? last, last) }
            return isNext
        }
        let hasReplacedASignal = send()
        guard hasSubscribers else { return }
        if isNext { listeners.report(changes) }
        // A change of another process precedes this one, or this signal has replaced that of another process.
        if !isNext || hasReplacedASignal { triggerRead() }
    }

    /// Notifies all processes of a commit of this one whose changes are unknown.
    package func committed(upTo last: Int64? = nil) {
        if let last, listeners.isEmpty { progress.state.withLock { $0.last = max($0.last ?? last, last) } }
        _ = send()
        triggerRead()
    }

    /// Returns whether the signal has replaced one of another process.
    private func send() -> Bool {
        signal.send(from: progress.state.withLock { $0.watcher })
    }

    private func triggerRead() {
        progress.state.withLock { $0.trigger }?.yield()
    }

    private static func readChanges(
        in database: any SQLDatabase, _ progress: Progress, _ find: @escaping ReadChanges,
        _ listeners: ChangeListeners<Change>
    ) async throws(StoreError) {
        while true {
            let (last, known) = progress.state.withLock { ($0.last, $0.instanceID) }
            let (found, start, instanceID) = try await database.readRows { connection in
                let start = connection.instanceID == known ? last ?? 0 : 0
                return (try find(start, connection), start, connection.instanceID)
            }
            let isCurrent = progress.state.withLock { state in
                guard state.last == last, state.instanceID == known else { return false }
                (state.last, state.instanceID) = (found?.last ?? start, instanceID)
                return true
            }
            // Otherwise a commit of this process was reported meanwhile: read the changes after it.
            if isCurrent { return listeners.report(found?.changes ?? []) }
        }
    }
}
