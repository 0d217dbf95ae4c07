public import Foundation

/// Somebody who is told that something has changed, until he has acknowledged it.
public struct SampleObserver: Hashable, Sendable, Codable {
    /// What its source calls it.
    public var name: String
    /// What it is told of.
    public var query: SampleQuery
    /// How long after a delivery the next one comes at the earliest, in seconds, whatever happens; also after a restart.
    public var minimumInterval: TimeInterval

    /// Describes an observer.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes, another one for each of the source's observers.
    ///   - query: What it is told of.
    ///   - minimumInterval: How long after a delivery the next one comes at the earliest, in seconds; a year (366 days)
    ///     at most.
    public init(name: String, query: SampleQuery, minimumInterval: TimeInterval = 0) {
        self.name = name
        self.query = query
        self.minimumInterval = minimumInterval
    }
}

/// What a store keeps of an observer, so that it survives a restart.
public struct ObserverRecord: Hashable, Sendable {
    /// Who it is.
    public var observer: SampleObserver
    /// Up to where it has acknowledged; `nil` for nothing.
    public var acknowledged: Anchor?
    /// When something was last delivered to it.
    public var delivered: Date?

    /// Creates it.
    public init(observer: SampleObserver, acknowledged: Anchor? = nil, delivered: Date? = nil) {
        self.observer = observer
        self.acknowledged = acknowledged
        self.delivered = delivered
    }
}

extension ObserverRecord {
    /// What is to be kept of an observer, after what was kept of the one of that name.
    init(_ observer: SampleObserver, after kept: ObserverRecord?) {
        self.init(
            observer: observer, acknowledged: kept?.observer.query == observer.query ? kept?.acknowledged : nil,
            delivered: kept?.delivered)
    }

    /// Whether an acknowledgement counts: it is of this query, and takes back none that is known.
    func takes(_ anchor: Anchor, from observer: SampleObserver) -> Bool {
        guard self.observer.query == observer.query else { return false }
        guard let acknowledged, acknowledged.store == anchor.store else { return true }
        return acknowledged.horizon <= anchor.horizon
    }
}

extension SampleObserver {
    /// The longest interval, in seconds: a year of 366 days.
    ///
    /// What `Duration` cannot hold ends the program.
    static let longestInterval: TimeInterval = 31_622_400

    /// Refuses what cannot be observed.
    func check() throws(SampleStoreError) {
        try SampleLimits.check(name: name, "name of an observer")
        try query.check()
        guard (0...Self.longestInterval).contains(minimumInterval) else {
            throw SampleStoreError(
                .invalidQuery,
                "The observer “\(name)” cannot be told every \(minimumInterval) s. Choose from 0 to a year.")
        }
    }

    /// After how many seconds it is told again, if that was asked for: a year at most.
    func checked(redelivery: TimeInterval) throws(SampleStoreError) -> TimeInterval {
        guard redelivery >= 0 else {
            throw SampleStoreError(
                .invalidQuery,
                "The observer “\(name)” cannot be told again after \(redelivery) s. Choose 0 or more.")
        }
        return min(redelivery, Self.longestInterval)
    }
}
