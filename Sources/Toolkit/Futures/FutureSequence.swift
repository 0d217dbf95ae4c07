/// The outcomes of futures that are made one after another, a bounded number of them at a time.
///
/// Each iteration makes the futures anew, when there is room for them. An iteration that is dropped makes no more of them,
/// and waits for none of those that it has made: work that nobody else waits for may be cancelled then. So does one whose
/// task is cancelled.
///
///     for await (place, result) in FutureSequence(addresses, limit: 4, order: .completion, making: fetch) { … }
public struct FutureSequence<Base: Sequence & Sendable, Value: Sendable, Failure: Error>: AsyncSequence, Sendable
where Base.Element: Sendable {
    /// In which order outcomes come.
    public enum Order: Sendable {
        /// As the futures settle.
        case completion
        /// As their elements stand in the sequence.
        case input
    }

    /// What became of an element.
    public struct Element: Sendable {
        /// The place of the element in the sequence, from 0 on.
        public let place: Int
        /// What the future was made of.
        public let input: Base.Element
        /// The future's outcome.
        public let result: Result<Value, Failure>
    }

    private let base: Base
    private let limit: Int
    private let order: Order
    private let making: @Sendable (Base.Element) -> Future<Value, Failure>

    /// Creates a sequence that has made nothing yet.
    ///
    /// - Parameters:
    ///   - base: What the futures are made of.
    ///   - limit: How many futures may be pending at a time, at least 1. In the order of input, those that have settled
    ///     and wait for an earlier one count too, so that what is kept is bounded.
    ///   - order: In which order outcomes come.
    ///   - making: Makes the future of an element.
    public init(
        _ base: Base, limit: Int, order: Order,
        making: @escaping @Sendable (Base.Element) -> Future<Value, Failure>
    ) {
        precondition(limit > 0, "With a limit below 1 no future would ever be made.")
        self.base = base
        self.limit = limit
        self.order = order
        self.making = making
    }

    /// Iterates, with futures of its own.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            elements: base.enumerated().makeIterator(), limit: limit, order: order, making: making)
    }

    /// Makes futures when there is room, and waits for their outcomes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var elements: EnumeratedSequence<Base>.Iterator
        let limit: Int
        let order: Order
        let making: @Sendable (Base.Element) -> Future<Value, Failure>

        private let settle: AsyncStream<FutureSequence.Element>.Continuation
        private var arrivals: AsyncStream<FutureSequence.Element>.AsyncIterator
        /// Those that have settled before their turn, in the order of input.
        private var early: [Int: FutureSequence.Element] = [:]
        private let underWay = UnderWay()
        private var nextPlace = 0

        init(
            elements: EnumeratedSequence<Base>.Iterator, limit: Int, order: Order,
            making: @escaping @Sendable (Base.Element) -> Future<Value, Failure>
        ) {
            self.elements = elements
            self.limit = limit
            self.order = order
            self.making = making
            let (settled, settle) = AsyncStream.makeStream(of: FutureSequence.Element.self)
            self.settle = settle
            self.arrivals = settled.makeAsyncIterator()
        }

        /// The next outcome; `nil` at the end, and when this task is cancelled.
        public mutating func next() async -> FutureSequence.Element? {
            await next(isolation: #isolation)
        }

        /// The next outcome; `nil` at the end, and when this task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> FutureSequence.Element? {
            if Task.isCancelled {
                underWay.leave()
                return nil
            }
            while underWay.count + early.count < limit, let (place, input) = elements.next() {
                underWay.add(making(input), at: place) { [settle] result in
                    settle.yield(FutureSequence.Element(place: place, input: input, result: result))
                }
            }
            while true {
                if let element = early.removeValue(forKey: nextPlace) {
                    nextPlace += 1
                    return element
                }
                guard underWay.count > 0, let element = await arrivals.next(isolation: actor) else {
                    // All are done, or this task was cancelled.
                    underWay.leave()
                    return nil
                }
                underWay.remove(element.place)
                switch order {
                case .completion: return element
                case .input: early[element.place] = element
                }
            }
        }
    }
}

/// The futures whose outcomes an iteration waits for; it leaves them when it is dropped.
private final class UnderWay: Sendable {
    private struct Place: Sendable {
        let future: any Leavable
        /// `nil` if it has settled already.
        let ticket: Int?
    }

    private let places = Lock<[Int: Place]>([:])

    var count: Int { places.withLock { $0.count } }

    deinit {
        leave()
    }

    func add<Value: Sendable, Failure: Error>(
        _ future: Future<Value, Failure>, at place: Int,
        _ callback: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) {
        let ticket = future.join(callback)
        places.withLock { $0[place] = Place(future: future, ticket: ticket) }
    }

    func remove(_ place: Int) {
        // Released after the lock is.
        _ = places.withLock { $0.removeValue(forKey: place) }
    }

    func leave() {
        let all = places.withLock { places in
            var all: [Int: Place] = [:]
            swap(&all, &places)
            return all
        }
        for place in all.values {
            if let ticket = place.ticket { place.future.leave(ticket) }
        }
    }
}
