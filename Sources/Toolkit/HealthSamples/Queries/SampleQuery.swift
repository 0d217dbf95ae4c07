import Digests
public import Foundation

/// Which samples: of which types, when, from which sources, and how much.
public struct SampleQuery: Hashable, Sendable {
    /// A window of time.
    public enum Window: Hashable, Sendable {
        /// All time.
        case always
        /// From a time on, up to but without another; `nil` for no bound.
        case between(Date?, Date?)
        /// From so many seconds ago on, without an end; it moves with the time.
        ///
        /// An ``Anchor`` of it stays good, because no sample gets into the window without being changed.
        case last(TimeInterval)
    }

    /// What must lie in the window.
    public enum Match: String, Hashable, Sendable {
        /// Any part of the sample.
        case overlap
        /// The sample's start.
        case start
    }

    /// Sources, by their identifiers.
    public enum Sources: Hashable, Sendable {
        /// All sources.
        case all
        /// These sources.
        case only(Set<String>)
        /// All sources except these.
        case allBut(Set<String>)

        /// Whether samples of the source with that identifier count.
        public func contains(_ identifier: String) -> Bool {
            switch self {
            case .all: true
            case .only(let identifiers): identifiers.contains(identifier)
            case .allBut(let identifiers): !identifiers.contains(identifier)
            }
        }
    }

    /// What was measured; an empty set finds nothing.
    public var types: Set<SampleType>
    /// When.
    public var window: Window
    /// What must lie in the window.
    public var match: Match
    /// Whose samples.
    public var sources: Sources
    /// The least that counts; it leaves out samples of another dimension.
    public var least: Quantity?
    /// The most that counts; it leaves out samples of another dimension.
    public var most: Quantity?

    /// Creates a query.
    public init(
        types: Set<SampleType>, window: Window = .always, match: Match = .overlap, sources: Sources = .all,
        least: Quantity? = nil, most: Quantity? = nil
    ) {
        self.types = types
        self.window = window
        self.match = match
        self.sources = sources
        self.least = least
        self.most = most
    }
}

extension SampleQuery {
    /// Whether every store finds this sample at that time.
    public func matches(_ sample: Sample, now: Date) -> Bool {
        types.contains(sample.type) && sources.contains(sample.source.identifier)
            && span(now: now).contains(sample.start, sample.end, match) && contains(sample.quantity)
    }

    /// Whether a value is within the bounds of the query.
    func contains(_ quantity: Quantity) -> Bool {
        if let least {
            guard least.unit.dimension == quantity.unit.dimension, quantity.isAtLeast(least) else { return false }
        }
        if let most {
            guard most.unit.dimension == quantity.unit.dimension, most.isAtLeast(quantity) else { return false }
        }
        return true
    }

    /// The window's bounds at a time.
    func span(now: Date) -> Span {
        switch window {
        case .always: Span(from: nil, to: nil)
        case .between(let from, let to): Span(from: from, to: to)
        case .last(let seconds): Span(from: now.addingTimeInterval(-seconds), to: nil)
        }
    }

    /// The bounds of a window: the first time, and the first that is outside.
    struct Span: Hashable, Sendable {
        var from: Date?
        var to: Date?

        /// Whether a sample counts; one that takes time does not reach its end itself.
        func contains(_ start: Date, _ end: Date, _ match: Match) -> Bool {
            if let to, start >= to { return false }
            guard let from else { return true }
            switch match {
            case .start: return start >= from
            case .overlap: return start >= from || end > from
            }
        }
    }

    /// Refuses an invalid query.
    func check() throws(SampleStoreError) {
        switch window {
        case .always: break
        case .between(let from, let to):
            let times = [from, to].compactMap { $0?.timeIntervalSinceReferenceDate }
            guard times.allSatisfy(\.isFinite) else {
                throw .invalidQuery("The query's window has a bound that is no time. Give it dates.")
            }
            if let from, let to, from > to {
                throw .invalidQuery("The query's window ends (\(to)) before it begins (\(from)). Exchange them.")
            }
        case .last(let seconds):
            guard seconds.isFinite, seconds >= 0 else {
                throw .invalidQuery("The query's window is \(seconds) s long. Give it a length from 0 on.")
            }
        }
        switch sources {
        case .all: break
        case .only(let identifiers), .allBut(let identifiers):
            for identifier in identifiers {
                try SampleLimits.check(name: identifier, "identifier of a source", code: .invalidQuery)
            }
        }
        for bound in [least, most] {
            if let bound, !bound.value.isFinite {
                throw .invalidQuery("The query's bound \(bound) is no finite number. Leave it out.")
            }
        }
    }

    /// Refuses an invalid source, an invalid query, and a page without room.
    func check(by source: SampleSource, limit: Int = 1) throws(SampleStoreError) {
        try SampleLimits.check(source)
        try check()
        guard limit > 0 else {
            throw .invalidQuery("A page of \(limit) changes goes nowhere. Ask for 1 at least.")
        }
    }

    /// The types of which the reader may see a change; all changed types if its permissions aren't known.
    func types(
        of changes: some Sequence<ChangedSamples>, shownTo reader: SampleSource, by grants: SampleGrants?
    ) -> Set<SampleType> {
        Set(
            changes.lazy.filter { change in
                types.contains(change.type) && sources.contains(change.source)
                    && grants?.shows(change.type, of: change.source, to: reader) ?? true
            }
            .map(\.type))
    }
}

/// That samples of a source and a type may have changed.
struct ChangedSamples: Hashable, Sendable {
    var source: String
    var type: SampleType
}

extension Quantity {
    /// Whether it is as much as another or more; 95 mg and 0.095 g are equal, whatever a conversion rounds.
    fileprivate func isAtLeast(_ other: Quantity) -> Bool {
        let (mine, others) = (inBaseUnit, other.inBaseUnit)
        return mine >= others - max(mine.magnitude, others.magnitude) * 1e-12
    }
}

extension SampleQuery {
    /// The digest that an ``Anchor`` has of a query and its reader: the same in every process, for ever.
    func digest(for reader: String) -> UInt64 {
        var parts = ["1", reader] + types.map { "\($0.rawValue) \($0.dimension.rawValue)" }.sorted()
        switch window {
        case .always: parts.append("always")
        case .between(let from, let to): parts += ["between", from.bits, to.bits]
        case .last(let seconds): parts += ["last", "\(seconds.bitPattern)"]
        }
        parts.append(match.rawValue)
        switch sources {
        case .all: parts.append("all")
        case .only(let identifiers): parts += ["only", "\(identifiers.count)"] + identifiers.sorted()
        case .allBut(let identifiers): parts += ["but", "\(identifiers.count)"] + identifiers.sorted()
        }
        for bound in [least, most] {
            parts.append(bound.map { "\($0.value.bitPattern) \($0.unit.symbol)" } ?? "none")
        }
        var digest = XXH64()
        for part in parts { digest.add(part) }
        return digest.value
    }
}

extension Date? {
    fileprivate var bits: String { map { "\($0.timeIntervalSinceReferenceDate.bitPattern)" } ?? "none" }
}
