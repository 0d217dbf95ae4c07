import Figures
import Foundation

/// Measures the persistence figures of docs/figures.md, and prints them as Markdown.
///
///     persistence-figures [ROUNDS [PART]]
///
/// PART is `setting`, `writing` or `starting`: then only that part is measured. Files are created in TMPDIR: durable
/// writes are as fast as its disk.
@main
enum PersistenceFigures {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let rounds = arguments.first.flatMap { Int($0) } ?? 7
        let part = arguments.count < 2 ? nil : arguments[2]
        print(Machine.description)
        if part == nil || part == "setting" { try await SettingFigures.print(rounds: rounds) }
        if part == nil || part == "writing" { try await WritingFigures.print(rounds: rounds) }
        if part == nil || part == "starting" { try await StartingFigures.print(rounds: rounds) }
    }

    /// Calls `body` with an empty folder, and removes it afterwards.
    static func withFolder<Outcome>(_ body: (String) async throws -> Outcome) async throws -> Outcome {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }
}

/// The duration of `body`.
func time(_ body: () async throws -> Void) async rethrows -> Duration {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    return start.duration(to: clock.now)
}
