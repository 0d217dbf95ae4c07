import Futures

/// Those who listen to a store's changes, and what watches for them while there are any.
final class StoreListeners: Sendable {
    /// Looks for changes until it is stopped.
    struct Watch: Sendable {
        /// Ends it; nothing is reported afterwards that was not under way.
        var stop: @Sendable () -> Void
    }

    private struct State {
        var inboxes: [Int: Inbox] = [:]
        var next = 0
        var watch: Watch?
    }

    private let state = Lock(State())
    private let start: (@Sendable (StoreListeners) -> Watch)?

    /// - Parameter start: Begins to watch, when there is somebody to tell: everything from then on. It must be quick, and
    ///   hold no listeners but weakly. Without it, whoever writes reports.
    init(startingWatch start: (@Sendable (StoreListeners) -> Watch)? = nil) {
        self.start = start
    }
}

extension StoreListeners {
    /// Whether nobody listens.
    var isEmpty: Bool { state.withLock { $0.inboxes.isEmpty } }

    /// Listens from now on, until the sequence or its task goes.
    func listen() -> StoreChanges {
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let inbox = Inbox(continuation: continuation)
        let number = state.withLock { state in
            state.next += 1
            state.inboxes[state.next] = inbox
            // Within the lock: a second listener must not be told that he listens before anything watches.
            if state.watch == nil { state.watch = start?(self) }
            return state.next
        }
        continuation.onTermination = { _ in self.remove(number) }
        // It holds the signals, and the inbox does not: with the sequence they go, and with them the listener.
        return StoreChanges(
            AsyncStream(unfolding: {
                for await _ in signals {
                    let keys = inbox.take()
                    if !keys.isEmpty { return keys }
                }
                return nil
            }))
    }

    /// Tells all who listen.
    func report(_ keys: Set<StoreKey>) {
        guard !keys.isEmpty else { return }
        let inboxes = state.withLock { Array($0.inboxes.values) }
        for inbox in inboxes { inbox.put(keys) }
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
private final class Inbox: Sendable {
    private let keys = Lock<Set<StoreKey>>([])
    private let continuation: AsyncStream<Void>.Continuation

    init(continuation: AsyncStream<Void>.Continuation) {
        self.continuation = continuation
    }

    func put(_ more: Set<StoreKey>) {
        keys.withLock { $0.formUnion(more) }
        continuation.yield()
    }

    func take() -> Set<StoreKey> {
        keys.withLock { keys in
            defer { keys = [] }
            return keys
        }
    }
}
