import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Site

/// The options of commands that can use another server's data by its API.
struct RemoteOptions: ParsableArguments {
    @Option(help: RemoteWords.server)
    var server: String?

    @Option(help: RemoteWords.tokenFile)
    var tokenFile: String?

    /// The server to use; `nil` for the data folder of this computer.
    ///
    /// - Throws: `ValidationError` for a wrong option; ``CommandFailure`` if there is no token.
    func target() throws -> RemoteServer.Target? {
        let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        let address = try environment.value(of: "--server", server, takes: RemoteWords.address) { text in
            RemoteServer.address(text)
        }
        guard let address else {
            if tokenFile != nil { throw ValidationError(RemoteWords.tokenWithoutServer) }
            return nil
        }
        return RemoteServer.Target(address: address, token: try token(environment))
    }

    private func token(_ environment: [String: String]) throws -> String {
        var text = environment["MEANWHILE_TOKEN"]
        if let path = tokenFile ?? (text == nil ? environment["MEANWHILE_TOKEN_FILE"] : nil) {
            do {
                let file = try FileHandle(forReadingFrom: URL(filePath: path))
                defer { try? file.close() }
                text = String(data: try file.read(upToCount: 4_096) ?? Data(), encoding: .utf8)
            } catch {
                throw CommandFailure(
                    code: "noToken", message: RemoteWords.tokenNotRead(path, error.localizedDescription))
            }
        }
        let token = (text ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        // A header can't contain any other characters.
        guard !token.isEmpty, token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw CommandFailure(code: "noToken", message: RemoteWords.noToken)
        }
        return token
    }
}

/// A server whose API a command uses.
struct RemoteServer: Sendable {
    /// A server's address and a token.
    struct Target: Sendable {
        let address: URL
        let token: String
    }

    /// The largest response in memory, such as an exported board or a web archive, in bytes.
    private static let maximumBytes = 600_000_000
    /// The longest problem that is shown, in bytes.
    private static let maximumProblemBytes = 100_000
    /// The time limit of a request, in seconds; the largest file takes a while.
    private static let timeout: Int64 = 300

    let target: Target
    private let client: HTTPClient

    /// The address of a server; `nil` unless the text is the beginning of an address, as of a page.
    static func address(_ text: String) -> URL? {
        guard let url = URL(string: text.hasSuffix("/") ? String(text.dropLast()) : text),
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), url.host()?.isEmpty == false,
            url.path() == "", url.query() == nil, url.fragment() == nil, url.user() == nil
        else { return nil }
        return url
    }

    /// Whether others on the network can read the token.
    private static func isUnencrypted(_ url: URL) -> Bool {
        url.scheme?.lowercased() == "http" && !["127.0.0.1", "localhost", "::1", "[::1]"].contains(url.host() ?? "")
    }

    /// Uses a server, and closes the connections.
    static func use<Value>(_ target: Target, _ body: (RemoteServer) async throws -> Value) async throws -> Value {
        if isUnencrypted(target.address) {
            DataFolderOptions.printError(CommandWords.warning(RemoteWords.unencrypted(target.address.absoluteString)))
        }
        var configuration = HTTPClient.Configuration(
            // A redirect could send the token elsewhere.
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10), read: .seconds(60)))
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body(RemoteServer(target: target, client: client)))
        } catch {
            outcome = .failure(error)
        }
        try? await client.shutdown()
        return try outcome.get()
    }
}

// MARK: - Requests

extension RemoteServer {
    /// Sends a request, and decodes the response.
    func send<Value: Decodable>(
        _ method: String, _ path: String, _ json: (some Encodable)? = String?.none, as type: Value.Type = Value.self
    ) async throws -> Value {
        let body = try json.map { try APIJSON.data($0) }
        let data = try await data(method, path, body, type: body == nil ? nil : "application/json")
        do {
            return try APIJSON.decode(type, from: data)
        } catch {
            throw CommandFailure(code: "otherVersion", message: RemoteWords.otherVersion(name))
        }
    }

    /// Sends a request whose response has no content.
    func send(_ method: String, _ path: String) async throws {
        _ = try await data(method, path, nil, type: nil)
    }

