#if PostgreSQL
    import AsyncHTTPClient
    import Digests
    import DurableFiles
    import Egress
    import Foundation
    import Futures
    import HTTPTypes
    import Hummingbird
    import Logging
    import NIOCore
    import NIOHTTP1
    import OfflineLibraryModel
    import Persistence
    import PostgreSQL
    import Site

    /// Sends requests to the server to which their owner belongs.
    ///
    /// Responses are passed on while they arrive, event streams included. They end if the other server is removed from the
    /// cluster, so none waits for a server that has stopped.
    final class RequestForwarder: RequestForwarding {
        private static let connectTimeout = TimeAmount.seconds(2)
        /// The headers that concern a single connection (RFC 9110, section 7.6.1), and those that the client sets itself.
        private static let ownHeaders: Set<String> = [
            "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer",
            "transfer-encoding", "upgrade",
        ]

        /// The longest body that any route accepts: that of an upload, with its form.
        private static let longestBody = ImportLimits.pageBytes + (1 << 20)
        /// The longest body that is kept in memory.
        private static let bytesInMemory = 1 << 20

        private let member: ClusterMember
        /// The folder of longer bodies, and the disk space that they must leave free.
        private let (incoming, floor): (String, FreeDiskFloor)
        private let client: HTTPClient
        private let logger = Logger(label: "meanwhile.cluster")

        init(_ member: ClusterMember, incoming: String, leaving floor: FreeDiskFloor) {
            (self.member, self.incoming, self.floor) = (member, incoming, floor)
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.timeout.connect = Self.connectTimeout
            // Before the other server closes it, which could coincide with a request.
            configuration.connectionPool.idleTimeout = TimeAmount(SiteLimits().idleTimeout / 2)
            configuration.httpVersion = .http1Only
            // Each open page keeps a connection.
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 100_000
            client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        }

        /// Ends all forwarded requests.
        func shutDown() async { try? await client.shutdown() }

        func client(ofForwarded value: String) -> String? {
            let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].isEqualInConstantTime(to: member.secret) else { return nil }
            return String(parts[1])
        }

        func isServer(_ address: String) -> Bool {
            guard let address = IPAddress(address) else { return false }
            return member.servers.contains { server in
                URL(string: server.address)?.host().flatMap { IPAddress($0.trimmingCharacters(in: ["[", "]"])) }
                    == address
            }
        }

        func response(to request: Request, _ context: SiteContext, of owner: OwnerID) async throws -> Response? {
            var body: Data?
            // A second attempt can succeed if the owner has another server since.
            for attempt in 1...2 {
                guard case .other(let server) = try await place(of: owner) else {
                    if body == nil { return nil }
                    // The route couldn't receive the body again.
                    throw Problem.serverUnavailable
                }
                guard !context.isForwarded else { throw Problem.anotherServer }
                guard let url = Self.url(of: request.uri.description, at: server.address) else {
                    throw Problem.invalidTarget
                }
                if body == nil { body = try await receive(request) }
                var isUnanswered = false
                do {
                    let response = try await send(request, body, context, to: server, url)
                    if response.status != .misdirectedRequest { return Self.response(response, of: server, member) }
                } catch {
                    logger.info(
                        "A request could not be forwarded",
                        metadata: ["server": "\(server.address)", "error": "\(error)"])
                    try Task.checkCancellation()
                    isUnanswered = true
                }
                member.forget(owner)
                // What changes something may have been done, although the answer was lost.
                if attempt == 2 || isUnanswered && request.method != .get && request.method != .head { break }
            }
            throw Problem.serverUnavailable
        }

        /// The URL of a request's target at a server; `nil` if the target isn't a path.
        ///
        /// A target such as `@other.example/`, which HTTP/2 allows, would make the server's address a user's name, and the other
        /// host would receive the secret.
        static func url(of target: String, at address: String) -> String? {
            target.hasPrefix("/") ? address + target : nil
        }

        /// Receives the body of a request; `nil` if it has none.
        ///
        /// It must be complete before the request is forwarded: if the other server doesn't want the rest, nothing else may
        /// read the connection until this has ended.
        private func receive(_ request: Request) async throws -> Data? {
            guard request.declaredLength ?? 0 > 0 || request.headers.contains(.transferEncoding) else { return nil }
            var body = Data()
            var file: IncomingFile?
            try await request.receive(upTo: Self.longestBody, orElse: .longBody) { piece in
                if let file { return try file.append(Data(piece.readableBytesView)) }
                body.append(contentsOf: piece.readableBytesView)
                guard body.count > Self.bytesInMemory else { return }
                let new = try IncomingFile(in: incoming, leaving: floor)
                try new.append(body)
                (file, body) = (new, Data())
            }
            return try file?.mapped() ?? body
        }

        private func place(of owner: OwnerID) async throws -> ClusterMember.Place {
            do throws(StoreError) {
                return try await member.place(of: owner)
            } catch {
                logger.warning("The server of an owner could not be found", metadata: ["error": "\(error)"])
                throw Problem.serverUnavailable
            }
        }

        private func send(
            _ request: Request, _ body: Data?, _ context: SiteContext, to server: ClusterMember.Server,
            _ url: String
        ) async throws -> HTTPClientResponse {
            var forwarded = HTTPClientRequest(url: url)
            forwarded.method = HTTPMethod(rawValue: request.method.rawValue)
            for field in request.headers where !Self.ownHeaders.contains(field.name.canonicalName) {
                forwarded.headers.add(name: field.name.rawName, value: field.value)
            }
            if let host = request.head.authority { forwarded.headers.add(name: "host", value: host) }
            forwarded.headers.replaceOrAdd(
                name: HTTPField.Name.meanwhileForwarded.rawName, value: "\(member.secret) \(context.clientAddress)")
            if let id = RequestID.current { forwarded.headers.replaceOrAdd(name: "x-request-id", value: id) }
            if let body { forwarded.body = .bytes(body) }
            return try await Self.untilEnd(of: server, member) { [client, forwarded] in
                try await client.execute(forwarded, deadline: .distantFuture)
            }
        }

        private static func response(
            _ response: HTTPClientResponse, of server: ClusterMember.Server, _ member: ClusterMember
        ) -> Response {
            var fields = HTTPFields()
            for (name, value) in response.headers where !ownHeaders.contains(name.lowercased()) {
                if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
            }
            let length = response.headers.first(name: "content-length").flatMap { Int($0) }
            return Response(
                status: .init(code: Int(response.status.code)), headers: fields,
                body: ResponseBody(contentLength: length) { writer in
                    let client = SoleWriter(writer)
                    try await untilEnd(of: server, member) {
                        for try await part in response.body { try await client.write(part) }
                    }
                    try await client.finish()
                })
        }

        /// Runs work until it ends, or its server is removed from the cluster, or the task is cancelled.
        private static func untilEnd<Value: Sendable>(
            of server: ClusterMember.Server, _ member: ClusterMember,
            _ work: @escaping @Sendable () async throws -> Value
        ) async throws -> Value {
            try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask { try await work() }
                group.addTask {
                    await member.waitForEnd(of: server)
                    return nil
                }
                defer { group.cancelAll() }
                guard let first = try await group.next(), let value = first else { throw Problem.serverUnavailable }
                return value
            }
        }
    }

    extension Problem {
        /// The owner's server can't be reached, and isn't replaced yet.
        static let serverUnavailable = Problem(
            .serviceUnavailable, title: ClusterWords.unavailable, detail: ClusterWords.unavailableDetail,
            headers: [.retryAfter: "2"])
        /// The body is longer than any route accepts.
        static let longBody = Problem(
            .contentTooLarge, title: ClusterWords.longBody, detail: ClusterWords.longBodyDetail)
        /// The target of the request isn't a path.
        static let invalidTarget = Problem(
            .badRequest, title: ClusterWords.invalidTarget, detail: ClusterWords.anotherDetail)
        /// A request was forwarded to a server to which the owner doesn't belong any more.
        static let anotherServer = Problem(
            .misdirectedRequest, title: ClusterWords.another, detail: ClusterWords.anotherDetail)
    }
#endif
