import Synchronization

/// Names that are said once and stay said, and the tasks that wait for one of them.
///
/// It is how a stalled answer waits for its release, and how a test waits for a request, without any clock.
final class Signals: Sendable {
    private let state = Mutex(State())

    /// Says a name: wakes all who wait for it, and lets through all who come later.
    func say(_ name: String) {
        let waiters = self.state.withLock { $0.say(name) }
        for waiter in waiters {
            waiter.resume()
        }
    }

    /// Wakes everybody and lets everybody through from now on.
    func close() {
        let waiters = self.state.withLock { $0.close() }
        for waiter in waiters {
            waiter.resume()
        }
    }

    /// Returns as soon as the name was said, the signals were closed or the task was cancelled.
    func wait(for name: String) async {
        let id = self.state.withLock { $0.makeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Cancellation before this point found nothing to wake, so it is asked about under the lock.
                let isStored = self.state.withLock { state in
                    !Task.isCancelled && state.store(continuation, id: id, name: name)
                }
                if !isStored {
                    continuation.resume()
                }
            }
        } onCancel: {
            self.state.withLock { $0.take(id) }?.resume()
        }
    }
}

extension Signals {
    /// Who waits for what, without any concurrency.
    private struct State {
        private var said: Set<String> = []
        private var waiting: [Int: (name: String, continuation: CheckedContinuation<Void, Never>)] = [:]
        private var lastID = 0
        private var isClosed = false

        mutating func makeID() -> Int {
            self.lastID += 1
            return self.lastID
        }

        /// Keeps a continuation; false when there is nothing to wait for.
        mutating func store(_ continuation: CheckedContinuation<Void, Never>, id: Int, name: String) -> Bool {
            guard !self.isClosed, !self.said.contains(name) else { return false }
            self.waiting[id] = (name, continuation)
            return true
        }

        mutating func take(_ id: Int) -> CheckedContinuation<Void, Never>? {
            self.waiting.removeValue(forKey: id)?.continuation
        }

        mutating func say(_ name: String) -> [CheckedContinuation<Void, Never>] {
            self.said.insert(name)
            let woken = self.waiting.filter { $0.value.name == name }
            for id in woken.keys {
                self.waiting[id] = nil
            }
            return woken.values.map(\.continuation)
        }

        mutating func close() -> [CheckedContinuation<Void, Never>] {
            self.isClosed = true
            defer { self.waiting = [:] }
            return self.waiting.values.map(\.continuation)
        }
    }
}
