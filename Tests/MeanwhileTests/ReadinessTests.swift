import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Persistence
import Site
import StoreTesting
import Testing

@testable import Meanwhile

@Suite(.timeLimit(.minutes(10))) struct ReadinessTests {
    @Test func serverWithoutItsDatabaseIsNotReady() async throws {
        let folder = try TemporaryFolder()
        let server = try await Server.openWithoutWorkers(in: try DataFolder.open(at: folder.path))
        try await server.site.application().test(.router) { client in
            // What the database doesn't answer within two seconds counts as not ready.
            try await eventually { try await client.execute(uri: "/readyz", method: .get).status == .ok }
            await server.close()
            let after = try await client.execute(uri: "/readyz", method: .get)
            #expect(after.status == .serviceUnavailable && String(buffer: after.body) == "not ready: database\n")
            let health = try await client.execute(uri: "/healthz", method: .get)
            #expect(health.status == .ok)
        }
    }
}
