/// What may have changed: a store's ``Store/updates()``, for one.
///
/// Each element is about everything since the element before it: changes that come while its task does something else
/// come together. It ends when its task is cancelled. One task goes through it.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
    private let stream: AsyncStream<Element>

    /// Wraps a stream of a store's.
    ///
    /// - Parameter stream: A stream that leaves out no last change, and ends when its task is cancelled.
    public init(_ stream: AsyncStream<Element>) {
        self.stream = stream
    }

    /// A sequence that ends at once.
    public static var none: Updates { Updates(AsyncStream { $0.finish() }) }

    /// Goes through the updates; for one task.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Goes through the updates.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Element>.Iterator

        /// What may have changed since the last call; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            await base.next(isolation: actor)
        }
    }
}

extension Updates {
    /// The same updates as others see them.
    ///
    /// - Returns: The elements that it makes.
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
