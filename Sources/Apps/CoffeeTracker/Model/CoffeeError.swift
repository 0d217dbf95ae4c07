public import Foundation
public import Persistence

/// Why Coffee Tracker could not do what it was asked.
public enum CoffeeError: Error, Hashable, Sendable {
    /// The name of a drink or a kind is invalid.
    case invalidName
    /// The text is not one emoji.
    case invalidEmoji(String)
    /// The amount of caffeine is negative, no number, or absurdly large.
    case invalidMilligrams(Double)
    /// The volume is negative, no number, or absurdly large.
    case invalidMillilitres(Double)
    /// The sipping time in seconds is negative, no number, or absurdly long.
    case invalidSipping(Double)
    /// The time is in the future.
    case future(Date)
    /// The time is before 1970, or no time at all.
    case invalidTime
    /// No clock showed the time, because it was put forward past it.
    case skippedTime(String, instead: String, zone: String)
    /// There is no such zone.
    case unknownTimeZone(String)
    /// There is no such kind of drink.
    case unknownDrink(String, known: [String])
    /// The setting is invalid; the text says which, and what it can be.
    case invalidSetting(String)
    /// There is no such drink, or not any more.
    case notFound
    /// The drink came from another program, and is changed there.
    case notOwn(source: String)
    /// The drink has been changed meanwhile, in another tab or program.
    case changedElsewhere
    /// There is nothing to be undone.
    case nothingToUndo
    /// The health store may not be written.
    case notAuthorized
    /// The health store failed; the drinks are stored here.
    case healthStore(String)
    /// The database failed; the text says what happened and what to do.
    case storage(String)
    /// A limit of the owner's budget is reached; the text says which, and what to do.
    case overBudget(OverBudget)
    /// A newer version of this program has written it, and it is left as it is.
    case newerVersion(String)
}

extension CoffeeError: CustomStringConvertible, LocalizedError {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .invalidName: "Give it a name of 1 to \(Drink.longestName) characters, on one line."
        case .invalidEmoji(let text): "“\(text.prefix(20))” is not one emoji. Choose a single one, such as ☕️."
        case .invalidMilligrams(let value):
            "\(text(value)) mg is no amount of caffeine in a drink. Enter 0 to \(text(Drink.mostMilligrams)) mg."
        case .invalidMillilitres(let value):
            "\(text(value)) ml is no volume of a drink. Enter up to \(text(Drink.mostMillilitres)) ml, or leave it out."
        case .invalidSipping(let seconds):
            "A drink cannot be sipped for \(text(seconds / 60)) minutes. Enter 0 to \(text(Drink.longestSipping / 60))."
        case .future: "That time is yet to come. Log a drink when you have begun it, or mend its time."
        case .invalidTime: "Nobody can have drunk this at that time. Enter a day since 1970, and a time."
        case .skippedTime(let time, let instead, let zone):
            "The clock was put forward that night in \(zone), and never showed \(time). Enter \(instead), or another time."
        case .unknownTimeZone(let name):
            "There is no time zone “\(name.prefix(60))”. Enter one such as Europe/Vienna or America/New_York."
        case .unknownDrink(let name, let known):
            "There is no drink “\(name.prefix(60))”. There are: \(known.joined(separator: ", "))."
        case .invalidSetting(let text): text
        case .notFound: "There is no such drink. It may have been deleted in another tab or program."
        case .notOwn(let source): "This drink came from \(source), and can be changed only there."
        case .changedElsewhere:
            "This drink has been changed in another tab or program meanwhile. Look at it again, then decide."
        case .nothingToUndo: "There is nothing to undo."
        case .notAuthorized:
            "Coffee Tracker may not write to the health store. What you log is kept here; to share it, allow that in the "
                + "settings."
        case .overBudget(let reason): reason.message
        case .healthStore(let text), .storage(let text), .newerVersion(let text): text
        }
    }

    /// What happened, and what to do.
    public var errorDescription: String? { description }

    private func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
    }
}

extension CoffeeError {
    /// Converts an error of the database; one of Coffee Tracker that ended a transaction is itself.
    package init(_ error: StoreError) {
        self =
            if let error = error.cause as? CoffeeError {
                error
            } else if let reason = error.overBudget {
                .overBudget(reason)
            } else if error.code == .newerVersion {
                .newerVersion(error.message)
            } else {
                .storage(error.message)
            }
    }
}
