/// A sequence that suspends before each element, and before its end.
public struct YieldingSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// Where the iteration is.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var rest: ArraySlice<Element>
        fileprivate let error: (any Error)?

        /// Returns the next element after a suspension.
        public mutating func next() async throws -> Element? {
            await Task.yield()
            if rest.isEmpty, let error { throw error }
            return rest.popFirst()
        }
    }

    private let elements: [Element]
    private let error: (any Error)?

    /// Creates a sequence that throws the error, if there is one, after the last element.
    public init(_ elements: [Element], error: (any Error)? = nil) {
        self.elements = elements
        self.error = error
    }

    /// Begins an iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(rest: elements[...], error: error) }
}

/// A sequence that never throws, and suspends before each element and before its end.
public struct QuietSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// Where the iteration is.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var rest: ArraySlice<Element>

        /// Returns the next element after a suspension.
        public mutating func next() async -> Element? {
            await Task.yield()
            return rest.popFirst()
        }
    }

    private let elements: [Element]

    /// Creates a sequence of the elements.
    public init(_ elements: [Element]) {
        self.elements = elements
    }

    /// Begins an iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(rest: elements[...]) }
}

/// A sequence that sleeps before each element, in virtual time.
public struct TimedSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// Where the iteration is.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var rest: ArraySlice<(delay: Duration, element: Element)>

        /// Returns the next element after its delay, or `nil` if the task is cancelled meanwhile.
        public mutating func next() async -> Element? {
            guard let (delay, element) = rest.popFirst() else { return nil }
            do { try await Task.sleep(for: delay) } catch { return nil }
            return element
        }
    }

    private let elements: [(delay: Duration, element: Element)]

    /// Creates a sequence of elements, each with the time to wait since the one before.
    public init(_ elements: [(delay: Duration, element: Element)]) {
        self.elements = elements
    }

    /// Begins an iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(rest: elements[...]) }
}

/// An error that a hunt throws.
public enum HuntError: Error, Equatable {
    /// The error of a sequence.
    case expected
}

/// Returns all elements of a sequence.
public func elements<S: AsyncSequence>(of sequence: S) async throws -> [S.Element] {
    var elements: [S.Element] = []
    for try await element in sequence { elements.append(element) }
    return elements
}

/// Returns all elements of a sequence, and -1 at the end if it throws.
public func elementsAndError<S: AsyncSequence>(of sequence: S) async -> [Int] where S.Element == Int {
    var elements: [Int] = []
    do {
        for try await element in sequence { elements.append(element) }
    } catch {
        elements.append(-1)
    }
    return elements
}
