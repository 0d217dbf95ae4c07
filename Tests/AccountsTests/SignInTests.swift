import Foundation
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import Accounts

/// Accounts in a database of their own, with a cheap hash and a clock that the test moves.
private struct Fixture {
    let folder: TemporaryFolder
    let database: any SQLDatabase
    let store: SQLiteAccountStore
    let hasher: PasswordHasher
    let signIn: SignIn
    private let time: ManualDate

    init(_ kind: DatabaseKind, cost: ScryptCost = ScryptCost(logRounds: 4, blockSize: 1, parallelism: 1)) async throws {
        folder = try TemporaryFolder()
        database = try await kind.open(
            in: folder.path, SQLiteAccountStore.migrations,
            SQLiteAccountStore.postgreSQLMigrations)
        store = SQLiteAccountStore(in: database)
        hasher = PasswordHasher(cost: cost)
        let time = ManualDate(Date(timeIntervalSince1970: 1_795_000_000))
        self.time = time
        signIn = SignIn(store: store, hasher: hasher, now: { time.now })
    }

    func wait(_ seconds: TimeInterval) { time.advance(by: seconds) }

    @discardableResult
    func add(_ name: String, _ password: String = "correct horse") async throws -> Account {
        try await signIn.add(
            try #require(AccountName(name)), try #require(Password(password)), isAdministrator: false)
    }

    @discardableResult
    func enter(
        _ name: String, _ password: String = "correct horse"
    ) async throws -> (session: Session, token: RandomToken) {
        try await signIn.signIn(name, try #require(Password(password)), device: "Firefox on Linux")
    }

    func session(_ token: RandomToken) async throws -> Session? {
        try await store.session(tokenHash: token.hash, at: signIn.now()).session
    }
}

@Suite struct SignInTests {
    @Test(arguments: DatabaseKind.allCases)
    func personSignsInWithTheRightPassword(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let anna = try await fixture.add("anna")
        let first = try await fixture.enter(" Anna ")
        let second = try await fixture.enter("anna")
        #expect(first.session.owner == anna.owner)
        #expect(first.token.text != second.token.text && first.session.id != second.session.id)
        #expect(try await fixture.session(first.token) == first.session)
        // The token itself isn't in the database.
        let bytes = try await fixture.database.storedBytes("account", "account_session")
        #expect(bytes.range(of: Data(first.token.text.utf8)) == nil)
        #expect(bytes.range(of: Data("correct horse".utf8)) == nil)
        #expect(bytes.range(of: Data(first.token.hash.utf8)) != nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func wrongPasswordAndUnknownNameTakeTheSameWork(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        try await fixture.add("anna")
        for name in ["anna", "bert", "no name!"] {
            let before = fixture.hasher.count
            await #expect(throws: AccountError.wrongPassword) { try await fixture.enter(name, "wrong password") }
            #expect(fixture.hasher.count == before + 1)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func failuresDelayTheNextAttempts(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        try await fixture.add("anna")
        try await fixture.add("bert")
        for _ in 0..<5 {
            await #expect(throws: AccountError.wrongPassword) { try await fixture.enter("anna", "wrong password") }
        }
        let before = fixture.hasher.count
        await #expect(throws: AccountError.tooManyAttempts(2)) { try await fixture.enter("anna") }
        // A refused attempt computes nothing, and other accounts aren't affected.
        #expect(fixture.hasher.count == before)
        try await fixture.enter("bert")
        fixture.wait(2)
        await #expect(throws: AccountError.wrongPassword) { try await fixture.enter("anna", "wrong password") }
        await #expect(throws: AccountError.tooManyAttempts(4)) { try await fixture.enter("anna") }
        // Another process counts the same failures.
        let other = SignIn(
            store: SQLiteAccountStore(in: fixture.database), hasher: fixture.hasher, now: fixture.signIn.now)
        await #expect(throws: AccountError.tooManyAttempts(4)) {
            try await other.signIn("anna", try #require(Password("correct horse")), device: "")
        }
        fixture.wait(4)
        try await fixture.enter("anna")
        await #expect(throws: AccountError.wrongPassword) { try await fixture.enter("anna", "wrong password") }
        try await fixture.enter("anna")
    }

    @Test(arguments: DatabaseKind.allCases)
    func concurrentAttemptsAreCounted(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        try await fixture.add("anna")
        let before = fixture.hasher.count
        await withTaskGroup { group in
            for _ in 0..<40 {
                group.addTask { _ = try? await fixture.enter("anna", "wrong password") }
            }
        }
        #expect(fixture.hasher.count == before + 5)
    }

    @Test func waitsDoubleUpToAQuarterOfAnHour() {
        #expect(SignInThrottle.wait(after: 4) == 0)
        #expect(SignInThrottle.wait(after: 5) == 2)
        #expect(SignInThrottle.wait(after: 7) == 8)
        #expect(SignInThrottle.wait(after: .max) == 900)
    }

    @Test func addressHasALimitedNumberOfAttempts() throws {
        let throttle = AddressThrottle()
        let now = Date(timeIntervalSince1970: 1_795_000_000)
        for _ in 0..<20 { try throttle.admit("192.0.2.1", at: now) }
        #expect(throws: AccountError.tooManyAttempts(30)) { try throttle.admit("192.0.2.1", at: now) }
        try throttle.admit("192.0.2.2", at: now)
        try throttle.admit("192.0.2.1", at: now + 30)
        #expect(throws: AccountError.self) { try throttle.admit("192.0.2.1", at: now + 31) }
    }

    @Test(arguments: DatabaseKind.allCases)
    func sessionEndsAfterItsLastUse(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        try await fixture.add("anna")
        let (session, token) = try await fixture.enter("anna")
        fixture.wait(29 * 24 * 3_600)
        try await fixture.store.use(session.id, at: fixture.signIn.now())
        fixture.wait(29 * 24 * 3_600)
        #expect(try await fixture.session(token)?.id == session.id)
        fixture.wait(2 * 24 * 3_600)
        #expect(try await fixture.session(token) == nil)
        #expect(try await !fixture.store.isValid(session.id, at: fixture.signIn.now()))
    }

    @Test(arguments: DatabaseKind.allCases)
    func newPasswordEndsOtherSessions(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let anna = try await fixture.add("anna")
        try await fixture.add("bert")
        let (own, other) = (try await fixture.enter("anna"), try await fixture.enter("anna"))
        let bert = try await fixture.enter("bert")
        let (old, new) = (try #require(Password("correct horse")), try #require(Password("battery staple")))
        await #expect(throws: AccountError.wrongPassword) {
            try await fixture.signIn.changePassword(of: anna, from: new, to: new, keeping: own.session.id)
        }
        #expect(try await fixture.session(other.token) != nil)
        try await fixture.signIn.changePassword(of: anna, from: old, to: new, keeping: own.session.id)
        #expect(try await fixture.session(own.token) != nil)
        #expect(try await fixture.session(other.token) == nil)
        #expect(try await fixture.session(bert.token) != nil)
        await #expect(throws: AccountError.wrongPassword) { try await fixture.enter("anna") }
        try await fixture.enter("anna", "battery staple")
    }

    @Test(arguments: DatabaseKind.allCases)
    func sessionOfAPasswordThatWasChangedMeanwhileIsRefused(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let anna = try await fixture.add("anna")
        let hash = try #require(try await fixture.store.passwordHash(of: anna.owner))
        try await fixture.signIn.setPassword(of: anna, to: try #require(Password("battery staple")))
        let now = fixture.signIn.now()
        let session = Session(
            id: "1", owner: anna.owner, device: "", createdAt: now, usedAt: now, expiresAt: now + 1)
        await #expect(throws: AccountError.wrongPassword) {
            try await fixture.store.add(session, tokenHash: RandomToken().hash, ifPasswordHashIs: hash)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func cheapHashIsReplacedAtTheNextSignIn(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let anna = try await fixture.add("anna")
        let dearer = SignIn(
            store: fixture.store, hasher: PasswordHasher(cost: ScryptCost(logRounds: 5, blockSize: 1, parallelism: 1)),
            now: fixture.signIn.now)
        let password = try #require(Password("correct horse"))
        let first = try await fixture.enter("anna")
        _ = try await dearer.signIn("anna", password, device: "")
        #expect(try await fixture.store.passwordHash(of: anna.owner)?.hasPrefix("$scrypt$ln=5,r=1,p=1$") == true)
        #expect(try await fixture.session(first.token) != nil)
        // A lower cost isn't restored.
        try await fixture.enter("anna")
        #expect(try await fixture.store.passwordHash(of: anna.owner)?.hasPrefix("$scrypt$ln=5,r=1,p=1$") == true)
    }

    @Test(arguments: DatabaseKind.allCases)
    func invitationIsValidOnceAndForAWeek(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let password = try #require(Password("correct horse"))
        let (anna, bert) = (try #require(AccountName("anna")), try #require(AccountName("bert")))
        let invitation = try await fixture.signIn.invite()
        let late = try await fixture.signIn.invite()
        await #expect(throws: AccountError.invalidInvitation) {
            try await fixture.signIn.accept(RandomToken(), anna, password, device: "")
        }
        try await fixture.add("bert")
        // A name that is taken doesn't use the invitation up.
        await #expect(throws: AccountError.nameTaken) {
            try await fixture.signIn.accept(invitation, bert, password, device: "")
        }
        let entered = try await fixture.signIn.accept(invitation, anna, password, device: "")
        #expect(try await fixture.session(entered.token) != nil)
        #expect(try await fixture.store.account(named: anna)?.isAdministrator == false)
        await #expect(throws: AccountError.invalidInvitation) {
            try await fixture.signIn.accept(invitation, try #require(AccountName("carl")), password, device: "")
        }
        fixture.wait(7 * 24 * 3_600)
        let before = fixture.hasher.count
        await #expect(throws: AccountError.invalidInvitation) {
            try await fixture.signIn.accept(late, try #require(AccountName("carl")), password, device: "")
        }
        #expect(fixture.hasher.count == before)
    }

    @Test(arguments: DatabaseKind.allCases)
    func eachAccountHasOnlyItsOwnSessions(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let (anna, bert) = (try await fixture.add("anna"), try await fixture.add("bert"))
        let (hers, his) = (try await fixture.enter("anna"), try await fixture.enter("bert"))
        let now = fixture.signIn.now()
        #expect(try await fixture.store.sessions(of: anna.owner, at: now).map(\.id) == [hers.session.id])
        try await fixture.store.endSession(hers.session.id, of: bert.owner)
        #expect(try await fixture.session(hers.token) != nil)
        try await fixture.store.endSessions(of: bert.owner, except: nil)
        #expect(try await fixture.session(hers.token) != nil)
        #expect(try await fixture.session(his.token) == nil)
        try await fixture.store.remove(anna.owner)
        #expect(try await fixture.session(hers.token) == nil)
        #expect(try await fixture.store.accounts() == [bert])
    }

    @Test(arguments: DatabaseKind.allCases)
    func endOfASessionIsReported(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let anna = try await fixture.add("anna")
        let (session, _) = try await fixture.enter("anna")
        var changes = fixture.store.changes().makeAsyncIterator()
        try await fixture.store.endSession(session.id, of: anna.owner)
        #expect(await changes.next() != nil)
        #expect(try await !fixture.store.isValid(session.id, at: fixture.signIn.now()))
    }

    @Test(arguments: DatabaseKind.allCases)
    func accountKeepsAtMostFiftySessions(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let anna = try await fixture.add("anna")
        let first = try await fixture.enter("anna")
        for _ in 0..<SessionPolicy.maximumCount {
            fixture.wait(1)
            try await fixture.enter("anna")
        }
        #expect(
            try await fixture.store.sessions(of: anna.owner, at: fixture.signIn.now()).count
                == SessionPolicy.maximumCount)
        #expect(try await fixture.session(first.token) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func namesAreTakenOnce(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        try await fixture.add("anna")
        await #expect(throws: AccountError.nameTaken) { try await fixture.add("ANNA") }
    }
}

@Suite struct AccountValueTests {
    @Test func namesHaveRules() {
        #expect(AccountName("Anna-2.b_c")?.description == "anna-2.b_c")
        for text in ["", "-a", ".a", "a b", "ä", "\u{212A}", "a\n", "а", String(repeating: "a", count: 41)] {
            #expect(AccountName(text) == nil, "\(text)")
        }
    }

    @Test func passwordsAreComparedInOneForm() async throws {
        let cost = ScryptCost(logRounds: 4, blockSize: 1, parallelism: 1)
        let hash = try ScryptHash(of: try #require(Password("Stra\u{00DF}e u\u{0308}ber")), cost: cost)
        #expect(try hash.matches(try #require(Password("Stra\u{00DF}e \u{00FC}ber"))))
        #expect(Password(String(repeating: "a", count: 1_001)) == nil)
        #expect(Password("123456789")?.isLongEnough == false)
        #expect(Password("1234567890")?.isLongEnough == true)
    }

    @Test func hashIsStoredWithItsParametersAndSalt() throws {
        let cost = ScryptCost(logRounds: 4, blockSize: 2, parallelism: 3)
        let password = try #require(Password("correct horse"))
        let hash = try ScryptHash(of: password, cost: cost)
        #expect(hash.text.hasPrefix("$scrypt$ln=4,r=2,p=3$"))
        #expect(try ScryptHash(of: password, cost: cost).text != hash.text)
        let read = try #require(ScryptHash(hash.text))
        #expect(try read.matches(password))
        #expect(try !read.matches(try #require(Password("correct house"))))
    }

    @Test func damagedHashesAreRefused() throws {
        let hash = try ScryptHash(
            of: try #require(Password("correct horse")), cost: ScryptCost(logRounds: 4, blockSize: 1, parallelism: 1)
        ).text
        for text in [
            "", "$scrypt$", hash + "$", hash.replacing("ln=4", with: "ln=19"), hash.replacing("ln=4", with: "ln=0"),
            hash.replacing("r=1", with: "r=17"), hash.replacing("p=1", with: "p=9"), String(hash.dropLast(3)),
        ] {
            #expect(ScryptHash(text) == nil, "\(text)")
        }
    }

    @Test func recommendedCostIsComputed() throws {
        let password = try #require(Password("correct horse"))
        let hash = try ScryptHash(of: password, cost: ScryptCost())
        #expect(hash.text.hasPrefix("$scrypt$ln=15,r=8,p=3$"))
        #expect(try #require(ScryptHash(hash.text)).matches(password))
    }
}
