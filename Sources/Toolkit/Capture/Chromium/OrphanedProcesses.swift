import Foundation
import Futures

/// Ends orphaned processes: browsers whose job process died, and job processes whose worker died.
///
/// Orphans become children of the nearest ancestor that adopts them: the worker or the server.
package enum OrphanedProcesses {
    /// The child processes that the caller has started and not yet reaped.
    package struct Children: Sendable {
        /// Their process IDs.
        package var running: Set<Int32> = []
        /// The number of children that are being started, which may already exist but aren't in ``running``.
        package var startingCount = 0

        package init() {}
    }

    /// Kills orphans: all children of this process that `children` doesn't return.
    ///
    /// Reaps them, and removes abandoned profile folders and cgroups of browsers. Returns when all orphans have ended,
    /// or after five seconds, even in a cancelled task. The calling process must not start any other program than its
    /// own.
    ///
    /// - Parameters:
    ///   - subcommand: The subcommand with which this process starts its children.
    ///   - children: Returns the children that the caller has started and not yet reaped.
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
            // In a task of its own, because a sleep in a cancelled task returns at once.
            _ = await Task { try? await Stopwatch(ContinuousClock()).sleep(until: .milliseconds(10)) }.value
        }
        ChromiumProfile.sweepAll()
        BrowserCgroup.sweep()
    }

    /// Finds the children of this process that `children` doesn't return.
    ///
    /// While a child is being started, a process may be that child if it has the subcommand, if it has this process's
    /// command line (between `fork` and `exec`), or if it has no command line because it exited. These processes are
    /// included but not killed yet; the next poll can tell. Process names don't help, because Chromium and this program
    /// both run `/proc/self/exe`.
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
        // Read after the list of processes, so that each listed child of this process is known as running or as being
        // started.
        let known = children()
        return found.filter { !known.running.contains($0.process) }.map {
            ($0.process, $0.group, $0.mayBeStarting && known.startingCount > 0)
        }
    }

    /// Reads the fields of proc_pid_stat(5): process ID, name in parentheses, state, parent, group.
    private static func status(of process: Int32) -> (parent: Int32, group: Int32)? {
        guard let text = KernelFiles.text("/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else {
            return nil
        }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 2, let parent = Int32(fields[1]), let group = Int32(fields[2]) else { return nil }
        return (parent, group)
    }
}
