import CoffeeTrackerModel
import Foundation
import Persistence

/// What Coffee Tracker shows at one moment: every page follows from it.
struct CoffeeView: Sendable {
    /// The drinks that count for anything that is shown, the oldest first.
    var drinks: [Drink]
    var settings: CoffeeSettings
    /// The kinds that are one tap away.
    var quick: [DrinkKind]
    /// The action that can be undone, such as “Add Espresso”.
    var undo: String?
    /// Why a change could not be stored or read, until a person has seen it.
    var failure: String?
    /// Why the settings are not stored, or drinks cannot be shared, for as long as it is so.
    var problem: String?
    /// How many drinks wait because the health store may not be written.
    var withheld: Int
    /// The store's revision: greater after each change of a drink.
    var revision: Int
    var now: Date

    var words: CoffeeWords { CoffeeWords(zone: settings.timeZone, now: now) }

    /// Today's drinks, the newest first.
    var today: [Drink] {
        let days = settings.days
        let morning = days.beginning(of: days.day(of: now))
        return drinks.filter { $0.start >= morning }.sorted { $0.start > $1.start }
    }
}

// MARK: - From the model

extension CoffeeView {
    /// How many kinds are one tap away, unless there are more favourites.
    static let quickCount = 6
    /// How many kinds that were drunk last are one tap away, however many favourites there are.
    static let leastRecents = 2

    @MainActor
    init(_ data: CoffeeData) {
        self.drinks = data.drinks.sorted { $0.start < $1.start }
        self.settings = data.settings
        self.quick = Self.quick(data)
        self.undo = data.undoName
        self.failure = Self.failure(data)
        self.problem = Self.problem(data)
        self.withheld = (try? data.refreshed?.get())?.maySave == false ? data.untold : 0
        self.revision = data.revision
        self.now = data.now
    }

    /// Another text whenever a page may show something else; the hash of the settings differs in each process.
    var version: String {
        "\(revision) \(Int(now.timeIntervalSince1970 / 60)) \(settings.hashValue)"
    }

    /// All favourites, then what was drunk last, then what is offered.
    @MainActor
    private static func quick(_ data: CoffeeData) -> [DrinkKind] {
        let offered = data.kinds
        let recents = data.recents.map { recent in
            // By the id of an offered kind, which lasts.
            offered.first { $0.name == recent.name && $0.milligrams == recent.milligrams } ?? recent
        }
        var quick = different(data.favourites, from: [])
        let recentCount = max(quickCount - quick.count, leastRecents)
        quick += different(recents, from: quick).prefix(recentCount)
        quick += different(offered, from: quick).prefix(max(quickCount - quick.count, 0))
        return quick
    }

    /// The kinds that a person can tell from others, and from each other.
    static func different(_ kinds: [DrinkKind], from others: [DrinkKind]) -> [DrinkKind] {
        func look(of kind: DrinkKind) -> String { "\(kind.name)\n\(kind.milligrams)" }
        var seen = Set(others.map(look(of:)))
        return kinds.filter { seen.insert(look(of: $0)).inserted }
    }

    /// A failure that no form has shown to the person who typed.
    @MainActor
    private static func failure(_ data: CoffeeData) -> String? {
        switch data.failure {
        case .storage, .newerVersion: data.failure?.description
        default: nil
        }
    }

    /// A problem that stays until it is mended.
    @MainActor
    private static func problem(_ data: CoffeeData) -> String? {
        if let failure = data.settingsStatus.failure {
            return "What you have chosen could not be kept. \(failure.message)"
        }
        if case .failure(.healthStore(let text)) = data.refreshed { return text }
        return nil
    }
}

extension CoffeeSettings {
    /// The offered kinds, and favourites of the catalogue that is not chosen.
    var shown: [DrinkKind] {
        let offered = offered
        let known = Set(offered.map(\.id))
        let other = DrinkCatalogue.sourced + DrinkCatalogue.sample
        return offered
            + favourites.compactMap { id in known.contains(id) ? nil : other.first { $0.id == id } }
    }
}

// MARK: - The chart

extension CoffeeView {
    /// How far the chart reaches back and ahead, in seconds.
    static let reach: TimeInterval = 24 * 3600
    /// The seconds between two points of the chart.
    static let step: TimeInterval = 15 * 60
    /// How many points the chart has.
    static let pointCount = Int(2 * reach / step) + 1

    /// The level from a day ago until a day from now.
    var chart: LevelChart {
        let start = now - Self.reach
        let timeline = Timeline(
            drinks: drinks, settings: settings, from: start, length: 2 * Self.reach, step: Self.step)
        var shares: [Drink.ID: [Double]] = [:]
        for (index, entry) in timeline.entries.enumerated() {
            for share in entry.shares {
                shares[share.drink, default: Array(repeating: 0, count: timeline.entries.count)][index] =
                    share.milligrams
            }
        }
        let end = now + Self.reach
        return LevelChart(
            start: start, step: Self.step,
            points: timeline.entries.map {
                LevelChart.Point(milligrams: $0.milligrams, low: $0.low, high: $0.high)
            },
            marks: drinks.filter { $0.start >= start && $0.start <= end }.map { drink in
                LevelChart.Mark(
                    id: drink.id.uuidString, emoji: drink.emoji, name: drink.name, start: drink.start,
                    text: sentence(of: drink),
                    shares: shares[drink.id] ?? Array(repeating: 0, count: timeline.entries.count))
            },
            now: now, bedtimes: bedtimes(from: start, through: end), threshold: settings.threshold,
            stops: settings.levelScale.marks,
            zone: settings.timeZone)
    }

    private func sentence(of drink: Drink) -> String {
        let left = settings.level.milligrams(at: now, of: drink)
        return "\(words.when(drink.start)), \(CoffeeWords.amount(drink.milligrams)), "
            + "\(CoffeeWords.amount(left)) in you now"
    }

    private func bedtimes(from start: Date, through end: Date) -> [Date] {
        let zone = settings.timeZone
        let (first, last) = (LocalTime(start, in: zone).day.number, LocalTime(end, in: zone).day.number)
        return (first...last)
            .map { LocalTime(day: LocalDay(number: $0), minutes: settings.bedtime).resolved(in: zone).date }
            .filter { $0 >= start && $0 <= end }
    }
}
