import Futures

/// A running observation of changes, until it is stopped.
package struct ChangeWatch: Sendable {
    /// Stops the observation; only reports already in progress may still arrive.
    package var stop: @Sendable () -> Void

    /// - Parameter stop: Stops the observation.
    package init(stop: @escaping @Sendable () -> Void) {
        self.stop = stop
    }
}

/// The subscribers to changes, and the watch that runs while there are any.
package final class ChangeListeners<Change: Hashable & Sendable>: Sendable {
    package typealias Watch = ChangeWatch

    private struct State {
        var inboxes: [Int: Mailbox<Set<Change>>] = [:]
        var next = 0
        var watch: Watch?
    }

    private let state = Lock(State())
    private let start: (@Sendable (ChangeListeners) -> Watch)?

    /// - Parameter start: Starts a watch for the first subscriber, which must report all changes from then on. It must return
    ///   quickly, and must not retain the listeners. If it is `nil`, the writers call ``report(_:)``.
    package init(startingWatch start: (@Sendable (ChangeListeners) -> Watch)? = nil) {
        self.start = start
    }
}

extension ChangeListeners {
    /// Whether there are no subscribers.
    package var isEmpty: Bool { state.withLock { $0.inboxes.isEmpty } }

    /// Subscribes to changes until the sequence or its task ends.
    package func updates() -> Updates<Set<Change>> {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        let (inbox, signals) = Mailbox<Set<Change>>.make([]) { self.remove(number) }
        state.withLock { state in
            state.inboxes[number] = inbox
            // Within the lock, so that a second subscriber doesn't get its sequence before the watch has started.
            if state.watch == nil { state.watch = start?(self) }
        }
        // The sequence retains the signals and the inbox doesn't; when the sequence is released, the stream terminates and the
        // subscriber is removed.
        return Updates(signals).converted { _ in
            inbox.take { changes in
                defer { changes = [] }
                return changes.isEmpty ? nil : changes
            }
        }
    }

    /// Notifies all subscribers.
    package func report(_ changes: Set<Change>) {
        guard !changes.isEmpty else { return }
        let inboxes = state.withLock { Array($0.inboxes.values) }
        for inbox in inboxes { inbox.put { $0.formUnion(changes) } }
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

/// A change without details.
package enum UnspecifiedChange: Hashable, Sendable {
    case change
}

extension ChangeListeners<UnspecifiedChange> {
    /// Notifies all subscribers.
    package func report() { report([.change]) }

    /// Subscribes to changes until the sequence or its task ends.
    package func unspecifiedUpdates() -> Updates<Void> { updates().converted { _ in () } }
}
