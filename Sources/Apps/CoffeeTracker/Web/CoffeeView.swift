import CoffeeTrackerModel
import Foundation
import Persistence

/// A snapshot of everything that Coffee Tracker displays, from which every page is rendered.
struct CoffeeView: Sendable {
    /// The drinks that affect anything on display, the oldest first.
    var drinks: [Drink]
    var settings: CoffeeSettings
    /// The kinds of drinks that can be logged by a button of their own.
    var quick: [DrinkKind]
    /// The action that can be undone, such as “Added Espresso”.
    var undo: CoffeeData.Undo?
    /// The last failure to store or load a change, until the user dismisses it.
    var failure: String?
    /// The current problem with storing settings or syncing drinks, for as long as it lasts.
    var problem: String?
    /// The number of drinks that wait for permission to be sent to the health store.
    var withheld: Int
    /// The store's revision, which increases with each change of a drink.
    var revision: Int
    var now: Date

    var formatter: CoffeeFormatter { settings.formatter(at: now) }

    /// Today's drinks, the newest first.
    var today: [Drink] { settings.today(drinks, at: now).sorted { $0.start > $1.start } }
}

// MARK: - From the model

extension CoffeeView {
    /// The number of unshared drinks at which the page explains, once, how to share them.
    static let sharingHintCount = 10
    /// The number of kinds with a button, unless there are more favourites.
    static let quickCount = 6
    /// The minimum number of recent kinds with a button, however many favourites there are.
    static let minimumRecents = 2

    @MainActor
    init(_ data: CoffeeData) {
        self.drinks = data.drinks.sorted { $0.start < $1.start }
        self.settings = data.settings
        self.quick = Self.quick(data)
        self.undo = data.lastUndo
        self.failure = Self.failure(data)
        self.problem = Self.problem(data)
        self.withheld = (try? data.refreshed?.get())?.withheld ?? 0
        self.revision = data.revision
        self.now = data.now
    }

    /// A text that changes whenever a page may change.
    ///
    /// It is comparable only within a process, because the hash of the same settings differs between processes.
    var version: String {
        "\(revision) \(Int(now.timeIntervalSince1970 / 60)) \(settings.hashValue) \(undo?.id ?? "")"
    }

    /// All favourites, then recent kinds, then the other available ones.
    @MainActor
    private static func quick(_ data: CoffeeData) -> [DrinkKind] {
        let offered = data.kinds
        let permanent = offered + DrinkCatalogue.sized
        let recents = data.recents.map { recent in
            // Prefer the id of an available kind, which is permanent.
            permanent.first { $0.name == recent.name && $0.milligrams == recent.milligrams } ?? recent
        }
        var quick = different(data.favourites, from: [])
        let recentCount = max(quickCount - quick.count, minimumRecents)
        quick += different(recents, from: quick).prefix(recentCount)
        quick += different(offered, from: quick).prefix(max(quickCount - quick.count, 0))
        return quick
    }

    /// The kinds that look different from others and from each other.
    static func different(_ kinds: [DrinkKind], from others: [DrinkKind]) -> [DrinkKind] {
        func appearance(of kind: DrinkKind) -> String { "\(kind.name)\n\(kind.milligrams)" }
        var seen = Set(others.map(appearance(of:)))
        return kinds.filter { seen.insert(appearance(of: $0)).inserted }
    }

    /// A failure that no form has shown yet.
    @MainActor
    private static func failure(_ data: CoffeeData) -> String? {
        switch data.failure {
        case .storage, .newerVersion: data.failure?.description
        default: nil
        }
    }

    /// A problem that persists until it is solved.
    @MainActor
    private static func problem(_ data: CoffeeData) -> String? {
        if let failure = data.settingsStatus.failure {
            return CoffeeWords.settingsNotSaved(failure.message)
        }
        if case .failure(.healthStore(let text)) = data.refreshed { return text }
        return nil
    }
}

extension CoffeeSettings {
    /// The available kinds, and favourites from the other catalogue.
    var shown: [DrinkKind] {
        let offered = offered
        let known = Set(offered.map(\.id))
        let other = DrinkCatalogue.sourced + DrinkCatalogue.sample + DrinkCatalogue.sized
        return offered
            + favourites.compactMap { id in known.contains(id) ? nil : other.first { $0.id == id } }
    }

    /// The shown kinds in every size, the favourites first.
    var listed: [DrinkKind] {
        let shown = shown
        let first = favourites.compactMap { id in shown.first { $0.id == id } }
        return CoffeeView.different(
            (first + shown).flatMap { kind in
                kind.hasSizes ? [kind, kind.sized(.small), kind.sized(.large)] : [kind]
            }, from: [])
    }
}

// MARK: - The chart

extension CoffeeView {
    /// How far the chart extends into the past and the future, in seconds.
    static let reach: TimeInterval = 24 * 3600
    /// The seconds between two points of the chart.
    static let step: TimeInterval = 15 * 60
    /// The number of points in the chart.
    static let pointCount = Int(2 * reach / step) + 1

    /// The level from a day ago to a day ahead.
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
        return "\(formatter.when(drink.start)), \(CoffeeFormatter.amount(drink.milligrams)), "
            + CoffeeWords.inBodyNow(CoffeeFormatter.amount(left))
    }

    private func bedtimes(from start: Date, through end: Date) -> [Date] {
        let zone = settings.timeZone
        let (first, last) = (LocalTime(start, in: zone).day.number, LocalTime(end, in: zone).day.number)
        return (first...last)
            .map { LocalTime(day: LocalDay(number: $0), minutes: settings.bedtime).resolved(in: zone).date }
            .filter { $0 >= start && $0 <= end }
    }
}
