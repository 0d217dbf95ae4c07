import Synchronization

/// Named events that stay signaled, and the tasks that wait for them.
///
/// A stalled response waits until a test releases it, and a test waits until a request arrives. Neither needs a clock.
final class Signals: Sendable {
    private let state = Mutex(State())

    /// Signals a name: wakes the tasks that wait for it, and lets later ones through.
    func signal(_ name: String) {
        let waiters = self.state.withLock { $0.signal(name) }
        for waiter in waiters {
            waiter.resume()
        }
    }

    /// Wakes all waiting tasks, and lets later ones through.
    func close() {
        let waiters = self.state.withLock { $0.close() }
        for waiter in waiters {
            waiter.resume()
        }
    }

    /// Returns as soon as the name is signaled, the signals are closed or the task is cancelled.
    func wait(for name: String) async {
        let id = self.state.withLock { $0.makeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // An earlier cancellation found no continuation to resume, so this checks for it under the lock.
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
    /// The signaled names and the waiting continuations; ``Signals`` guards them with a lock.
    private struct State {
        private var signaled: Set<String> = []
        private var waiting: [Int: (name: String, continuation: CheckedContinuation<Void, Never>)] = [:]
        private var lastID = 0
        private var isClosed = false

        mutating func makeID() -> Int {
            self.lastID += 1
            return self.lastID
        }

        /// Stores a continuation; returns false if there is nothing to wait for.
        mutating func store(_ continuation: CheckedContinuation<Void, Never>, id: Int, name: String) -> Bool {
            guard !self.isClosed, !self.signaled.contains(name) else { return false }
            self.waiting[id] = (name, continuation)
            return true
        }

        mutating func take(_ id: Int) -> CheckedContinuation<Void, Never>? {
            self.waiting.removeValue(forKey: id)?.continuation
        }

        mutating func signal(_ name: String) -> [CheckedContinuation<Void, Never>] {
            self.signaled.insert(name)
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
