import Futures
package import GRDB

/// Tells listeners what has been changed in a part of the database, by this process and by others.
///
/// The part counts its changes. This process's commits are told as they come, without a look, unless another process's
/// came before them; after a ``CommitSignal`` of another process the watch reads what has changed since the last change
/// that it told. While nobody listens it reads nothing.
package final class DatabaseWatch<Change: Hashable & Sendable>: Sendable {
    /// Reads what has changed after a change: a set, and the last change; `nil` if nothing has.
    package typealias Find =
        @Sendable (_ after: Int64, _ connection: Database) throws -> (changes: Set<Change>, last: Int64)?

    private struct State {
        /// The last change that needs no report any more; `nil` until the first look.
        var last: Int64?
        /// The number of this watch at the signal, while it watches.
        var watcher: Int?
        /// Lets the watch look.
        var look: AsyncStream<Void>.Continuation?
    }

    private let database: AppDatabase
    private let signal: CommitSignal
    private let progress: Progress
    private let listeners: ChangeListeners<Change>

    private final class Progress: Sendable {
        let state: Lock<State>

        init(last: Int64?) {
            state = Lock(State(last: last))
        }
    }

    /// Creates a watch, which begins when somebody listens.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - part: The name of the part's signal, in lower-case letters.
    ///   - last: The last change that needs no report; `nil` if it isn't known: then the first who listens is told of everything.
    ///   - find: Reads what has changed.
    package init(_ database: AppDatabase, part: String, last: Int64?, find: @escaping Find) {
        let signal = database.signal(part)
        let progress = Progress(last: last)
        self.database = database
        self.signal = signal
        self.progress = progress
        self.listeners = ChangeListeners { listeners in
            let (looks, look) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let (watcher, watch) = signal.watch { look.yield() }
            progress.state.withLock { state in
                state.watcher = watcher
                state.look = look
            }
            // What has changed before this is told, too.
            look.yield()
            let looking = Task { [weak listeners] in
                for await _ in looks {
                    guard let listeners else { break }
                    do {
                        try await Self.look(in: database, progress, find, listeners)
                    } catch let error as StoreError where error.code == .closed {
                        break
                    } catch {
                        // Busy, or damaged: the next look finds all of it.
                    }
                }
            }
            return ChangeWatch {
                watch.stop()
                looking.cancel()
                look.finish()
            }
        }
    }
}

extension DatabaseWatch {
    /// Listens from now on, until the sequence or its task ends.
    package func updates() -> Updates<Set<Change>> { listeners.updates() }

    /// Tells all processes of a commit of this one.
    package func committed(_ changes: Set<Change>, after before: Int64, upTo last: Int64) {
        // A listener that comes later needs to be told of nothing up to here.
        let isHeard = !listeners.isEmpty
        let isNext = progress.state.withLock { state in
            let isNext = state.last == before
            if isNext || !isHeard { state.last = max(state.last ?? last, last) }
            return isNext
        }
        let isMissingOne = send()
        guard isHeard else { return }
        if isNext { listeners.report(changes) }
        // Another process's change has come before, or its signal was replaced.
        if !isNext || isMissingOne { look() }
    }

    /// Tells all processes of a commit of this one, of which it isn't known what has changed.
    package func committed(upTo last: Int64? = nil) {
        if let last, listeners.isEmpty { progress.state.withLock { $0.last = max($0.last ?? last, last) } }
        _ = send()
        look()
    }

    private func send() -> Bool {
        signal.send(from: progress.state.withLock { $0.watcher })
    }

    private func look() {
        progress.state.withLock { $0.look }?.yield()
    }

    private static func look(
        in database: AppDatabase, _ progress: Progress, _ find: @escaping Find, _ listeners: ChangeListeners<Change>
    ) async throws(StoreError) {
        while true {
            let last = progress.state.withLock { $0.last }
            let found = try await database.read { try find(last ?? 0, $0) }
            let isCurrent = progress.state.withLock { state in
                guard state.last == last else { return false }
                state.last = found?.last ?? last ?? 0
                return true
            }
            // Otherwise a commit of this process was told meanwhile: look again for what has come after it.
            if isCurrent { return listeners.report(found?.changes ?? []) }
        }
    }
}
