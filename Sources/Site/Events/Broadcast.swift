import Futures

/// Publishes the newest value to any number of subscribers.
///
/// A subscriber receives the newest value immediately, and then the newest at each time it asks for the next: a slow
/// subscriber skips intermediate values. Values must therefore be complete snapshots, not increments.
public final class Broadcast<Value: Sendable>: Sendable {
    private struct Contents: Sendable {
        var newest: Value?
        /// The number of values that were published.
        var version = 0
        var readers: [Int: Reader] = [:]
        var count = 0
        var isFinished = false
        /// Whether a thread is delivering, which also delivers what others add meanwhile.
        var isDelivering = false
    }

    private struct Reader: Sendable {
        var continuation: AsyncStream<Value>.Continuation
        /// The version of the last value that it was given; 0 before the first.
        var version = 0
    }

    private let contents = Lock(Contents())

    /// Creates a broadcast without a value.
    public init() {}
}

extension Broadcast {
    /// The number of subscribers.
    public var readers: Int { contents.withLock { $0.readers.count } }

    /// Publishes a value.
    ///
    /// While another thread delivers a value, that thread delivers this one too, possibly after this method returns.
    public func send(_ value: Value) {
        contents.withLock { contents in
            contents.newest = value
            contents.version += 1
        }
        deliver()
    }

    /// Finishes all subscriptions; a later subscriber receives only the newest value.
    public func finish() {
        contents.withLock { $0.isFinished = true }
        deliver()
    }

    /// Subscribes to the values, starting with the newest; the stream finishes on ``finish()`` or when its task is
    /// cancelled.
    public func values() -> AsyncStream<Value> {
        let (values, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let number = contents.withLock { contents in
            contents.count += 1
            contents.readers[contents.count] = Reader(continuation: continuation)
            return contents.count
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.contents.withLock { $0.readers.removeValue(forKey: number) }
        }
        deliver()
        return values
    }
}

// MARK: - Delivering

extension Broadcast {
    private enum Step: Sendable {
        case send(Value, to: [AsyncStream<Value>.Continuation])
        case finish([AsyncStream<Value>.Continuation])
    }

    /// Gives each subscriber the newest value, unless it has it, and finishes the streams after ``finish()``.
    ///
    /// One thread at a time delivers, so that no value overtakes a newer one. It doesn't hold the lock meanwhile:
    /// resuming a task waits for a cancellation of that task, whose handler waits for the lock.
    private func deliver() {
        let isFirst = contents.withLock { contents in
            defer { contents.isDelivering = true }
            return !contents.isDelivering
        }
        guard isFirst else { return }
        while let step = contents.withLock(Self.nextStep) {
            switch step {
            case .send(let value, let readers): for reader in readers { reader.yield(value) }
            case .finish(let readers): for reader in readers { reader.finish() }
            }
        }
    }

    /// Takes the next step; without one, the delivery has ended.
    private static func nextStep(_ contents: inout Contents) -> Step? {
        let version = contents.version
        if let newest = contents.newest {
            let outdated = contents.readers.filter { $0.value.version < version }
            if !outdated.isEmpty {
                for number in outdated.keys { contents.readers[number]?.version = version }
                return .send(newest, to: outdated.values.map(\.continuation))
            }
        }
        if contents.isFinished, !contents.readers.isEmpty {
            defer { contents.readers = [:] }
            return .finish(contents.readers.values.map(\.continuation))
        }
        contents.isDelivering = false
        return nil
    }
}
