import Digests
public import Foundation

/// Selects samples by type, time, source and value.
public struct SampleQuery: Hashable, Sendable {
    /// A window of time.
    public enum Window: Hashable, Sendable {
        /// Any time.
        case always
        /// From the first date up to but excluding the second; `nil` means unbounded.
        case between(Date?, Date?)
        /// The given number of seconds before now, and all later times; the window moves with the clock.
        ///
        /// An ``Anchor`` of it stays valid, because a sample can enter the window only by being changed.
        case last(TimeInterval)
    }

    /// Which part of a sample must lie in the window.
    public enum Match: String, Hashable, Sendable {
        /// Any part of the sample.
        case overlap
        /// The sample's start.
        case start
    }

    /// A set of sources, by identifier.
    public enum Sources: Hashable, Sendable {
        /// All sources.
        case all
        /// These sources.
        case only(Set<String>)
        /// All sources except these.
        case allExcept(Set<String>)

        /// Whether the set contains the source with an identifier.
        public func contains(_ identifier: String) -> Bool {
            switch self {
            case .all: true
            case .only(let identifiers): identifiers.contains(identifier)
            case .allExcept(let identifiers): !identifiers.contains(identifier)
            }
        }
    }

    /// The types to match; an empty set matches nothing.
    public var types: Set<SampleType>
    /// The window of time.
    public var window: Window
    /// Which part of a sample must lie in the window.
    public var match: Match
    /// The sources whose samples match.
    public var sources: Sources
    /// The least matching value; samples of another dimension don't match.
    public var minimum: Quantity?
    /// The greatest matching value; samples of another dimension don't match.
    public var maximum: Quantity?

    /// Creates a query.
    public init(
        types: Set<SampleType>, window: Window = .always, match: Match = .overlap, sources: Sources = .all,
        minimum: Quantity? = nil, maximum: Quantity? = nil
    ) {
        self.types = types
        self.window = window
        self.match = match
        self.sources = sources
        self.minimum = minimum
        self.maximum = maximum
    }
}

extension SampleQuery {
    /// Whether the query matches a sample at a given time; every store must give the same result.
    public func matches(_ sample: Sample, now: Date) -> Bool {
        types.contains(sample.type) && sources.contains(sample.source.identifier)
            && span(now: now).contains(sample.start, sample.end, match) && contains(sample.quantity)
    }

    /// Whether a value is within the query's bounds.
    func contains(_ quantity: Quantity) -> Bool {
        if let minimum {
            guard minimum.unit.dimension == quantity.unit.dimension, quantity.isAtLeast(minimum) else { return false }
        }
        if let maximum {
            guard maximum.unit.dimension == quantity.unit.dimension, maximum.isAtLeast(quantity) else { return false }
        }
        return true
    }

    /// The window's bounds at a given time.
    func span(now: Date) -> Span {
        switch window {
        case .always: Span(from: nil, to: nil)
        case .between(let from, let to): Span(from: from, to: to)
        case .last(let seconds): Span(from: now.addingTimeInterval(-seconds), to: nil)
        }
    }

    /// The bounds of a window, including `from` and excluding `to`.
    struct Span: Hashable, Sendable {
        var from: Date?
        var to: Date?

        /// Whether a sample lies in the window; the end of a sample with a duration is exclusive.
        func contains(_ start: Date, _ end: Date, _ match: Match) -> Bool {
            if let to, start >= to { return false }
            guard let from else { return true }
            switch match {
            case .start: return start >= from
            case .overlap: return start >= from || end > from
            }
        }
    }

    /// Throws if the query is invalid.
    func check() throws(SampleStoreError) {
        switch window {
        case .always: break
        case .between(let from, let to):
            let times = [from, to].compactMap { $0?.timeIntervalSinceReferenceDate }
            guard times.allSatisfy(\.isFinite) else {
                throw .invalidQuery("The query's window has a bound that isn't a valid date. Use valid dates.")
            }
            if let from, let to, from > to {
                throw .invalidQuery("The query's window ends (\(to)) before it begins (\(from)). Swap them.")
            }
        case .last(let seconds):
            guard seconds.isFinite, seconds >= 0 else {
                throw .invalidQuery("The query's window is \(seconds) s long. Use a length of 0 s or more.")
            }
        }
        switch sources {
        case .all: break
        case .only(let identifiers), .allExcept(let identifiers):
            for identifier in identifiers {
                try SampleLimits.check(name: identifier, "identifier of a source", code: .invalidQuery)
            }
        }
        for bound in [minimum, maximum] {
            if let bound, !bound.value.isFinite {
                throw .invalidQuery(
                    "The query's bound \(bound) isn't a finite number. Use a finite number, or no bound.")
            }
        }
    }

    /// Throws if the source, the query or the limit is invalid.
    func check(by source: SampleSource, limit: Int = 1) throws(SampleStoreError) {
        try SampleLimits.check(source)
        try check()
        guard limit > 0 else {
            throw .invalidQuery("A page can't have \(limit) changes. Request at least 1.")
        }
    }

    /// The types with changes that a reader may see; all changed types if its permissions aren't known.
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

/// A source and a type whose samples may have changed.
struct ChangedSamples: Hashable, Sendable {
    var source: String
    var type: SampleType
}

extension Quantity {
    /// Whether it is at least as large as another, allowing for rounding: 95 mg equals 0.095 g.
    fileprivate func isAtLeast(_ other: Quantity) -> Bool {
        let (value, otherValue) = (inBaseUnit, other.inBaseUnit)
        return value >= otherValue - max(value.magnitude, otherValue.magnitude) * 1e-12
    }
}

extension SampleQuery {
    /// The digest of a query and its reader that an ``Anchor`` stores; it must never differ between processes or versions.
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
        case .allExcept(let identifiers): parts += ["but", "\(identifiers.count)"] + identifiers.sorted()
        }
        for bound in [minimum, maximum] {
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
