import Figures
import Foundation
import HealthSamples
import Persistence

/// Prints the README's figures of samples as Markdown.
///
///     samples-figures [ROUNDS [PART [MILLIONS]]]
///
/// PART is `saving` or `pages`: then only that is measured. MILLIONS is how many samples pages are read out of, 1 unless it
/// is said; 10 takes minutes. Files are made in TMPDIR: durable writes are as fast as its disk.
@main
enum SamplesFigures {
    static let source = SampleSource(identifier: "figures", name: "Figures")
    static let query = SampleQuery(types: [.dietaryCaffeine])

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let rounds = arguments.first.flatMap { Int($0) } ?? 7
        let part = arguments.count < 2 ? nil : arguments[1]
        let millions = arguments.count < 3 ? 1 : Int(arguments[2]) ?? 1
        print(Machine.description)
        if part == nil || part == "saving" { try await SavingFigures.print(rounds: rounds) }
        if part == nil || part == "pages" { try await PageFigures.print(millions: millions) }
    }

    /// Does something with an empty folder, which goes afterwards.
    static func withFolder<Outcome>(_ body: (String) async throws -> Outcome) async throws -> Outcome {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    /// Samples as a drink is kept: with a zone, and a sync identifier that is its number.
    static func samples(_ count: Int, from first: Int = 0) -> [Sample] {
        (first..<first + count).map { number in
            let id = UUID()
            return Sample(
                id: id, type: .dietaryCaffeine, quantity: Quantity(Double(number % 300), .milligram),
                start: Date(timeIntervalSince1970: 1_000_000_000 + Double(number) * 30), timeZone: "Europe/Berlin",
                source: source, sync: SyncIdentity(identifier: id.uuidString, version: 1))
        }
    }

    /// Opens a store that may be written.
    static func store(in path: String) async throws -> (AppDatabase, SQLiteSampleStore) {
        let database = try await AppDatabase.open(
            in: DataFolder.open(at: path), migrations: SQLiteSampleStore.migrations)
        let store = try await SQLiteSampleStore.open(owner: "ann", in: database)
        try await store.grant(.share, to: [.dietaryCaffeine], source: source)
        return (database, store)
    }
}

/// How long something takes.
func time(_ body: () async throws -> Void) async rethrows -> Duration {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    return start.duration(to: clock.now)
}
