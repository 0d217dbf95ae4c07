import Capture
import Egress
import EmojiArtModel
import EmojiArtReading
import EmojiArtStore
import Foundation
import FuturesFoundation
import HTTPFetching
import HTTPTypes
import Persistence
import ServedSite
import Site

@testable import EmojiArtWeb

/// The app on a port of its own, in the test process.
struct BoardServer: Sendable {
    let folder: DataFolder
    let site: ServedSite
    let store: any BoardStoring
    let boards: OpenBoards
    private let database: AppDatabase
    private let pictures: HTTPFetcher
    /// The client that sends the tests' requests, as a browser does.
    let client: HTTPFetcher

    var port: Int { site.port }

    /// Starts a server for a folder; several servers of one folder behave like separate processes.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - allowed: The addresses that backgrounds may be fetched from besides public ones.
    ///   - port: The port to listen on; 0 for any port.
    ///   - origin: The public address, if any.
    ///   - capturer: Renders pictures of boards.
    ///   - threads: The threads for computations with large boards.
    ///   - shutdownTimeout: The longest time of a graceful shutdown; `nil` for the usual one.
    /// - Returns: The server, which the caller must stop.
    /// - Throws: The error of a server that can't be started.
    static func start(
        in folder: DataFolder, allowing allowed: [String], port: Int = 0, origin: URL? = nil,
        capturer: PageCapturer? = nil, threads: WorkerThreads = .computing, shutdownTimeout: Duration? = nil
    ) async throws -> BoardServer {
        let database = try await AppDatabase.open(in: folder, migrations: BoardMigrations.all)
        let store = SQLiteBoardStore(database: database, blobs: BlobStore(database: database))
        let policy = AddressPolicy(allowing: try allowed.map { try AllowRule($0) })
        let pictures = HTTPFetcher(addresses: AddressChecker(policy: policy))
        let fetching = ArtFetcher(fetcher: pictures)
        let palettes = await PaletteStores(in: SQLiteStore(database: database, owner: .local))
        let boards = await OpenBoards(of: .local, in: store, palettes: palettes, fetching: fetching)
        var pages = try ArtPages(
            documents: boards, store: store, palettes: palettes, fetching: fetching, renderer: capturer,
            reading: LocalArtReading())
        (pages.threads, pages.boardFiles.threads) = (threads, threads)
        let site = try await ServedSite.start(
            [ArtPages.app], port: port, origin: origin, shutdownTimeout: shutdownTimeout
        ) { router, layout in
            pages.addRoutes(to: router, layout: layout)
        }
        let loopback = AddressPolicy(allowing: [try AllowRule("127.0.0.1")])
        return BoardServer(
            folder: folder, site: site, store: store, boards: boards, database: database, pictures: pictures,
            client: HTTPFetcher(addresses: AddressChecker(policy: loopback)))
    }

    /// Shuts the server down as a signal does; its data remains.
    func stop() async throws {
        try await site.stop()
        pictures.shutDown()
        await boards.shutDown()
        database.close()
    }

    /// Backs up all of its data to a file.
    func backUp(to path: String) async throws {
        _ = try await database.backUp(to: path)
    }

    /// Runs the body with a server in a new folder, which is removed afterwards.
    static func run(
        allowing allowed: [String] = ["127.0.0.1"], origin: URL? = nil, capturer: PageCapturer? = nil,
        threads: WorkerThreads = .computing, _ body: (BoardServer) async throws -> Void
    ) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "art-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let server = try await start(
            in: try DataFolder.open(at: path), allowing: allowed, origin: origin, capturer: capturer,
            threads: threads)
        try await server.stopped(after: body)
    }

    /// Runs the body with a server that can be stopped and started again, on the same folder and port.
    ///
    /// The body stops each server; if it throws, the last one is stopped here.
    static func runRestartable(_ body: (BoardServer, _ restart: () async throws -> BoardServer) async throws -> Void)
        async throws
    {
        let path = FileManager.default.temporaryDirectory.appending(path: "art-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = try DataFolder.open(at: path)
        let server = try await ServedSite.startAtPortOfItsOwn { port in
            try await start(in: folder, allowing: ["127.0.0.1"], port: port)
        }
        var last = server
        do {
            try await body(server) {
                last = try await start(in: folder, allowing: ["127.0.0.1"], port: server.port)
                return last
            }
        } catch {
            try? await last.stop()
            throw error
        }
    }

    /// Runs the body with a second server on the same folder.
    func withSecondServer(_ body: (BoardServer) async throws -> Void) async throws {
        try await Self.start(in: folder, allowing: ["127.0.0.1"]).stopped(after: body)
    }

    private func stopped(after body: (BoardServer) async throws -> Void) async throws {
        do {
            try await body(self)
        } catch {
            try? await stop()
            throw error
        }
        try await stop()
    }
}

// MARK: - Requests

/// A server's response.
struct BoardResponse: Sendable {
    let status: Int
    let headers: HTTPFields
    let data: Data

    var text: String { String(decoding: data, as: UTF8.self) }

    /// Decodes the body as JSON.
    func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: data)
    }

    /// The detail of a problem, or the text of the body.
    var detail: String { (try? json(ProblemJSON.self).detail) ?? text }

    private struct ProblemJSON: Decodable {
        let detail: String
    }
}

