import Formats
package import Foundation

/// Formats amounts and times in the reader's formats: times in the owner's time zone, days relative to now.
package struct CoffeeFormatter: Sendable {
    package let zone: TimeZone
    package let now: Date
    package let clockFormat: ClockFormat

    package init(zone: TimeZone, now: Date, clockFormat: ClockFormat = .automatic) {
        self.zone = zone
        self.now = now
        self.clockFormat = clockFormat
    }
}

extension CoffeeSettings {
    /// Formats times as the owner has chosen.
    package func formatter(at now: Date) -> CoffeeFormatter {
        CoffeeFormatter(zone: timeZone, now: now, clockFormat: clockFormat)
    }
}

// MARK: - Times

extension CoffeeFormatter {
    /// The time: `23:10`, or `11:10 PM`.
    package func clock(_ date: Date) -> String {
        clockFormat.text(LocalTime(date, in: zone).minutes)
    }

    /// The time, and the day unless it is today: `23:10`, `tomorrow 01:30`, `Sunday 08:00`, `12 Mar 08:00`.
    package func when(_ date: Date) -> String {
        let days = days(to: date)
        return days == 0 ? clock(date) : "\(day(date)) \(clock(date))"
    }

    /// The day relative to now, for use within a sentence: `today`, `tomorrow`, `Sunday`, `12 Mar`.
    package func day(_ date: Date) -> String {
        switch days(to: date) {
        case 0: CoffeeWords.dayToday
        case 1: CoffeeWords.dayTomorrow
        case -1: CoffeeWords.dayYesterday
        case -6 ... -2, 2...6: CoffeeWords.weekdays[LocalTime(date, in: zone).day.weekday - 1]
        default: Self.name(of: LocalTime(date, in: zone).day, comparedTo: LocalTime(now, in: zone).day)
        }
    }

    /// The time until a date: `in 3 h 10 min`.
    package func timeRemaining(until date: Date) -> String {
        CoffeeWords.remaining(Self.duration(date.timeIntervalSince(now)))
    }

    private func days(to date: Date) -> Int {
        LocalTime(date, in: zone).day.number - LocalTime(now, in: zone).day.number
    }

    /// A duration: `3 h 10 min`.
    package static func duration(_ seconds: TimeInterval) -> String {
        let whole = (seconds / 60).rounded()
        guard abs(whole) < 1e15 else { return "–" }
        let minutes = Int(whole)
        return CoffeeWords.duration(hours: minutes / 60, minutes: minutes % 60)
    }

    /// A date: `14 Mar`, `Mar 14` or `14.3.`, with the year if it isn't the current one.
    package static func name(of day: LocalDay, comparedTo today: LocalDay) -> String {
        let midnight = Date(timeIntervalSince1970: Double(day.number) * 86_400)
        return ReaderFormats.current.day(midnight, in: .gmt, hasYear: day.date.year != today.date.year)
    }
}

// MARK: - Levels

extension CoffeeFormatter {
    /// A peak ahead, for use within a sentence: `rising to 309 mg (moderate) by 16:20`.
    ///
    /// It's `nil` if the level doesn't rise.
    ///
    /// - Parameters:
    ///   - answers: The answers that include the peak.
    ///   - hasWord: Whether to include the peak's word, such as “high”, if it differs from the current level's.
    /// - Returns: The phrase.
    package func rise(_ answers: CaffeineAnswers, hasWord: Bool = true) -> String? {
        answers.peak.map { peak in
            let word = hasWord && peak.level.word != answers.level.word ? peak.level.word : nil
            return CoffeeWords.rising(to: peak.level.amount, word: word, by: when(peak.date))
        }
    }

    /// The likely range of the level now, for use within a sentence: `about 40 to 52 mg`; `nil` for a narrow one.
    package static func range(_ answers: CaffeineAnswers) -> String? {
        answers.hasRange ? CoffeeWords.about(number(answers.low), to: amount(answers.high)) : nil
    }

    /// Why the owner can drink nothing more, as a sentence; `nil` if they can drink more.
    package func refusal(_ answers: CaffeineAnswers) -> String? {
        switch answers.allowance {
        case .upTo: return nil
        case .tooLate: return CoffeeWords.overBedtimeLimit(bedtime(answers))
        case .limitReached:
            let limit = Self.amount(answers.guidance.daily)
            return answers.guidance.isOverDaily
                ? CoffeeWords.overDailyLimit(of: limit) : CoffeeWords.reachedDailyLimit(of: limit)
        }
    }

    /// The time of the bedtime limit, for use within a sentence.
    package func bedtime(_ answers: CaffeineAnswers) -> String {
        answers.bedtime <= answers.date ? CoffeeWords.ifYouGoToBedNow : CoffeeWords.atTime(when(answers.bedtime))
    }
}

// MARK: - Amounts

extension CoffeeFormatter {
    /// An amount of caffeine: `64 mg`; below ten rounded to one decimal, so that 0.5 mg doesn't appear as zero.
    package static func amount(_ milligrams: Double) -> String {
        CoffeeWords.milligrams(number(milligrams))
    }

    /// A number as displayed; rounded to a whole number from ten on, and to one decimal below.
    package static func number(_ value: Double) -> String {
        value.isFinite ? ReaderFormats.current.number(value.roundedForDisplay) : "–"
    }

    /// Cups with at most one decimal: `1 cup`, `2.3 cups`.
    package static func cups(_ cups: Double) -> String {
        guard cups.isFinite else { return CoffeeWords.noCups }
        let rounded = (cups * 10).rounded() / 10
        return rounded == 1 ? CoffeeWords.oneCup : CoffeeWords.cups(ReaderFormats.current.number(rounded))
    }

    /// A number without trailing zeros, for the field of a form, a script or a file: the same for every reader.
    package static func trimmed(_ value: Double) -> String {
        guard value.isFinite else { return "" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }
}
