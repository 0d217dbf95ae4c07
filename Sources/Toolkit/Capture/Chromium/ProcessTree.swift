import CProcessControl
import Foundation

/// All processes of one browser: its process group, and the crash handlers that leave the group.
struct ProcessTree: Sendable {
    /// The process group, whose ID is its leader's process ID.
    let group: Int32
    /// A text by which to find processes that have left the group: their command lines contain it.
    let mark: String

    /// Makes this process the parent of its orphaned descendants, so that it can reap them.
    ///
    /// In a container, the first process often reaps nothing, and each browser would leave zombies.
    static func adoptOrphans() {
        _ = meanwhile_adopt_orphans()
    }

    /// The processes outside of the group.
    ///
    /// They include crash handlers that ended before their browser and haven't been reaped. The kernel no longer
    /// reports which browser these belonged to, but such children of this process can only come from its browsers.
    func strays() -> [Int32] {
        KernelFiles.processes.filter { process in
            guard getpgid(process) != group, process != getpid(),
                let commandLine = KernelFiles.commandLine(of: process)
            else { return false }
            if commandLine.isEmpty { return isEndedHandler(process) }
            return String(decoding: commandLine, as: UTF8.self).contains(mark)
        }
    }

    /// See proc_pid_stat(5): process ID, name in parentheses (truncated to 15 characters), state, parent.
    private func isEndedHandler(_ process: Int32) -> Bool {
        (KernelFiles.text("/proc/\(process)/stat") ?? "")
            .hasPrefix("\(process) (\("chrome_crashpad_handler".prefix(15))) Z \(getpid()) ")
    }

    /// Kills all processes.
    func end(strays: [Int32]) {
        for process in strays + [-group] { _ = kill(process, SIGKILL) }
    }

    /// Reaps the processes that have ended and are children of this process.
    ///
    /// - Returns: Whether any process of the tree still exists.
    func reap(strays: [Int32]) -> Bool {
        var status: CInt = 0
        while waitpid(-group, &status, WNOHANG) > 0 {}
        for process in strays { _ = waitpid(process, &status, WNOHANG) }
        return isAlive(-group) || strays.contains { isAlive($0) && getpgid($0) != group }
    }

    private func isAlive(_ target: Int32) -> Bool { kill(target, 0) == 0 || errno == EPERM }
}
