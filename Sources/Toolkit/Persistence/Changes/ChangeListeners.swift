import Futures

/// What looks for changes until it is stopped.
package struct ChangeWatch: Sendable {
    /// Ends it; nothing is reported afterwards that was not under way.
    package var stop: @Sendable () -> Void

    /// - Parameter stop: Ends it.
    package init(stop: @escaping @Sendable () -> Void) {
        self.stop = stop
    }
}

/// Those who listen to changes, and what watches for them while there are any.
package final class ChangeListeners<Change: Hashable & Sendable>: Sendable {
    package typealias Watch = ChangeWatch

    private struct State {
        var inboxes: [Int: Inbox<Change>] = [:]
        var next = 0
        var watch: Watch?
    }

    private let state = Lock(State())
    private let start: (@Sendable (ChangeListeners) -> Watch)?

    /// - Parameter start: Begins to watch, when there is somebody to tell: everything from then on. It must be quick, and
    ///   hold no listeners but weakly. Without it, whoever writes reports.
    package init(startingWatch start: (@Sendable (ChangeListeners) -> Watch)? = nil) {
        self.start = start
    }
}

extension ChangeListeners {
    /// Whether nobody listens.
    package var isEmpty: Bool { state.withLock { $0.inboxes.isEmpty } }

    /// Listens from now on, until the sequence or its task ends.
    package func updates() -> Updates<Set<Change>> {
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let inbox = Inbox<Change>(continuation: continuation)
        let number = state.withLock { state in
            state.next += 1
            state.inboxes[state.next] = inbox
            // Within the lock: a second listener must not be told that he listens before anything watches.
            if state.watch == nil { state.watch = start?(self) }
            return state.next
        }
        continuation.onTermination = { _ in self.remove(number) }
        // It holds the signals, and the inbox does not: with the stream they go, and with them the listener.
        return Updates(signals).converted { _ in
            let changes = inbox.take()
            return changes.isEmpty ? nil : changes
        }
    }

    /// Tells all who listen.
    package func report(_ changes: Set<Change>) {
        guard !changes.isEmpty else { return }
        let inboxes = state.withLock { Array($0.inboxes.values) }
        for inbox in inboxes { inbox.put(changes) }
    }

    private func remove(_ number: Int) {
        let watch = state.withLock { state -> Watch? in
            state.inboxes[number] = nil
            guard state.inboxes.isEmpty else { return nil }
            defer { state.watch = nil }
            return state.watch
        }
        watch?.stop()
    }
}

/// What one listener has not taken yet.
private final class Inbox<Change: Hashable & Sendable>: Sendable {
    private let changes = Lock<Set<Change>>([])
    private let continuation: AsyncStream<Void>.Continuation

    init(continuation: AsyncStream<Void>.Continuation) {
        self.continuation = continuation
    }

    func put(_ more: Set<Change>) {
        changes.withLock { $0.formUnion(more) }
        continuation.yield()
    }

    func take() -> Set<Change> {
        changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }
}

/// A change of which it isn't said what has changed.
package enum UnspecifiedChange: Hashable, Sendable {
    case change
}

extension ChangeListeners<UnspecifiedChange> {
    /// Tells all who listen.
    package func report() { report([.change]) }

    /// Listens from now on, until the sequence or its task ends.
    package func unspecifiedUpdates() -> Updates<Void> { updates().converted { _ in () } }
}
