import Testing

/// Tells a schedule in sentences, one for each turn, in which one task runs.
struct Story {
    /// Consecutive steps of one task.
    struct Turn {
        let task: Int
        var steps: [Trace.Step]
    }

    /// Of a longer story, the middle is left out.
    private static let maximumTurns = 40
    /// Of more places in a turn, the middle is left out.
    private static let maximumPlaces = 6
    /// Longer lines of code are shortened.
    private static let maximumWidth = 70

    private let turns: [Turn]
    /// The index of each task's first turn.
    private let beginnings: [Int: Int]
    private let origins: [Int: Trace.Origin]

    init(_ trace: Trace) {
        var turns: [Turn] = []
        for step in trace.steps {
            if turns.last?.task == step.task {
                turns[turns.count - 1].steps.append(step)
            } else {
                turns.append(Turn(task: step.task, steps: [step]))
            }
        }
        self.turns = turns
        self.origins = trace.origins
        self.beginnings = Dictionary(turns.indices.map { (turns[$0].task, $0) }, uniquingKeysWith: min)
    }

    /// A sentence for each turn, in order.
    var sentences: [String] {
        var sentences = turns.indices.map(sentence)
        let excess = sentences.count - Self.maximumTurns
        if excess > 0 {
            let start = Self.maximumTurns / 2
            sentences.replaceSubrange(start..<start + excess, with: ["… \(excess) more turns …"])
        }
        return sentences
    }

    private func sentence(_ index: Int) -> String {
        let turn = turns[index]
        var text = ""
        let before = index > 0 ? turns[index - 1].steps.last?.time ?? .zero : .zero
        if let time = turn.steps.first?.time, time > before {
            text += "After \(time - before), task"
        } else {
            text += "Task"
        }
        let begins = beginnings[turn.task] == index
        text += " \(turn.task)" + (begins ? origins[turn.task]?.suffix ?? "" : "")
        if let cancellation = cancellation(index) { text += ", \(cancellation)," }
        text += begins ? " begins" : " goes on"
        if turn.steps.first?.isInterruption == true { text += ", although task \(turns[index - 1].task) could go on" }
        let places = Self.places(turn.steps)
        if !places.isEmpty { text += ": " + places.joined(separator: ", ") }
        let deeds = deeds(index)
        if !deeds.isEmpty { text += "; it " + Self.list(deeds) }
        return text + "."
    }

    /// That a task is cancelled, and by which task, if this is its first turn since then.
    private func cancellation(_ index: Int) -> String? {
        let turn = turns[index]
        let earlier = turns[..<index]
        guard turn.steps.first?.isCancelled == true,
            !earlier.contains(where: { $0.task == turn.task && $0.steps.first?.isCancelled == true })
        else {
            return nil
        }
        let canceller = earlier.last { $0.steps.contains { $0.cancels.contains(turn.task) } }
        guard let canceller else { return "which is cancelled" }
        return canceller.task == turn.task ? "cancelled by itself" : "cancelled by task \(canceller.task)"
    }

    /// What a task brings about in a turn, and how the turn ends.
    private func deeds(_ index: Int) -> [String] {
        let turn = turns[index]
        var started: [Int] = []
        var resumed: [Int] = []
        for task in turn.steps.flatMap(\.resumes) where !started.contains(task) && !resumed.contains(task) {
            if beginnings[task, default: 0] > index { started.append(task) } else { resumed.append(task) }
        }
        var deeds: [String] = []
        if !started.isEmpty { deeds.append("starts \(Self.tasks(started))") }
        if !resumed.isEmpty { deeds.append("resumes \(Self.tasks(resumed))") }
        let cancelled = turn.steps.flatMap(\.cancels)
        let others = cancelled.filter { $0 != turn.task }
        if others.count < cancelled.count { deeds.append("cancels itself") }
        if !others.isEmpty { deeds.append("cancels \(Self.tasks(others))") }
        let isInterrupted = index + 1 < turns.count && turns[index + 1].steps.first?.isInterruption == true
        if turn.steps.last?.isLast == true {
            deeds.append("ends")
        } else if let other = turn.steps.last?.waitsFor {
            deeds.append("waits for task \(other)")
        } else if isInterrupted {
            deeds.append("is interrupted")
        } else if index + 1 < turns.count || turns.count == 1 {
            deeds.append("waits")
        }
        return deeds
    }

    /// Where the steps begin; several steps on one line are one place.
    private static func places(_ steps: [Trace.Step]) -> [String] {
        var kept: [Trace.Step] = []
        for step in steps where step.line != nil || !["begins", "goes on"].contains(step.action) {
            if let line = step.line, let last = kept.last, last.line == line {
                if last.actor == nil { kept[kept.count - 1] = step }
            } else if step.line != nil || kept.last?.action != step.action {
                kept.append(step)
            }
        }
        var places = kept.map(place)
        if places.count > maximumPlaces {
            let excess = places.count - maximumPlaces
            let start = maximumPlaces / 2
            places.replaceSubrange(start..<start + excess, with: ["… \(excess) more …"])
        }
        return places
    }

    private static func place(_ step: Trace.Step) -> String {
        guard let line = step.line else {
            let prefix = "begins "
            return step.action.hasPrefix(prefix) ? String(step.action.dropFirst(prefix.count)) : step.action
        }
        let actor = step.actor.map { " on \($0)" } ?? ""
        guard let text = line.text, !text.isEmpty else { return "\(line)\(actor)" }
        let shortened = text.count <= maximumWidth ? text : text.prefix(maximumWidth - 1) + "…"
        return "`\(shortened)`\(actor) (\(line))"
    }

    static func tasks(_ numbers: [Int]) -> String {
        (numbers.count == 1 ? "task " : "tasks ") + list(numbers.map(String.init))
    }

    private static func list(_ items: [String]) -> String {
        guard items.count > 1, let last = items.last else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension Exploration {
    /// The failing schedule in sentences: one for each turn of a task, and how it ends; empty if all schedules passed.
    public var story: [String] {
        guard !trace.steps.isEmpty else { return [] }
        return Story(trace).sentences + [ending]
    }

    private var ending: String {
        switch outcome {
        case .passed: "The schedule passes."
        case .failed(let message):
            "Then: \(message)" + (failure?.location.map { " (\($0.fileName):\($0.line))" } ?? "") + "."
        case .hung(let tasks):
            "Nothing can run any more" + (tasks.isEmpty ? "." : ": \(tasks.map(\.state).joined(separator: "; ")).")
        case .leaked(let tasks):
            "The body has returned, but not all tasks have ended"
                + (tasks.isEmpty ? "." : ": \(tasks.map(\.state).joined(separator: "; ")).")
        case .stepLimit(let steps): "After \(steps) steps it hasn't ended."
        case .nondeterministic: "Another run of the same schedule goes differently."
        }
    }
}
