public import Foundation

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
        switch moments(on: ZoneClock(zone: zone)) {
        case .once(let moment): .once(Date(timeIntervalSince1970: moment))
        case .skipped(let moment): .skipped(Date(timeIntervalSince1970: moment))
        case .twice(let first, let second):
            .twice(first: Date(timeIntervalSince1970: first), second: Date(timeIntervalSince1970: second))
        }
    }

    /// The local time of a moment in a zone.
    public init(_ date: Date, in zone: TimeZone) {
        self.init(date.timeIntervalSince1970, on: ZoneClock(zone: zone))
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

/// The clocks of Foundation's time zone.
struct ZoneClock: WallClock {
    let zone: TimeZone

    func offset(at time: Double) -> Double { Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: time))) }
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

    /// The days with times in seconds since 1970.
    var ownerDays: OwnerDays<ZoneClock> { OwnerDays(clock: ZoneClock(zone: zone), start: start) }

    /// When a day begins.
    public func beginning(of day: LocalDay) -> Date {
        Date(timeIntervalSince1970: ownerDays.beginning(of: day))
    }

    /// The day that contains a moment.
    public func day(of date: Date) -> LocalDay { ownerDays.day(of: date.timeIntervalSince1970) }

    /// The beginnings of all days from the one containing `start` to the one after `end`; at least two.
    public func beginnings(from start: Date, through end: Date) -> [Date] {
        ownerDays.beginnings(from: start.timeIntervalSince1970, through: end.timeIntervalSince1970)
            .map { Date(timeIntervalSince1970: $0) }
    }
}
