import CoffeeTrackerModel
import CoffeeTrackerWeb
import Foundation
import Persistence

/// The output of a coffee command: readable lines or one JSON object.
///
/// Its `version` changes when a field is removed or changes its meaning; new fields can be added at any time.
struct CoffeeReport: CommandReport {
    static let currentVersion = 1

    enum Outcome: String, Encodable, Sendable {
        case added
        case edited
        case deleted
        case now
        case listed
        case access
        case failed
    }

    struct DrinkEntry: Encodable, Sendable {
        var id: String
        var name: String
        var emoji: String
        var milligrams: Double
        var millilitres: Double?
        var start: Date
        var sippedSeconds: Double
        var timeZone: String
        /// The program that logged the drink, unless it was Coffee Tracker.
        var source: String?
    }

    struct KindEntry: Encodable, Sendable {
        var id: String
        var name: String
        var emoji: String
        var milligrams: Double
        var millilitres: Double?
    }

    struct Level: Encodable, Sendable {
        var date: Date
        var milligrams: Double
        /// The rounded level's colour, as on the pages: `green`, `yellow` or `red`.
        var colour: CaffeineColour
        /// `low`, `moderate` or `high`.
        var word: String
        var low: Double
        var high: Double
        /// The highest level to come, and when it is reached; only while the level rises.
        var peak: Double?
        var peakAt: Date?
        var milligramsToday: Double
        var cupsToday: Double
        var threshold: Double
        /// When the level falls below the threshold for good; `date` if it already has.
        var belowThresholdAt: Date
        var bedtime: Date
        var atBedtime: Double
        /// The largest drink now that neither disturbs sleep nor exceeds a single dose or the daily limit, in mg.
        var mostNow: Double
        var zone: String
    }

    struct AccessEntry: Encodable, Sendable {
        var source: String
        var sourceName: String
        var type: String
        var write: String?
        var read: String?
    }

    var version = currentVersion
    var outcome: Outcome
    var drinks: [DrinkEntry]?
    var kinds: [KindEntry]?
    var level: Level?
    var access: [AccessEntry]?
    var error: CommandFailure?
    /// The readable lines, which aren't part of the JSON.
    var lines: [String] = []

    private enum CodingKeys: String, CodingKey {
        case version, outcome, drinks, kinds, level, access, error
    }

    init(_ failure: CommandFailure) {
        self.outcome = .failed
        self.error = failure
    }

    init(access: [AccessEntry]) {
        self.outcome = .access
        self.access = access
        self.lines = access.map { entry in
            let write = CoffeeCommandWords.write(entry.write ?? CoffeeCommandWords.notAsked)
            let read = CoffeeCommandWords.read(entry.read ?? CoffeeCommandWords.notAsked)
            return [entry.source, entry.type, write, read].joined(separator: "\t")
        }
        if access.isEmpty { lines = [CoffeeCommandWords.noRequests] }
    }

    init(kinds: [DrinkKind]) {
        self.outcome = .listed
        self.kinds = kinds.map {
            KindEntry(
                id: $0.id, name: $0.name, emoji: $0.emoji, milligrams: $0.milligrams, millilitres: $0.millilitres)
        }
        self.lines = kinds.map(Self.line(of:))
    }

