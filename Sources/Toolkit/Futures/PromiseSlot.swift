/// The promise of a delegate: somebody asks, and the answer comes later by a method of its own.
///
/// A stored promise that is simply replaced when somebody asks again leaves the first one waiting for ever. This one knows
/// what a second question means while the first has no answer.
///
///     final class Locator: LocationDelegate {
///         private let location = PromiseSlot<Location, any Error>(overlap: .share)
///         func locate() -> Future<Location, any Error> { location.ask { manager.requestLocation() } }
///         func didUpdate(_ new: Location) { location.resolve(new) }
///         func didFail(_ error: any Error) { location.reject(error) }
///     }
public final class PromiseSlot<Value: Sendable, Failure: Error>: Sendable {
    /// What a question means while another one has no answer yet.
    public enum Overlap: Sendable {
        /// It gets the same answer; nothing is started.
        case share
        /// It takes the other's place, which fails with this error.
        case replace(@Sendable () -> Failure)
        /// It is started as well; answers come in the order of the questions.
        case queue
    }

    private let overlap: Overlap
    private let waiting = Lock<[Promise<Value, Failure>]>([])
    private let onAbandon: (@Sendable () -> Failure)?

    /// Creates a slot without questions.
    ///
    /// - Parameters:
    ///   - overlap: What a question means while another one has no answer yet.
    ///   - onAbandon: Makes the error of the questions that have no answer when the slot is released, as with ``Promise``.
    public init(overlap: Overlap, onAbandon: @escaping @Sendable () -> Failure) {
        self.overlap = overlap
        self.onAbandon = onAbandon
    }

    /// Creates a slot without questions.
    ///
    /// Questions that have no answer when the slot is released fail with an ``AbandonedPromise``.
    ///
    /// - Parameter overlap: What a question means while another one has no answer yet.
    public init(overlap: Overlap) where Failure == any Error {
        self.overlap = overlap
        self.onAbandon = nil
    }
}

extension PromiseSlot {
    /// Asks.
    ///
    /// - Parameters:
    ///   - file: Where the question is asked, for the ``AbandonedPromise`` of a slot that is released without an answer.
    ///   - line: Where the question is asked, for the ``AbandonedPromise`` of a slot that is released without an answer.
    ///   - start: Does what brings the answer; it may come at once. Not called for a shared question.
    /// - Returns: The future of the answer.
    public func ask(
        file: StaticString = #fileID, line: UInt = #line, _ start: () -> Void = {}
    ) -> Future<Value, Failure> {
        let promise = Promise<Value, Failure>(
            future: Future(), errorOnAbandon: onAbandon, file: file, line: line)
        let (future, replaced) = waiting.withLock { waiting -> (Future<Value, Failure>?, Promise<Value, Failure>?) in
            guard let first = waiting.first else {
                waiting.append(promise)
                return (nil, nil)
            }
            switch overlap {
            case .share:
                return (first.future, nil)
            case .replace:
                waiting = [promise]
                return (nil, first)
            case .queue:
                waiting.append(promise)
                return (nil, nil)
            }
        }
        if let future { return future }
        if let replaced, case .replace(let error) = overlap { replaced.reject(error()) }
        start()
        return promise.future
    }

    /// Whether a question has no answer yet.
    public var isWaiting: Bool { waiting.withLock { !$0.isEmpty } }

    /// Answers the oldest question.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func resolve(_ value: Value) -> Bool {
        next()?.resolve(value) ?? false
    }

    /// Fails the oldest question.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func reject(_ error: Failure) -> Bool {
        next()?.reject(error) ?? false
    }

    private func next() -> Promise<Value, Failure>? {
        waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
