import Foundation
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import Accounts

private struct Fixture {
    let folder: TemporaryFolder
    let database: any SQLDatabase
    let store: SQLiteAccountStore
    let signIn: SignIn
    private let time: ManualDate

    init(_ kind: DatabaseKind) async throws {
        folder = try TemporaryFolder()
        database = try await kind.open(
            in: folder.path, SQLiteAccountStore.migrations,
            SQLiteAccountStore.postgreSQLMigrations)
        store = SQLiteAccountStore(in: database)
        let time = ManualDate(Date(timeIntervalSince1970: 1_795_000_000))
        self.time = time
        signIn = SignIn(
            store: store, hasher: PasswordHasher(cost: ScryptCost(logRounds: 4, blockSize: 1, parallelism: 1)),
            now: { time.now })
    }

    var now: Date { time.now }

    func wait(_ seconds: TimeInterval) { time.advance(by: seconds) }

    func add(_ name: String) async throws -> Account {
        try await signIn.add(
            try #require(AccountName(name)), try #require(Password("correct horse")), isAdministrator: false)
    }

    func token(
        of owner: OwnerID, _ scope: String = "coffee:read", days: Int = 1
    ) async throws -> (token: APIToken, secret: APITokenSecret) {
        try await signIn.addToken(of: owner, named: "Test", scopes: [try #require(APIScope(scope))], days: days)
    }

    func find(_ secret: APITokenSecret) async throws -> APIToken? {
        try await store.token(hash: secret.hash, at: now).token
    }
}

@Suite struct APITokenTests {
    @Test(arguments: DatabaseKind.allCases)
    func tokenIsFoundByItsSecretUntilItExpires(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let anna = try await fixture.add("anna")
        let (token, secret) = try await fixture.token(of: anna.owner, "art:write")
        #expect(try await fixture.find(secret) == token)
        #expect(secret.text.hasPrefix("meanwhile_") && secret.text.utf8.count == 74)
        let read = try #require(APITokenSecret(secret.text))
        #expect(try await fixture.find(read) == token)
        #expect(try await fixture.find(APITokenSecret()) == nil)
        fixture.wait(24 * 3_600 - 1)
        #expect(try await fixture.find(secret) != nil)
        fixture.wait(1)
        #expect(try await fixture.find(secret) == nil)
        #expect(try await fixture.store.tokens(of: anna.owner, at: fixture.now) == [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func databaseDoesNotContainTheSecret(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let (_, secret) = try await fixture.token(of: .local)
        let digits = String(secret.text.dropFirst(APITokenSecret.prefix.count))
        let bytes = try await fixture.database.storedBytes("account_token")
        #expect(bytes.range(of: Data(digits.utf8)) == nil && bytes.range(of: Data(secret.hash.utf8)) != nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func removedTokenIsInvalidAtOnce(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let (anna, bert) = (try await fixture.add("anna"), try await fixture.add("bert"))
        let (token, secret) = try await fixture.token(of: anna.owner)
        #expect(try await !fixture.store.removeToken(token.id, of: bert.owner))
        #expect(try await fixture.find(secret) != nil)
        #expect(try await fixture.store.removeToken(token.id, of: anna.owner))
        #expect(try await fixture.find(secret) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func tokenEndsWithItsAccount(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let (anna, _) = (try await fixture.add("anna"), try await fixture.add("bert"))
        let (_, secret) = try await fixture.token(of: anna.owner)
        try await fixture.store.remove(anna.owner)
        #expect(try await fixture.find(secret) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func tokenOfTheTimeWithoutAccountsEndsWithTheFirstAccount(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let (_, secret) = try await fixture.token(of: .local)
        let (_, other) = try await fixture.token(of: "another")
        #expect(try await fixture.find(secret) != nil)
        #expect(try await fixture.find(other) == nil)
        _ = try await fixture.add("anna")
        #expect(try await fixture.find(secret) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func useIsRecorded(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let (token, secret) = try await fixture.token(of: .local)
        #expect(token.usedAt == nil)
        fixture.wait(60)
        try await fixture.store.useToken(token.id, at: fixture.now)
        #expect(try await fixture.find(secret)?.usedAt == fixture.now)
    }

    @Test(arguments: DatabaseKind.allCases)
    func tokensHaveRules(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let scope = try #require(APIScope("coffee:read"))
        for name in ["", "  ", String(repeating: "a", count: 61), "a\u{0}b", "a\u{202E}b"] {
            await #expect(throws: AccountError.invalidTokenName, "\(name)") {
                try await fixture.signIn.addToken(of: .local, named: name, scopes: [scope])
            }
        }
        await #expect(throws: AccountError.noScope) {
            try await fixture.signIn.addToken(of: .local, named: "a", scopes: [])
        }
        for days in [0, -1, 3_651, .max, .min] {
            await #expect(throws: AccountError.invalidLifetime) {
                try await fixture.signIn.addToken(of: .local, named: "a", scopes: [scope], days: days)
            }
        }
        for _ in 0..<APITokenPolicy.maximumCount { _ = try await fixture.token(of: .local) }
        await #expect(throws: AccountError.tooManyTokens) { try await fixture.token(of: .local) }
        // Another owner isn't affected, and expired tokens don't count.
        _ = try await fixture.token(of: "another")
        fixture.wait(24 * 3_600)
        _ = try await fixture.token(of: .local)
    }

