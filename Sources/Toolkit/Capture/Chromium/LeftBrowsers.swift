import Foundation
import Futures

/// Browsers that lost their parent, a job's process that died; and processes of jobs that lost theirs, a worker.
///
/// They become children of the nearest ancestor that adopts orphans: the worker, or the server.
package enum LeftBrowsers {
    /// The processes that the caller has started and not yet reaped.
    package struct Children: Sendable {
        /// Their numbers.
        package var running: Set<Int32> = []
        /// How many are being started: they may exist already, and are not in ``running``.
        package var startingCount = 0

        /// Creates an empty list.
        package init() {}
    }

    /// Ends orphans: all children of this process but those that `children` returns, which have this subcommand.
    ///
    /// Reaps them, and removes the profile folders and cgroups of browsers. Returns when they are gone, or after five seconds. The process
    /// that calls this must start no program but its own.
    package static func end(subcommand: String, otherThan children: @Sendable () -> Children) async {
        for _ in 0..<500 {
            let orphans = orphans(subcommand, otherThan: children)
            if orphans.isEmpty { break }
            for orphan in orphans where !orphan.mayBeStarting {
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
    /// While a child is being started, a process may be that child: one with the subcommand; one with this process's own command
    /// line, between `fork` and `exec`; and one that has exited, which has no command line. The next look tells, so these are
    /// listed, but not ended. Names tell nothing: Chromium and this program both run `/proc/self/exe`.
    ///
    /// The source is proc_pid_stat(5): number, name in parentheses, state, parent, group.
    private static func orphans(
        _ subcommand: String, otherThan children: @Sendable () -> Children
    ) -> [(process: Int32, group: Int32, mayBeStarting: Bool)] {
        let own = getpid()
        guard let ownLine = KernelFiles.commandLine(of: own) else { return [] }
        let childLine = Data("meanwhile\0\(subcommand)\0".utf8)
        let found = KernelFiles.processes.compactMap {
            process -> (process: Int32, group: Int32, mayBeStarting: Bool)? in
            guard let status = status(of: process), status.parent == own else { return nil }
            let line = KernelFiles.commandLine(of: process) ?? Data()
            return (process, status.group, line.isEmpty || line == ownLine || line.starts(with: childLine))
        }
        // Read after the list of processes: each child in it is running or being started by now, if it is this process's own.
        let known = children()
        return found.filter { !known.running.contains($0.process) }.map {
            ($0.process, $0.group, $0.mayBeStarting && known.startingCount > 0)
        }
    }

    private static func status(of process: Int32) -> (parent: Int32, group: Int32)? {
        guard let text = KernelFiles.text("/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else {
            return nil
        }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 2, let parent = Int32(fields[1]), let group = Int32(fields[2]) else { return nil }
        return (parent, group)
    }
}
