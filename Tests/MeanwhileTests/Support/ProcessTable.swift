import Foundation

/// A process of this machine, as described in `/proc`.
struct ProcessEntry: Sendable {
    let id: Int32
    /// The state letter; `Z` is a process that has exited but hasn't been reaped.
    let state: Character
    let group: Int32
    let session: Int32
    /// The used processor time, in hundredths of a second.
    let ticks: Int
    let commandLine: String
    private let environment: String

    /// - Returns: `nil` if there is no such process.
    init?(id: Int32) {
        // See https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html; the second field is in parentheses and may
        // contain any character.
        guard let stat = Self.read(id, "stat"), let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let state = fields[0].first, let group = Int32(fields[2]),
            let session = Int32(fields[3]), let userTicks = Int(fields[11]), let systemTicks = Int(fields[12])
        else { return nil }
        self.id = id
        self.state = state
        self.group = group
        self.session = session
        self.ticks = userTicks + systemTicks
        self.commandLine = Self.read(id, "cmdline")?.replacing("\0", with: " ") ?? ""
        self.environment = Self.read(id, "environ") ?? ""
    }

    private static func read(_ id: Int32, _ name: String) -> String? {
        FileManager.default.contents(atPath: "/proc/\(id)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the process's command line or environment contains the path of a folder.
    func mentions(_ folder: String) -> Bool {
        commandLine.contains(folder) || environment.contains(folder)
    }

    /// Whether the process leads its process group, as Chromium's first process does.
    var isLeader: Bool { id == group }
}

extension ProcessEntry: CustomStringConvertible {
    var description: String { "\(id) (\(state), group \(group), session \(session)) \(commandLine.prefix(120))" }
}

extension ProcessEntry {
    /// All processes of this machine.
    static var all: [ProcessEntry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).compactMap(ProcessEntry.init(id:))
    }
}
