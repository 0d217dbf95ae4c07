import Synchronization

/// A list that the tasks of a body append to.
///
/// Appending isn't a suspension, so the explorer doesn't interrupt it.
public final class Log<Element: Sendable>: Sendable {
    private let storage = Mutex<[Element]>([])

    /// Creates an empty list.
    public init() {}

    /// The elements, in the order in which they were appended.
    public var elements: [Element] { storage.withLock { $0 } }

    /// Appends an element.
    public func append(_ element: Element) {
        storage.withLock { $0.append(element) }
    }
}

extension Log {
    /// The number of elements.
    public var count: Int { storage.withLock { $0.count } }
}
