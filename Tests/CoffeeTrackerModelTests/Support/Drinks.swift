import CoffeeTrackerModel
import Foundation

/// Parses a date such as `2026-03-14 06:12` in a zone.
func moment(_ text: String, _ zone: String = "UTC") -> Date {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let day = LocalDay(String(parts[0])), let minutes = LocalTime.minutes(String(parts[1])),
        let zone = TimeZone(identifier: zone)
    else { preconditionFailure("“\(text)” isn't a date and time such as 2026-03-14 06:12.") }
    return LocalTime(day: day, minutes: minutes).resolved(in: zone).date
}

extension Drink {
    /// A drink with a numeric ID.
    static func test(
        _ number: Int, _ milligrams: Double, at start: Date, sipping minutes: Double = 0, name: String = "Coffee"
    ) -> Drink {
        Drink(
            id: .test(number), name: name, emoji: "☕️", milligrams: milligrams, start: start, sipping: minutes * 60,
            timeZone: "UTC")
    }
}

extension UUID {
    /// An ID with a number.
    static func test(_ number: Int) -> UUID {
        var bytes = [UInt8](repeating: 0, count: 16)
        withUnsafeBytes(of: UInt64(number).bigEndian) { bytes.replaceSubrange(8..<16, with: $0) }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension CoffeeSettings {
    /// The settings of the sample application.
    static var sample: CoffeeSettings {
        var settings = CoffeeSettings()
        settings.usesSimpleDecay = true
        settings.catalogue = .sample
        return settings
    }
}
