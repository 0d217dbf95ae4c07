/// The part of all schedules that an exploration has covered.
public struct Coverage: Sendable, Equatable {
    /// A search through all schedules within a bound.
    public struct Search: Sendable, Equatable {
        /// The maximum number of preemptions; `nil` means no bound.
        public internal(set) var preemptions: Int?
        /// Whether it runs only one of all schedules that differ only in the order of independent steps.
        ///
        /// See ``Strategy/partialOrder``. Then ``estimatedFraction`` stays 0 until the search is done.
        public internal(set) var isReduced = false
        /// The number of schedules that it has run, all different and none redundant.
        public internal(set) var schedules = 0
        /// Whether it has run all schedules within its bound.
        public internal(set) var isExhausted = false
        /// The estimated part of the schedules within the bound that it has run, from 0 to 1.
        ///
        /// The estimate takes all alternatives at one point to lead to equally many schedules; it is exact at the end.
        /// See Knuth, "Estimating the Efficiency of Backtrack Programs", 1975.
        public internal(set) var estimatedFraction = 0.0
    }

    /// The number of different schedules that were run; counted up to 262,144.
    public internal(set) var distinctSchedules = 0
    /// The search through all schedules within a bound, if the strategy includes one.
    public internal(set) var search: Search?
}

extension Coverage.Search: CustomStringConvertible {
    /// A description, such as "all 82 schedules with at most 2 preemptions".
    public var description: String {
        let bound: String
        switch preemptions {
        case .none: bound = isReduced ? " that differ in more than the order of independent steps" : ""
        case .some(0): bound = " without preemptions"
        case .some(1): bound = " with at most 1 preemption"
        case .some(let maximum): bound = " with at most \(maximum) preemptions"
        }
        if isExhausted { return schedules == 1 ? "the only schedule\(bound)" : "all \(schedules) schedules\(bound)" }
        if isReduced { return "\(schedules) of the schedules\(bound)" }
        let percent = estimatedFraction * 100
        let part: String
        switch percent {
        case ..<0.1: part = "less than 0.1 %"
        case ..<1: part = "about 0.\(Int(percent * 10)) %"
        default: part = "about \(Int(percent)) %"
        }
        return "\(part) of the schedules\(bound) (an estimate)"
    }
}

/// Counts what is covered while an exploration runs.
struct CoverageCounter {
    private static let maximum = 1 << 18

    private var search: Coverage.Search?
    private var hashes: Set<UInt64> = []

    var coverage: Coverage { Coverage(distinctSchedules: hashes.count, search: search) }

    mutating func count(_ schedule: Schedule, of kind: Strategy.Kind, isRedundant: Bool) {
        if hashes.count < Self.maximum { hashes.insert(schedule.choiceHash) }
        switch kind {
        case .exhaustive(let preemptions):
            if search == nil { search = Coverage.Search(preemptions: preemptions) }
        case .partialOrder:
            if search == nil { search = Coverage.Search(isReduced: true) }
        case .portfolio, .random, .inOrder, .priorities, .replay, .unreadable: return
        }
        if !isRedundant { search?.schedules += 1 }
    }

    /// Notes at the end, or when a search is exhausted, how far it is; `nil` means to its end.
    mutating func end(_ kind: Strategy.Kind, progress: Double?) {
        switch kind {
        case .exhaustive, .partialOrder: break
        case .portfolio, .random, .inOrder, .priorities, .replay, .unreadable: return
        }
        search?.isExhausted = progress == nil
        search?.estimatedFraction = progress ?? 1
    }
}
