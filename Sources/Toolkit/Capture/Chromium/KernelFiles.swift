import Foundation

/// Reads the kernel's files about processes and cgroups; see proc(5).
enum KernelFiles {
    /// The IDs of the running processes; empty without `/proc`.
    static var processes: [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init)
    }

    /// The content of a file; `nil` if it doesn't exist, for example because its process has ended.
    static func data(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

    /// The text of a file.
    static func text(_ path: String) -> String? { data(path).map { String(decoding: $0, as: UTF8.self) } }

    /// The command line of a process, with NUL after each argument; empty for a zombie.
    static func commandLine(of process: Int32) -> Data? { data("/proc/\(process)/cmdline") }
}
