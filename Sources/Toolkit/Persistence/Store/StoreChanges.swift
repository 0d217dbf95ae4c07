/// Names that may have changed: see ``Store/changes()``.
public struct StoreChanges: AsyncSequence, Sendable {
    private let stream: AsyncStream<Set<StoreKey>>

    /// Wraps what a store has made.
    ///
    /// - Parameter stream: It ends when its task is cancelled, and leaves nothing out.
    public init(_ stream: AsyncStream<Set<StoreKey>>) {
        self.stream = stream
    }

    /// Goes through the changes; for one task.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Goes through the changes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Set<StoreKey>>.Iterator

        /// Names that may have changed since the last call; `nil` at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Set<StoreKey>? {
            await base.next(isolation: actor)
        }
    }
}
