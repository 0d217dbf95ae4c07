/// What was done in a schedule, step by step.
public struct Trace: Sendable, Equatable {
    /// A step: a task runs until it suspends.
    public struct Step: Sendable, Equatable {
        /// The task, from 1 on, in the order in which they first ran.
        public let task: Int
        /// What it does, in words.
        public let action: String
        /// How many could have run instead, this one among them.
        public let candidates: Int
        /// How long after the beginning, in virtual time.
        public let time: Duration
    }

    /// The steps, in order.
    public internal(set) var steps: [Step] = []
}

extension Trace {
    private static let widest = 38
    /// More columns than this cannot be read beside each other.
    private static let mostColumns = 5

    /// A column for each task and a row for each step.
    public var table: String {
        let tasks = Array(Set(steps.map(\.task))).sorted()
        guard tasks.count <= Self.mostColumns else { return list }
        let cells = steps.map { Self.shortened($0.action) }
        let widths = tasks.map { task in
            zip(steps, cells).filter { $0.0.task == task }.map(\.1.count).max().map { max($0, 6) } ?? 6
        }
        func row(_ columns: [String]) -> String {
            zip(columns, widths).map { $0.padded(to: $1) }.joined(separator: " │ ").trimmedAtEnd
        }
        var lines = [row(tasks.map { "task \($0)" })]
        lines.append(widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─"))
        var time = Duration.zero
        for (step, cell) in zip(steps, cells) {
            if step.time > time {
                lines.append("· · · \(step.time - time) later")
                time = step.time
            }
            lines.append(row(tasks.map { $0 == step.task ? cell : "" }))
        }
        return lines.joined(separator: "\n")
    }

    /// One step a line.
    private var list: String {
        steps.map { "task \($0.task): \($0.action)" }.joined(separator: "\n")
    }

    private static func shortened(_ text: String) -> String {
        text.count <= widest ? text : text.prefix(widest - 1) + "…"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }

    fileprivate var trimmedAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
