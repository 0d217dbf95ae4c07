import CProcessControl
import Foundation

/// All processes of one browser: its process group, and the crash handlers that leave it.
struct ProcessTree: Sendable {
    /// The process group, which is its leader's number.
    let group: Int32
    /// Stands in the command line of every process of this browser that leaves the group.
    let mark: String

    /// Makes this process the parent of what its descendants leave behind, so that they can be reaped.
    ///
    /// In a container the first process is often one that reaps nothing, and every browser would leave zombies.
    static func adoptOrphans() {
        _ = meanwhile_adopt_orphans()
    }

    /// The processes that are outside the group.
    ///
    /// Crash handlers that have ended before their browser, and still wait to be reaped, are among them. The kernel does not
    /// tell any more which browser they belonged to, but that they are children of this process: no other program's are.
    func strays() -> [Int32] {
        KernelFiles.processes.filter { process in
            guard getpgid(process) != group, process != getpid(),
                let commandLine = KernelFiles.commandLine(of: process)
            else { return false }
            if commandLine.isEmpty { return isEndedHandler(process) }
            return String(decoding: commandLine, as: UTF8.self).contains(mark)
        }
    }

    /// See proc_pid_stat(5): its number, its name in parentheses, of which 15 characters are kept, its state, its parent.
    private func isEndedHandler(_ process: Int32) -> Bool {
        (KernelFiles.text("/proc/\(process)/stat") ?? "")
            .hasPrefix("\(process) (\("chrome_crashpad_handler".prefix(15))) Z \(getpid()) ")
    }

    /// Ends every process at once.
    func end(strays: [Int32]) {
        for process in strays + [-group] { _ = kill(process, SIGKILL) }
    }

    /// Takes the exit status of those that have ended and are this process's children.
    ///
    /// - Returns: Whether any of the tree is still there.
    func reap(strays: [Int32]) -> Bool {
        var status: CInt = 0
        while waitpid(-group, &status, WNOHANG) > 0 {}
        for process in strays { _ = waitpid(process, &status, WNOHANG) }
        return isAlive(-group) || strays.contains { isAlive($0) && getpgid($0) != group }
    }

    private func isAlive(_ target: Int32) -> Bool { kill(target, 0) == 0 || errno == EPERM }
}
