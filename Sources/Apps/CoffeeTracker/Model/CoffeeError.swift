import Formats
public import Foundation
public import Persistence

/// An error of Coffee Tracker.
public enum CoffeeError: Error, Hashable, Sendable {
    /// The name of a drink or a kind is invalid.
    case invalidName
    /// The text is not one emoji.
    case invalidEmoji(String)
    /// The amount of caffeine is negative, not a number, or implausibly large.
    case invalidMilligrams(Double)
    /// The volume is negative, not a number, or implausibly large.
    case invalidMillilitres(Double)
    /// The sipping time in seconds is negative, not a number, or implausibly long.
    case invalidSipping(Double)
    /// The time is in the future.
    case future(Date)
    /// The time is before 1970, or isn't a valid time.
    case invalidTime
    /// The clock never showed the time, because it was moved forward past it.
    case skippedTime(String, instead: String, zone: String)
    /// The time zone doesn't exist.
    case unknownTimeZone(String)
    /// The kind of drink doesn't exist.
    case unknownDrink(String, known: [String])
    /// The names of several kinds of drinks begin like this.
    case ambiguousDrink(String, matches: [String])
    /// A setting is invalid; the text says which values are valid, and `field` is the name of the setting, if it is one.
    case invalidSetting(String, field: String? = nil)
    /// The drink doesn't exist, or was deleted.
    case notFound
    /// The drink came from another program, and can be changed only there.
    case notOwn(source: String)
    /// Another tab or program has changed the drink meanwhile.
    case changedElsewhere
    /// There is nothing to undo.
    case nothingToUndo
    /// Coffee Tracker may not write to the health store.
    case notAuthorized
    /// The health store failed; the drinks are stored in Coffee Tracker.
    case healthStore(String)
    /// The database failed; the text says what happened and what to do.
    case storage(String)
    /// A limit of the owner's budget is reached; the text says which, and what to do.
    case overBudget(OverBudget)
    /// The data was written by a newer version of this program, and is left unchanged.
    case newerVersion(String)
}

extension CoffeeError: CustomStringConvertible, LocalizedError {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .invalidName: "Enter a name of 1 to \(Drink.maximumNameLength) characters on one line."
        case .invalidEmoji(let text): "“\(text.prefix(20))” isn’t a single emoji. Enter one, such as ☕️."
        case .invalidMilligrams(let value):
            "A drink can’t have \(text(value)) mg of caffeine. Enter 0–\(text(Drink.maximumMilligrams)) mg."
        case .invalidMillilitres(let value):
            "A drink can’t have a volume of \(text((value * 100).rounded() / 100)) ml. Enter up to \(text(Drink.maximumMillilitres)) ml "
                + "(\(VolumeUnit.ounces.text(Drink.maximumMillilitres))), or leave the field empty."
        case .invalidSipping(let seconds):
            "The time to finish can’t be \(text(seconds / 60)) minutes. Enter 0–\(text(Drink.longestSipping / 60)) minutes."
        case .future: "That time is in the future. Choose an earlier one."
        case .invalidTime:
            "That isn’t a valid date and time. Enter a day from 1970 on, and a time such as 08:30 or 8:30 PM."
        case .skippedTime(let time, let instead, let zone):
            "\(time) didn’t exist on that day in \(zone): the clocks went forward. Enter \(instead) or another time."
        case .unknownTimeZone(let name):
            "“\(name.prefix(60))” isn’t a known time zone. Choose one such as Europe/Vienna or America/New_York."
        case .unknownDrink(let name, let known):
            "There is no drink “\(name.prefix(60))”."
                + (known.isEmpty ? "" : " Choose one of these: \(known.joined(separator: ", ")).")
        case .ambiguousDrink(let beginning, let matches):
            "“\(beginning.prefix(60))” could be \(matches.joined(separator: "; ")). Enter more of the name."
        case .invalidSetting(let text, field: _): text
        case .notFound: "The drink wasn’t found. It may have been deleted in another tab or program."
        case .notOwn(let source): "This drink came from \(source). Change it there."
        case .changedElsewhere:
            "This drink was changed in another tab or program. Check it, then try again."
        case .nothingToUndo: "There is nothing to undo."
        case .notAuthorized:
            "Coffee Tracker isn’t allowed to write health data. Your drinks are saved in Coffee Tracker. To share them, "
                + "allow it on the Health page."
        case .overBudget(let reason): reason.message
        case .healthStore(let text), .storage(let text), .newerVersion(let text): text
        }
    }

    /// What happened, and what to do about it.
    public var errorDescription: String? { description }

    private func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : ReaderFormats.current.number(value)
    }
}

extension CoffeeError {
    /// Converts a database error; a ``CoffeeError`` that ended a transaction is returned unchanged.
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
