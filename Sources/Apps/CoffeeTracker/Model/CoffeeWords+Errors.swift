import Formats

// The words of errors, and of the file with all drinks.

// MARK: - Titles

extension CoffeeWords {
    package static let checkName = "Check the name"
    package static let checkEmoji = "Check the emoji"
    package static let checkAmount = "Check the amount"
    package static let checkSipping = "Check the time to finish"
    package static let checkTime = "Check the time"
    package static let checkZone = "Check the time zone"
    package static let checkNumber = "Check the number"
    package static let checkSettings = "Check the settings"
    package static let numberMissing = "A number is missing"
    package static let idPrefix = "the beginning of an id"
    package static let aDay = "a day such as 2026-11-28"
    package static let aClockTime = "It is a time such as 22:30."
    package static let weightOfChild = "A child needs its weight in kilograms."
    package static let accessNotFound = "Permission not found"
    package static let accessNotFoundDetail = "This program hasn’t asked for this permission, and doesn’t have it."
    package static let drinkIncomplete = "The drink is incomplete"
    package static let drinkIncompleteDetail = "Give the id of a kind, or a name and the caffeine in milligrams."
    package static let unknownKind = "Unknown kind of drink"
    package static let severalMatch = "Several drinks match"
    package static let notFoundTitle = "Drink not found"
    package static let notOwnTitle = "This drink belongs to another program"
    package static let changedTitle = "The drink has changed"
    package static let nothingToUndoTitle = "Nothing to undo"
    package static let notAllowedTitle = "Not allowed"
    package static let healthTitle = "Can’t use the health data"
    package static let storageTitle = "Can’t read or save your data"
    package static let newerVersionTitle = "Your data was saved by a newer version"
    package static let busyTitle = "The server is busy"
    package static let shuttingDownTitle = "The server is stopping"
    package static let unreadableChangeTitle = "Can’t read the change"
    package static let unknownFamilyTitle = "Unknown complication family"
}

// MARK: - What happened, and what to do

extension CoffeeWords {
    static let future = "That time is in the future. Choose an earlier one."
    static let invalidTime =
        "That isn’t a valid date and time. Enter a day from 1970 on, and a time such as 08:30 or 8:30 PM."
    static let notFound = "The drink wasn’t found. It may have been deleted in another tab or program."
    static let changedElsewhere = "This drink was changed in another tab or program. Check it, then try again."
    static let nothingToUndo = "There is nothing to undo."
    static let notAuthorized = """
        Coffee Tracker isn’t allowed to write health data. Your drinks are saved in Coffee Tracker. To share them, \
        allow it on the Health page.
        """
    static let lastVersion =
        "This drink can’t be changed or deleted any more: its version number has reached the maximum."
    static let enterDayStart = "Enter a time from 00:00 to 23:59 as the start of the day."
    static let enterBedtime = "Enter a bedtime from 00:00 to 23:59."
    static let enterHalfLife = "Enter a half-life of 1–24 hours. The average for adults is 5 hours."
    package static let enterWeight = "Enter a child’s weight of 3–150 kg."
    static let enterDailyLimit = "Enter a daily limit of 0–2000 mg, or leave the field empty."
    package static let shuttingDown = "Nothing was changed. Start it again, then reload the page."
    package static let unreadableChange = "The drink wasn’t saved. Reload the page, and log the drink again."
    /// The operation that can take too long, for the beginning of a sentence.
    package static let exporting = "Exporting the drinks"
    package static let tooManyChanges =
        "The database is damaged: the number of changes is too high. Restore a backup."

    static var enterThreshold: String {
        "Enter a bedtime limit of \(ReaderFormats.current.number(0.1))–500 mg. 35 mg is common."
    }
    static func invalidName(limit: Int) -> String { "Enter a name of 1 to \(limit) characters on one line." }
    static func invalidEmoji(_ text: some StringProtocol) -> String {
        "“\(text)” isn’t a single emoji. Enter one, such as ☕️."
    }
    static func invalidMilligrams(_ value: String, limit: String) -> String {
        "A drink can’t have \(value) mg of caffeine. Enter 0–\(limit) mg."
    }
    static func invalidVolume(_ value: String, limit: String, inOunces ounces: String) -> String {
        "A drink can’t have a volume of \(value) ml. Enter up to \(limit) ml (\(ounces)), or leave the field empty."
    }
    static func invalidSipping(_ minutes: String, limit: String) -> String {
        "The time to finish can’t be \(minutes) minutes. Enter 0–\(limit) minutes."
    }
    static func skippedTime(_ time: String, instead: String, zone: String) -> String {
        "\(time) didn’t exist on that day in \(zone): the clocks went forward. Enter \(instead) or another time."
    }
    static func unknownZone(_ name: some StringProtocol) -> String {
        "“\(name)” isn’t a known time zone. Choose one such as Europe/Vienna or America/New_York."
    }
    static func unknownDrink(_ name: some StringProtocol, known: [String]) -> String {
        """
        There is no drink “\(name)”.\
        \(known.isEmpty ? "" : " Choose one of these: \(known.joined(separator: ", ")).")
        """
    }
    static func ambiguousDrink(_ name: some StringProtocol, matches: [String]) -> String {
        "“\(name)” could be \(matches.joined(separator: "; ")). Enter more of the name."
    }
    static func notOwn(_ source: String) -> String { "This drink came from \(source). Change it there." }
    static func tooManyKinds(limit: Int) -> String {
        "You can save up to \(limit) drinks of your own, each only once."
    }
    static func tooManyDrinks(limit: Int, suggestedLimit: Int) -> String {
        """
        You have reached the limit of \(ReaderFormats.current.number(limit)) drinks. To add more, start Meanwhile with \
        --max-drinks \(suggestedLimit).
        """
    }
    static func tooManyDrinksOfDay(limit: Int) -> String {
        """
        You have reached the limit of \(ReaderFormats.current.number(limit)) drinks on that day. Delete some of them, \
        or choose another day.
        """
    }
    package static func damaged(id: String) -> String {
        "The database is damaged: “\(id)” isn’t a valid ID of a drink. Restore a backup."
    }
    package static func damagedSource(of id: String) -> String {
        "The database is damaged: the source of drink \(id) can’t be read. Restore a backup."
    }
    package static func notANumber(_ text: some StringProtocol, in field: String) -> String {
        "“\(text)” in the field “\(field)” isn’t a number. Enter one such as 80 or \(ReaderFormats.current.number(62.5))."
    }
    package static func notATime(_ text: some StringProtocol, in field: String) -> String {
        "“\(text)” in the field “\(field)” isn’t a time. Enter one such as 22:30."
    }
    package static func enterANumber(in field: String) -> String { "Enter a number in the field “\(field)”." }
    package static func unknownFamily(_ families: String) -> String {
        "Coffee Tracker has no complication of this name. The families are \(families)."
    }
}

// MARK: - The file with all drinks

extension CoffeeWords {
    static let columns = [
        "Date", "Time", "Time zone", "Drink", caffeineField, volumeField(millilitreSymbol), sipField, "UTC", "Source",
    ]
    /// The file's name.
    package static let file = "Drinks"
}
