import CoffeeTrackerModel
import Foundation

/// What a browser stores to show the level without a connection, as JSON.
///
/// `settings` and `drinks` are what the page's WebAssembly module reads; the rest is for the page's script.
struct OfflineDocument: Encodable, Sendable {
    struct Settings: Encodable, Sendable {
        var dayStart, bedtime: Int
        var threshold, halfLife: Double
        var usesSimpleDecay: Bool
        var group: CoffeeGroup
        var dailyLimit: Double?
        /// Pairs of a time, in seconds since 1970, and how many seconds ahead of GMT the owner's clocks are from then on.
        var clock: [[Double]]
    }

    struct Entry: Encodable, Sendable {
        var id, name, emoji: String
        var milligrams: Double
        var millilitres: Double?
        /// Seconds since 1970.
        var start: Double
        var sipping: Double
        var timeZone: String
        /// Whether the owner can change it here.
        var isOwn: Bool
    }

    struct Kind: Encodable, Sendable {
        var name, emoji: String
        var milligrams: Double
        var millilitres: Double?
    }

    /// When the server answered, in seconds since 1970.
    var time: Double
    var settings: Settings
    var drinks: [Entry]
    var revision: Int
    /// The kinds with a button.
    var kinds: [Kind]
    var zone: String
    var usesTwelveHours: Bool
    /// The daily limit, for use within a sentence.
    var limitPhrase: String

    init(_ view: CoffeeView) {
        let settings = view.settings
        self.time = view.now.timeIntervalSince1970
        self.settings = Settings(
            dayStart: settings.dayStart, bedtime: settings.bedtime, threshold: settings.threshold,
            halfLife: settings.halfLife, usesSimpleDecay: settings.usesSimpleDecay, group: settings.group,
            dailyLimit: settings.dailyLimit, clock: Self.clock(of: settings.timeZone, around: view.now))
        self.drinks = view.drinks.map { drink in
            Entry(
                id: drink.id.uuidString, name: drink.name, emoji: drink.emoji, milligrams: drink.milligrams,
                millilitres: drink.millilitres, start: drink.start.timeIntervalSince1970, sipping: drink.sipping,
                timeZone: drink.timeZone, isOwn: drink.source == .own)
        }
        self.revision = view.revision
        self.kinds = view.quick.map { kind in
            Kind(name: kind.name, emoji: kind.emoji, milligrams: kind.milligrams, millilitres: kind.millilitres)
        }
        self.zone = settings.zone
        self.usesTwelveHours = settings.clockFormat.usesTwelveHours
        self.limitPhrase = settings.limitPhrase
    }

    /// The document as JSON.
    var json: Data {
        get throws { try JSONEncoder().encode(self) }
    }

    /// How far the table of a clock reaches into the past, in seconds: longer than any drink affects the level.
    private static let past: TimeInterval = 60 * 86_400
    /// The maximum number of changes in the table of a clock: enough for three years.
    private static let maximumChanges = 7

    /// The offsets of a zone's clocks: when each begins, and the seconds ahead of GMT.
    private static func clock(of zone: TimeZone, around now: Date) -> [[Double]] {
        var changes: [[Double]] = []
        var date = now - past
        while changes.count < maximumChanges {
            changes.append([date.timeIntervalSince1970, Double(zone.secondsFromGMT(for: date))])
            guard let next = zone.nextDaylightSavingTimeTransition(after: date), next > date else { break }
            date = next
        }
        return changes
    }
}