    @Test func scopesIncludeReading() throws {
        let (write, read) = (try #require(APIScope("art:write")), try #require(APIScope("art:read")))
        #expect(write.includes(read) && write.includes(write))
        let other = try #require(APIScope("coffee:read"))
        #expect(!write.includes(other))
        #expect(!read.includes(write))
        for text in [
            "", "art", "art:", ":read", "art:read:write", "art:admin", "Art:read", "art:READ", "art :read", "ärt:read",
            "a:read ", String(repeating: "a", count: 21) + ":read",
        ] {
            #expect(APIScope(text) == nil, "\(text)")
        }
    }

    @Test func textsThatAreNoSecretsAreRefused() {
        let digits = String(repeating: "a", count: 64)
        for text in ["", "meanwhile_", digits, "meanwhile_\(digits)a", "Meanwhile_\(digits)", "meanwhile_\(digits) "] {
            #expect(APITokenSecret(text) == nil, "\(text)")
        }
        #expect(APITokenSecret("meanwhile_\(digits)") != nil)
    }
}

@Suite struct APIRequestStoreTests {
    private let response = APIStoredResponse(status: 201, headers: ["Location": "/a"], body: Data("{}".utf8))

    @Test(arguments: DatabaseKind.allCases)
    func keyIsUsedOnceWithinADay(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let key = try #require(APIRequestKey("a", of: .local))
        func begin(_ key: APIRequestKey, _ fingerprint: String = "1") async throws -> APIRequestState {
            try await fixture.store.begin(key, fingerprint: fingerprint, at: fixture.now)
        }
        #expect(try await begin(key) == .new)
        #expect(try await begin(key) == .unfinished)
        #expect(try await begin(key, "2") == .different)
        let other = try #require(APIRequestKey("a", of: "another"))
        #expect(try await begin(other) == .new)
        try await fixture.store.finish(key, response)
        #expect(try await begin(key) == .finished(response))
        #expect(try await begin(key, "2") == .different)
        // A request that has finished isn't forgotten.
        try await fixture.store.forget(key)
        #expect(try await begin(key) == .finished(response))
        fixture.wait(24 * 3_600)
        #expect(try await begin(key, "2") == .new)
        try await fixture.store.forget(key)
        #expect(try await begin(key) == .new)
    }

    @Test func keysHaveRules() {
        for text in ["", "a b", "a\n", "ä", String(repeating: "a", count: 256)] {
            #expect(APIRequestKey(text, of: .local) == nil, "\(text)")
        }
        #expect(APIRequestKey(String(repeating: "~", count: 255), of: .local) != nil)
    }
}
