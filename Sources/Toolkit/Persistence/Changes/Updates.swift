/// A sequence of notifications of possible changes, such as ``Store/updates()``.
///
/// Each element covers all changes since the previous one: changes that occur while the consumer is busy are merged. The
/// sequence ends when the consuming task is cancelled. Only one task may iterate over it.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
    private let stream: AsyncStream<Element>

    /// Wraps a stream.
    ///
    /// - Parameter stream: A stream that never drops the latest change, and ends when the consuming task is cancelled.
    public init(_ stream: AsyncStream<Element>) {
        self.stream = stream
    }

    /// A sequence that ends immediately.
    public static var none: Updates { Updates(AsyncStream { $0.finish() }) }

    /// Creates an iterator, for one task.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// The iterator of ``Updates``.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Element>.Iterator

        /// The possible changes since the last call; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            await base.next(isolation: actor)
        }
    }
}

extension Updates {
    /// Transforms each element, and drops those for which the closure returns `nil`.
    package func converted<Other: Sendable>(
        _ transform: @escaping @Sendable (Element) async -> Other?
    ) -> Updates<Other> {
        Updates<Other>(
            AsyncStream(unfolding: {
                for await element in self {
                    if let other = await transform(element) { return other }
                }
                return nil
            }))
    }
}
