import Formats

/// All that Coffee Tracker says to people: on its pages, in its scripts, and in its errors.
///
/// docs/words.md explains how to change and add words. Counts are formatted for the reader of the current task; the
/// caller formats amounts and times, by ``CoffeeFormatter``.
package enum CoffeeWords {
    private static var formats: ReaderFormats { .current }
}

// MARK: - The app

extension CoffeeWords {
    /// What the audit log says of a deleted drink.
    package static let drink = "Drink"
    package static let name = "Coffee Tracker"
    package static let shortName = "Coffee"
    package static let summary = "Log your drinks, and see your caffeine level and when you can sleep."
    package static let hint =
        "Tap a drink when you begin it. Set your bedtime and your limits in Settings."
    package static let today = "Today"
    package static let history = "History"
    package static let drinks = "Drinks"
    package static let settings = "Settings"
    package static let health = "Health"
    package static let healthData = "Health data"
    package static let complications = "Complications"
    /// The first step on the home page, and the heading of the drinks to tap.
    package static let addDrink = "Add a drink"

    package static func drinkCount(_ count: Int) -> String { formats.count(count, "drink") }
    package static func drinksToday(_ count: Int) -> String { "\(drinkCount(count)) today" }
    package static func level(_ level: String, drinksToday count: Int) -> String {
        "\(level) · \(drinksToday(count))"
    }
    package static func levelNow(_ amount: String, rise: String?) -> String {
        "About \(amount) of caffeine in your body now\(rise.map { ", \($0)" } ?? "")"
    }
}

// MARK: - Units, days and durations

extension CoffeeWords {
    static let millilitreSymbol = "ml"
    static let ounceSymbol = "fl oz"
    static let dayToday = "today"
    static let dayTomorrow = "tomorrow"
    static let dayYesterday = "yesterday"
    package static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    package static let shortWeekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    package static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    static let noCups = "– cups"
    static let oneCup = "1 cup"
    static let small = "Small"
    static let medium = "Medium"
    static let large = "Large"

    static func milligrams(_ number: String) -> String { "\(number) mg" }
    static func cups(_ number: String) -> String { "\(number) cups" }
    static func duration(hours: Int, minutes: Int) -> String {
        if hours == 0 { return "\(minutes) min" }
        return minutes == 0 ? "\(hours) h" : "\(hours) h \(minutes) min"
    }
    static func remaining(_ duration: String) -> String { "in \(duration)" }
}

// MARK: - The level

extension CoffeeWords {
    static let low = "low"
    static let moderate = "moderate"
    static let high = "high"
    static let caffeine = "Caffeine"
    static let ifYouGoToBedNow = "if you go to bed now"
    static let citation = "EFSA Journal 2015;13(5):4102"
    static let disclaimer = """
        This is an estimate from averages, not medical advice. If you are pregnant, ill, or take medicine, ask your \
        doctor.
        """
    package static let now = "now"
    package static let bed = "bed"
    package static let tableHint = "Press Tab to move through the drinks. The table below has all values."

    /// The word, such as “high”, describes the amount; it's `nil` if it also describes the current level.
    static func rising(to amount: String, word: String?, by time: String) -> String {
        "rising to \(amount)\(word.map { " (\($0))" } ?? "") by \(time)"
    }
    static func about(_ low: String, to high: String) -> String { "about \(low) to \(high)" }
    static func atTime(_ time: String) -> String { "at \(time)" }
    static func overBedtimeLimit(_ night: String) -> String { "You would be over your bedtime limit \(night)." }
    static func overDailyLimit(of amount: String) -> String { "You are over the daily limit of \(amount)." }
    static func reachedDailyLimit(of amount: String) -> String { "You have reached the daily limit of \(amount)." }
    static func caffeineAmount(_ amount: String) -> String { "\(amount) caffeine" }
    static func caffeineAmount(_ amount: String, cups: String) -> String { "\(amount) caffeine, \(cups)" }
    static func complication(_ amount: String, word: String, cups: String) -> String {
        "Caffeine: \(amount), \(word). \(cups) today."
    }
    package static func inBodyNow(range: String?, rise: String?) -> String {
        "in your body now\(range.map { ", \($0)" } ?? "")\(rise.map { "; \($0)" } ?? "")."
    }
    package static func inBodyNow(_ amount: String) -> String { "\(amount) in your body now" }
    package static func gauge(_ number: String, of maximum: String, word: String, scale: String) -> String {
        "\(number) of \(maximum), \(word); \(scale)"
    }
    /// A mark of a scale, within a list: `moderate from 200 mg`.
    package static func mark(_ word: String, from amount: String) -> String { "\(word) from \(amount)" }
}

