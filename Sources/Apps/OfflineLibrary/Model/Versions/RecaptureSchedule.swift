public import Foundation

/// When an address is captured again by itself.
public struct RecaptureSchedule: Hashable, Sendable {
    /// How often.
    public enum Interval: String, CaseIterable, Codable, Hashable, Sendable {
        /// Every day at the same time.
        case daily
        /// Every week at the same time.
        case weekly
        /// Every month, on the same day or on the last one of a shorter month.
        case monthly
    }

    /// The maximum number of schedules of an owner: so many captures a day take about an hour.
    public static let maximumCount = 200

    /// What the addresses of the same page have in common.
    public var key: String
    /// The address, and the formats of each version.
    public var request: CaptureRequest
    /// How often.
    public var interval: Interval
    /// When it was scheduled; the other times follow from this one.
    public var startedAt: Date
    /// The name of the time zone in which days begin.
    public var zone: String
    /// When it is captured next.
    public var nextAt: Date
    /// The identifier of the running capture; `nil` if none is running.
    public var running: SavedPage.ID?
    /// When it was last captured, whether or not that succeeded.
    public var endedAt: Date?
    /// Why the last capture failed; `nil` if it succeeded.
    public var failure: String?

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - request: The address and the formats.
    ///   - interval: How often it is captured.
    ///   - time: The current time.
    ///   - zone: The name of the time zone in which days begin.
    public init(_ request: CaptureRequest, _ interval: Interval, from time: Date, zone: String) {
        self.key = request.url.pageKey
        self.request = request
        self.interval = interval
        self.startedAt = time
        self.zone = zone
        self.nextAt = time
        self.nextAt = self.time(after: time)
    }

    /// The first time of the schedule after another time.
    ///
    /// Each time has the same clock time as the start in the schedule's time zone, unless the clock skips it that day. Times
    /// that passed while no server was running don't count.
    public func time(after time: Date) -> Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
        // Counted from the start, so that the end of a short month doesn't move the later ones.
        let (component, step, longest): (Calendar.Component, Int, TimeInterval) =
            switch interval {
            case .daily: (.day, 1, 25 * 3_600)
            case .weekly: (.day, 7, (7 * 24 + 1) * 3_600)
            case .monthly: (.month, 1, (31 * 24 + 1) * 3_600)
            }
        var count = max(Int(max(time.timeIntervalSince(startedAt), 0) / longest), 1)
        while let next = calendar.date(byAdding: component, value: step * count, to: startedAt) {
            if next > time { return next }
            count += 1
        }
        return time + longest
    }
}
