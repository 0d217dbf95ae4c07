import Foundation

/// Files in which the kernel tells of processes and cgroups; see proc(5).
enum KernelFiles {
    /// The running processes; none where there is no `/proc`.
    static var processes: [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init)
    }

    /// The content of a file; `nil` if there is none, such as that of a process that has ended.
    static func data(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

    /// The text of a file.
    static func text(_ path: String) -> String? { data(path).map { String(decoding: $0, as: UTF8.self) } }

    /// The command line of a process, with NUL behind each argument; empty for one that waits to be reaped.
    static func commandLine(of process: Int32) -> Data? { data("/proc/\(process)/cmdline") }
}
