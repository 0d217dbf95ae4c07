import DamagedDatabase
import Foundation
import GRDB
import StoreTesting
import Testing

@testable import Persistence

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Numbers that a file system or database may contain, although this program doesn't write them.
@Suite(.timeLimit(.minutes(20))) struct HostileNumberTests {
    /// Nanoseconds since 1970 exceed 64 bits before 1677 and after 2262, but file systems can store such times.
    @Test(arguments: [13_569_465_600, -13_569_465_600, Int.max / 2, Int.min / 2], [StoreKind.folder, .plainFolder])
    func storeWorksWithAnyFileTime(seconds: Int, kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        try await fixture.open().put("a", "1")
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.path) {
            var times = [timespec](repeating: timespec(tv_sec: seconds, tv_nsec: 999_999_999), count: 2)
            // A file system may reject a time, or store the nearest one that it supports.
            _ = utimensat(AT_FDCWD, "\(fixture.path)/\(name)", &times, 0)
        }
        let store = try await fixture.open()
        #expect(try await store.read("a")?.text == "1")
        try await store.put("a", "2")
        #expect(try await store.read("a")?.text == "2")
    }

    /// After the greatest change number there is no next one: nothing is written, and nothing traps.
    @Test(arguments: [Int64.max, Int64.max - 1])
    func writeAfterTheGreatestChangeNumberIsRefused(sequence: Int64) async throws {
        let folder = try TemporaryFolder()
        let database = try await folder.database()
        let store = SQLiteStore(database: database, owner: "sam")
        try await store.put("a", "1")
        try await database.write {
            try $0.execute(sql: "UPDATE stored_value SET sequence = ?", arguments: [sequence])
        }
        let again = SQLiteStore(database: database, owner: "sam")
        let error = await #expect(throws: StoreError.self) {
            try await again.put("b", "2")
            try await again.put("c", "3")
        }
        #expect(error?.code == .corrupt)
        database.close()
    }

    /// SQLite checks the types of a STRICT table when it writes, but not when it reads.
    @Test func valueOfAnotherTypeInAnyColumnFailsOnlyTheCall() async throws {
        let folder = try TemporaryFolder()
        var database = try await folder.database()
        var store = SQLiteStore(database: database, owner: "sam")
        for text in ["1", "2"] { try await store.put("a", text) }
        try await store.put("b", "1")
        _ = try await store.commit([StoreWrite("b", nil)])
        let revision = try #require(try await store.read("a")?.revision)
        _ = try await store.setAside("a", revision: revision, reason: "test")
        try await store.put("a", "3")
        database.close()
        let rows = try DamagedDatabase(at: folder.databaseFile)
        var damaged = 0
        for column in try rows.columns(ofTables: "stored_") {
            for value in DamagedDatabase.values where try rows.damage(column, value) {
                damaged += 1
                database = try await folder.database()
                store = SQLiteStore(database: database, owner: "sam")
                let calls: [(SQLiteStore) async throws -> Void] = [
                    { _ = try await $0.read("a") }, { _ = try await $0.setAsideRecords() },
                    { _ = try await $0.keys(beginningWith: "") },
                    { try await $0.put("a", "4") },
                    { try await $0.put("b", "4") },
                ]
                for call in calls {
                    do {
                        try await call(store)
                    } catch {
                        #expect(error is StoreError, "\(column) = \(value): \(error)")
                    }
                }
                database.close()
            }
        }
        #expect(damaged > 50)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 2, 3, Int.max])
    func anyVersionIsReadOrRefused(version: Int) async throws {
        let format = StoredFormat<String>("text", version: 2).migrating(from: 1) { (old: String) in old }
        let content = StoredContent(format: "text", version: version, payload: Data(#""a""#.utf8))
        do throws(StoreError) {
            #expect(try format.value(of: content) == "a" && (1...2).contains(version))
        } catch {
            #expect(error.code == (version > 2 ? .newerVersion : .notDecodable))
        }
        let bytes = Envelope.data(of: content, revision: Revision("1"), version: version)
        switch Envelope.reading(bytes) {
        case .whole(let record): #expect(record.content == content && version <= Envelope.version)
        case .newer(let newer): #expect(newer == version && version > Envelope.version)
        case .damaged(let reason): Issue.record("\(reason)")
        }
    }

    @Test(arguments: ["9223372036854775808", "1e30", "-1", "1.5", "null", "\"1\"", "1000000000000000000000000000000"])
    func invalidNumberInAnEnvelopeIsReportedAsDamage(number: String) {
        let good = Envelope.data(of: .text("1"), revision: Revision("1"))
        let text = String(decoding: good, as: UTF8.self)
        for name in ["meanwhile", "version", "bytes"] {
            let lead = "\"\(name)\":"
            guard let start = text.range(of: lead)?.upperBound else {
                Issue.record("there is no \(name)")
                continue
            }
            let end = text[start...].firstIndex { $0 == "," } ?? text.endIndex
            let bad = text.replacingCharacters(in: start..<end, with: number)
            guard case .damaged = Envelope.reading(Data(bad.utf8)) else {
                Issue.record("\(bad) isn't reported as damaged")
                continue
            }
        }
    }
}