extension BoardServer {
    var origin: String { "http://127.0.0.1:\(port)" }

    func request(
        _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields, body: Data?
    ) throws -> FetchRequest {
        guard let url = URL(string: origin + path) else { throw CancellationError() }
        var fields: HTTPFields = [.accept: "application/problem+json, application/json"]
        if method == .post { fields[.origin] = origin }
        for field in headers { fields[field.name] = field.value }
        // Follows redirects, like a browser.
        return FetchRequest(
            url, method: method, headers: fields, body: body,
            limits: FetchLimits {
                $0.redirects = 5
                $0.connecting = .seconds(120)
                $0.firstByte = .seconds(600)
                $0.idle = .seconds(600)
                $0.total = .seconds(1_200)
            })
    }

    /// Sends a request, as the script of a page does.
    func ask(
        _ method: HTTPRequest.Method = .get, _ path: String, _ headers: HTTPFields = [:], body: Data? = nil
    ) async throws -> BoardResponse {
        let request = try request(method, path, headers, body: body)
        return try await client.stream(request) { head, pieces in
            var data = Data()
            for try await piece in pieces { data += piece }
            return BoardResponse(status: head.status, headers: head.headers, data: data)
        }
    }

    /// Creates a board.
    @discardableResult
    func createBoard(
        _ id: String = "beach", named name: String = "Beach", art: EmojiArt = EmojiArt()
    ) async throws -> BoardID {
        guard let id = BoardID(id) else { throw CancellationError() }
        _ = try await store.create(id, named: name, art: art, owner: .local)
        return id
    }

    /// Sends a batch of operations, given as JSON.
    @discardableResult
    func send(
        _ operations: String, as id: String, to board: String = "beach", named name: String = "Move 🐶",
        cookie: String? = nil
    ) async throws -> BoardResponse {
        let batch = #"{"id":"\#(id)","name":"\#(name)","operations":[\#(operations)]}"#
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.cookie] = cookie
        return try await ask(.post, "/art/boards/\(board)/operations", headers, body: Data(batch.utf8))
    }

    /// Adds a dog.
    @discardableResult
    func addDog(_ id: String, x: Double = 0, batch: String? = nil, cookie: String? = nil) async throws -> BoardResponse
    {
        try await send(Self.dog(id, x: x), as: batch ?? "add-\(id)", named: "Add 🐶", cookie: cookie)
    }

    static func dog(_ id: String, x: Double = 0) -> String {
        #"{"op":"add","emoji":{"id":"\#(id)","text":"🐶","x":\#(x),"y":20,"size":40,"z":1}}"#
    }

    func state(_ board: String = "beach") async throws -> BoardStateJSON {
        try await ask(.get, "/art/boards/\(board)/state").json()
    }
}

// MARK: - Responses, decoded without the app's types

struct BoardStateJSON: Decodable {
    struct Art: Decodable {
        let emojis: [EmojiJSON]
        let background: [String: String]?
    }

    let id: String
    let name: String
    let revision: Int
    let art: Art
    let picture: PictureStateJSON
    let me: String
    let epoch: String
}

struct EmojiJSON: Decodable, Equatable {
    let id: String
    let text: String
    let x: Double
    let y: Double
    let size: Double
    let z: Double
    var angle = 0.0
    var isFlipped = false
    var isLocked = false
}

extension EmojiJSON {
    private enum Keys: String, CodingKey {
        case id, text, x, y, size, z, angle, flipped, locked
    }

    /// Decodes an emoji; the server leaves out an angle of 0 and false values.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        self.init(
            id: try container.decode(String.self, forKey: .id), text: try container.decode(String.self, forKey: .text),
            x: try container.decode(Double.self, forKey: .x), y: try container.decode(Double.self, forKey: .y),
            size: try container.decode(Double.self, forKey: .size), z: try container.decode(Double.self, forKey: .z),
            angle: try container.decodeIfPresent(Double.self, forKey: .angle) ?? 0,
            isFlipped: try container.decodeIfPresent(Bool.self, forKey: .flipped) ?? false,
            isLocked: try container.decodeIfPresent(Bool.self, forKey: .locked) ?? false)
    }
}

struct PictureStateJSON: Decodable, Equatable {
    struct Shown: Decodable, Equatable {
        let url: String
        let width: Int
        let height: Int
    }

    let state: String
    let address: String?
    let fraction: Double?
    let message: String?
    let picture: Shown?
    let previous: Shown?
}

struct EntriesJSON: Decodable {
    let revision: Int?
    let name: String?
    let epoch: String?
    let entries: [Entry]?

    struct Entry: Decodable {
        let revision: Int
        let author: String
        let id: String
        let name: String
        let operations: [Operation]
    }

    struct Operation: Decodable {
        let op: String
        let id: String?
        let x: Double?
        let emoji: EmojiJSON?
    }
}

struct OutcomeJSON: Decodable, Equatable {
    struct Refused: Decodable, Equatable {
        let index: Int
        let reason: String
        let message: String
    }

    let revision: Int
    let refused: [Refused]
}

struct StoredPictureJSON: Decodable {
    let picture: String
    let width: Int
    let height: Int
}
