import CoffeeTrackerModel
import Foundation
import Site

/// The answers to the owner's questions.
struct AnswersView: TemplateView {
    static let template = "answers"

    struct Answer: Sendable {
        let key, question, answer, detail: String
    }

    struct Latest: Sendable {
        let emoji, name, answer: String
        let objection: CaffeineAnswers.Objection?
    }

    let answers: [Answer]
    let latest, others: [Latest]
    let hasLatest, hasOthers: Bool
    /// Shown instead of the list of latest times, if each usual drink would be too late or too much.
    let noneLeft: String?
    let guidance, guidanceClass: String
    let guidanceSource = CoffeeWords.source

    init(_ view: CoffeeView, _ answers: CaffeineAnswers) {
        latest = Self.latestTimes(for: view.quick, view, answers)
        others = Self.latestTimes(for: CoffeeView.different(view.settings.shown, from: view.quick), view, answers)
        let isOver = latest.allSatisfy { $0.objection != nil }
        let isOverForAll = isOver && others.allSatisfy { $0.objection != nil }
        hasLatest = !latest.isEmpty
        hasOthers = !others.isEmpty && !isOverForAll
        noneLeft = isOver ? Self.noneLeft(latest, view, answers, isForAll: isOverForAll) : nil
        // One line instead of “Nothing” and the list of latest times.
        let isOneLine = isOver && !latest.isEmpty && view.formatter.refusal(answers) != nil
        self.answers =
            [Self.below(view, answers), Self.bedtime(view, answers)]
            + (isOneLine ? [] : [Self.largestDoseNow(view, answers)])
        guidance = Self.text(of: answers.guidance, view.settings)
        guidanceClass = answers.guidance.isOverDaily || answers.guidance.isOverSingleDose ? "warn" : "fine"
    }

    /// The latest time for each kind.
    private static func latestTimes(
        for kinds: [DrinkKind], _ view: CoffeeView, _ answers: CaffeineAnswers
    ) -> [Latest] {
        // The time depends only on the amount, which many kinds share.
        var times: [Double: CaffeineAnswers.LatestTime] = [:]
        return kinds.map { kind in
            let time = times[kind.milligrams] ?? answers.latestTime(for: kind.milligrams)
            times[kind.milligrams] = time
            let objection = answers.objection(to: kind.milligrams, latest: time)
            return Latest(
                emoji: kind.emoji, name: "\(kind.name), \(CoffeeFormatter.amount(kind.milligrams))",
                answer: objection.map { text(of: $0) } ?? text(of: time, view), objection: objection)
        }
    }

    /// Says that each usual drink, or each drink, would be too much, and why.
    private static func noneLeft(
        _ latest: [Latest], _ view: CoffeeView, _ answers: CaffeineAnswers, isForAll: Bool
    ) -> String {
        let drinks = isForAll ? CoffeeWords.anyDrink : CoffeeWords.anyUsualDrink
        let reason = view.formatter.refusal(answers)
        if case .limitReached = answers.allowance { return CoffeeWords.noMoreToday(reason) }
        if latest.allSatisfy({ $0.objection == .tooLate }) { return CoffeeWords.tooLateToday(for: drinks, reason) }
        let limit = CoffeeWords.dailyLimit(of: CoffeeFormatter.amount(answers.guidance.daily))
        let limits = latest.contains { $0.objection == .tooLate } ? CoffeeWords.bedtimeLimit(or: limit) : limit
        return CoffeeWords.tooMuch(for: drinks, limits: limits)
    }

    /// When the level falls below the threshold.
    private static func below(_ view: CoffeeView, _ answers: CaffeineAnswers) -> Answer {
        let formatter = view.formatter
        // The level is below the threshold now, but a drink that isn't absorbed yet will raise it over the threshold.
        let isRisingOver =
            !answers.isBelowThreshold && answers.level.milligrams < answers.threshold.roundedForDisplay
        let threshold = CoffeeFormatter.amount(answers.threshold)
        let question = isRisingOver ? CoffeeWords.whenBelowAgain(threshold) : CoffeeWords.whenBelow(threshold)
        if answers.isBelowThreshold {
            return Answer(
                key: "below", question: question, answer: CoffeeWords.answerNow, detail: CoffeeWords.staysBelow)
        }
        let times = answers.belowThresholdTimes
        let early = times.early <= view.now ? CoffeeWords.now : formatter.when(times.early)
        let remaining = formatter.timeRemaining(until: answers.belowThresholdAt)
        return Answer(
            key: "below", question: question, answer: formatter.when(answers.belowThresholdAt),
            detail: CoffeeWords.thatIs(remaining, between: early, and: formatter.when(times.late)))
    }

