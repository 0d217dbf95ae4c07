import Foundation
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import Accounts

/// An audit log in a database of its own, with a clock that the test moves.
private struct Fixture {
    let folder: TemporaryFolder
    let database: any SQLDatabase
    let log: AuditLog
    let signIn: SignIn
    private let time: ManualDate

    init(_ kind: DatabaseKind) async throws {
        folder = try TemporaryFolder()
        database = try await kind.open(
            in: folder.path, SQLiteAccountStore.migrations + AuditLog.migrations,
            SQLiteAccountStore.postgreSQLMigrations)
        let time = ManualDate(Date(timeIntervalSince1970: 1_795_000_000))
        self.time = time
        log = AuditLog(in: database, now: { time.now })
        signIn = SignIn(
            store: SQLiteAccountStore(in: database),
            hasher: PasswordHasher(cost: ScryptCost(logRounds: 4, blockSize: 1, parallelism: 1)), now: { time.now })
    }

    func wait(_ seconds: TimeInterval) { time.advance(by: seconds) }

    func entries(_ owners: OwnerID...) async throws -> [AuditEntry] {
        try await log.write()
        return try await log.entries(AuditLog.Filter(of: Set(owners)), limit: 10_000)
    }
}

@Suite(.timeLimit(.minutes(5))) struct AuditLogTests {
    @Test(arguments: DatabaseKind.allCases)
    func entriesBelongToTheirOwner(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        fixture.log.record(
            AuditEvent(.signedIn, of: "anna", session: "1", device: "Firefox on Linux", address: "192.0.2.1"))
        fixture.log.record(AuditEvent(.deleted, of: "bert", subject: "Board"))
        fixture.log.record(AuditEvent(.accountAdded, of: AuditEvent.server, subject: "anna"))
        let hers = try await fixture.entries("anna")
        #expect(hers.map(\.action) == [.signedIn])
        #expect(hers.first?.device == "Firefox on Linux" && hers.first?.address == "192.0.2.1")
        #expect(hers.first?.session == "1" && hers.first?.count == 1)
        #expect(try await fixture.entries("bert").map(\.subject) == ["Board"])
        #expect(try await fixture.entries("carl").isEmpty)
        #expect(try await fixture.entries(AuditEvent.server).map(\.action) == [.accountAdded])
        #expect(try await fixture.log.entries(AuditLog.Filter(of: nil), limit: 10).count == 3)
    }

    @Test(arguments: DatabaseKind.allCases)
    func entriesAreFilteredAndContinued(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        for number in 0..<5 {
            fixture.log.record(AuditEvent(.deleted, of: "anna", subject: "Page \(number)", session: "s"))
            fixture.wait(1)
        }
        fixture.log.record(AuditEvent(.signedIn, of: "anna", session: "t"))
        try await fixture.log.write()
        func read(
            _ topic: AuditAction.Topic? = nil, _ session: String? = nil, before: Int64? = nil, limit: Int = 10
        ) async throws -> [AuditEntry] {
            try await fixture.log.entries(
                AuditLog.Filter(of: ["anna"], topic: topic, session: session, before: before), limit: limit)
        }
        #expect(try await read(.data).count == 5)
        #expect(try await read(.network).isEmpty)
        #expect(try await read(nil, "t").map(\.action) == [.signedIn])
        let first = try await read(limit: 2)
        #expect(first.map(\.action) == [.signedIn, .deleted])
        let rest = try await read(before: first.last?.id)
        #expect(rest.map(\.subject) == ["Page 3", "Page 2", "Page 1", "Page 0"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func repeatedEventsAreCountedForAnHour(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let event = AuditEvent(.egressRefused, of: "anna", subject: "news.example")
        for _ in 0..<100 {
            fixture.log.record(event)
            fixture.wait(1)
            try await fixture.log.write()
        }
        let counted = try await fixture.entries("anna")
        #expect(counted.map(\.count) == [100])
        #expect(counted.first.map { $0.lastAt.timeIntervalSince($0.firstAt) } == 99)
        fixture.wait(3_600)
        fixture.log.record(event)
        #expect(try await fixture.entries("anna").map(\.count) == [1, 100])
    }

    @Test(arguments: DatabaseKind.allCases)
    func floodOfFailedSignInsIsCountedAndRemovesNothingElse(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let name = try #require(AccountName("anna"))
        let anna = try await fixture.signIn.add(name, try #require(Password("correct horse")), isAdministrator: false)
        fixture.log.record(AuditEvent(.signedIn, of: anna.owner, session: "1"))
        for number in 0..<20_000 {
            fixture.log.record(
                AuditEvent(.signInFailed, ofAccountNamed: name, address: "2001:db8::\(String(number, radix: 16))"))
            if number.isMultiple(of: 500) { try await fixture.log.write() }
        }
        let entries = try await fixture.entries(anna.owner, AuditEvent.server)
        #expect(entries.count { $0.action == .signedIn } == 1)
        let failures = entries.filter { $0.action == .signInFailed }
        #expect(failures.count <= AuditLog.maximumClients + 2, "\(failures.count)")
        #expect(failures.reduce(0) { $0 + $1.count } == 20_000)
    }

    @Test(arguments: DatabaseKind.allCases)
    func failureOfAnUnknownNameIsTheServersAndDoesNotStoreTheName(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        fixture.log.record(
            AuditEvent(.signInFailed, ofAccountNamed: AccountName("my-secret-password"), address: "192.0.2.1"))
        fixture.log.record(AuditEvent(.signInFailed, ofAccountNamed: nil, address: "192.0.2.1"))
        let entries = try await fixture.entries(AuditEvent.server)
        #expect(entries.map(\.count) == [2])
        let bytes = try await fixture.database.storedBytes("account_audit")
        #expect(bytes.range(of: Data("192.0.2.1".utf8)) != nil)
        #expect(bytes.range(of: Data("my-secret-password".utf8)) == nil)
    }

    @Test(arguments: [
        ("https://user:secret@example.com/a?token=secret#secret", "example.com"),
        ("saved https://secret@example.com:8080/secret", "example.com:8080"),
        ("https://a@secret@example.com", "example.com"), ("https://example.com\\@secret.example", "example.com"),
        ("javascript://%0asecret", "%0asecret"), ("Beach\n\u{202E}hcaeB\u{7}", "BeachhcaeB"), ("👨‍👩‍👧 board", "👨‍👩‍👧 board"),
        ("://", ""), (String(repeating: "a", count: 5_000), String(repeating: "a", count: 200)),
    ])
    func subjectIsPlainAndWithoutSecrets(given: String, stored: String) async throws {
        let fixture = try await Fixture(.sqlite)
        fixture.log.record(AuditEvent(.deleted, of: "anna", subject: given))
        #expect(try await fixture.entries("anna").map(\.subject) == [stored])
    }

    @Test(arguments: DatabaseKind.allCases)
    func logIsBoundedByCountAndAge(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        fixture.log.record(AuditEvent(.signedOut, of: "anna"))
        for number in 0..<(AuditLog.maximumEntries + 20) {
            fixture.log.record(AuditEvent(.deleted, of: "anna", subject: "\(number)"))
            fixture.wait(1)
        }
        let entries = try await fixture.entries("anna")
        #expect(entries.count { $0.action == .deleted } == AuditLog.maximumEntries)
        #expect(entries.first?.subject == "\(AuditLog.maximumEntries + 19)")
        #expect(entries.contains { $0.action == .signedOut })
        fixture.wait(AuditLog.lifetime)
        fixture.log.record(AuditEvent(.signedIn, of: "anna"))
        #expect(try await fixture.entries("anna").map(\.action) == [.signedIn])
    }

    /// A database that can't be written delays nothing, and loses nothing but details.
    @Test(arguments: DatabaseKind.allCases)
    func recordingNeitherWaitsNorFails(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        fixture.log.record(AuditEvent(.signedIn, of: "anna"))
        fixture.database.close()
        await #expect(throws: AccountError.self) { try await fixture.log.write() }
        #expect(fixture.log.waitingCount == 1)
        for number in 0..<20_000 { fixture.log.record(AuditEvent(.deleted, of: "anna", subject: "\(number)")) }
        await #expect(throws: AccountError.self) { try await fixture.log.write() }
        #expect(fixture.log.waitingCount <= AuditLog.maximumWaiting + AuditAction.allCases.count)
    }

    @Test(arguments: DatabaseKind.allCases)
    func recordedEventsAreWrittenInTheBackground(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let running = Task { await fixture.log.run() }
        fixture.log.record(AuditEvent(.signedIn, of: "anna"))
        while try await fixture.log.entries(AuditLog.Filter(of: ["anna"]), limit: 1).isEmpty { await Task.yield() }
        running.cancel()
        await running.value
    }
}

@Suite struct ClientNetworkTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("fe80::1%eth0", "fe80:0:0:0::/64"), ("::1", "0:0:0:0::/64"), ("", ""),
        ("x", "x"), (":::", ":::"),
    ])
    func addressesOfOneNetworkAreOne(address: String, name: String) {
        #expect(ClientNetwork.name(of: address) == name)
    }

    @Test func addressesOfOneNetworkShareTheirAttempts() throws {
        let (throttle, now) = (AddressThrottle(), Date(timeIntervalSince1970: 1_795_000_000))
        for number in 0..<20 { try throttle.admit("2001:db8::\(number)", at: now) }
        #expect(throws: AccountError.self) { try throttle.admit("2001:db8::ffff:1", at: now) }
        try throttle.admit("2001:db8:0:1::1", at: now)
    }
}
