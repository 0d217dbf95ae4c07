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
        case .invalidName: CoffeeWords.invalidName(limit: Drink.maximumNameLength)
        case .invalidEmoji(let text): CoffeeWords.invalidEmoji(text.prefix(20))
        case .invalidMilligrams(let value):
            CoffeeWords.invalidMilligrams(text(value), limit: text(Drink.maximumMilligrams))
        case .invalidMillilitres(let value):
            CoffeeWords.invalidVolume(
                text((value * 100).rounded() / 100), limit: text(Drink.maximumMillilitres),
                inOunces: VolumeUnit.ounces.text(Drink.maximumMillilitres))
        case .invalidSipping(let seconds):
            CoffeeWords.invalidSipping(text(seconds / 60), limit: text(Drink.longestSipping / 60))
        case .future: CoffeeWords.future
        case .invalidTime: CoffeeWords.invalidTime
        case .skippedTime(let time, let instead, let zone):
            CoffeeWords.skippedTime(time, instead: instead, zone: zone)
        case .unknownTimeZone(let name): CoffeeWords.unknownZone(name.prefix(60))
        case .unknownDrink(let name, let known): CoffeeWords.unknownDrink(name.prefix(60), known: known)
        case .ambiguousDrink(let beginning, let matches):
            CoffeeWords.ambiguousDrink(beginning.prefix(60), matches: matches)
        case .invalidSetting(let text, field: _): text
        case .notFound: CoffeeWords.notFound
        case .notOwn(let source): CoffeeWords.notOwn(source)
        case .changedElsewhere: CoffeeWords.changedElsewhere
        case .nothingToUndo: CoffeeWords.nothingToUndo
        case .notAuthorized: CoffeeWords.notAuthorized
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
    /// Converts a fault of a drink that starts at a date.
    init(_ fault: DrinkFault, of start: Date) {
        self =
            switch fault {
            case .name: .invalidName
            case .emoji: .invalidEmoji("")
            case .milligrams(let value): .invalidMilligrams(value)
            case .millilitres(let value): .invalidMillilitres(value)
            case .sipping(let seconds): .invalidSipping(seconds)
            case .future: .future(start)
            case .time: .invalidTime
            }
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
