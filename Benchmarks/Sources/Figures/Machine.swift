import Foundation

/// The machine on which the figures are measured.
package enum Machine {
    /// One line with the processors, the system, and the load before the measurements.
    package static var description: String {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let model = value(of: "model name", in: "/proc/cpuinfo") ?? "unknown processor"
        let load = contents("/proc/loadavg")?.split(separator: " ").first ?? "?"
        let system = ProcessInfo.processInfo.operatingSystemVersionString
        return "\(cores) × \(model), \(system); load \(load) at the start.\n"
    }

    private static func value(of key: String, in file: String) -> String? {
        let line = contents(file)?.split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    }

    private static func contents(_ file: String) -> String? {
        FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) }
    }
}
