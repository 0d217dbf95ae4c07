import Futures

/// Hands the newest of some values to any number of readers.
///
/// A reader gets the newest value at once, and then each one that is the newest when it is ready for it: a slow reader
/// misses what was in between. Values are thus whole snapshots, never steps.
public final class Broadcast<Value: Sendable>: Sendable {
    private struct Contents: Sendable {
        var newest: Value?
        var readers: [Int: AsyncStream<Value>.Continuation] = [:]
        var count = 0
        var isFinished = false
    }

    private let contents = Lock(Contents())

    /// Creates one that has no value yet.
    public init() {}
}

extension Broadcast {
    /// How many read.
    public var readers: Int { contents.withLock { $0.readers.count } }

    /// Hands out a value.
    public func send(_ value: Value) {
        // Within the lock: of two that are sent at once, the same one must be the last for all.
        contents.withLock { contents in
            contents.newest = value
            for reader in contents.readers.values { reader.yield(value) }
        }
    }

    /// Ends every reader's values, and those of readers to come after the newest one.
    public func finish() {
        let readers = contents.withLock { contents in
            contents.isFinished = true
            return Array(contents.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    /// The values from now on, the newest first; they end when the reader does, or its task is cancelled.
    public func values() -> AsyncStream<Value> {
        let (values, reader) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        // Within the lock: a value that is sent meanwhile must come after the newest one that is known here.
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
