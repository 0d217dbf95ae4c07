public import Foundation

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

extension LocalTime {
    /// The moments at which a wall clock shows a local time.
    public enum Resolution: Hashable, Sendable {
        /// The clock shows it once.
        case once(Date)
        /// The clock is moved forward and skips it; contains the moment at which the clock would have shown it.
        case skipped(Date)
        /// The clock is moved back, and shows it twice.
        case twice(first: Date, second: Date)

        /// The moment to use: the first if there are two.
        public var date: Date {
            switch self {
            case .once(let date), .skipped(let date), .twice(first: let date, second: _): date
            }
        }
    }

    /// The moments at which clocks in a zone show this time; a skipped 02:30 becomes 03:30.
    public func resolved(in zone: TimeZone) -> Resolution {
        let wall = Double(day.number) * 86_400 + Double(minutes) * 60
        func offset(at seconds: Double) -> Double {
            Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)))
        }
        // Offsets are less than a day, and no zone has changed its offset twice within two days.
        let (before, after) = (offset(at: wall - 86_400), offset(at: wall + 86_400))
        let early = wall - before
        let late = wall - after
        switch (offset(at: early) == before, offset(at: late) == after) {
        case (true, true) where early != late:
            return .twice(
                first: Date(timeIntervalSince1970: min(early, late)),
                second: Date(timeIntervalSince1970: max(early, late)))
        case (true, _): return .once(Date(timeIntervalSince1970: early))
        case (false, true): return .once(Date(timeIntervalSince1970: late))
        case (false, false): return .skipped(Date(timeIntervalSince1970: early))
        }
    }

    /// The local time of a moment in a zone.
    public init(_ date: Date, in zone: TimeZone) {
        let seconds = date.known.timeIntervalSince1970
        let wall = seconds + Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)))
        let day = (wall / 86_400).rounded(.down)
        self.init(day: LocalDay(number: Int(day)), minutes: Int((wall - day * 86_400) / 60))
    }

    /// Parses hours and minutes, such as `22:30` or `10:30 PM`, as minutes since midnight; `nil` for any other text.
    public static func minutes(_ text: String) -> Int? {
        let text = text.lowercased()
        guard text.hasSuffix("am") || text.hasSuffix("pm") else { return minutes(text, hours: 0...23) }
        let time = text.dropLast(2).trimmingCharacters(in: .whitespaces)
        // 12 AM is the hour after midnight, and 12 PM that after noon.
        return minutes(time.contains(":") ? time : "\(time):00", hours: 1...12).map { minutes in
            minutes % (12 * 60) + (text.hasSuffix("pm") ? 12 * 60 : 0)
        }
    }

    private static func minutes(_ text: String, hours range: ClosedRange<Int>) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            parts.allSatisfy({ $0.allSatisfy { ("0"..."9").contains($0) } }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), range.contains(hours), minutes < 60
        else { return nil }
        return hours * 60 + minutes
    }

    /// Formats minutes since midnight, such as `22:30`.
    public static func text(_ minutes: Int) -> String {
        let (hours, rest) = (minutes / 60, minutes % 60)
        return "\(hours < 10 ? "0" : "")\(hours):\(rest < 10 ? "0" : "")\(rest)"
    }
}

/// How to count an owner's days: the time zone, and when a day begins.
public struct DayCounting: Hashable, Sendable {
    /// The zone.
    public var zone: TimeZone
    /// When a day begins, in minutes since midnight.
    public var start: Int

    /// Creates a rule for days that begin at a time, given in minutes since midnight.
    public init(zone: TimeZone, start: Int = 0) {
        self.zone = zone
        self.start = start
    }

    /// When a day begins.
    public func beginning(of day: LocalDay) -> Date {
        LocalTime(day: day, minutes: start).resolved(in: zone).date
    }

    /// The day that contains a moment.
    public func day(of date: Date) -> LocalDay {
        let date = date.known
        var day = LocalTime(date, in: zone).day + 1
        while beginning(of: day) > date { day = day + -1 }
        return day
    }

    /// The beginnings of all days from the one containing `start` to the one after `end`; at least two.
    public func beginnings(from start: Date, through end: Date) -> [Date] {
        let end = end.known
        var day = day(of: start)
        var dates = [beginning(of: day)]
        while dates[dates.count - 1] <= end {
            day = day + 1
            dates.append(beginning(of: day))
        }
        return dates
    }
}

extension Date {
    /// Clamps a date to about thirty thousand years: other programs may write absurd dates, and days are counted one by
    /// one.
    fileprivate var known: Date {
        Date(timeIntervalSince1970: max(-1e12, min(1e12, timeIntervalSince1970)))
    }
}
