import DurableFiles
import Foundation
import Futures
import GRDB
import Testing

@testable import Persistence

/// A damaged value is never returned or overwritten; the last good copy replaces it.
@Suite(.timeLimit(.minutes(20))) struct FolderDamageTests {
    let fixture: StoreFixture
    var file: String { fixture.path + "/a.kept" }

    init() throws {
        self.fixture = try StoreFixture(.folder)
    }

    private func write(_ data: Data, to path: String) throws {
        try data.write(to: URL(filePath: path))
    }

    private func read(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: path))
    }

    /// Damages the file of a value, and expects that its previous copy is returned.
    private func expectRecovery(from damaged: Data, good: Data, previous: Data) async throws {
        try write(good, to: file)
        try write(previous, to: file + ".previous")
        try write(damaged, to: file)
        let store = try await fixture.open()
        let record = try #require(try await store.read("a"))
        #expect(record.text == "1")
        let recovery = try #require(record.recovery)
        #expect(recovery.place.hasPrefix(file + ".damaged-"))
        #expect(try read(recovery.place) == damaged)
        #expect(try read(file) == previous)
        let again = try await store.read("a")
        #expect(again?.text == "1" && again?.recovery == nil)
        try FileManager.default.removeItem(atPath: recovery.place)
        try FileManager.default.removeItem(atPath: recovery.place + ".note")
    }

    @Test func valueTruncatedAtAnyLengthIsRecovered() async throws {
        try await fixture.open().put("a", "1")
        let previous = try read(file)
        try await fixture.open().put("a", "2")
        let good = try read(file)
        for length in 0..<good.count {
            guard case .damaged = Envelope.reading(good.prefix(length)) else {
                Issue.record("\(length) bytes aren't reported as damaged")
                continue
            }
            if length % 11 == 0 || length >= good.count - 5 {
                try await expectRecovery(from: good.prefix(length), good: good, previous: previous)
            }
        }
        try await expectRecovery(from: good + Data([0]), good: good, previous: previous)
    }

    @Test func valueWithAnyFlippedBitIsRecovered() async throws {
        try await fixture.open().put("a", "1")
        let previous = try read(file)
        try await fixture.open().put("a", "2")
        let good = try read(file)
        for bit in 0..<good.count * 8 {
            var damaged = good
            damaged[bit / 8] ^= 1 << (bit % 8)
            guard case .damaged = Envelope.reading(damaged) else {
                Issue.record("the damage of bit \(bit) isn't detected")
                continue
            }
            if bit % 41 == 0 { try await expectRecovery(from: damaged, good: good, previous: previous) }
        }
    }

    @Test func damageWithoutACopyIsReportedOnce() async throws {
        let store = try await fixture.open()
        try await store.put("a", "1")
        let good = try read(file)
        try write(good.dropLast(), to: file)
        let error = await error { _ = try await store.read("a") }
        #expect(error?.code == .corrupt)
        let damagedFile = try #require(try await store.setAsideRecords().first?.place)
        #expect(error?.message.contains(damagedFile) == true)
        #expect(error?.message.contains("its checksum is wrong") == true)
        #expect(try read(damagedFile) == good.dropLast())
        #expect(try await store.read("a") == nil)
        #expect(try await store.keys == [])
        try await store.put("a", "2", expecting: .nothing)
    }

    @Test func twoDamagedCopiesAreBothSetAside() async throws {
        let store = try await fixture.open()
        try await store.put("a", "1")
        try await store.put("a", "2")
        try write(Data("no".utf8), to: file)
        try write(Data("nor this".utf8), to: file + ".previous")
        let error = await error { _ = try await store.read("a") }
        #expect(error?.code == .corrupt)
        let records = try await store.setAsideRecords()
        #expect(records.allSatisfy { error?.message.contains($0.place) == true })
        let contents = try records.map { String(decoding: try read($0.place), as: UTF8.self) }
        #expect(contents.sorted() == ["no", "nor this"])
        #expect(try await store.read("a") == nil)
        #expect(!Disk.exists(file + ".previous"))
    }

    @Test func writeSetsADamagedValueAside() async throws {
        let first = try await fixture.open().put("a", "1")
        let second = try await fixture.open().put("a", "2")
        try write(Data("torn".utf8), to: file)
        let store = try await fixture.open()
        let late = try await store.commit([StoreWrite("a", .text("3"), expecting: .revision(second))])
        guard case .conflict(let found) = late else {
            Issue.record("no conflict: \(late)")
            return
        }
        #expect(found["a"]??.revision == first)
        let records = try await store.setAsideRecords()
        #expect(try records.map { try read($0.place) } == [Data("torn".utf8)])
        // The damage must be detected even though the store has written the file itself.
        try await store.put("a", "4")
        try write(Data("torn again".utf8), to: file)
        try await store.put("a", "5", expecting: .revision(first))
        #expect(try await store.setAsideRecords().count == 2)
        #expect(try await fixture.open().text("a") == "5")
    }

    @Test func valuesSetAsideInOneSecondAreAllStored() async throws {
        let moment = Date(timeIntervalSince1970: 1_800_000_000)
        let store = try await FolderStore.open(at: fixture.path, now: { moment })
        for number in 0..<12 {
            try await store.put("a", "good")
            try write(Data("damaged \(number)".utf8), to: file)
            _ = try? await store.read("a")
        }
        let contents = try await store.setAsideRecords().map { String(decoding: try read($0.place), as: UTF8.self) }
        #expect(Set(contents) == Set((0..<12).map { "damaged \($0)" }))
        #expect(Disk.exists(file + ".damaged-2027-01-15T08-00-00Z-12.note"))
    }

    @Test func fileOfANewerFormatIsNotChanged() async throws {
        let store = try await fixture.open()
        try await store.put("a", "1")
        let newer = Envelope.data(of: .text("from the future"), revision: Revision("r"), version: 2)
        try write(newer, to: file)
        for other in [store, try await fixture.open()] {
            #expect(await code { _ = try await other.read("a") } == .newerVersion)
            #expect(await code { try await other.put("a", "2") } == .newerVersion)
            let both = [StoreWrite("b", .text("2")), StoreWrite("a", nil)]
            #expect(await code { _ = try await other.commit(both) } == .newerVersion)
            #expect(try await other.keys == ["a"])
        }
        #expect(try read(file) == newer)
        #expect(try await store.setAsideRecords() == [])
    }

    @Test func setAsideFileWithoutANoteIsListed() async throws {
        let store = try await fixture.open()
        try await store.put("a", "1")
        try FileManager.default.moveItem(atPath: file, toPath: file + ".damaged-2027-01-15T08-00-00Z")
        let record = try #require(try await store.setAsideRecords().first)
        #expect(record.key == "a" && record.place == file + ".damaged-2027-01-15T08-00-00Z")
    }

    @Test func unreadableFileIsNotTreatedAsDamaged() async throws {
        let store = try await fixture.open()
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        #expect(await code { _ = try await store.read("a") } == .inputOutput)
        #expect(await code { try await store.put("a", "1") } == .inputOutput)
        #expect(Disk.isFolder(file))
    }

    @Test func damagedJournalIsSetAsideWithItsFiles() async throws {
        let store = try await fixture.open()
        try await store.put("a", "1")
        try write(Data("a list".utf8), to: fixture.path + "/.journal")
        try write(Envelope.data(of: .text("2"), revision: Revision("r")), to: file + ".pending")
        #expect(try await fixture.open().text("a") == "1")
        let records = try await store.setAsideRecords()
        #expect(Set(records.map(\.key)) == ["a", "transaction"])
        #expect(records.allSatisfy { $0.reason.contains("transaction") })
        try await store.put("a", "3")
        #expect(Disk.names(in: fixture.path).filter { $0.hasSuffix(".pending") } == [])
    }
}

