/// The steps of a schedule.
public struct Trace: Sendable, Equatable {
    /// A step, in which a task runs until it suspends.
    public struct Step: Sendable, Equatable {
        /// The task's number, from 1 on, in the order in which tasks first ran.
        public let task: Int
        /// A description of the step.
        public internal(set) var action: String
        /// The number of tasks that could have run, this one included.
        public let candidates: Int
        /// The virtual time since the beginning of the schedule.
        public let time: Duration
        /// Where the step begins in the source; `nil` if unknown.
        public internal(set) var line: SourceLine?
        /// The type of the actor or executor to which the task hops; `nil` if it doesn't hop.
        public internal(set) var actor: String?
        /// Whether the step interrupts another task, which could have continued.
        public internal(set) var isInterruption = false
        /// Whether the step is the task's first.
        public internal(set) var isFirst = false
        /// Whether the task ends in the step.
        public internal(set) var isLast = false
        /// The number of the task that this one awaits after the step, if it awaits a task.
        public internal(set) var waitsFor: Int?
        /// The numbers of the tasks that the step starts or resumes.
        public internal(set) var resumes: [Int] = []
        /// Whether the task is cancelled when the step begins.
        public internal(set) var isCancelled = false
        /// The numbers of the tasks that are cancelled in the step; without those that it creates in a cancelled task.
        public internal(set) var cancels: [Int] = []
    }

    /// A line of the source.
    public struct SourceLine: Sendable, Hashable, CustomStringConvertible {
        /// The path of the file, as the compiler has recorded it.
        public let path: String
        /// The number of the line, from 1 on.
        public let number: Int
        /// The text of the line, without indentation; `nil` if the file can't be read.
        public internal(set) var text: String?

        /// The file's name and the line's number, such as "Bank.swift:12".
        public var description: String { "\(path.split(separator: "/").last ?? ""):\(number)" }
    }

    /// The creation of a task.
    public struct Origin: Sendable, Equatable {
        /// The task's name; `nil` if it has none.
        public let name: String?
        /// The line at which the task was created; `nil` if unknown.
        public let line: SourceLine?

        /// The name and the line, each after a space.
        var suffix: String {
            (name.map { " \"\($0)\"" } ?? "") + (line.map { " (\($0))" } ?? "")
        }
    }

    /// The steps, in order.
    public internal(set) var steps: [Step] = []
    /// The creation of each task, by its number, except that of the body's own.
    public internal(set) var origins: [Int: Origin] = [:]
}

extension Trace {
    private static let maximumWidth = 38
    /// More columns than this aren't readable side by side.
    private static let maximumColumns = 5

    /// A table with a column for each task and a row for each step; a list if there are too many tasks.
    public var table: String {
        let tasks = Array(Set(steps.map(\.task))).sorted()
        guard tasks.count <= Self.maximumColumns else { return list }
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

    /// A list with one step per line.
    private var list: String {
        steps.map { "task \($0.task): \($0.action)" }.joined(separator: "\n")
    }

    private static func shortened(_ text: String) -> String {
        text.count <= maximumWidth ? text : text.prefix(maximumWidth - 1) + "…"
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
