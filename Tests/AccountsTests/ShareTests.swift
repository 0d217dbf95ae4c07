import Foundation
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import Accounts

/// Shares in a database of their own, with the accounts of Anna and Bert.
private struct Fixture {
    let folder: TemporaryFolder
    let database: any SQLDatabase
    let store: SQLiteShareStore
    let accounts: SQLiteAccountStore
    let anna, bert: Account
    let time = Date(timeIntervalSince1970: 1_795_000_000)
    let item = SharedItem(kind: "board", id: "beach")

    init(_ kind: DatabaseKind) async throws {
        folder = try TemporaryFolder()
        database = try await kind.open(
            in: folder.path, SQLiteAccountStore.migrations + SQLiteShareStore.migrations,
            SQLiteAccountStore.postgreSQLMigrations)
        store = SQLiteShareStore(in: database)
        accounts = SQLiteAccountStore(in: database)
        let signIn = SignIn(
            store: accounts, hasher: PasswordHasher(cost: ScryptCost(logRounds: 4, blockSize: 1, parallelism: 1)))
        let password = try #require(Password("correct horse"))
        anna = try await signIn.add(try #require(AccountName("anna")), password, isAdministrator: true)
        bert = try await signIn.add(try #require(AccountName("bert")), password, isAdministrator: false)
    }

    func share(allowsEditing: Bool = false, until end: Date? = nil, of owner: OwnerID? = nil) -> Share {
        Share(
            owner: owner ?? anna.owner, item: item, allowsEditing: allowsEditing, createdAt: time, expiresAt: end)
    }
}

@Suite struct ShareTests {
    @Test(arguments: DatabaseKind.allCases)
    func linkIsFoundByItsTokenUntilItEnds(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let (token, time) = (RandomToken(), fixture.time)
        let link = fixture.share(until: time + 100)
        try await fixture.store.add(link, tokenHash: token.hash)
        #expect(try await fixture.store.share(tokenHash: token.hash, at: time + 99) == link)
        #expect(try await fixture.store.isValid(link.id, at: time + 99))
        #expect(try await fixture.store.share(tokenHash: token.hash, at: time + 100) == nil)
        #expect(try await !fixture.store.isValid(link.id, at: time + 100))
        #expect(try await fixture.store.share(tokenHash: RandomToken().hash, at: time) == nil)
        // A link is no share with a person, and can't be left.
        #expect(try await fixture.store.share(link.id, with: fixture.bert.owner, at: time) == nil)
        try await fixture.store.leave(link.id, as: fixture.bert.owner)
        try await fixture.store.use(link.id, at: time + 5)
        let listed = try await fixture.store.shares(of: fixture.anna.owner, at: time)
        #expect(listed.map(\.share.usedAt) == [time + 5] && listed.map(\.personName) == [nil])
        // The token itself isn't in the database.
        let bytes = try await fixture.database.storedBytes("share")
        #expect(bytes.range(of: Data(token.text.utf8)) == nil && bytes.range(of: Data(token.hash.utf8)) != nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func onlyTheOwnerRevokesALink(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let (link, token) = (fixture.share(), RandomToken())
        try await fixture.store.add(link, tokenHash: token.hash)
        try await fixture.store.revoke(link.id, of: fixture.bert.owner)
        #expect(try await fixture.store.share(tokenHash: token.hash, at: fixture.time) == link)
        try await fixture.store.revoke(link.id, of: fixture.anna.owner)
        #expect(try await fixture.store.share(tokenHash: token.hash, at: fixture.time) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func personFindsChangesAndLeavesAShare(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let (store, time, bert) = (fixture.store, fixture.time, fixture.bert.owner)
        try await store.add(fixture.share(), withPersonNamed: "Bert")
        // The same thing is shared once with a person, so that a further share changes the right.
        try await store.add(fixture.share(allowsEditing: true), withPersonNamed: "bert")
        let received = try await store.shares(with: bert, at: time)
        #expect(received.map(\.ownerName) == ["anna"] && received.map(\.share.allowsEditing) == [true])
        let id = try #require(received.first?.share.id)
        #expect(try await store.share(id, with: bert, at: time)?.item == fixture.item)
        #expect(try await store.share(id, with: fixture.anna.owner, at: time) == nil)
        #expect(try await store.shares(of: fixture.anna.owner, at: time).map(\.personName) == ["bert"])
        try await store.leave(id, as: fixture.anna.owner)
        #expect(try await store.isValid(id, at: time))
        try await store.leave(id, as: bert)
        #expect(try await !store.isValid(id, at: time))
        await #expect(throws: ShareError.noSuchPerson) {
            try await store.add(fixture.share(), withPersonNamed: "carl")
        }
        await #expect(throws: ShareError.ownAccount) {
            try await store.add(fixture.share(), withPersonNamed: "anna")
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func removedAccountSharesNothing(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let (store, time) = (fixture.store, fixture.time)
        try await store.add(fixture.share(), withPersonNamed: "bert")
        let token = RandomToken()
        try await store.add(fixture.share(of: fixture.bert.owner), tokenHash: token.hash)
        try await fixture.accounts.remove(fixture.bert.owner)
        #expect(try await store.shares(of: fixture.anna.owner, at: time).isEmpty)
        #expect(try await store.share(tokenHash: token.hash, at: time) == nil)
        // A request of the removed person may have begun earlier.
        await #expect(throws: ShareError.storage("The account was removed.")) {
            try await store.add(fixture.share(of: fixture.bert.owner), tokenHash: token.hash)
        }
        await #expect(throws: ShareError.storage("The account was removed.")) {
            try await store.add(fixture.share(of: fixture.bert.owner), withPersonNamed: "anna")
        }
        #expect(try await store.share(tokenHash: token.hash, at: time) == nil)
        try await fixture.accounts.remove(fixture.anna.owner)
        // Without accounts, everything belongs to one owner who needs no account.
        try await store.add(fixture.share(of: "someone"), tokenHash: token.hash)
        #expect(try await store.share(tokenHash: token.hash, at: time)?.owner == "someone")
    }

    @Test(arguments: DatabaseKind.allCases)
    func numberOfSharesIsLimited(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        for _ in 0..<SharePolicy.maximumCount {
            try await fixture.store.add(fixture.share(until: fixture.time + 10), tokenHash: RandomToken().hash)
        }
        await #expect(throws: ShareError.tooMany) {
            try await fixture.store.add(fixture.share(), tokenHash: RandomToken().hash)
        }
        // Those that have ended don't count.
        let later = Share(
            owner: fixture.anna.owner, item: fixture.item, allowsEditing: false, createdAt: fixture.time + 10)
        try await fixture.store.add(later, tokenHash: RandomToken().hash)
        #expect(try await fixture.store.shares(of: fixture.anna.owner, at: fixture.time + 10).count == 1)
    }
}