    /// The highest amount in the body from bedtime on.
    private static func bedtime(_ view: CoffeeView, _ answers: CaffeineAnswers) -> Answer {
        let limit = CoffeeWords.bedtimeLimit(of: CoffeeFormatter.amount(answers.threshold))
        // Compares the displayed amounts: otherwise the page could say that 35 mg is below a limit of 35 mg.
        let highest = answers.highestAsleep.roundedForDisplay
        let excess = highest - answers.threshold.roundedForDisplay
        return Answer(
            key: "bedtime",
            question: answers.bedtime <= view.now
                ? CoffeeWords.ifIGoToBedNow : CoffeeWords.atBedtime(view.formatter.when(answers.bedtime)),
            answer: CoffeeFormatter.amount(highest),
            detail: excess < 0
                ? CoffeeWords.below(limit)
                : excess == 0
                    ? CoffeeWords.at(limit) : CoffeeWords.over(limit, by: CoffeeFormatter.amount(excess)))
    }

    /// How much can be drunk now.
    private static func largestDoseNow(_ view: CoffeeView, _ answers: CaffeineAnswers) -> Answer {
        let question = CoffeeWords.howMuchNow
        guard case .upTo(let dose) = answers.allowance else {
            return Answer(
                key: "most", question: question, answer: CoffeeWords.nothing,
                detail: view.formatter.refusal(answers) ?? "")
        }
        let limit = CoffeeWords.bedtimeLimit(
            of: CoffeeFormatter.amount(answers.threshold), view.formatter.bedtime(answers))
        return Answer(
            key: "most", question: question, answer: CoffeeFormatter.amount(dose),
            detail: answers.largestDoseForSleep <= answers.guidance.largestDoseNow
                ? CoffeeWords.keepsBelow(limit)
                : CoffeeWords.overLimitButAsleep)
    }

    private static func text(of objection: CaffeineAnswers.Objection) -> String {
        switch objection {
        case .tooLate: CoffeeWords.tooLate
        case .overLimit: CoffeeWords.overTheDailyLimit
        }
    }

    private static func text(of latest: CaffeineAnswers.LatestTime, _ view: CoffeeView) -> String {
        switch latest {
        case .anyTime: CoffeeWords.anyTime
        case .until(let date): view.formatter.when(date)
        case .never: CoffeeWords.tooLate
        }
    }

    /// The guidance for the day, as sentences.
    private static func text(of guidance: CoffeeGuidance, _ settings: CoffeeSettings) -> String {
        var sentences = [
            CoffeeWords.guidance(
                CoffeeFormatter.number(guidance.today), of: CoffeeFormatter.amount(guidance.daily),
                limit: settings.limitPhrase)
        ]
        if let single = guidance.singleDose, single <= guidance.daily {
            sentences.append(CoffeeWords.limitForOneDrink(CoffeeFormatter.amount(single)))
        }
        if guidance.isOverDaily {
            let excess = CoffeeFormatter.amount(guidance.today - guidance.daily)
            sentences.append(CoffeeWords.overDailyLimit(by: excess))
        }
        if guidance.isOverSingleDose {
            sentences.append(CoffeeWords.largestDrink(CoffeeFormatter.amount(guidance.largestToday)))
        }
        return sentences.joined(separator: " ")
    }
}

extension CoffeeSettings {
    /// The daily limit, for use within a sentence: `your own daily limit`, or `the daily limit for adults`.
    var limitPhrase: String {
        dailyLimit == nil ? CoffeeWords.dailyLimit(group.phrase) : CoffeeWords.ownDailyLimit
    }
}

extension CoffeeGroup {
    /// The group, for use within a sentence.
    var phrase: String {
        switch self {
        case .adult: CoffeeWords.forAdults
        case .pregnant: CoffeeWords.inPregnancy
        case .nursing: CoffeeWords.whileBreastfeeding
        case .child(let kilograms): CoffeeWords.forChild(CoffeeFormatter.number(kilograms))
        }
    }
}
