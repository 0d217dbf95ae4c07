import Digests
public import Foundation

/// Which samples: of which types, from when, of whom, how much.
public struct SampleQuery: Hashable, Sendable, Codable {
    /// From when.
    public enum Window: Hashable, Sendable, Codable {
        /// All there is.
        case always
        /// From a time on, up to another one that no longer belongs to it; `nil` for no bound.
        case between(Date?, Date?)
        /// From so many seconds ago on, and what is still to come.
        ///
        /// It goes on with the time, and an ``Anchor`` of it stays good: there is no end that something could come in by
        /// without being changed.
        case last(TimeInterval)
    }

    /// What must lie in the window.
    public enum Match: String, Hashable, Sendable, Codable {
        /// A part of the sample.
        case overlap
        /// Its start.
        case start
    }

    /// Whose samples, by the sources' identifiers.
    public enum Sources: Hashable, Sendable, Codable {
        /// Everybody's.
        case all
        /// Theirs.
        case only(Set<String>)
        /// Everybody's but theirs.
        case allBut(Set<String>)
    }

    /// What was measured.
    public var types: Set<SampleType>
    /// From when.
    public var window: Window
    /// What must lie in the window.
    public var match: Match
    /// Whose.
    public var sources: Sources
    /// The least that counts.
    public var least: Quantity?
    /// The most that counts.
    public var most: Quantity?

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - types: What was measured; none finds nothing.
    ///   - window: From when.
    ///   - match: What must lie in the window.
    ///   - sources: Whose.
    ///   - least: The least that counts; it leaves out every sample of another dimension.
    ///   - most: The most that counts; it leaves out every sample of another dimension.
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

extension SampleQuery.Sources {
    /// Whether a source is among them.
    ///
    /// - Parameter identifier: The source's.
    /// - Returns: Whether its samples count.
    public func contains(_ identifier: String) -> Bool {
        switch self {
        case .all: true
        case .only(let identifiers): identifiers.contains(identifier)
        case .allBut(let identifiers): !identifiers.contains(identifier)
        }
    }
}

extension SampleQuery {
    /// Whether a sample is one of those.
    ///
    /// - Parameters:
    ///   - sample: The sample.
    ///   - now: The time that a window reaches back from.
    /// - Returns: Whether it is. Every store gives this answer.
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

    /// The window at a time.
    func span(now: Date) -> Span {
        switch window {
        case .always: Span(from: nil, to: nil)
        case .between(let from, let to): Span(from: from, to: to)
        case .last(let seconds): Span(from: now.addingTimeInterval(-seconds), to: nil)
        }
    }

    /// From a time on, up to another.
    struct Span: Hashable, Sendable {
        var from: Date?
        var to: Date?

        /// Whether a sample of these times counts: what takes no time is where it is, all else up to its end.
        func contains(_ start: Date, _ end: Date, _ match: Match) -> Bool {
            if let to, start >= to { return false }
            guard let from else { return true }
            switch match {
            case .start: return start >= from
            case .overlap: return start >= from || end > from
            }
        }
    }

    /// Refuses what has no meaning.
    func check() throws(SampleStoreError) {
        switch window {
        case .always: break
        case .between(let from, let to):
            let times = [from, to].compactMap { $0?.timeIntervalSinceReferenceDate }
            guard times.allSatisfy(\.isFinite) else {
                throw SampleStoreError(.invalidQuery, "The query's window has a bound that is no time. Give it dates.")
            }
            if let from, let to, from > to {
                throw SampleStoreError(
                    .invalidQuery, "The query's window ends (\(to)) before it begins (\(from)). Exchange them.")
            }
        case .last(let seconds):
            guard seconds.isFinite, seconds >= 0 else {
                throw SampleStoreError(
                    .invalidQuery, "The query's window is \(seconds) s long. Give it a length from 0 on.")
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
                throw SampleStoreError(.invalidQuery, "The query's bound \(bound) is no finite number. Leave it out.")
            }
        }
    }
}

extension SampleQuery {
    /// Refuses what has no meaning, also in the size of a page.
    func check(limit: Int) throws(SampleStoreError) {
        try check()
        guard limit > 0 else {
            throw SampleStoreError(.invalidQuery, "A page of \(limit) changes goes nowhere. Ask for 1 at least.")
        }
    }

    /// Of which of its types a reader may have something new; all of them, if it is not known what it may see.
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

/// What may have changed: whose, and of which type.
struct ChangedSamples: Hashable, Sendable {
    var source: String
    var type: SampleType
}

extension Quantity {
    /// Whether it is as much as another or more; 95 mg and 0.095 g are the same, whatever a conversion rounds.
    fileprivate func isAtLeast(_ other: Quantity) -> Bool {
        let (mine, others) = (inBaseUnit, other.inBaseUnit)
        return mine >= others - max(mine.magnitude, others.magnitude) * 1e-12
    }
}

extension SampleQuery {
    /// The same for two queries of one reader if they are the same, in every process and for ever: a part of an ``Anchor``.
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
