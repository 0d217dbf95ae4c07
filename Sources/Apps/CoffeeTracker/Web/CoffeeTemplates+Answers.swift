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
        let isNever: Bool
    }

    let answers: [Answer]
    let latest, others: [Latest]
    let hasLatest, hasOthers: Bool
    /// Stands for the list of latest times if it would only repeat that it is too late.
    let tooLate: String?
    let guidance, guidanceClass: String
    let guidanceSource = "Source: \(CoffeeGuidance.citation). \(CoffeeGuidance.disclaimer)"

    init(_ view: CoffeeView, _ answers: CaffeineAnswers) {
        latest = Self.latestTimes(for: view.quick, view, answers)
        others = Self.latestTimes(for: CoffeeView.different(view.settings.shown, from: view.quick), view, answers)
        let isTooLate = latest.allSatisfy(\.isNever)
        let isTooLateForAll = isTooLate && others.allSatisfy(\.isNever)
        hasLatest = !latest.isEmpty
        hasOthers = !others.isEmpty && !isTooLateForAll
        // One line instead of “Nothing” and the list of latest times.
        let isOnlyForSleep = isTooLate && !latest.isEmpty && answers.largestDoseForSleep < 1
        self.answers =
            [Self.below(view, answers), Self.bedtime(view, answers)]
            + (isOnlyForSleep ? [] : [Self.largestDoseNow(view, answers)])
        let reason = isOnlyForSleep ? " You would be over your bedtime limit \(Self.night(view, answers))." : ""
        tooLate =
            isTooLateForAll
            ? "Too late for any drink today.\(reason)"
            : isTooLate ? "Too late for any of your usual drinks today.\(reason)" : nil
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
            return Latest(
                emoji: kind.emoji, name: "\(kind.name), \(CoffeeFormatter.amount(kind.milligrams))",
                answer: text(of: time, view), isNever: time == .never)
        }
    }

    /// When the level falls below the threshold.
    private static func below(_ view: CoffeeView, _ answers: CaffeineAnswers) -> Answer {
        let formatter = view.formatter
        let question = "When will I be below \(CoffeeFormatter.amount(answers.threshold))?"
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
        let asleep = answers.highestAsleep
        return Answer(
            key: "bedtime",
            question: answers.bedtime <= view.now
                ? "If I go to bed now" : "At bedtime, \(view.formatter.when(answers.bedtime))",
            answer: CoffeeFormatter.amount(asleep),
            detail: asleep < answers.threshold
                ? "Below your bedtime limit of \(CoffeeFormatter.amount(answers.threshold))."
                : "\(CoffeeFormatter.amount(asleep - answers.threshold)) over your bedtime limit of "
                    + "\(CoffeeFormatter.amount(answers.threshold)).")
    }

    /// The time of the bedtime limit, for use within a sentence.
    private static func night(_ view: CoffeeView, _ answers: CaffeineAnswers) -> String {
        answers.bedtime <= view.now ? "if you go to bed now" : "at \(view.formatter.when(answers.bedtime))"
    }

    /// How much can be drunk now.
    private static func largestDoseNow(_ view: CoffeeView, _ answers: CaffeineAnswers) -> Answer {
        let most = answers.largestDoseNow.rounded(.down)
        let time = night(view, answers)
        let (answer, detail) =
            if answers.largestDoseForSleep < 1 {
                ("Nothing", "You would be over your bedtime limit \(time).")
            } else if most < 1 {
                ("Nothing", "You have reached the daily limit of \(CoffeeFormatter.amount(answers.guidance.daily)).")
            } else {
                (
                    "\(CoffeeFormatter.number(most)) mg",
                    answers.largestDoseForSleep <= answers.guidance.largestDoseNow
                        ? "This keeps you below your bedtime limit of "
                            + "\(CoffeeFormatter.amount(answers.threshold)) \(time)."
                        : "More would be over the limit for one drink or for the day, but you would still sleep well."
                )
            }
        return Answer(key: "most", question: "How much can I have now?", answer: answer, detail: detail)
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
