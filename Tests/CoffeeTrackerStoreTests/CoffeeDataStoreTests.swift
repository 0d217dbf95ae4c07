import CoffeeTrackerModel
import Foundation
import GRDB
import Persistence
import ServedPostgreSQL
import Testing

@testable import CoffeeTrackerStore

/// Tests what only the database does; `CoffeeStoreTests` covers the behaviour that every store shares.
@Suite(.timeLimit(.minutes(10))) struct CoffeeDataStoreTests {
    @Test(arguments: DatabaseKind.allCases)
    func ownersSeeOnlyTheirOwnDrinks(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let bob = try await fixture.another("bob")
        try await fixture.store.apply(.add(.test(1)))
        try await bob.store.apply(.add(.test(1, 30)))
        try await bob.store.takePage(added: [.scale(5)], after: nil, to: try .test(1))
        #expect(try await fixture.store.everything().drinks.map(\.milligrams) == [96])
        #expect(try await fixture.store.anchor() == nil)
        await #expect(throws: CoffeeError.notFound) { try await fixture.store.apply(.delete(.test(5))) }
        #expect(try await bob.store.everything().drinks.count == 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func otherProcessIsNotifiedAndReadsTheChange(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let other = try await fixture.another()
        var changes = other.store.updates().makeAsyncIterator()
        try await fixture.store.apply(.add(.test(1)))
        #expect(await changes.next() != nil)
        #expect(try await other.store.everything().drinks == [.test(1)])
    }

    @Test func onlyChangedDrinksAreWritten() async throws {
        let fixture = try await SQLiteFixture()
        _ = try await fixture.store.apply((0..<50).map { .add(.test($0)) })
        try await fixture.database.writeRows(locking: []) { connection in
            try connection.sqlite.execute(
                sql: """
                    CREATE TABLE written (id TEXT NOT NULL);
                    CREATE TRIGGER note AFTER INSERT ON coffee_drink BEGIN INSERT INTO written VALUES (NEW.id); END
                    """)
        }
        _ = try await fixture.store.apply((0..<50).map { .put(.test($0, $0 == 7 ? 1 : 96)) })
        let written = try await fixture.database.readRows { connection in
            try connection.values("SELECT id FROM written", as: String.self)
        }
        #expect(written == [UUID.test(7).uuidString])
    }

    @Test func newerDatabaseIsRefused() async throws {
        let fixture = try await SQLiteFixture()
        try await fixture.store.apply(.add(.test(1)))
        try await fixture.database.writeRows(locking: []) { connection in
            try connection.sqlite.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('coffee.99')")
        }
        fixture.database.close()
        do {
            _ = try await fixture.another()
            Issue.record("The newer database was opened.")
        } catch let error as StoreError {
            #expect(error.code == .newerVersion && error.message.contains("coffee.99"))
        }
    }

    @Test func failedWriteIsReportedAndChangesNothing() async throws {
        let fixture = try await SQLiteFixture()
        try await fixture.store.apply(.add(.test(1)))
        try await fixture.database.writeRows(locking: []) { connection in
            try connection.sqlite.execute(
                sql: """
                    CREATE TRIGGER refusal BEFORE INSERT ON coffee_state BEGIN SELECT RAISE(ABORT, 'refused'); END
                    """)
        }
        do {
            try await fixture.store.apply(.add(.test(2)))
            Issue.record("The write succeeded.")
        } catch let error as CoffeeError {
            guard case .storage(let message) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(message.contains("refused"))
        }
        #expect(try await fixture.store.everything().drinks == [.test(1)])
    }

    @Test(arguments: DatabaseKind.allCases)
    func invalidAnchorCountsAsNone(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.takePage(added: [.scale(5)], after: nil, to: try .test(1))
        _ = try await fixture.database.writeRows(locking: []) { connection in
            try connection.execute("UPDATE coffee_state SET anchor = 'x'")
        }
        #expect(try await fixture.store.anchor() == nil)
        #expect(try await fixture.store.takePage(added: [.scale(6)], after: nil, to: try .test(2)))
        #expect(try await fixture.store.everything().drinks.count == 2)
    }
}
