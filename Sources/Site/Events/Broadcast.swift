import Futures

/// Publishes the newest value to any number of subscribers.
///
/// A subscriber receives the newest value immediately, and then the newest at each time it asks for the next: a slow
/// subscriber skips intermediate values. Values must therefore be complete snapshots, not increments.
public final class Broadcast<Value: Sendable>: Sendable {
    private struct Contents: Sendable {
        var newest: Value?
        var readers: [Int: AsyncStream<Value>.Continuation] = [:]
        var count = 0
        var isFinished = false
    }

    private let contents = Lock(Contents())

    /// Creates a broadcast without a value.
    public init() {}
}

extension Broadcast {
    /// The number of subscribers.
    public var readers: Int { contents.withLock { $0.readers.count } }

    /// Publishes a value.
    public func send(_ value: Value) {
        // Yields under the lock, so that all subscribers end with the same one of two concurrent values.
        contents.withLock { contents in
            contents.newest = value
            for reader in contents.readers.values { reader.yield(value) }
        }
    }

    /// Finishes all subscriptions; a later subscriber receives only the newest value.
    public func finish() {
        let readers = contents.withLock { contents in
            contents.isFinished = true
            return Array(contents.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    /// Subscribes to the values, starting with the newest; the stream finishes on ``finish()`` or when its task is
    /// cancelled.
    public func values() -> AsyncStream<Value> {
        let (values, reader) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        // Yields under the lock, so that no concurrent value overtakes the current one.
        let number: Int? = contents.withLock { contents in
            if let newest = contents.newest { reader.yield(newest) }
            guard !contents.isFinished else { return nil }
            contents.count += 1
            contents.readers[contents.count] = reader
            return contents.count
        }
        guard let number else {
            reader.finish()
            return values
        }
        reader.onTermination = { [weak self] _ in
            _ = self?.contents.withLock { $0.readers.removeValue(forKey: number) }
        }
        return values
    }
}
