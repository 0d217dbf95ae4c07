import Egress
import EmojiArtModel
import EmojiArtReading
import Foundation
import HTTPFetching
import HTTPTypes
import Hummingbird
import Loading
import MemoryStores
import Persistence
import ServedSite
import Site
import VirtualTime

@testable import EmojiArtWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server with the list of boards and the palettes, on a port of its own.
///
/// The stores are in memory. A test may change them as another process would.
struct PagesServer: Sendable {
    let site: ServedSite
    let store: any BoardStoring
    /// The store of the palettes.
    let paletteStorage: MemoryStore
    let palettes: PaletteStores
    let pages: ArtPages
    private let boards: OpenBoards
    /// The clock of the pauses between events.
    let clock: ManualClock

    var port: Int { site.port }

    private static func start(usesRealTime: Bool, in paletteStorage: MemoryStore) async throws -> PagesServer {
        let (store, clock) = (MemoryBoardStore(), ManualClock())
        let palettes = await PaletteStores(in: paletteStorage)
        let boards = await OpenBoards(
            of: .local, in: store, palettes: palettes, fetching: FailingFetcher(),
            clock: usesRealTime ? ContinuousClock() : clock)
        let pages = try ArtPages(
            documents: boards, store: store, palettes: palettes, fetching: FailingFetcher(),
            reading: LocalArtReading())
        let site = try await ServedSite.start([ArtPages.app]) { router, layout in
            pages.addRoutes(to: router, layout: layout)
        }
        return PagesServer(
            site: site, store: store, paletteStorage: paletteStorage, palettes: palettes, pages: pages, boards: boards,
            clock: clock)
    }

    private func stop() async throws {
        try await site.stop()
        await boards.shutDown()
    }

    /// Runs a body with a server.
    ///
    /// If `usesRealTime` is true, the pauses between events use real time, which tests with a browser need.
    static func run(
        usesRealTime: Bool = false, in paletteStorage: MemoryStore = MemoryStore(),
        _ body: (PagesServer) async throws -> Void
    ) async throws {
        let server = try await start(usesRealTime: usesRealTime, in: paletteStorage)
        do {
            try await body(server)
        } catch {
            try? await server.stop()
            throw error
        }
        try await server.stop()
    }
}

/// Fails to fetch a picture from any address.
private struct FailingFetcher: BackgroundFetching {
    func fetch(
        _ address: String, limit: Int, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> CheckedPicture {
        throw .fetch("This test has no pictures.", .never)
    }

    func check(_ stored: Data) async throws(PictureError) -> CheckedPicture { try CheckedPicture(stored) }
}

// MARK: - Requests

/// A server's response.
struct PageResponse: Sendable {
    let status: Int
    /// The header fields by their lowercase names.
    let headers: [String: String]
    let text: String

    var location: String? { headers["location"] }

    /// Decodes the body as JSON.
    func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    /// The title and detail of a problem, or the whole body if it isn't one.
    var problem: String { (try? json(ProblemJSON.self)).map { "\($0.title): \($0.detail)" } ?? text }

    private struct ProblemJSON: Decodable {
        let title: String
        let detail: String
    }
}

/// A kind of client; the raw value is its `Accept` header.
enum PageClient: String, CaseIterable, Sendable {
    /// A browser without scripts.
    case browser = "text/html,application/xhtml+xml,*/*;q=0.8"
    /// A script of the app's pages.
    case script = "application/problem+json, text/html"
    /// A program, or the script of a board's page.
    case program = "application/json"
}

extension PagesServer {
    /// Sends a GET request.
    func get(_ path: String, as client: PageClient = .browser) async throws -> PageResponse {
        try await ask(try request(path, as: client))
    }

    /// Sends a form, without following redirects.
    func post(
        _ path: String, _ fields: [String: String] = [:], as client: PageClient = .browser, from origin: String? = nil
    ) async throws -> PageResponse {
        var request = try request(path, as: client)
        request.httpMethod = "POST"
        request.setValue(origin ?? "http://127.0.0.1:\(port)", forHTTPHeaderField: "Origin")
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        let body = fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        request.httpBody = Data(body.joined(separator: "&").utf8)
        return try await ask(request)
    }

    func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw CancellationError() }
        return url
    }

    private func request(_ path: String, as client: PageClient) throws -> URLRequest {
        var request = URLRequest(url: try url(path))
        request.setValue(client.rawValue, forHTTPHeaderField: "Accept")
        return request
    }

    private func ask(_ request: URLRequest) async throws -> PageResponse {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 600
        let session = URLSession(configuration: configuration, delegate: RedirectBlocker(), delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw CancellationError() }
        let headers = Dictionary(
            response.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }, uniquingKeysWith: { $1 })
        return PageResponse(status: response.statusCode, headers: headers, text: String(decoding: data, as: UTF8.self))
    }

    /// Opens an event stream until the body returns.
    func follow<Outcome: Sendable>(
        _ path: String, _ body: @escaping @Sendable (PageEvents) async throws -> Outcome
    ) async throws -> Outcome {
        let loopback = AddressPolicy(allowing: [try AllowRule("127.0.0.1")])
        let client = HTTPFetcher(addresses: AddressChecker(policy: loopback))
        let address = try url(path)
        let limits = FetchLimits {
            $0.connecting = .seconds(120)
            $0.firstByte = .seconds(600)
            $0.idle = .seconds(600)
            $0.total = .seconds(1_200)
        }
        let outcome = await Result {
            try await client.stream(FetchRequest(address, limits: limits)) { _, pieces in
                try await body(PageEvents(pieces))
            }
        }
        client.shutDown()
        return try outcome.get()
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// Blocks redirects, so that a test receives the redirect response itself.
private final class RedirectBlocker: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

/// A reader of an event stream.
final class PageEvents {
    private let events: BoardFollower

    fileprivate init(_ pieces: FetchedBytes) {
        events = BoardFollower(pieces)
    }

    /// Returns the data of the next event with a name, or `nil` at the end.
    func next(_ name: String) async throws -> String? {
        while let event = try await events.next() {
            if event.name == name { return event.data }
        }
        return nil
    }
}

// MARK: - Boards

extension PagesServer {
    /// Creates a board with the given number of emoji.
    @discardableResult
    func createBoard(
        _ id: String, named name: String = "Beach", emojis: Int = 0, text: String = "🐶",
        background: Background = .blank
    ) async throws -> BoardSummary {
        guard let board = BoardID(id) else { throw CancellationError() }
        let all = (0..<emojis).map { Emoji(id: EmojiID($0), text: text, x: Double($0), y: 0, size: 40, z: Double($0)) }
        return try await store.create(
            board, named: name, art: try EmojiArt(background: background, emojis: all), owner: .local)
    }

    /// Adds an emoji to a board.
    func addEmoji(to id: BoardID, _ emoji: String = "one-more") async throws {
        guard let name = EmojiID(emoji) else { throw CancellationError() }
        let batch = OperationBatch(
            id: emoji, name: "Add 🎈",
            operations: [.add(Emoji(id: name, text: "🎈", x: 0, y: 0, size: 40, z: 1))])
        _ = try await store.apply(batch, to: id, owner: .local, author: "")
    }
}
