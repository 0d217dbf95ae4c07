import Foundation

/// Measures the memory of a browser's processes, as the kernel accounts for it.
///
/// See proc_pid_statm(5) and proc_pid_smaps(5). Without `/proc`, it's zero.
struct BrowserMemory: Sendable {
    /// The browser's process group.
    let group: Int32

    /// The sum of the processes' proportional set sizes, if it exceeds the limit.
    ///
    /// The kernel walks all pages of a process for that, which takes 34 ms for a browser of 470 MB on 2 cores. So the
    /// resident set sizes are read first, which takes half a millisecond. They are never smaller, because each process
    /// counts shared pages in full.
    func bytes(above limit: Int) -> Int? {
        let processes = KernelFiles.processes.filter { getpgid($0) == group }
        let pages = processes.map(pages(of:))
        let pageSize = Int(sysconf(CInt(_SC_PAGESIZE)))
        guard pages.reduce(0, { $0 + $1.resident * pageSize }) > limit else { return nil }
        // Unless this program runs as root, it can't read the proportional size of a sandboxed process, and counts only
        // the unshared pages of that process.
        let bytes = zip(processes, pages).reduce(0) { sum, process in
            sum + (proportionalBytes(of: process.0) ?? (process.1.resident - process.1.shared) * pageSize)
        }
        return bytes > limit ? bytes : nil
    }

    private func pages(of process: Int32) -> (resident: Int, shared: Int) {
        let numbers = (KernelFiles.text("/proc/\(process)/statm") ?? "").split(separator: " ").map { Int($0) ?? 0 }
        return numbers.count > 2 ? (numbers[1], min(numbers[2], numbers[1])) : (0, 0)
    }

    private func proportionalBytes(of process: Int32) -> Int? {
        for line in (KernelFiles.text("/proc/\(process)/smaps_rollup") ?? "").split(separator: "\n")
        where line.hasPrefix("Pss:") {
            return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
        }
        return nil
    }
}