// MARK: - The chart

extension CoffeeWords {
    package static func halfLifeRange(_ low: String, to high: String) -> String {
        "Range for a half-life of \(low) to \(high) hours"
    }
    package static func numbers(_ low: String, to high: String) -> String { "\(low) to \(high)" }
    package static func belowLimitNow(_ limit: String) -> String { "That is below your bedtime limit of \(limit)." }
    package static func belowLimit(_ limit: String, from time: String) -> String {
        "Below your bedtime limit of \(limit) from \(time)."
    }
    package static func asleepNow(_ amount: String) -> String { "Up to \(amount) if you go to bed now." }
    package static func asleep(_ amount: String, at time: String) -> String { "\(amount) at bedtime, \(time)." }
    package static func levelIs(_ rise: String) -> String { "The level is \(rise)." }
    package static func levelAt(_ amount: String, word: String, time: String) -> String {
        "\(amount) now, \(word), at \(time)."
    }
}

// MARK: - Today's drinks

extension CoffeeWords {
    package static let noDrinksYet = "No drinks yet"
    package static let tapADrink = "Tap a drink to add it now, or add one with another time."
    package static let earlierDrinks = "Earlier drinks still count towards your caffeine level."
    package static let emptyTimeIsNow = "for the current day and time"
    package static let emptyTimeIsUnchanged = "to keep the day and time"
    package static let firstOne = "first one"
    package static let closerOne = "one closer to the old time"
    package static let caffeineField = "Caffeine (mg)"
    package static let sipField = "Time to finish (min)"

    package static func volumeField(_ symbol: String) -> String { "Volume (\(symbol))" }
    /// The hint below a day and a time.
    ///
    /// - Parameters:
    ///   - meaning: What empty fields mean, such as ``emptyTimeIsNow``.
    ///   - zone: The time zone.
    ///   - choice: Which of two equal times counts, such as ``firstOne``.
    /// - Returns: The text.
    package static func timeHint(empty meaning: String, zone: String, twice choice: String) -> String {
        """
        Leave empty \(meaning). Times are in \(zone). If a time occurs twice because the clocks go back, the \(choice) \
        is used.
        """
    }
    package static func total(drinks count: Int, amount: String) -> String { "\(drinkCount(count)) · \(amount)" }
    package static func cupsOfCoffee(_ cups: String, overLimit limit: String?) -> String {
        "\(cups) of coffee\(limit.map { ", over the daily limit of \($0)" } ?? "")"
    }
    package static func added(_ action: String, to day: String, _ time: String) -> String {
        "\(action) to \(day), \(time)"
    }
    package static func todaysTotal(drinks count: Int, amount: String) -> String {
        "Today: \(drinkCount(count)), \(amount)"
    }
    package static func drink(_ name: String, at time: String) -> String { "\(name) at \(time)" }
    package static func took(_ duration: String) -> String { "took \(duration)" }
    package static func from(_ source: String) -> String { "from \(source)" }
    package static func time(_ time: String, offset: String) -> String { "\(time) (UTC\(offset))" }
    package static func editing(_ name: String) -> String { "Edit \(name)" }
    static func added(_ name: String) -> String { "Added \(name)" }
    static func addedAgain(_ name: String) -> String { "Added \(name) again" }
    static func edited(_ name: String) -> String { "Edited \(name)" }
    static func deleted(_ name: String) -> String { "Deleted \(name)" }
}

