import Foundation
import Persistence
import ServedPostgreSQL
import Testing

@testable import PostgreSQL

/// Connections that fail while they are opened, and their states in the pool.
@Suite(.timeLimit(.minutes(5))) struct PostgresPoolTests {
    private func open(_ limits: PostgresLimits) async throws -> (proxy: CuttingProxy, database: PostgresDatabase) {
        let schema = try await ServedPostgreSQL.newSchema()
        let proxy = try CuttingProxy(to: await ServedPostgreSQL.folder())
        // Opened first with the usual limits, which even a busy machine keeps.
        let database = try await openDatabase(proxy.address(of: schema), ServedPostgreSQL.limits, counter).reopened(
            limits)
        return (proxy, database)
    }

    /// libpq's limit for connecting has passed then, and the server's limits aren't set yet.
    @Test(arguments: ["SET statement_timeout", "pg_walfile_name"], [CuttingProxy.Harm.cutBefore, .cutAfter, .silence])
    func connectionThatBreaksWhileItIsOpenedIsTriedAgain(text: String, harm: CuttingProxy.Harm) async throws {
        var limits = ServedPostgreSQL.limits
        limits.statement = .seconds(2)
        let (proxy, database) = try await open(limits)
        proxy.harm(harm, at: text, times: 3)
        try await database.increment()
        #expect(try await database.number() == 1)
        #expect(proxy.count == 3)
    }

    @Test func longFailedTransactionLeavesTheConnectionUsable() async throws {
        var limits = ServedPostgreSQL.limits
        limits.connections = 1
        let database = try await openDatabase(nil, limits, counter)
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) {
                try await database.writeRows(locking: []) { connection in
                    for number in 0..<700 { _ = try connection.row("SELECT \(number)") }
                    _ = try connection.execute("SELECT 1 / 0")
                }
            }
            #expect(error?.code == .queryFailed)
            try await database.increment()
        }
        #expect(try await database.number() == 2)
    }

    /// The program sends the password and the data only to a server whose certificate it has checked.
    @Test(arguments: [
        ("postgres://a:b@db.example/c", "verify-full"), ("postgres://a@/c?host=127.0.0.1,db.example", "verify-full"),
        ("postgres://a@/c?host=/run/postgresql", "prefer"), ("postgres:///c", "prefer"),
        ("postgres://localhost/c", "prefer"),
    ])
    func otherComputersAreReachedByTLS(text: String, tls: String) throws {
        #expect(try PostgresAddress(text).tls == tls)
    }

    @Test func refusedLoginIsNotRepeated() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let text = schema.text.replacing("postgres://postgres@", with: "postgres://nobody@")
        let pool = PostgresPool(try PostgresAddress(text), ServedPostgreSQL.limits)
        let result = await pool.run(until: .now + .seconds(30)) { _ in }
        let error = #expect(throws: PostgresError.self) { try result.get() }
        #expect(error?.isWorthRetrying == false)
    }
}
