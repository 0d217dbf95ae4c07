import EmojiArtModel
import EmojiArtStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Persistence
import StoreTesting
import Testing

@testable import Meanwhile

/// Things of Anna's that only a job or a command makes, requested by Bert with their real identifiers.
@Suite(.serialized, .timeLimit(.minutes(20))) struct OwnedThingsTests {
    /// A PNG of one pixel.
    private static let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    /// Checks that Bert's request with a known identifier gets the same response as one with an unknown identifier.
    private func expectNothing(
        _ his: Visitor, _ method: HTTPRequest.Method, _ path: String, _ known: String, _ unknown: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await his.send(method, path)
        let missing = try await his.send(method, path.replacing(known, with: unknown))
        #expect(found.status == .notFound, "\(method) \(path)", sourceLocation: sourceLocation)
        #expect(
            missing.status == found.status && missing.text.replacing(unknown, with: known) == found.text,
            "\(method) \(path)", sourceLocation: sourceLocation)
    }

    @Test func importsAreTheOwnersOwn() async throws {
        try await PeopleServer.test { people, hers, his in
            let workspace = people.workspace
            let file = try workspace.makeFile("annas-list.txt", "https://annas-secret.example/\nno address\n")
            let command = try await workspace.run([
                Program.path, "library", "import", "--data", workspace.data, "--user", "anna", file,
            ])
            #expect(command.exitCode == 0, "\(command.errors)")
            let id = try #require(try await workspace.sqlite("SELECT id FROM library_import").first)
            let path = "/library/import/\(id)"
            let report = try await hers.text(path)
            #expect(report.contains("annas-list.txt") && report.contains("no address"), "\(report)")
            try await eventually {
                try await workspace.sqlite("SELECT count(*) FROM library_import_entry WHERE state = 'waiting'") == ["0"]
            }
            let rows = try await OwnerWalkTests.rows(of: people.anna.owner.rawValue, in: workspace)
            try await expectNothing(his, .get, path, id, UUID().uuidString.lowercased())
            try await expectNothing(his, .post, "\(path)/remove", id, UUID().uuidString.lowercased())
            #expect(try await !his.text("/library/import").contains("annas-list"))
            #expect(try await OwnerWalkTests.rows(of: people.anna.owner.rawValue, in: workspace) == rows)
            #expect(try await hers.text(path).contains("annas-list.txt"))
            // The identifier leads to the import, so that this test can fail.
            #expect(try await hers.status(.post, "\(path)/remove") == 303)
            #expect(try await workspace.sqlite("SELECT id FROM library_import").isEmpty)
        }
    }

    @Test func picturesAreTheOwnersOwn() async throws {
        try await PeopleServer.test { people, hers, his in
            let workspace = people.workspace
            let database = try await AppDatabase.open(
                in: try DataFolder.open(at: workspace.data), migrations: DatabaseSchema.migrations)
            defer { database.close() }
            let store = SQLiteBoardStore(database: database, blobs: BlobStore(database: database))
            let data = try #require(Data(base64Encoded: Self.png))
            #expect(try await hers.status(.post, "/art/boards", "name=Annas-board") == 303)
            let board = try #require(
                try await workspace.sqlite("SELECT id FROM art_board").first.flatMap { BoardID($0) })
            let content = PictureContent(data: data, type: "image/png", size: nil)
            let picture = try await store.add(content, for: board, owner: people.anna.owner)
            #expect(try await his.status(.post, "/art/boards", "name=Berts") == 303)
            let ids = try await workspace.sqlite(
                "SELECT id FROM art_board WHERE owner = '\(people.bert.owner.rawValue)'")
            let own = try #require(ids.first)
            let rows = try await workspace.sqlite("SELECT * FROM art_picture")
            let shown = try await hers.send(.get, "/art/boards/\(board)/picture/\(picture)")
            #expect(shown.status == .ok && Array(shown.body.readableBytesView) == Array(data))
            let (id, unknown) = (board.rawValue, "0" + board.rawValue.dropFirst())
            for (method, path) in [
                (HTTPRequest.Method.get, "/art/boards/\(id)/picture/\(picture)"), (.post, "/art/boards/\(id)/pictures"),
            ] {
                try await expectNothing(his, method, path, id, unknown)
            }
            // Nor does a board of his own show it, or take it as its background.
            #expect(try await his.status(.get, "/art/boards/\(own)/picture/\(picture)") == 404)
            let operation = #"{"op":"background","background":{"picture":"\#(picture)"}}"#
            let batch = #"{"id":"00000000-0000-4000-8000-000000000001","name":"n","operations":[\#(operation)]}"#
            _ = try await his.send(.post, "/art/boards/\(own)/operations", batch, type: "application/json")
            #expect(try await !his.text("/art/boards/\(own)/state").contains("\(picture)"))
            #expect(try await workspace.sqlite("SELECT * FROM art_picture") == rows)
        }
    }

    @Test func uploadTokensAreTheOwnersOwn() async throws {
        try await PeopleServer.test { people, hers, his in
            let workspace = people.workspace
            #expect(try await hers.status(.post, "/library/uploads/token") == 200)
            let rows = try await workspace.sqlite("SELECT * FROM library_upload_token")
            #expect(rows.count == 1)
            let page = try await hers.text("/library/uploads")
            // Bert has no token, so that he withdraws none, and then one of his own.
            #expect(try await his.status(.post, "/library/uploads/withdraw") == 303)
            #expect(try await workspace.sqlite("SELECT * FROM library_upload_token") == rows)
            #expect(try await his.text("/library/uploads") != page)
            #expect(try await his.status(.post, "/library/uploads/token") == 200)
            #expect(try await workspace.sqlite("SELECT * FROM library_upload_token").count == 2)
            #expect(try await his.status(.post, "/library/uploads/withdraw") == 303)
            #expect(try await workspace.sqlite("SELECT * FROM library_upload_token") == rows)
            #expect(try await hers.text("/library/uploads") == page)
            #expect(try await hers.status(.post, "/library/uploads/withdraw") == 303)
            #expect(try await workspace.sqlite("SELECT * FROM library_upload_token").isEmpty)
        }
    }

    @Test func backupsAreForAdministratorsOnly() async throws {
        try await PeopleServer.test(hasBackups: true) { people, hers, his in
            let folder = "\(people.workspace.root)/backups"
            func names() -> [String] { people.workspace.names(in: folder).filter { $0.hasSuffix(".tar") } }
            #expect(try await his.status(.post, "/data/backups") == 404)
            #expect(names().isEmpty)
            #expect(try await hers.status(.post, "/data/backups") == 303)
            try await eventually { try await hers.text("/data/").contains("/data/backups/") }
            let name = try #require(names().first)
            #expect(names().count == 1)
            let backup = try await hers.send(.get, "/data/backups/\(name)")
            #expect(backup.status == .ok && backup.body.readableBytes > 1_000)
            try await expectNothing(his, .get, "/data/backups/\(name)", name, "0" + name.dropFirst())
            let page = try await his.text("/data/")
            #expect(!page.contains(folder) && !page.contains(name))
            #expect(try await his.status(.post, "/data/backups") == 404)
            #expect(names() == [name])
        }
    }
}
