import Foundation
import Futures

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Browsers that lost their parent: a job's process that started Chromium, and then died.
///
/// They become children of the server, which adopts orphans.
package enum LeftBrowsers {
    /// Ends these browsers, reaps their processes, and removes their profile folders.
    ///
    /// Returns when they are gone, or after five seconds. The process that calls this must start no program but its own.
    ///
    /// - Parameter children: Returns the processes that the caller has started; all its other children are orphans.
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
    /// A process that runs this program is either a child that started a moment ago and isn't registered yet, or an orphan between
    /// `fork` and `exec`. The next look tells them apart, so these are listed, but not ended.
    ///
    /// The source is proc_pid_stat(5): number, name in parentheses (cut after 15 characters), state, parent, group.
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
        // Read after the list of processes, so that it has every child that is in the list and registered.
        let known = children()
        return found.filter { !known.contains($0.process) }
    }

    /// The beginning of a job process's command line.
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
