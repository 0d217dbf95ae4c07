import Foundation
import Futures

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Browsers that lost their parent, a job's process that died; and processes of jobs that lost theirs, a worker.
///
/// They become children of the nearest ancestor that adopts orphans: the worker, or the server.
package enum LeftBrowsers {
    /// Ends these processes, reaps them, and removes the browsers' profile folders and cgroups.
    ///
    /// Returns when they are gone, or after five seconds. The process that calls this must start no program but its own, with one
    /// subcommand.
    ///
    /// - Parameters:
    ///   - subcommand: The subcommand of the caller's children.
    ///   - children: Returns the processes that the caller has started; all its other children are orphans.
    package static func end(subcommand: String, otherThan children: @Sendable () -> Set<Int32>) async {
        for _ in 0..<500 {
            let orphans = orphans(subcommand, otherThan: children)
            if orphans.isEmpty { break }
            for orphan in orphans where orphan.isOther {
                if orphan.group != getpgrp() { _ = kill(-orphan.group, SIGKILL) }
                _ = kill(orphan.process, SIGKILL)
                var status: CInt = 0
                _ = waitpid(orphan.process, &status, WNOHANG)
            }
            try? await Stopwatch(ContinuousClock()).sleep(until: .milliseconds(10))
        }
        ChromiumProfile.sweepAll()
        BrowserCgroup.sweep()
    }

    /// The children of this process that it isn't known to have started.
    ///
    /// A process with the subcommand is either a child that started a moment ago and isn't registered yet, or an orphan. One with this
    /// process's own command line is a child between `fork` and `exec`. The next look tells them apart, so these are listed, but not
    /// ended. A process that has exited has no command line; its name tells browsers from this program.
    ///
    /// The source is proc_pid_stat(5): number, name in parentheses (cut after 15 characters), state, parent, group.
    private static func orphans(
        _ subcommand: String, otherThan children: @Sendable () -> Set<Int32>
    ) -> [(process: Int32, group: Int32, isOther: Bool)] {
        let own = getpid()
        guard let name = status(of: own)?.name, let ownLine = commandLine(of: own) else { return [] }
        let childLine = Data("meanwhile\0\(subcommand)\0".utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let found = names.compactMap(Int32.init).compactMap {
            process -> (process: Int32, group: Int32, isOther: Bool)? in
            guard let status = status(of: process), status.parent == own else { return nil }
            let line = commandLine(of: process) ?? Data()
            let isOther = line.isEmpty ? status.name != name : line != ownLine && !line.starts(with: childLine)
            return (process, status.group, isOther)
        }
        // Read after the list of processes, so that it has every child that is in the list and registered.
        let known = children()
        return found.filter { !known.contains($0.process) }
    }

    private static func commandLine(of process: Int32) -> Data? {
        FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
    }

    private static func status(of process: Int32) -> (name: Substring, parent: Int32, group: Int32)? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard let start = text.firstIndex(of: "("), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 2, let parent = Int32(fields[1]), let group = Int32(fields[2]) else { return nil }
        return (text[start..<end], parent, group)
    }
}