    /// - Parameters:
    ///   - outcome: What the command did.
    ///   - data: The owner's current data.
    ///   - drinks: The drinks that the command lists or has changed.
    @MainActor
    init(_ outcome: Outcome, _ data: CoffeeData, drinks: [Drink]? = nil) {
        let answers = data.answers
        let formatter = data.settings.formatter(at: answers.date)
        self.outcome = outcome
        self.drinks = drinks?.map(DrinkEntry.init)
        self.level = Level(
            date: answers.date, milligrams: Self.rounded(answers.currentMilligrams), colour: answers.level.colour,
            word: answers.level.word, low: Self.rounded(answers.low), high: Self.rounded(answers.high),
            peak: answers.peak?.level.milligrams, peakAt: answers.peak?.date,
            milligramsToday: Self.rounded(answers.guidance.today),
            cupsToday: Self.rounded(data.totalCupsToday), threshold: answers.threshold,
            belowThresholdAt: answers.belowThresholdAt, bedtime: answers.bedtime,
            atBedtime: Self.rounded(answers.atBedtime), mostNow: Self.rounded(answers.largestDoseNow),
            zone: data.settings.zone)
        switch outcome {
        case .listed:
            lines = (drinks ?? []).map { Self.line(of: $0, formatter) }
            if lines.isEmpty { lines = [CoffeeCommandWords.noDrinks] }
        case .now:
            lines = Self.lines(of: answers, cups: data.totalCupsToday, formatter)
        case .added, .edited, .deleted, .access, .failed:
            lines = (drinks ?? []).map { CoffeeCommandWords.done(outcome.word, Self.line(of: $0, formatter)) }
            lines.append(
                CoffeeCommandWords.caffeineNow(
                    Self.level(answers, formatter), sleep: Self.sleep(answers, formatter)))
        }
    }

    /// - Parameters:
    ///   - outcome: What the command did.
    ///   - remote: The level at a server.
    ///   - drinks: The drinks that the command lists or has changed.
    init(_ outcome: Outcome, _ remote: RemoteLevel, drinks: [Drink]? = nil) {
        let formatter = remote.settings.formatter(at: remote.date)
        self.outcome = outcome
        self.drinks = drinks?.map(DrinkEntry.init)
        level = Level(
            date: remote.date, milligrams: remote.milligrams, colour: remote.colour, word: remote.word,
            low: remote.low, high: remote.high, milligramsToday: remote.milligramsToday, cupsToday: remote.cupsToday,
            threshold: remote.threshold, belowThresholdAt: remote.belowThresholdAt, bedtime: remote.bedtime,
            atBedtime: remote.atBedtime, mostNow: remote.mostNow, zone: remote.timeZone)
        let amount = CoffeeCommandWords.level(
            CoffeeFormatter.amount(remote.milligrams), word: remote.word, rise: nil)
        let threshold = CoffeeFormatter.amount(remote.threshold)
        let sleep =
            remote.belowThresholdAt <= remote.date
            ? CoffeeCommandWords.belowNow(threshold)
            : CoffeeCommandWords.below(threshold, from: formatter.when(remote.belowThresholdAt))
        switch outcome {
        case .listed:
            lines = (drinks ?? []).map { Self.line(of: $0, formatter) }
            if lines.isEmpty { lines = [CoffeeCommandWords.noDrinks] }
        case .now:
            let time =
                remote.bedtime <= remote.date
                ? CoffeeCommandWords.toBedNow : CoffeeCommandWords.atBedtime(formatter.when(remote.bedtime))
            lines = [
                CoffeeCommandWords.caffeineNow(amount, range: nil, cups: CoffeeFormatter.cups(remote.cupsToday)),
                CoffeeCommandWords.sleep(sleep),
                CoffeeCommandWords.level(time, CoffeeFormatter.amount(remote.atBedtime)),
                CoffeeCommandWords.largestDose(CoffeeFormatter.amount(remote.mostNow)),
                CoffeeGuidance.disclaimer,
            ]
        case .added, .edited, .deleted, .access, .failed:
            lines = (drinks ?? []).map { CoffeeCommandWords.done(outcome.word, Self.line(of: $0, formatter)) }
            lines.append(CoffeeCommandWords.caffeineNow(amount, sleep: sleep))
        }
    }

    /// Rounds to thousandths, which is more precise than any estimate.
    private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }

}

// MARK: - Readable lines

extension CoffeeReport {
    /// The number of characters shown of a drink's ID: enough to tell a user's drinks apart.
    private static let shortLength = 8

    private static func line(of kind: DrinkKind) -> String {
        let line = "\(kind.emoji) \(kind.name)\t\(CoffeeFormatter.amount(kind.milligrams))"
        guard kind.hasSizes else { return line }
        let (small, large) = (kind.sized(.small).milligrams, kind.sized(.large).milligrams)
        let sizes = CoffeeCommandWords.sizes(
            small: CoffeeFormatter.amount(small), large: CoffeeFormatter.amount(large))
        return "\(line)\t\(sizes)"
    }

