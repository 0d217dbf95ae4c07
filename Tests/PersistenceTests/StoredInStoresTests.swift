import Foundation
import Futures
import GRDB
import Testing

@testable import Persistence

/// Stored values in stores that several processes can share.
///
/// Each opened store behaves like the store of another process.
@MainActor
@Suite(.timeLimit(.minutes(20))) struct StoredInStoresTests {
    private func stored(_ store: any Store) -> Stored<[Int]> {
        Stored(
            "numbers", in: store, format: .numbers, default: [], settings: AutosaveSettings(delay: .zero),
            merge: { .merged(Set($0.local + $0.foreign).sorted()) })
    }

    @Test(arguments: StoreKind.shared)
    func valueSetInOneStoreAppearsInAnother(_ kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let first = await stored(try await fixture.open()).load()
        let second = await stored(try await fixture.open()).load()
        first.value.append(1)
        try await first.flush()
        await until { second.value == [1] }
        second.value.append(2)
        try await second.flush()
        await until { first.value == [1, 2] }
        #expect(first.status.isSaved && second.status.isSaved)
        let third = await stored(try await fixture.open()).load()
        #expect(third.value == [1, 2])
    }

    @Test(arguments: StoreKind.shared)
    func concurrentChangesAreMerged(_ kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let first = await stored(try await fixture.open()).load()
        let second = await stored(try await fixture.open()).load()
        for number in 0..<20 {
            first.value.append(2 * number)
            second.value.append(2 * number + 1)
            async let flushed: Void = first.flush()
            async let alsoFlushed: Void = second.flush()
            _ = try await (flushed, alsoFlushed)
        }
        let third = await stored(try await fixture.open()).load()
        #expect(third.value.sorted() == Array(0..<40))
        await until { first.value.sorted() == Array(0..<40) && second.value.sorted() == Array(0..<40) }
        #expect(first.reports.isEmpty && second.reports.isEmpty)
    }

    @Test(arguments: StoreKind.shared)
    func losingValueIsStoredAsAConflictCopy(_ kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        try await store.write([1], "numbers")
        let stored = Stored("numbers", in: try await fixture.open(), format: .numbers, default: [])
        stored.value = [2]
        try await stored.flush()
        #expect(stored.reports == [.foreignLost("numbers.conflict-1")])
        #expect(try await store.numbers("numbers") == [2])
        #expect(try await store.numbers("numbers.conflict-1") == [1])
    }

    @Test(arguments: [StoreKind.folder, .database])
    func allDamagedCopiesAreReported(_ kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        try await store.write([1], "numbers")
        try await store.write([2], "numbers")
        if kind == .folder {
            for name in ["numbers.kept", "numbers.kept.previous"] {
                try Data("damaged".utf8).write(to: URL(filePath: "\(fixture.path)/\(name)"))
            }
        } else {
            let database = try await AppDatabase.open(in: DataFolder.open(at: fixture.path), migrations: [])
            try await database.write { try $0.execute(sql: "UPDATE stored_value SET payload = x'00'") }
            database.close()
        }
        let stored = await stored(try await fixture.open()).load()
        #expect(stored.value == [])
        let records = try await store.setAsideRecords()
        #expect(records.count == 2)
        #expect(Set(stored.reports) == Set(records.map { StoredReport.setAside($0) }))
    }

    @Test func encodingAndDecodingRunOffTheMainActor() async throws {
        let store = MemoryStore()
        do {
            let stored = Stored(
                "place", in: store, format: StoredFormat<ThreadRecordingValue>("place"), default: ThreadRecordingValue()
            )
            stored.value = ThreadRecordingValue(number: 1)
            try await stored.flush()
        }
        let stored = Stored(
            "place", in: store, format: StoredFormat<ThreadRecordingValue>("place"), default: ThreadRecordingValue())
        #expect(await stored.load().value.number == 1)
        #expect(!ThreadRecordingValue.wasOnMain.isRaised)
    }
}

/// A value that records whether it was encoded or decoded on the main thread.
private struct ThreadRecordingValue: Codable, Equatable {
    static let wasOnMain = Flag()

    var number = 0

    init(number: Int = 0) {
        self.number = number
    }

    init(from decoder: any Decoder) throws {
        if isOnMainThread() { Self.wasOnMain.raise() }
        self.number = try decoder.singleValueContainer().decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
        if isOnMainThread() { Self.wasOnMain.raise() }
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

private func isOnMainThread() -> Bool { Thread.isMainThread }
