import CoffeeTrackerModel
import Foundation
import GRDB
import Persistence
import Testing

@testable import CoffeeTrackerStore

/// Tests the database's behaviour beyond that of every store.
@Suite(.timeLimit(.minutes(10))) struct CoffeeDataStoreTests {
    @Test func eachOwnerHasTheirOwn() async throws {
        let place = try await SQLitePlace()
        let bob = try await place.another("bob")
        try await place.store.apply(.add(.test(1)))
        try await bob.store.apply(.add(.test(1, 30)))
        try await bob.store.hear(added: [.scale(5)], after: nil, to: try .test(1))
        #expect(try await place.store.everything().drinks.map(\.milligrams) == [96])
        #expect(try await place.store.anchor() == nil)
        await #expect(throws: CoffeeError.notFound) { try await place.store.apply(.delete(.test(5))) }
        #expect(try await bob.store.everything().drinks.count == 2)
    }

    @Test func anotherProcessSeesAndNoticesIt() async throws {
        let place = try await SQLitePlace()
        let other = try await place.another()
        var changes = other.store.updates().makeAsyncIterator()
        try await place.store.apply(.add(.test(1)))
        #expect(await changes.next() != nil)
        #expect(try await other.store.everything().drinks == [.test(1)])
    }

    @Test func onlyWhatHasChangedIsWritten() async throws {
        let place = try await SQLitePlace()
        _ = try await place.store.apply((0..<50).map { .add(.test($0)) })
        try await place.database.write { connection in
            try connection.execute(
                sql: """
                    CREATE TABLE written (id TEXT NOT NULL);
                    CREATE TRIGGER note AFTER INSERT ON coffee_drink BEGIN INSERT INTO written VALUES (NEW.id); END
                    """)
        }
        _ = try await place.store.apply((0..<50).map { .put(.test($0, $0 == 7 ? 1 : 96)) })
        let written = try await place.database.read { try String.fetchAll($0, sql: "SELECT id FROM written") }
        #expect(written == [UUID.test(7).uuidString])
    }

    @Test func aNewerDatabaseIsRefusedAndLeftAsItIs() async throws {
        let place = try await SQLitePlace()
        try await place.store.apply(.add(.test(1)))
        try await place.database.write { connection in
            try connection.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('coffee.99')")
        }
        place.database.close()
        do {
            _ = try await place.another()
            Issue.record("It is opened.")
        } catch let error as StoreError {
            #expect(error.code == .newerVersion && error.message.contains("coffee.99"))
        }
    }

    @Test func whatCannotBeWrittenIsSaidAndNothingIsChanged() async throws {
        let place = try await SQLitePlace()
        try await place.store.apply(.add(.test(1)))
        try await place.database.write { connection in
            try connection.execute(
                sql: """
                    CREATE TRIGGER refusal BEFORE INSERT ON coffee_state BEGIN SELECT RAISE(ABORT, 'refused'); END
                    """)
        }
        do {
            try await place.store.apply(.add(.test(2)))
            Issue.record("It is written.")
        } catch let error as CoffeeError {
            guard case .storage(let message) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(message.contains("refused"))
        }
        #expect(try await place.store.everything().drinks == [.test(1)])
    }

    @Test func anAnchorThatIsNoneIsAsIfItHadNeverBeenHeard() async throws {
        let place = try await SQLitePlace()
        try await place.store.hear(added: [.scale(5)], after: nil, to: try .test(1))
        try await place.database.write { try $0.execute(sql: "UPDATE coffee_state SET anchor = 'x'") }
        #expect(try await place.store.anchor() == nil)
        #expect(try await place.store.hear(added: [.scale(6)], after: nil, to: try .test(2)))
        #expect(try await place.store.everything().drinks.count == 2)
    }
}