    private static func line(of drink: Drink, _ formatter: CoffeeFormatter) -> String {
        var parts = [
            String(drink.id.uuidString.prefix(shortLength)), formatter.when(drink.start),
            "\(drink.emoji) \(drink.name)", CoffeeFormatter.amount(drink.milligrams),
        ]
        if drink.sipping > 0 { parts.append(CoffeeCommandWords.took(CoffeeFormatter.duration(drink.sipping))) }
        if case .other(let name, _) = drink.source { parts.append(CoffeeCommandWords.from(name)) }
        return parts.joined(separator: "\t")
    }

    private static func lines(of answers: CaffeineAnswers, cups: Double, _ formatter: CoffeeFormatter) -> [String] {
        let time =
            answers.bedtime <= answers.date
            ? CoffeeCommandWords.toBedNow : CoffeeCommandWords.atBedtime(formatter.when(answers.bedtime))
        let largestDose: String
        if case .upTo(let milligrams) = answers.allowance {
            largestDose = CoffeeCommandWords.largestDose(CoffeeFormatter.amount(milligrams))
        } else {
            largestDose = CoffeeCommandWords.nothing(formatter.refusal(answers))
        }
        return [
            CoffeeCommandWords.caffeineNow(
                level(answers, formatter), range: CoffeeFormatter.range(answers), cups: CoffeeFormatter.cups(cups)),
            CoffeeCommandWords.sleep(sleep(answers, formatter)),
            CoffeeCommandWords.level(time, CoffeeFormatter.amount(answers.highestAsleep)),
            largestDose,
            CoffeeGuidance.disclaimer,
        ]
    }

    private static func level(_ answers: CaffeineAnswers, _ formatter: CoffeeFormatter) -> String {
        CoffeeCommandWords.level(
            answers.level.amount, word: answers.level.word, rise: formatter.rise(answers))
    }

    private static func sleep(_ answers: CaffeineAnswers, _ formatter: CoffeeFormatter) -> String {
        let threshold = CoffeeFormatter.amount(answers.threshold)
        return answers.isBelowThreshold
            ? CoffeeCommandWords.belowNow(threshold)
            : CoffeeCommandWords.below(threshold, from: formatter.when(answers.belowThresholdAt))
    }
}

extension CoffeeReport.Outcome {
    /// What was done to a drink.
    fileprivate var word: String {
        switch self {
        case .added: CoffeeCommandWords.added
        case .edited: CoffeeCommandWords.edited
        case .deleted: CoffeeCommandWords.deleted
        case .now, .listed, .access, .failed: rawValue
        }
    }
}

extension CoffeeReport.DrinkEntry {
    init(_ drink: Drink) {
        var source: String?
        if case .other(let name, _) = drink.source { source = name }
        self.init(
            id: drink.id.uuidString, name: drink.name, emoji: drink.emoji, milligrams: drink.milligrams,
            millilitres: drink.millilitres, start: drink.start, sippedSeconds: drink.sipping,
            timeZone: drink.timeZone, source: source)
    }
}

extension CoffeeError {
    /// The error's name in JSON output.
    var code: String {
        switch self {
        case .invalidName: "invalidName"
        case .invalidEmoji: "invalidEmoji"
        case .invalidMilligrams: "invalidMilligrams"
        case .invalidMillilitres: "invalidMillilitres"
        case .invalidSipping: "invalidSipping"
        case .future: "future"
        case .invalidTime: "invalidTime"
        case .skippedTime: "skippedTime"
        case .unknownTimeZone: "unknownTimeZone"
        case .unknownDrink: "unknownDrink"
        case .ambiguousDrink: "ambiguousDrink"
        case .invalidSetting: "invalidSetting"
        case .notFound: "notFound"
        case .notOwn: "notOwn"
        case .changedElsewhere: "changedElsewhere"
        case .nothingToUndo: "nothingToUndo"
        case .notAuthorized: "notAuthorized"
        case .healthStore: "healthStore"
        case .overBudget: OverBudget.code
        case .storage: "storage"
        case .newerVersion: "newerVersion"
        }
    }
}
