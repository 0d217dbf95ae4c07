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
    let guidanceSource = "\(CoffeeGuidance.citation). \(CoffeeGuidance.disclaimer)"

    init(_ view: CoffeeView, _ answers: CaffeineAnswers) {
        self.answers = [Self.below(view, answers), Self.bedtime(view, answers), Self.mostNow(view, answers)]
        latest = Self.latestTimes(for: view.quick, view, answers)
        others = Self.latestTimes(for: CoffeeView.different(view.settings.shown, from: view.quick), view, answers)
        let isTooLate = latest.allSatisfy(\.isNever)
        let isTooLateForAll = isTooLate && others.allSatisfy(\.isNever)
        hasLatest = !latest.isEmpty
        hasOthers = !others.isEmpty && !isTooLateForAll
        tooLate =
            isTooLateForAll
            ? "Too late for any drink today." : isTooLate ? "Too late for any of your usual drinks today." : nil
        guidance = Self.text(of: answers.guidance, view.settings.group)
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
                emoji: kind.emoji, name: "\(kind.name), \(CoffeeWords.amount(kind.milligrams))",
                answer: text(of: time, view), isNever: time == .never)
        }
    }

    /// When the level falls below the threshold.
    private static func below(_ view: CoffeeView, _ answers: CaffeineAnswers) -> Answer {
        let words = view.words
        let question = "When am I below \(CoffeeWords.amount(answers.threshold))?"
        if answers.isBelowThreshold {
            let detail = "And it stays so, unless you drink something."
            return Answer(key: "below", question: question, answer: "Now", detail: detail)
        }
        let band = view.settings.levelBand
        let edges = [band.low, band.high].map { level in
            var settings = view.settings
            settings.halfLife = level.halfLife
            return CaffeineAnswers(drinks: view.drinks, settings: settings, at: view.now).belowThresholdAt
        }
        let early = edges[0] <= view.now ? "now" : words.when(edges[0])
        return Answer(
            key: "below", question: question, answer: words.when(answers.belowThresholdAt),
            detail:
                "\(words.wait(until: answers.belowThresholdAt)); between \(early) and \(words.when(edges[1])) in most "
                + "people.")
    }

    /// The highest amount in the body from bedtime on.
    private static func bedtime(_ view: CoffeeView, _ answers: CaffeineAnswers) -> Answer {
        let asleep = answers.highestAsleep
        return Answer(
            key: "bedtime",
            question: answers.bedtime <= view.now
                ? "If I go to bed now" : "At bedtime, \(view.words.when(answers.bedtime))",
            answer: CoffeeWords.amount(asleep),
            detail: asleep < answers.threshold
                ? "You sleep well below \(CoffeeWords.amount(answers.threshold))."
                : "That is \(CoffeeWords.amount(asleep - answers.threshold)) more than you sleep well with.")
    }

    /// How much can be drunk now.
    private static func mostNow(_ view: CoffeeView, _ answers: CaffeineAnswers) -> Answer {
        let most = answers.mostNow.rounded(.down)
        let time = answers.bedtime <= view.now ? "now" : "at \(view.words.when(answers.bedtime))"
        let (answer, detail) =
            if answers.mostForSleep < 1 {
                ("Nothing", "You would go to bed \(time) with more than you sleep well with.")
            } else if most < 1 {
                ("Nothing", "You had what raises no concern in a day.")
            } else {
                (
                    "\(CoffeeWords.number(most)) mg",
                    answers.mostForSleep <= answers.guidance.mostNow
                        ? "Then you are below \(CoffeeWords.amount(answers.threshold)) \(time)."
                        : "More raises concern, as a single dose or for today; sleep would allow it."
                )
            }
        return Answer(key: "most", question: "How much can I have now?", answer: answer, detail: detail)
    }

    private static func text(of latest: CaffeineAnswers.LatestTime, _ view: CoffeeView) -> String {
        switch latest {
        case .anyTime: "any time"
        case .until(let date): view.words.when(date)
        case .never: "not any more"
        }
    }

    /// The guidance for the day, as sentences.
    private static func text(of guidance: CoffeeGuidance, _ group: CoffeeGroup) -> String {
        var text =
            "\(CoffeeWords.number(guidance.today)) of \(CoffeeWords.amount(guidance.daily)) that raise no concern in a day"
            + " \(group.phrase)"
        if let single = guidance.singleDose { text += ", and \(CoffeeWords.amount(single)) at once" }
        text += "."
        if guidance.isOverDaily {
            text += " You are \(CoffeeWords.amount(guidance.today - guidance.daily)) above it."
        }
        if let single = guidance.singleDose, guidance.isOverSingleDose {
            text +=
                " Your largest drink had \(CoffeeWords.amount(guidance.largestToday)), more than \(CoffeeWords.amount(single))."
        }
        return text
    }
}

extension CoffeeGroup {
    /// The group, for use within a sentence.
    var phrase: String {
        switch self {
        case .adult: "for adults"
        case .pregnant: "in pregnancy"
        case .nursing: "while nursing"
        case .child(let kilograms): "for a child of \(CoffeeWords.number(kilograms)) kg"
        }
    }
}
