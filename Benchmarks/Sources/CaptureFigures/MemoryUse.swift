import Foundation

/// What this process and the browser that it has started use of memory, by the kernel's account.
///
/// Proportional set size: what several processes share is counted once in all.
struct MemoryUse {
    /// This process, in MB.
    var own: Double
    /// The browser's processes, in MB.
    var browser: Double
    /// How many processes the browser has.
    var processes: Int

    var total: Double { own + browser }

    /// Measures when closed tabs' processes are gone: when their number has not changed for three seconds.
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
        guard !browser.isEmpty else { throw Unfit("The browser's processes are not found in /proc.") }
        self.own = try Self.megabytes(of: getpid()) ?? 0
        let used = try browser.compactMap { try Self.megabytes(of: $0) }
        self.browser = used.reduce(0, +)
        self.processes = used.count
    }

    /// - Returns: `nil` if the process has gone, or is about to: it has no memory then, but a number still.
    private static func megabytes(of process: Int32) throws -> Double? {
        guard let text = contents(of: process, "smaps_rollup") else {
            if geteuid() != 0 { throw Unfit("Only root may read how much memory a sandboxed process uses.") }
            return nil
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("Pss:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
        return kilobytes.map { $0 / 1024 }
    }

    /// Those below this process that know the browser's profile, and all below these.
    private static func browserProcesses() -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        var children: [Int32: [Int32]] = [:]
        for process in names.compactMap({ Int32($0) }) {
            // 42 (chromium) S 1 …: the name in parentheses may hold anything.
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