// MARK: - Answers

extension CoffeeWords {
    package static let anyDrink = "any drink"
    package static let anyUsualDrink = "any of your usual drinks"
    package static let staysBelow = "Your level stays below it unless you drink more caffeine."
    package static let answerNow = "Now"
    package static let ifIGoToBedNow = "If I go to bed now"
    package static let howMuchNow = "How much can I have now?"
    package static let nothing = "Nothing"
    package static let overLimitButAsleep =
        "More would be over the limit for one drink or for the day, but you would still sleep well."
    package static let tooLate = "too late"
    package static let overTheDailyLimit = "over the daily limit"
    package static let anyTime = "any time"
    package static let ownDailyLimit = "your own daily limit"
    package static let forAdults = "for adults"
    package static let inPregnancy = "in pregnancy"
    package static let whileBreastfeeding = "while breastfeeding"
    package static let source = "Source: \(citation). \(disclaimer)"

    package static func noMoreToday(_ reason: String?) -> String {
        "No more caffeine today.\(reason.map { " \($0)" } ?? "")"
    }
    package static func tooLateToday(for drinks: String, _ reason: String?) -> String {
        "Too late for \(drinks) today.\(reason.map { " \($0)" } ?? "")"
    }
    package static func dailyLimit(of amount: String) -> String { "the daily limit of \(amount)" }
    package static func bedtimeLimit(or limit: String) -> String { "your bedtime limit or \(limit)" }
    package static func bedtimeLimit(of amount: String) -> String { "your bedtime limit of \(amount)" }
    package static func bedtimeLimit(of amount: String, _ night: String) -> String {
        "your bedtime limit of \(amount) \(night)"
    }
    package static func tooMuch(for drinks: String, limits: String) -> String {
        "Too much caffeine today for \(drinks): you would be over \(limits)."
    }
    package static func whenBelow(_ amount: String) -> String { "When will I be below \(amount)?" }
    /// The question while the level is below an amount, but will rise over it.
    package static func whenBelowAgain(_ amount: String) -> String { "When will I be below \(amount) again?" }
    package static func thatIs(_ remaining: String, between early: String, and late: String) -> String {
        "That is \(remaining). For most people, it is between \(early) and \(late)."
    }
    package static func atBedtime(_ time: String) -> String { "At bedtime, \(time)" }
    package static func below(_ limit: String) -> String { "Below \(limit)." }
    package static func at(_ limit: String) -> String { "At \(limit)." }
    package static func over(_ limit: String, by amount: String) -> String { "\(amount) over \(limit)." }
    package static func keepsBelow(_ limit: String) -> String { "This keeps you below \(limit)." }
    package static func guidance(_ number: String, of amount: String, limit: String) -> String {
        "\(number) of \(amount), \(limit)."
    }
    package static func limitForOneDrink(_ amount: String) -> String { "Limit for one drink: \(amount)." }
    package static func overDailyLimit(by amount: String) -> String { "You are \(amount) over the daily limit." }
    package static func largestDrink(_ amount: String) -> String {
        "Your largest drink had \(amount), over the limit for one drink."
    }
    package static func dailyLimit(_ group: String) -> String { "the daily limit \(group)" }
    package static func forChild(_ kilograms: String) -> String { "for a child of \(kilograms) kg" }
}

// MARK: - The history

extension CoffeeWords {
    package static let day = "Day"
    package static let week = "Week"
    package static let month = "Month"
    package static let daysTab = "Days"
    package static let weeksTab = "Weeks"
    package static let monthsTab = "Months"
    package static let noDrinks = "No drinks"
    package static let noDrinksInPeriod = "No drinks in this period."
    package static let dailyAverage = "Bars show the daily average."

