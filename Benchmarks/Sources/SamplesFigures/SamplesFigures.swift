import Figures
import Foundation
import HealthSamples
import Persistence

/// Prints the figures of samples in docs/figures.md as Markdown.
///
///     samples-figures [ROUNDS [PART [MILLIONS]]]
///
/// PART is `saving` or `pages`: then only that part is measured. MILLIONS is the size of the store to read pages from,
/// by default 1 million samples; 10 takes minutes. Files are created in TMPDIR: durable writes are as fast as its disk.
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

    /// Calls `body` with an empty folder, and removes it afterwards.
    static func withFolder<Outcome>(_ body: (String) async throws -> Outcome) async throws -> Outcome {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    /// Creates samples like those of drinks: with a time zone, and the id as sync identifier.
    static func samples(_ count: Int, from first: Int = 0) -> [Sample] {
        (first..<first + count).map { number in
            let id = UUID()
            return Sample(
                id: id, type: .dietaryCaffeine, quantity: Quantity(Double(number % 300), .milligram),
                start: Date(timeIntervalSince1970: 1_000_000_000 + Double(number) * 30), timeZone: "Europe/Berlin",
                source: source, sync: SyncIdentity(identifier: id.uuidString, version: 1))
        }
    }

    /// Opens a store with permission to save samples.
    static func store(in path: String) async throws -> (AppDatabase, SQLiteSampleStore) {
        let database = try await AppDatabase.open(
            in: DataFolder.open(at: path), migrations: SQLiteSampleStore.migrations)
        let store = try await SQLiteSampleStore.open(owner: "ann", in: database)
        try await store.grant(.share, to: [.dietaryCaffeine], source: source)
        return (database, store)
    }
}

/// The duration of `body`.
func time(_ body: () async throws -> Void) async rethrows -> Duration {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    return start.duration(to: clock.now)
}