@Suite(.timeLimit(.minutes(20))) struct PlainFileDamageTests {
    @Test func valueTruncatedAtAnyLengthIsRecovered() async throws {
        let fixture = try StoreFixture(.plainFolder)
        let file = URL(filePath: fixture.path + "/a.json")
        let store = try await fixture.open()
        try await store.put("a", "1")
        let previous = try Data(contentsOf: file)
        try await store.put("a", "2")
        let good = try Data(contentsOf: file)
        for length in 0..<good.count {
            try previous.write(to: URL(filePath: file.path + ".previous"))
            try good.prefix(length).write(to: file)
            // In the second after its modification, a file isn't treated as damaged: an editor may be saving it.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -10)], ofItemAtPath: file.path)
            let record = try await store.read("a")
            // If only the final newline is missing, the file is intact.
            let isWhole = length == good.count - 1
            #expect(record?.text == (isWhole ? "2" : "1"))
            #expect((record?.recovery == nil) == isWhole)
        }
        let cut = try await store.setAsideRecords().map { try Data(contentsOf: URL(filePath: $0.place)).count }
        #expect(Set(cut) == Set(0..<good.count - 1))
    }

    @Test func readWaitsForAFileThatIsBeingSaved() async throws {
        let fixture = try StoreFixture(.plainFolder)
        let file = URL(filePath: fixture.path + "/a.json")
        try await fixture.open().put("a", "1")
        let half = try Data(contentsOf: file).prefix(20)
        let whole = Data(#"{"format":"text","version":1,"value":"saved"}"#.utf8)
        try half.write(to: file)
        // The store's clock shows the time of the save, however slow this test is.
        let clockRead = Promise<Void, any Error>()
        let files = FolderFiles(path: fixture.path, style: .plainJSON, disk: .real) {
            defer { clockRead.resolve(()) }
            return Disk.stamp(of: file.path)?.written ?? Date()
        }
        let store = FolderStore(files: files)
        let reading = Task { try await store.text("a") }
        try await clockRead.future.value
        try whole.write(to: file)
        #expect(try await reading.value == "saved")
        #expect(try await store.setAsideRecords() == [])
    }
}

@Suite(.timeLimit(.minutes(20))) struct DatabaseDamageTests {
    let fixture: StoreFixture

    init() throws {
        self.fixture = try StoreFixture(.database)
    }

    /// Executes SQL on the database directly.
    private func change(_ sql: String, _ arguments: StatementArguments = []) async throws {
        let database = try await AppDatabase.open(in: DataFolder.open(at: fixture.path), migrations: [])
        try await database.write { try $0.execute(sql: sql, arguments: arguments) }
        database.close()
    }

    /// An SQL condition that selects the current row.
    private static let newest = "sequence = (SELECT max(sequence) FROM stored_value)"

    @Test(arguments: [
        "payload = substr(payload, 1, length(payload) - 1)", "payload = x''", "format = 'texu'", "version = 3",
        "revision = revision + 1", "checksum = x''", "checksum = zeroblob(32)",
    ])
    func damagedRowIsReplacedByThePreviousOne(damage: String) async throws {
        let first = try await fixture.open().put("a", "1")
        try await fixture.open().put("a", "2")
        try await change("UPDATE stored_value SET \(damage) WHERE \(Self.newest)")
        let store = try await fixture.open()
        var changes = store.updates().makeAsyncIterator()
        let record = try #require(try await store.read("a"))
        #expect(record.text == "1" && record.revision == first)
        #expect(record.recovery?.place.hasSuffix("table stored_set_aside, row 1") == true)
        #expect(record.recovery?.reason == "its checksum is wrong")
        await changes.wait(for: ["a"])
        let again = try #require(try await fixture.open().read("a"))
        #expect(again.text == "1" && again.recovery == nil)
        #expect(try await fixture.open().setAsideRecords() == [try #require(record.recovery)])
        try await store.put("a", "3", expecting: .revision(first))
    }

    @Test func payloadWithAnyFlippedBitIsRecovered() async throws {
        let payload = StoredContent.text("coffee").payload
        let store = try await fixture.open()
        let database = try await AppDatabase.open(in: DataFolder.open(at: fixture.path), migrations: [])
        for bit in 0..<payload.count * 8 {
            try await store.put("a", "before")
            try await store.put("a", "coffee")
            var damaged = payload
            damaged[bit / 8] ^= 1 << (bit % 8)
            try await database.write { [damaged] in
                try $0.execute(sql: "UPDATE stored_value SET payload = ? WHERE \(Self.newest)", arguments: [damaged])
            }
            let record = try await store.read("a")
            #expect(record?.text == "before" && record?.recovery != nil)
        }
        let aside = try await database.read { try Data.fetchAll($0, sql: "SELECT payload FROM stored_set_aside") }
        #expect(Set(aside).count == payload.count * 8)
    }

    @Test func damageWithoutACopyIsReportedOnce() async throws {
        let revision = try await fixture.open().put("a", "1")
        try await change("UPDATE stored_value SET payload = x'00'")
        let store = try await fixture.open()
        let error = await error { _ = try await store.read("a") }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("row 1") == true)
        #expect(try await store.read("a") == nil)
        #expect(try await store.keys == [])
        #expect(try await store.put("a", "2", expecting: .nothing) != revision)
    }

    @Test func writeSetsADamagedValueAside() async throws {
        let first = try await fixture.open().put("a", "1")
        let second = try await fixture.open().put("a", "2")
        try await change("UPDATE stored_value SET payload = x'00' WHERE \(Self.newest)")
        let store = try await fixture.open()
        let late = try await store.commit([StoreWrite("a", .text("3"), expecting: .revision(second))])
        guard case .conflict(let found) = late else {
            Issue.record("no conflict: \(late)")
            return
        }
        #expect(found["a"]??.revision == first)
        #expect(try await store.setAsideRecords().count == 1)
        try await change("UPDATE stored_value SET payload = x'00' WHERE payload IS NOT NULL")
        try await fixture.open().put("a", "4", expecting: .nothing)
        #expect(try await store.setAsideRecords().count == 2)
        #expect(try await store.text("a") == "4")
    }

    @Test func rowWithAnInvalidKeyIsSkippedWhenValuesAreExtracted() async throws {
        let store = try await fixture.open()
        try await store.put("a/1", "1")
        try await store.put("a/2", "2")
        try await change(
            "UPDATE stored_value SET key = ? WHERE key = 'a/1'", ["a/" + String(repeating: "1", count: 80)])
        let database = try await AppDatabase.open(in: DataFolder.open(at: fixture.path), migrations: [])
        let payloads = try await database.write { connection in
            var payloads: [Data] = []
            try SQLiteStore.extract(valuesBeginningWith: "a/", in: connection) { payload, _, _ in
                payloads.append(payload)
                return true
            }
            return payloads
        }
        #expect(payloads == [StoredContent.text("2").payload])
        database.close()
    }
}