    /// Reads a file.
    func file(_ path: String) async throws -> Data { try await data("GET", path, nil, type: nil) }

    /// Sends a file, and decodes the response.
    func upload<Value: Decodable>(_ file: Data, _ path: String, as type: Value.Type) async throws -> Value {
        let data = try await data("POST", path, file, type: "application/octet-stream")
        do {
            return try APIJSON.decode(type, from: data)
        } catch {
            throw CommandFailure(code: "otherVersion", message: RemoteWords.otherVersion(name))
        }
    }

    /// All entries of a list.
    func list<Item: Decodable & Sendable>(_ path: String, as type: Item.Type = Item.self) async throws -> [Item] {
        var (items, cursor): ([Item], String?) = ([], nil)
        repeat {
            let separator = path.contains("?") ? "&" : "?"
            let query = cursor.map { "\(separator)limit=200&cursor=\($0)" } ?? "\(separator)limit=200"
            let part = try await send("GET", path + query, as: List<Item>.self)
            items += part.items
            cursor = part.next
        } while cursor != nil
        return items
    }

    private struct List<Item: Decodable & Sendable>: Decodable, Sendable {
        var items: [Item]
        var next: String?
    }

    private var name: String { target.address.absoluteString }

    private func data(_ method: String, _ path: String, _ body: Data?, type: String?) async throws -> Data {
        var request = HTTPClientRequest(url: "\(name)/api/v1/\(path)")
        request.method = .init(rawValue: method)
        request.headers.add(name: "Authorization", value: "Bearer \(target.token)")
        request.headers.add(name: "Accept", value: "application/json")
        if let type { request.headers.add(name: "Content-Type", value: type) }
        // A request whose response is lost can be sent again.
        if method == "POST" { request.headers.add(name: "Idempotency-Key", value: UUID().uuidString) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        do {
            return try await answer(request)
        } catch let error as HTTPClientError
            where error == .remoteConnectionClosed && method != "PATCH" && method != "DELETE"
        {
            return try await reaching { try await answer(request) }
        } catch {
            return try await reaching { throw error }
        }
    }

    private func reaching(_ body: () async throws -> Data) async throws -> Data {
        do {
            return try await body()
        } catch let error as CommandFailure {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            let reason = (error as? HTTPClientError)?.shortDescription ?? "\(error)"
            throw CommandFailure(
                code: "unreachable", message: RemoteWords.unreachable(name, String(reason.prefix(300))))
        }
    }

    private func answer(_ request: HTTPClientRequest) async throws -> Data {
        let response = try await client.execute(request, timeout: .seconds(Self.timeout))
        let status = Int(response.status.code)
        let type = response.headers.first(name: "Content-Type") ?? ""
        guard (200..<300).contains(status) else {
            if let place = response.headers.first(name: "Location"), (300..<400).contains(status) {
                throw CommandFailure(
                    code: "redirected", message: RemoteWords.redirected(name, String(place.prefix(300))))
            }
            guard type.hasPrefix("application/problem+json") else {
                throw CommandFailure(code: "otherVersion", message: RemoteWords.otherVersion(name))
            }
            let body = try await response.body.collect(upTo: Self.maximumProblemBytes)
            throw Self.failure(status, Data(body.readableBytesView))
        }
        let body = try await response.body.collect(upTo: Self.maximumBytes)
        return Data(body.readableBytesView)
    }

    private struct ProblemJSON: Decodable {
        var title: String
        var detail: String
    }

    private static func failure(_ status: Int, _ body: Data) -> CommandFailure {
        let problem = try? JSONDecoder().decode(ProblemJSON.self, from: body)
        let code =
            switch status {
            case 401: "wrongToken"
            case 403: "forbidden"
            case 404, 410: "notFound"
            case 409, 412: "conflict"
            case 400..<500: "refused"
            default: "serverError"
            }
        let text = problem.map { "\($0.title): \($0.detail)" } ?? RemoteWords.status(status)
        // Shown on a terminal: no character may control it.
        let plain = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return CommandFailure(code: code, message: String(String.UnicodeScalarView(plain)))
    }
}
