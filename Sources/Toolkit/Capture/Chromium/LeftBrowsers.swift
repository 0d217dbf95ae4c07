import Foundation
import Futures

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Browsers whose owners were killed: children of this process that captured pages for it.
package enum LeftBrowsers {
    /// Ends them, takes their exit statuses, and removes their folders.
    ///
    /// Returns when they are gone, or after five seconds. This process adopts orphans, and starts no program but its own.
    ///
    /// - Parameter children: The children that this process has started, when asked: all others were left to it, and are ended.
    package static func end(otherThan children: @Sendable () -> Set<Int32>) async {
        for _ in 0..<500 {
            let orphans = orphans(otherThan: children)
            if orphans.isEmpty { break }
            for orphan in orphans where orphan.isOfOtherProgram {
                if orphan.group != getpgrp() { _ = kill(-orphan.group, SIGKILL) }
                _ = kill(orphan.process, SIGKILL)
                var status: CInt = 0
                _ = waitpid(orphan.process, &status, WNOHANG)
            }
            try? await Stopwatch(ContinuousClock()).sleep(until: .milliseconds(10))
        }
        ChromiumProfile.sweepAll()
    }

    /// The children of this process that it isn't known to have started.
    ///
    /// One that is of this program is a child that is so new that it isn't known yet, or a browser that is about to begin in a
    /// process that was left to this one: that shows in a moment.
    ///
    /// See proc_pid_stat(5): the number, the name in parentheses, of which 15 characters are kept, the state, the parent, the group.
    private static func orphans(
        otherThan children: @Sendable () -> Set<Int32>
    ) -> [(process: Int32, group: Int32, isOfOtherProgram: Bool)] {
        let own = getpid()
        guard let name = status(of: own)?.name else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let found = names.compactMap(Int32.init).compactMap {
            process -> (process: Int32, group: Int32, isOfOtherProgram: Bool)? in
            guard let status = status(of: process), status.parent == own else { return nil }
            let commandLine = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
            return (
                process, status.group, status.name != name && commandLine?.starts(with: childCommandLine) != true
            )
        }
        // Asked after they were found: one that was found was started before.
        let known = children()
        return found.filter { !known.contains($0.process) }
    }

    /// How the command line of each child begins.
    private static let childCommandLine = Data("meanwhile\0job\0".utf8)

    private static func status(of process: Int32) -> (name: Substring, parent: Int32, group: Int32)? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard let start = text.firstIndex(of: "("), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 2, let parent = Int32(fields[1]), let group = Int32(fields[2]) else { return nil }
        return (text[start..<end], parent, group)
    }
}