    package static func period(_ first: String, to last: String) -> String { "\(first) to \(last)" }
    package static func periodSummary(drinks count: Int, total: String, daily: String) -> String {
        "\(drinkCount(count)), \(total). On average \(daily) a day since the first drink."
    }
    package static func bar(_ period: String, amount: String, drinks count: Int) -> String {
        "\(period): \(amount), \(drinkCount(count))"
    }
    package static func dashedLine(_ limit: String, _ amount: String, citation: String?) -> String {
        "The dashed line is \(limit), \(amount)\(citation.map { " (\($0))" } ?? "")."
    }
}

// MARK: - Settings, drinks and permissions

extension CoffeeWords {
    package static let adults = "Adults"
    package static let pregnancy = "Pregnancy"
    package static let breastfeeding = "Breastfeeding"
    package static let child = "Child, by weight"
    package static let likeBrowser = "Like your browser"
    package static let millilitres = "Millilitres"
    package static let ounces = "Fluid ounces (US)"
    package static let absorptionModel = "Absorption model"
    package static let simpleModel = "Simple model"
    package static let publishedAmounts = "Published amounts"
    package static let publishedAmountsDetail = "Each has a source, such as EFSA or the Mayo Clinic."
    package static let sampleAmounts = "Sample app"
    package static let sampleAmountsDetail = "Its eleven drinks. The amounts for energy and soft drinks are low."
    package static let ownKind = "Your own"
    package static let sampleKind = "Amount from the sample app"
    package static let addOwnKind = "Add your own drink"
    package static let dayStartField = "Day starts at"
    package static let bedtimeField = "Bedtime"
    package static let thresholdField = "Bedtime limit (mg)"
    package static let halfLifeField = "Half-life (hours)"
    package static let weightField = "Child’s weight (kg)"
    package static let dailyLimitField = "Own daily limit (mg)"
    package static let stopAllowing = "Stop allowing"
    package static let doNotAllow = "Don’t allow"

    package static func hours(_ count: String) -> String { "\(count) hours" }
    package static func halfLifeHint(
        average: String, low: String, high: String, withContraceptives: String, inPregnancy: String
    ) -> String {
        """
        How long your body takes to remove half of the caffeine: \(average) hours on average, \(low) to \(high) in most \
        adults, \(withContraceptives) with oral contraceptives, \(inPregnancy) in pregnancy.
        """
    }
    package static func absorptionDetail(_ scale: String) -> String {
        "Your body absorbs a drink within about an hour. A level is \(scale)."
    }
    package static func simpleDetail(_ scale: String) -> String {
        """
        As in the sample app: all of a drink’s caffeine counts at once, and halves with every half-life. A level is \
        \(scale).
        """
    }
    package static func sizes(small: String, large: String) -> String { "Small \(small), large \(large)" }
    package static func settingsNotSaved(_ reason: String) -> String { "Your settings couldn’t be saved. \(reason)" }
    package static func notShared(_ count: Int) -> String {
        """
        \(count == 1 ? "1 drink is" : "\(formats.number(count)) drinks are") not shared with other programs yet. To \
        share your drinks, allow Coffee Tracker to write dietary caffeine.
        """
    }
    /// What a program may do, within a sentence: write data, or read it.
    package static func access(of source: String, isWriting: Bool, to data: String) -> String {
        "\(source) to \(verb(isWriting)) \(data)"
    }
    package static func allow(_ access: String) -> String { "Allow \(access)" }
    package static func stopAllowingAccess(_ access: String) -> String { "\(stopAllowing) \(access)" }
    package static func doNotAllowAccess(_ access: String) -> String { "\(doNotAllow) \(access)" }
    package static func allowed(isWriting: Bool) -> String { "Allowed to \(verb(isWriting))" }
    package static func notAllowed(isWriting: Bool) -> String { "Not allowed to \(verb(isWriting))" }
    package static func asked(isWriting: Bool) -> String { "Wants to \(verb(isWriting))" }
    package static func notAsked(isWriting: Bool) -> String { "Hasn’t asked to \(verb(isWriting))" }
    private static func verb(_ isWriting: Bool) -> String { isWriting ? "write" : "read" }
}
