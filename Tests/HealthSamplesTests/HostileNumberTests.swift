import DamagedDatabase
import Foundation
import GRDB
import Persistence
import Testing

@testable import HealthSamples

/// Numbers that a caller, an import or a damaged database may supply.
@Suite(.timeLimit(.minutes(20))) struct HostileNumberTests {
    private static let numbers: [Double] = [
        0, -0.0, -1, 0.5, 1e17, -1e17, 9.3e18, 1e20, 1e308, -1e308, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
        .infinity, -.infinity, .nan,
    ]

    @Test(arguments: numbers)
    func everyTimeHasADay(seconds: Double) throws {
        for zone in ["UTC", "Pacific/Kiritimati", "America/New_York"] {
            for start in [0, 1_439] {
                let days = try SampleDays(timeZone: zone, startMinutes: start)
                let (day, interval) = days.day(of: Date(timeIntervalSince1970: seconds))
                #expect(!day.isEmpty && interval.duration > 0)
            }
        }
    }

    @Test(arguments: [
        ("UTC", Int.max), ("UTC", -1), ("UTC", Int.min), ("UTC", 1_440), ("Nowhere/Land", 0), ("UTC\u{0}", 0),
    ])
    func invalidDaysAreRefused(zone: String, start: Int) {
        #expect(throws: SampleStoreError.self) { try SampleDays(timeZone: zone, startMinutes: start) }
    }

    @Test(arguments: numbers)
    func everyNumberIsSavedOrRefused(number: Double) async throws {
        for kind in SampleStoreKind.allCases {
            let fixture = try SampleStoreFixture(kind)
            let store = try await fixture.openForAll()
            var samples = [Sample.caffeine(number)]
            for date in [Date(timeIntervalSince1970: number), Date(timeIntervalSinceReferenceDate: number)] {
                var early = Sample.caffeine()
                early.start = date
                var late = Sample.caffeine()
                late.end = date
                samples += [early, late]
            }
            var described = Sample.caffeine()
            described.metadata = [
                "number": .number(number), "date": .date(Date(timeIntervalSince1970: number)),
                "quantity": .quantity(Quantity(number, .gram)),
            ]
            samples.append(described)
            for sample in samples {
                do throws(SampleStoreError) {
                    try await store.save([sample], by: .app)
                } catch {
                    #expect(error.code == .invalidSample)
                }
            }
            let days = try SampleDays(timeZone: "Europe/Berlin", startMinutes: 240)
            for window in [
                SampleQuery.Window.last(number), .between(Date(timeIntervalSince1970: number), nil),
                .between(nil, Date(timeIntervalSince1970: number)),
                .between(Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: number)),
            ] {
                let query = SampleQuery(types: [.dietaryCaffeine], window: window, minimum: Quantity(number, .gram))
                do throws(SampleStoreError) {
                    _ = try await store.samples(query, by: .app, limit: nil, order: .oldestFirst)
                    _ = try await store.statistics(query, perDay: days, in: .milligram, by: .app)
                } catch {
                    #expect(error.code == .invalidQuery)
                }
            }
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, Int.max])
    func everyVersionIsSavedOrRefused(version: Int) async throws {
        for kind in SampleStoreKind.allCases {
            let store = try await SampleStoreFixture(kind).openForAll()
            do throws(SampleStoreError) {
                try await store.save([.caffeine(sync: "a", version: version)], by: .app)
                #expect((0...1 << 53).contains(version))
            } catch {
                #expect(error.code == .invalidSample && !(0...1 << 53).contains(version))
            }
        }
    }

    @Test(arguments: [
        "+5:0:0", "0:+5:0", "-1:0:0", "9223372036854775808:0:0", "٣:0:0", ":0:0", "0:0:+ff", "0:0:-1",
        "0:0:10000000000000000", "1e3:0:0", "00:0:0", "1000000000000000000000000000000:0:0",
    ])
    func invalidAnchorTextIsRefused(numbers: String) {
        let id = UUID().uuidString
        #expect(Anchor("1:\(id):\(id):0:0:0") != nil)
        #expect(Anchor("1:\(id):\(id):\(numbers)") == nil)
    }

    @Test(arguments: [
        "nan g", "inf g", "-inf g", "1e400 g", "+5 g", "٣ g", " g", "g", "0x1p3 g", "1e308 kg",
        "1000000000000000000000000000000 g", "",
    ])
    func everyQuantityIsReadOrRefused(text: String) {
        if let quantity = Quantity(text) {
            #expect(quantity.value.isFinite)
            _ = try? quantity.converted(to: .microgram)
        }
    }

    // MARK: - Rows

    private func damaged(_ sql: String) async throws -> (SQLiteSampleStore, AppDatabase, SampleStoreFixture) {
        let fixture = try SampleStoreFixture(.database)
        let store = try await fixture.openForAll()
        try await store.save([.caffeine(1, sync: "1"), .caffeine(2)], by: .app)
        let database = try await AppDatabase.open(in: fixture.folder, migrations: SQLiteSampleStore.migrations)
        try await database.write { try $0.execute(sql: sql) }
        let opened = try await SQLiteSampleStore.open(owner: "ann", in: database, now: { fixture.now })
        return (opened, database, fixture)
    }

    @Test(arguments: [
        "UPDATE health_store SET sequence = 9223372036854775807",
        "UPDATE health_store SET sequence = 9223372036854775806",
        "UPDATE health_change SET start = NULL", #"UPDATE health_change SET "end" = NULL"#,
        "UPDATE health_change SET value = NULL", "UPDATE health_change SET unit = NULL",
        "UPDATE health_change SET sync_version = NULL", "UPDATE health_change SET sync_version = -9223372036854775808",
        "UPDATE health_change SET sync_version = 9223372036854775807",
        "UPDATE health_change SET start = 9e999", "UPDATE health_change SET start = -9e999",
        "UPDATE health_change SET start = 1e308", #"UPDATE health_change SET "end" = -1e308"#,
        #"UPDATE health_change SET start = 1e17, "end" = 2e17"#, "UPDATE health_change SET value = 9e999",
        "UPDATE health_change SET unit = 9223372036854775807", "UPDATE health_change SET zone = -1",
        "UPDATE health_change SET metadata = x'01ffffffff'", "UPDATE health_change SET metadata = x'02'",
        "UPDATE health_change SET id = x'00' WHERE sync_version = 1",
        "UPDATE health_change SET deleted = 9e999 WHERE sync_version = 1",
        "UPDATE health_series SET longest = 9e999", "UPDATE health_series SET longest = -1e308",
        "UPDATE health_store SET purged = 9223372036854775807",
        "UPDATE health_grant SET read_since = 9223372036854775807",
    ])
    func damagedRowFailsOnlyTheCall(sql: String) async throws {
        let (store, database, fixture) = try await damaged(sql)
        try await callAll(of: store)
        database.close()
        withExtendedLifetime(fixture) {}
    }

    /// Calls every method that reads rows; each must return or throw a `SampleStoreError`.
    private func callAll(of store: SQLiteSampleStore) async throws {
        let days = try SampleDays(timeZone: "Europe/Berlin")
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await store.samples(.caffeine, by: .app, limit: nil, order: .oldestFirst) },
            { _ = try await store.statistics(.caffeine, perDay: days, in: .milligram, by: .app) },
            { _ = try await store.changes(.caffeine, since: nil, limit: 9, by: .app) },
            { try await store.save([.caffeine(3, sync: "1", version: 2), .caffeine(4)], by: .app) },
            { try await store.delete(.query(.caffeine), by: .app) },
            { _ = try await store.latestAnchor(.caffeine, by: .app) },
            { _ = try await store.authorizations() },
            { try await store.grant(.read, to: [.dietaryWater], source: .watch) },
            { _ = try await store.purge() },
        ]
        for call in calls {
            do {
                try await call()
            } catch {
                #expect(error is SampleStoreError)
            }
        }
    }

    /// SQLite enforces the types of a STRICT table when it writes, but not when it reads.
    @Test func valueOfAnotherTypeInAnyColumnFailsOnlyTheCall() async throws {
        let fixture = try SampleStoreFixture(.database)
        func fill(_ store: any SampleStore) async throws {
            try await store.save([.caffeine(1, sync: "1"), .caffeine(2)], by: .app)
            try await store.save([.caffeine(5, by: .watch)], by: .watch)
            try await store.delete(.syncIdentifiers(["1"]), by: .app)
            try await store.save([.caffeine(3, sync: "2")], by: .app)
        }
        // Passed inline, so that the store is released and its database closed afterwards.
        try await fill(fixture.openForAll())
        func open() async throws -> AppDatabase {
            try await AppDatabase.open(in: fixture.folder, migrations: SQLiteSampleStore.migrations)
        }
        try await open().close()
        let rows = try DamagedDatabase(at: "\(fixture.path)/data/meanwhile.sqlite")
        var damaged = 0
        for column in try rows.columns(ofTables: "health_") {
            for value in DamagedDatabase.values where try rows.damage(column, value) {
                damaged += 1
                let database = try await open()
                do {
                    try await callAll(
                        of: SQLiteSampleStore.open(owner: "ann", in: database, now: { fixture.now }))
                } catch {
                    #expect(error is SampleStoreError, "\(column) = \(value): \(error)")
                }
                database.close()
            }
        }
        #expect(damaged > 100)
    }
}
