import CoffeeTrackerModel
import Foundation
import Site

// What somebody wants to know.

extension CoffeeTemplates {
    func answers(_ view: CoffeeView, _ answers: CaffeineAnswers) -> HTML {
        let latest = latestTimes(for: view.quick, view, answers)
        let others = latestTimes(for: CoffeeView.different(view.settings.shown, from: view.quick), view, answers)
        let guidance = answers.guidance
        return render(
            "answers",
            [
                "answers": [
                    below(view, answers), bedtime(view, answers), mostNow(view, answers),
                ],
                "latest": latest, "hasLatest": !latest.isEmpty, "others": others,
                "hasOthers": !others.isEmpty, "guidance": text(of: guidance, view.settings.group),
                "guidanceClass": guidance.isOverDaily || guidance.isOverSingleDose ? "warn" : "fine",
                "guidanceSource": "\(CoffeeGuidance.citation). \(CoffeeGuidance.disclaimer)",
            ])
    }

    /// The latest time for each kind.
    private func latestTimes(
        for kinds: [DrinkKind], _ view: CoffeeView, _ answers: CaffeineAnswers
    ) -> [[String: String]] {
        // The time follows from the amount, which many kinds have in common.
        var times: [Double: String] = [:]
        return kinds.map { kind in
            let time = times[kind.milligrams] ?? text(of: answers.latestTime(for: kind), view)
            times[kind.milligrams] = time
            return [
                "emoji": kind.emoji, "name": "\(kind.name), \(CoffeeWords.amount(kind.milligrams))", "answer": time,
            ]
        }
    }

    /// When the level is below the threshold.
    private func below(_ view: CoffeeView, _ answers: CaffeineAnswers) -> [String: Any] {
        let words = view.words
        var values: [String: Any] = [
            "key": "below", "question": "When am I below \(CoffeeWords.amount(answers.threshold))?",
        ]
        if answers.isBelowThreshold {
            values["answer"] = "Now"
            values["detail"] = "And it stays so, unless you drink something."
            return values
        }
        values["answer"] = words.when(answers.belowThresholdAt)
        let band = view.settings.levelBand
        let edges = [band.low, band.high].map { level in
            var settings = view.settings
            settings.halfLife = level.halfLife
            return CaffeineAnswers(drinks: view.drinks, settings: settings, at: view.now).belowThresholdAt
        }
        let early = edges[0] <= view.now ? "now" : words.when(edges[0])
        values["detail"] =
            "\(words.wait(until: answers.belowThresholdAt)); between \(early) and \(words.when(edges[1])) in most people."
        return values
    }

    /// What is in the body at bedtime.
    private func bedtime(_ view: CoffeeView, _ answers: CaffeineAnswers) -> [String: Any] {
        let isNight = answers.bedtime <= view.now
        let amount = CoffeeWords.amount(answers.atBedtime)
        let detail =
            answers.atBedtime < answers.threshold
            ? "You sleep well below \(CoffeeWords.amount(answers.threshold))."
            : "That is \(CoffeeWords.amount(answers.atBedtime - answers.threshold)) more than you sleep well with."
        return [
            "key": "bedtime",
            "question": isNight ? "If I go to bed now" : "At bedtime, \(view.words.when(answers.bedtime))",
            "answer": amount, "detail": detail,
        ]
    }

    /// How much can be drunk now.
    private func mostNow(_ view: CoffeeView, _ answers: CaffeineAnswers) -> [String: Any] {
        var values: [String: Any] = ["key": "most", "question": "How much can I have now?"]
        let most = answers.mostNow.rounded(.down)
        let time = answers.bedtime <= view.now ? "now" : "at \(view.words.when(answers.bedtime))"
        if answers.mostForSleep < 1 {
            values["answer"] = "Nothing"
            values["detail"] = "You would go to bed \(time) with more than you sleep well with."
        } else if most < 1 {
            values["answer"] = "Nothing"
            values["detail"] = "You had what raises no concern in a day."
        } else {
            values["answer"] = "\(CoffeeWords.number(most)) mg"
            values["detail"] =
                answers.mostForSleep <= answers.guidance.mostNow
                ? "Then you are below \(CoffeeWords.amount(answers.threshold)) \(time)."
                : "More raises concern, as a single dose or for today; sleep would allow it."
        }
        return values
    }

    private func text(of latest: CaffeineAnswers.LatestTime, _ view: CoffeeView) -> String {
        switch latest {
        case .anyTime: "any time"
        case .until(let date): view.words.when(date)
        case .never: "not any more"
        }
    }

    /// The guidance for the day, in sentences.
    private func text(of guidance: CoffeeGuidance, _ group: CoffeeGroup) -> String {
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
    /// Within a sentence.
    var phrase: String {
        switch self {
        case .adult: "for adults"
        case .pregnant: "in pregnancy"
        case .nursing: "while nursing"
        case .child(let kilograms): "for a child of \(CoffeeWords.number(kilograms)) kg"
        }
    }
}
