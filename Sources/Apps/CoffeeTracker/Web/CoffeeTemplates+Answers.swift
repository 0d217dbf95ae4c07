import CoffeeTrackerModel
import Foundation

// What somebody wants to know.

extension CoffeeTemplates {
    func answers(_ snapshot: CoffeeSnapshot, _ answers: CaffeineAnswers) -> String {
        let latest = snapshot.quick.map { kind in
            [
                "emoji": kind.emoji, "name": "\(kind.name), \(CoffeeWords.amount(kind.milligrams))",
                "answer": text(of: answers.latestTime(for: kind), snapshot),
            ]
        }
        let guidance = answers.guidance
        return render(
            "answers",
            [
                "answers": [
                    below(snapshot, answers), bedtime(snapshot, answers), mostNow(snapshot, answers),
                ],
                "latest": latest, "hasLatest": !latest.isEmpty, "guidance": text(of: guidance, snapshot.settings.group),
                "guidanceClass": guidance.isOverDaily || guidance.isOverSingleDose ? "warn" : "fine",
                "guidanceSource": "\(CoffeeGuidance.citation). \(CoffeeGuidance.disclaimer)",
            ])
    }

    /// When the level is below the threshold.
    private func below(_ snapshot: CoffeeSnapshot, _ answers: CaffeineAnswers) -> [String: Any] {
        let words = snapshot.words
        var values: [String: Any] = [
            "key": "below", "question": "When am I below \(CoffeeWords.amount(answers.threshold))?",
        ]
        if answers.isBelowThreshold {
            values["answer"] = "Now"
            values["detail"] = "And it stays so, unless you drink something."
            return values
        }
        values["answer"] = words.when(answers.belowThresholdAt)
        let band = snapshot.settings.levelBand
        let edges = [band.low, band.high].map { level in
            var settings = snapshot.settings
            settings.halfLife = level.halfLife
            return CaffeineAnswers(drinks: snapshot.drinks, settings: settings, at: snapshot.now).belowThresholdAt
        }
        let early = edges[0] <= snapshot.now ? "now" : words.when(edges[0])
        values["detail"] =
            "\(words.wait(until: answers.belowThresholdAt)); between \(early) and \(words.when(edges[1])) in most people."
        return values
    }

    /// What is in the body at bedtime.
    private func bedtime(_ snapshot: CoffeeSnapshot, _ answers: CaffeineAnswers) -> [String: Any] {
        let isNight = answers.bedtime <= snapshot.now
        let amount = CoffeeWords.amount(answers.atBedtime)
        let detail =
            answers.atBedtime < answers.threshold
            ? "You sleep well below \(CoffeeWords.amount(answers.threshold))."
            : "That is \(CoffeeWords.amount(answers.atBedtime - answers.threshold)) more than you sleep well with."
        return [
            "key": "bedtime",
            "question": isNight ? "If I go to bed now" : "At bedtime, \(snapshot.words.when(answers.bedtime))",
            "answer": amount, "detail": detail,
        ]
    }

    /// How much can be drunk now.
    private func mostNow(_ snapshot: CoffeeSnapshot, _ answers: CaffeineAnswers) -> [String: Any] {
        var values: [String: Any] = ["key": "most", "question": "How much can I have now?"]
        let most = answers.mostNow.rounded(.down)
        let time = answers.bedtime <= snapshot.now ? "now" : "at \(snapshot.words.when(answers.bedtime))"
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

    private func text(of latest: CaffeineAnswers.LatestTime, _ snapshot: CoffeeSnapshot) -> String {
        switch latest {
        case .anyTime: "any time"
        case .until(let date): snapshot.words.when(date)
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
