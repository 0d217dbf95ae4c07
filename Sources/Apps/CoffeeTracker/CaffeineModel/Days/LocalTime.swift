/// A day and a time as a wall clock shows them.
public struct LocalTime: Hashable, Sendable {
    /// The day.
    public var day: LocalDay
    /// Minutes since midnight on the wall clock.
    public var minutes: Int

    /// Creates a time from the minutes since midnight.
    public init(day: LocalDay, minutes: Int) {
        self.day = day
        self.minutes = minutes
    }
}

/// The clocks of a time zone.
package protocol WallClock: Sendable {
    /// The seconds that the clocks are ahead of GMT at a time, in seconds since 1970.
    func offset(at time: Double) -> Double
}

extension LocalTime {
    /// The moments at which a wall clock shows a local time, in seconds since 1970.
    package enum Moments: Hashable, Sendable {
        /// The clock shows it once.
        case once(Double)
        /// The clock is moved forward and skips it; contains the moment at which the clock would have shown it.
        case skipped(Double)
        /// The clock is moved back, and shows it twice.
        case twice(first: Double, second: Double)

        /// The moment to use: the first if there are two.
        package var first: Double {
            switch self {
            case .once(let moment), .skipped(let moment), .twice(first: let moment, second: _): moment
            }
        }
    }

    /// The moments at which clocks show this time; a skipped 02:30 becomes 03:30.
    package func moments(on clock: some WallClock) -> Moments {
        let wall = Double(day.number) * 86_400 + Double(minutes) * 60
        // Offsets are less than a day, and no zone has changed its offset twice within two days.
        let (before, after) = (clock.offset(at: wall - 86_400), clock.offset(at: wall + 86_400))
        let early = wall - before
        let late = wall - after
        switch (clock.offset(at: early) == before, clock.offset(at: late) == after) {
        case (true, true) where early != late: return .twice(first: min(early, late), second: max(early, late))
        case (true, _): return .once(early)
        case (false, true): return .once(late)
        case (false, false): return .skipped(early)
        }
    }

    /// The local time of a moment, in seconds since 1970.
    package init(_ moment: Double, on clock: some WallClock) {
        let moment = moment.plausibleTime
        let wall = moment + clock.offset(at: moment)
        let day = (wall / 86_400).rounded(.down)
        self.init(day: LocalDay(number: Int(day)), minutes: Int((wall - day * 86_400) / 60))
    }
}

extension Double {
    /// Clamps a time to about thirty thousand years: other programs may write absurd times, and days are counted one by
    /// one.
    fileprivate var plausibleTime: Double { max(-1e12, min(1e12, self)) }
}

// MARK: - An owner's days

/// An owner's days: by which clocks they are counted, and when one begins.
package struct OwnerDays<Clock: WallClock>: Sendable {
    /// The clocks.
    package var clock: Clock
    /// When a day begins, in minutes since midnight.
    package var start: Int

    package init(clock: Clock, start: Int) {
        (self.clock, self.start) = (clock, start)
    }
}

extension OwnerDays {
    /// How long the night lasts after bedtime, in seconds.
    ///
    /// During the night, ``LevelAnswers`` assumes that the owner goes to bed now.
    private static var night: Double { 6 * 3600 }

    /// When a day begins, in seconds since 1970.
    package func beginning(of day: LocalDay) -> Double {
        LocalTime(day: day, minutes: start).moments(on: clock).first
    }

    /// The day that contains a moment, in seconds since 1970.
    package func day(of moment: Double) -> LocalDay {
        let moment = moment.plausibleTime
        var day = LocalTime(moment, on: clock).day + 1
        while beginning(of: day) > moment { day = day + -1 }
        return day
    }

    /// The beginnings of all days from the one containing `start` to the one after `end`; at least two.
    ///
    /// All are in seconds since 1970.
    package func beginnings(from start: Double, through end: Double) -> [Double] {
        let end = end.plausibleTime
        var day = day(of: start)
        var beginnings = [beginning(of: day)]
        while beginnings[beginnings.count - 1] <= end {
            day = day + 1
            beginnings.append(beginning(of: day))
        }
        return beginnings
    }

    /// The next bedtime, or `moment` itself within six hours after one; both are in seconds since 1970.
    ///
    /// - Parameters:
    ///   - minutes: The owner's bedtime, in minutes since midnight.
    ///   - moment: The current time.
    /// - Returns: When the owner goes to bed.
    package func bedtime(_ minutes: Int, at moment: Double) -> Double {
        let today = LocalTime(moment, on: clock).day
        for day in [today + -1, today, today + 1, today + 2] {
            let bedtime = LocalTime(day: day, minutes: minutes).moments(on: clock).first
            if bedtime >= moment { return bedtime }
            if moment - bedtime < Self.night { return moment }
        }
        return moment
    }
}

/// The drinks of an owner's day that began up to a moment.
///
/// A drink that another program has planned counts once it begins. A drink that was logged on a device whose clock is
/// slightly ahead counts at once.
package struct Today: Sendable {
    private let morning, tomorrow, latest: Double

    /// The day at a moment, in seconds since 1970.
    package init(days: OwnerDays<some WallClock>, at moment: Double) {
        let today = days.day(of: moment)
        (morning, tomorrow) = (days.beginning(of: today), days.beginning(of: today + 1))
        latest = moment + DrinkLimits.clockTolerance
    }

    /// Whether a drink counts that starts at a time, in seconds since 1970.
    package func contains(_ start: Double) -> Bool { start >= morning && start < tomorrow && start <= latest }
}

/// The clocks of a time zone, as a table: a page gets it from the server or its browser, and needs no time zone data.
package struct ClockTable: WallClock, Hashable {
    /// An offset, and when it begins to apply.
    package struct Change: Hashable, Sendable {
        /// When the offset begins to apply, in seconds since 1970.
        package var start: Double
        /// The seconds that the clocks are ahead of GMT.
        package var offset: Double

        package init(start: Double, offset: Double) {
            (self.start, self.offset) = (start, offset)
        }
    }

    /// The changes, the earliest first; the first offset also applies to all times before it.
    private let changes: [Change]

    /// A table of changes, the earliest first; without any, the clocks show GMT.
    package init(_ changes: [Change] = []) { self.changes = changes }

    /// The seconds that the clocks are ahead of GMT at a time, in seconds since 1970.
    package func offset(at time: Double) -> Double {
        (changes.last { $0.start <= time } ?? changes.first)?.offset ?? 0
    }
}
