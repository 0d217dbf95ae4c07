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
    /// Stands for the list of latest times if there is an objection to each usual drink.
    let noneLeft: String?
    let guidance, guidanceClass: String
    let guidanceSource = "Source: \(CoffeeGuidance.citation). \(CoffeeGuidance.disclaimer)"

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
        let drinks = isForAll ? "any drink" : "any of your usual drinks"
        let reason = view.formatter.refusal(answers).map { " \($0)" } ?? ""
        if case .limitReached = answers.allowance { return "No more caffeine today.\(reason)" }
        if latest.allSatisfy({ $0.objection == .tooLate }) { return "Too late for \(drinks) today.\(reason)" }
        let limit = "the daily limit of \(CoffeeFormatter.amount(answers.guidance.daily))"
        let limits = latest.contains { $0.objection == .tooLate } ? "your bedtime limit or \(limit)" : limit
        return "Too much caffeine today for \(drinks): you would be over \(limits)."
    }

    /// When the level falls below the threshold.
    private static func below(_ view: CoffeeView, _ answers: CaffeineAnswers) -> Answer {
        let formatter = view.formatter
        // Below it now, but a drink that isn't absorbed yet raises the level over it.
        let isRisingOver =
            !answers.isBelowThreshold && answers.level.milligrams < CoffeeFormatter.rounded(answers.threshold)
        let question =
            "When will I be below \(CoffeeFormatter.amount(answers.threshold))\(isRisingOver ? " again" : "")?"
        if answers.isBelowThreshold {
            let detail = "Your level stays below it unless you drink more caffeine."
            return Answer(key: "below", question: question, answer: "Now", detail: detail)
        }
        let band = view.settings.levelBand
        let edges = [band.low, band.high].map { level in
            var settings = view.settings
            settings.halfLife = level.halfLife
            return CaffeineAnswers(drinks: view.drinks, settings: settings, at: view.now).belowThresholdAt
        }
        let early = edges[0] <= view.now ? "now" : formatter.when(edges[0])
        let remaining = formatter.timeRemaining(until: answers.belowThresholdAt)
        return Answer(
            key: "below", question: question, answer: formatter.when(answers.belowThresholdAt),
            detail:
                "That is \(remaining). For most people, it is between \(early) and \(formatter.when(edges[1])).")
    }

    /// The highest amount in the body from bedtime on.
    private static func bedtime(_ view: CoffeeView, _ answers: CaffeineAnswers) -> Answer {
        let limit = "your bedtime limit of \(CoffeeFormatter.amount(answers.threshold))"
        // The displayed amounts are compared, so that no “35 mg” is below a limit of 35 mg.
        let highest = CoffeeFormatter.rounded(answers.highestAsleep)
        let excess = highest - CoffeeFormatter.rounded(answers.threshold)
        return Answer(
            key: "bedtime",
            question: answers.bedtime <= view.now
                ? "If I go to bed now" : "At bedtime, \(view.formatter.when(answers.bedtime))",
            answer: CoffeeFormatter.amount(highest),
            detail: excess < 0
                ? "Below \(limit)." : excess == 0 ? "At \(limit)." : "\(CoffeeFormatter.amount(excess)) over \(limit).")
    }

    /// How much can be drunk now.
    private static func largestDoseNow(_ view: CoffeeView, _ answers: CaffeineAnswers) -> Answer {
        let question = "How much can I have now?"
        guard case .upTo(let dose) = answers.allowance else {
            return Answer(
                key: "most", question: question, answer: "Nothing", detail: view.formatter.refusal(answers) ?? "")
        }
        let limit =
            "your bedtime limit of \(CoffeeFormatter.amount(answers.threshold)) \(view.formatter.night(answers))"
        return Answer(
            key: "most", question: question, answer: CoffeeFormatter.amount(dose),
            detail: answers.largestDoseForSleep <= answers.guidance.largestDoseNow
                ? "This keeps you below \(limit)."
                : "More would be over the limit for one drink or for the day, but you would still sleep well.")
    }

    private static func text(of objection: CaffeineAnswers.Objection) -> String {
        switch objection {
        case .tooLate: "too late"
        case .overLimit: "over the daily limit"
        }
    }

    private static func text(of latest: CaffeineAnswers.LatestTime, _ view: CoffeeView) -> String {
        switch latest {
        case .anyTime: "any time"
        case .until(let date): view.formatter.when(date)
        case .never: "too late"
        }
    }

    /// The guidance for the day, as sentences.
    private static func text(of guidance: CoffeeGuidance, _ settings: CoffeeSettings) -> String {
        var text =
            "\(CoffeeFormatter.number(guidance.today)) of \(CoffeeFormatter.amount(guidance.daily)), "
            + "\(settings.limitPhrase)."
        if let single = guidance.singleDose, single <= guidance.daily {
            text += " Limit for one drink: \(CoffeeFormatter.amount(single))."
        }
        if guidance.isOverDaily {
            text += " You are \(CoffeeFormatter.amount(guidance.today - guidance.daily)) over the daily limit."
        }
        if guidance.isOverSingleDose {
            text +=
                " Your largest drink had \(CoffeeFormatter.amount(guidance.largestToday)), over the limit for one "
                + "drink."
        }
        return text
    }
}

extension CoffeeSettings {
    /// The daily limit, for use within a sentence: `your own daily limit`, or `the daily limit for adults`.
    var limitPhrase: String { dailyLimit == nil ? "the daily limit \(group.phrase)" : "your own daily limit" }
}

extension CoffeeGroup {
    /// The group, for use within a sentence.
    var phrase: String {
        switch self {
        case .adult: "for adults"
        case .pregnant: "in pregnancy"
        case .nursing: "while breastfeeding"
        case .child(let kilograms): "for a child of \(CoffeeFormatter.number(kilograms)) kg"
        }
    }
}
