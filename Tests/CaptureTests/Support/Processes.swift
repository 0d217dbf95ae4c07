import Foundation

@testable import Capture

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The processes of this machine, as reported by the kernel.
struct Processes {
    struct Process {
        var id: Int32
        var parent: Int32
        var group: Int32
        var state: Character
        var commandLine: String
    }

    var all: [Process]

    /// Reads the current processes.
    static func now() -> Processes {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return Processes(all: names.compactMap(Int32.init).compactMap(read))
    }

    private static func read(_ id: Int32) -> Process? {
        guard let status = FileManager.default.contents(atPath: "/proc/\(id)/stat") else { return nil }
        // After the name, which is in parentheses and may contain anything: state, parent, group.
        let text = String(decoding: status, as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 2, let state = fields[0].first, let parent = Int32(fields[1]), let group = Int32(fields[2])
        else { return nil }
        let commandLine = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") ?? Data()
        return Process(
            id: id, parent: parent, group: group, state: state,
            // Chromium separates its arguments by spaces, other programs by NUL.
            commandLine: String(decoding: commandLine.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self))
    }

    /// All processes of a browser, including zombies.
    func group(of browser: ChromiumProcess) -> [Process] {
        all.filter { $0.group == browser.processID }
    }

    /// The browser's renderer processes.
    func renderers(of browser: ChromiumProcess) -> [Process] {
        group(of: browser).filter { $0.commandLine.contains("--type=renderer ") }
    }
}

extension Processes.Process {
    func kill() {
        #if canImport(Glibc)
            _ = Glibc.kill(id, SIGKILL)
        #elseif canImport(Musl)
            _ = Musl.kill(id, SIGKILL)
        #else
            _ = Darwin.kill(id, SIGKILL)
        #endif
    }
}
