import Foundation

/// The memory in use by this process and the browser that it has started, as reported by the kernel.
///
/// The unit is the proportional set size: memory that several processes share is counted once in total.
struct MemoryUse {
    /// This process, in MB.
    var own: Double
    /// The browser's processes, in MB.
    var browser: Double
    /// The number of the browser's processes.
    var processes: Int

    var total: Double { own + browser }

    /// Waits for the processes of closed tabs to exit, then measures.
    ///
    /// Measures once the number of processes has been stable for three seconds, or after 30 seconds.
    static func atRest() async throws -> MemoryUse {
        var use = try MemoryUse()
        var calmSeconds = 0
        for _ in 0..<30 where calmSeconds < 3 {
            try await Task.sleep(for: .seconds(1))
            let next = try MemoryUse()
            calmSeconds = next.processes == use.processes ? calmSeconds + 1 : 0
            use = next
        }
        return use
    }

    init() throws {
        let browser = Self.browserProcesses()
        guard !browser.isEmpty else { throw MeasurementError("The browser's processes are not found in /proc.") }
        self.own = try Self.megabytes(of: getpid()) ?? 0
        let used = try browser.compactMap { try Self.megabytes(of: $0) }
        self.browser = used.reduce(0, +)
        self.processes = used.count
    }

    /// - Returns: `nil` if the process has exited, or is exiting and has released its memory.
    private static func megabytes(of process: Int32) throws -> Double? {
        guard let text = contents(of: process, "smaps_rollup") else {
            if geteuid() != 0 { throw MeasurementError("Only root may read how much memory a sandboxed process uses.") }
            return nil
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("Pss:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
        return kilobytes.map { $0 / 1024 }
    }

    /// The descendants of this process whose command line names the browser's profile, and all of their descendants.
    private static func browserProcesses() -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        var children: [Int32: [Int32]] = [:]
        for process in names.compactMap({ Int32($0) }) {
            // 42 (chromium) S 1 …: the name in parentheses may contain anything.
            guard let stat = contents(of: process, "stat"), let end = stat.lastIndex(of: ")"),
                let parent = stat[end...].split(separator: " ").dropFirst(2).first.flatMap({ Int32($0) })
            else { continue }
            children[parent, default: []].append(process)
        }
        var found: [Int32] = []
        var waiting = (children[getpid()] ?? []).map { ($0, isBrowser: false) }
        while let (process, parentIsBrowser) = waiting.popLast() {
            let isBrowser =
                parentIsBrowser || contents(of: process, "cmdline")?.contains("meanwhile-chromium-") == true
            if isBrowser { found.append(process) }
            waiting += (children[process] ?? []).map { ($0, isBrowser: isBrowser) }
        }
        return found
    }

    private static func contents(of process: Int32, _ file: String) -> String? {
        FileManager.default.contents(atPath: "/proc/\(process)/\(file)").map { String(decoding: $0, as: UTF8.self) }
    }
}
