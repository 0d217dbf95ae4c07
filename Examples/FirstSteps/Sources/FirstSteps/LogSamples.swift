import Foundation
import HealthSamples
import Persistence

/// The program that reports the samples.
let tracker = SampleSource(identifier: "coffee-tracker", name: "Coffee Tracker")

/// An espresso on 14 March 2025, 9:00 UTC; a correction has a greater version.
func espresso(_ milligrams: Double, version: Int) -> Sample {
    Sample(
        type: .dietaryCaffeine, quantity: Quantity(milligrams, .milligram),
        start: Date(timeIntervalSince1970: 1_741_942_800), timeZone: "UTC", source: tracker,
        sync: SyncIdentity(identifier: "espresso-1", version: version))
}

/// Asks for permission, saves, corrects, reads, and follows the changes, in any store.
func logDrinks(in store: some SampleStore) async throws(SampleStoreError) {
    // The program asks.
    try await store.requestAuthorization(
        toShare: [.dietaryCaffeine], read: [.dietaryCaffeine], source: tracker)
    do {
        try await store.save(espresso(60, version: 1), by: tracker)
    } catch {
        print("\(error.code): \(error.message)")
    }

    // Only the user's own page may call this.
    try await store.grant(.share, to: [.dietaryCaffeine], source: tracker)
    try await store.grant(.read, to: [.dietaryCaffeine], source: tracker)

    print("saved:", try await store.save(espresso(60, version: 1), by: tracker))
    print("saved again:", try await store.save(espresso(60, version: 1), by: tracker))
    if case .replaced = try await store.save(espresso(80, version: 2), by: tracker) { print("corrected") }

    let caffeine = SampleQuery(types: [.dietaryCaffeine])
    print("samples:", try await store.samples(caffeine, by: tracker).map(\.quantity.description))
    let days = try SampleDays(timeZone: "UTC")
    for day in try await store.statistics(caffeine, perDay: days, in: .milligram, by: tracker) {
        print("\(day.day): \(day.sum) \(day.unit.symbol)")
    }

    // A copy of the samples, kept up to date from anchor to anchor.
    var copy: [SampleKey: Sample] = [:]
    var page = try await store.changes(caffeine, since: nil, limit: 100, by: tracker)
    page.apply(to: &copy)
    print("in the copy:", copy.count)
    try await store.delete(.syncIdentifiers(["espresso-1"]), by: tracker)
    page = try await store.changes(caffeine, since: page.anchor, limit: 100, by: tracker)
    page.apply(to: &copy)
    print("after the deletion:", copy.count)
}

func logSamples() async throws {
    print("In memory:")
    try await logDrinks(in: MemorySampleStore())

    print("In SQLite:")
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("first-steps-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let database = try await AppDatabase.open(
        in: DataFolder.open(at: path), migrations: SQLiteSampleStore.migrations)
    defer { database.close() }
    try await logDrinks(in: SQLiteSampleStore.open(owner: "ann", in: database))
}
