import Foundation

/// When an observer is told.
///
/// It is told of what it has not acknowledged: after its minimum interval, also across restarts, and again after a time if
/// it does not acknowledge what it was told in this run.
struct SampleObservationStateMachine {
    /// What to do next.
    enum Action: Hashable {
        /// Tell it now.
        case deliver
        /// Look again in so many seconds.
        case sleep(TimeInterval)
        /// Look again when something may have changed.
        case waitForChange
    }

    private enum State: Hashable {
        /// Nothing was told since the start: what was told before the start may never have arrived.
        case starting
        /// It was told, when it had acknowledged so much.
        case told(acknowledged: Anchor?)
    }

    private var state = State.starting
    private let redelivery: TimeInterval

    /// - Parameter redelivery: After how many seconds it is told again of what it does not acknowledge.
    init(redelivery: TimeInterval) {
        self.redelivery = redelivery
    }
}

extension SampleObservationStateMachine {
    /// Decides, by what is kept of the observer and whether there is something that it has not acknowledged.
    func next(_ record: ObserverRecord, hasNews: Bool, now: Date) -> Action {
        guard hasNews else { return .waitForChange }
        guard let delivered = record.delivered else { return .deliver }
        let interval: TimeInterval =
            switch state {
            case .starting: record.observer.minimumInterval
            case .told(let acknowledged):
                record.acknowledged == acknowledged
                    ? max(record.observer.minimumInterval, redelivery) : record.observer.minimumInterval
            }
        // A clock that was put back makes nobody wait for longer than the interval.
        let elapsed = max(now.timeIntervalSince(delivered), 0)
        return elapsed >= interval ? .deliver : .sleep(interval - elapsed)
    }

    /// Notes that it was told.
    mutating func told(_ record: ObserverRecord) {
        state = .told(acknowledged: record.acknowledged)
    }
}
