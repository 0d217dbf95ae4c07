public import Foundation

/// What a day is: in which zone, and when it begins.
public struct SampleDays: Hashable, Sendable, Codable {
    /// The zone's identifier.
    public let timeZone: String
    /// When a day begins, in minutes after midnight: 240 for those who count an espresso at two to the evening before.
    public let startMinutes: Int

    /// Describes days.
    ///
    /// - Parameters:
    ///   - timeZone: The zone's identifier, such as `Europe/Berlin`.
    ///   - startMinutes: When a day begins, in minutes after midnight, from 0 to 1439.
    /// - Throws: ``SampleStoreError`` with the code `invalidQuery`.
    public init(timeZone: String, startMinutes: Int = 0) throws(SampleStoreError) {
        guard TimeZone(identifier: timeZone) != nil else {
            throw SampleStoreError(
                .invalidQuery, "“\(timeZone.prefix(64))” is no time zone. Use one such as Europe/Berlin.")
        }
        guard (0..<1_440).contains(startMinutes) else {
            throw SampleStoreError(.invalidQuery, "A day cannot begin \(startMinutes) minutes after midnight.")
        }
        self.timeZone = timeZone
        self.startMinutes = startMinutes
    }
}

extension SampleDays {
    private enum CodingKeys: String, CodingKey {
        case timeZone, startMinutes
    }

    /// Reads days, and checks them.
    ///
    /// - Parameter decoder: Where they are read from.
    /// - Throws: `DecodingError`, also for what ``init(timeZone:startMinutes:)`` refuses.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let timeZone = try container.decode(String.self, forKey: .timeZone)
        let startMinutes = try container.decode(Int.self, forKey: .startMinutes)
        do throws(SampleStoreError) {
            try self.init(timeZone: timeZone, startMinutes: startMinutes)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.message, underlyingError: error))
        }
    }
}

/// What the samples of one day come to.
public struct DayStatistics: Hashable, Sendable {
    /// The day's number in the calendar: `2026-03-29`.
    public var day: String
    /// From when to when it was: 23 or 25 hours, where the clocks were changed.
    public var interval: DateInterval
    /// How many there are.
    public var count: Int
    /// What they add up to.
    public var sum: Double
    /// The least one.
    public var least: Double
    /// The greatest one.
    public var most: Double
    /// What all these are counted in.
    public var unit: SampleUnit

    /// The mean of them.
    public var average: Double { sum / Double(count) }

    /// Creates it.
    public init(
        day: String, interval: DateInterval, count: Int, sum: Double, least: Double, most: Double, unit: SampleUnit
    ) {
        self.day = day
        self.interval = interval
        self.count = count
        self.sum = sum
        self.least = least
        self.most = most
        self.unit = unit
    }
}
