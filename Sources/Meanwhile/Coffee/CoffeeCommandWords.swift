import ArgumentParser

/// All that the commands of `meanwhile coffee` say to people.
///
/// docs/words.md explains how to change and add words. The caller formats amounts and times, by `CoffeeFormatter`.
enum CoffeeCommandWords {
    static let abstract = "Logs drinks and estimates your caffeine level."
    static let discussion = """
        The server can be running: open pages show changes at once.

          meanwhile coffee add espresso
          meanwhile coffee add latte --size large
          meanwhile coffee add "green tea" --at 08:30 --sip 20
          meanwhile coffee now
          meanwhile coffee list --days 7
          meanwhile coffee delete 4B1F6A02

        The levels are estimates, not medical advice.

        Exit codes: 0 success, 1 failure, 64 wrong usage.
        """
}

// MARK: - Drinks

extension CoffeeCommandWords {
    static let add = "Logs a drink."
    static let addDiscussion = "Give a name listed by `meanwhile coffee drinks`, or the beginning of just one of them."
    static let drink: ArgumentHelp = "The drink: espresso, \"green tea\", or one of your own."
    static let at: ArgumentHelp = """
        When you started it: 08:30, "8:30 pm", "2026-03-14 08:30", or with an offset 2026-03-14T08:30:00+01:00.
        """
    static let sip: ArgumentHelp = "How many minutes you took to finish it."
    static let size: ArgumentHelp = "Its size, if the drink comes in several."
    static let milligrams: ArgumentHelp = "Its caffeine in milligrams, instead of the usual amount."
    static let edit = "Changes a drink."
    static let id: ArgumentHelp = "The drink's ID as shown by `list`, or its beginning."
    static let newName: ArgumentHelp = "Its new name."
    static let newMilligrams: ArgumentHelp = "Its new amount of caffeine in milligrams."
    static let newStart: ArgumentHelp = "When you started it, in a form that `add` accepts."
    static let nothingToChange = "Say what to change: --name, --mg, --at or --sip."
    static let delete = "Deletes a drink."
    static let now = "Shows your caffeine level and when you can sleep."
    static let list = "Lists your drinks, newest first."
    static let days: ArgumentHelp = "How many days to list, including today."
    static let wrongDays = "--days takes a whole number from 1 to 36500."
    static let kinds = "Lists the drinks that you can add by name."

    static func oneSize(_ name: String) -> String { "\(name) comes in one size. Give another amount with --mg." }
    static func severalDrinks(_ count: Int, beginning text: String) -> String {
        "\(count) drinks have IDs that begin with \(text). Enter more of the ID."
    }
}

// MARK: - Permissions

extension CoffeeCommandWords {
    static let access = "Lists which programs may write and read health data."
    static let grant = "Lets a program write or read health data."
    static let revoke = "Stops letting a program write or read health data."
    static let accessKind: ArgumentHelp = "write, or read other programs' data."
    static let source: ArgumentHelp = "The program, by its name in `meanwhile coffee access`."
    static let type: ArgumentHelp = "The type of data, by its name in `meanwhile coffee access`."
    static let notAsked = "not asked"
    static let noRequests = "No program has asked for access yet."

    static func write(_ state: String) -> String { "write: \(state)" }
    static func read(_ state: String) -> String { "read: \(state)" }
    static func permission(of source: String, to type: String) -> String { "\(source) for \(type)" }
    static func unknownAccess(of source: String, to type: String, known: [String]) -> String {
        """
        \(source) has not asked for \(type). \
        \(known.isEmpty ? noRequests : "Choose one of these: \(known.joined(separator: ", ")).")
        """
    }
}

// MARK: - The report

extension CoffeeCommandWords {
    static let noDrinks = "No drinks."
    static let added = "Added"
    static let edited = "Edited"
    static let deleted = "Deleted"
    static let toBedNow = "If you go to bed now"

    /// A line of the report: what was done, and to which drink.
    static func done(_ what: String, _ drink: String) -> String { "\(what): \(drink)" }
    static func caffeineNow(_ level: String, sleep: String) -> String { "Caffeine now: \(level); \(sleep)." }
    static func caffeineNow(_ level: String, range: String?, cups: String) -> String {
        "Caffeine now: \(level)\(range.map { ", \($0)" } ?? ""); \(cups) of coffee today."
    }
    static func sleep(_ sleep: String) -> String { "Sleep: \(sleep)." }
    static func atBedtime(_ time: String) -> String { "At bedtime, \(time)" }
    static func level(_ time: String, _ amount: String) -> String { "\(time): \(amount)." }
    static func largestDose(_ amount: String) -> String { "The most you can have now: \(amount)." }
    static func nothing(_ reason: String?) -> String { "The most you can have now: nothing. \(reason ?? "")" }
    static func sizes(small: String, large: String) -> String { "small \(small), large \(large)" }
    static func took(_ duration: String) -> String { "took \(duration)" }
    static func from(_ source: String) -> String { "from \(source)" }
    static func level(_ amount: String, word: String, rise: String?) -> String {
        "\(amount) (\(word))\(rise.map { ", \($0)" } ?? "")"
    }
    static func belowNow(_ threshold: String) -> String { "below \(threshold) now" }
    static func below(_ threshold: String, from time: String) -> String { "below \(threshold) from \(time)" }
}
