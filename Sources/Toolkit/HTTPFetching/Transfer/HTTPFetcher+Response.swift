import AsyncHTTPClient
import Egress
import Foundation
import HTTPTypes
import ImageInfo
import Loading
import NIOCore
import NIOHTTP1

// One request to one server, at an address that was checked; resumed where its connection breaks.

extension HTTPFetcher {
    /// How much of the content of an error or a redirect is read, so that its connection can be used again.
    private static let unwantedBytes = 256 << 10

    /// A whole response, of any status.
    struct Response: Sendable {
        var status: Int
        var headers: HTTPFields
        /// Empty for a status that is not one of success.
        var content: FetchedResource.Content
        var sniffedType: SniffedType
    }

    /// Sends a request, and waits for all of the response.
    func response(to hop: Hop, _ transfer: Transfer) async throws(FetchError) -> Response {
        var attempt = Attempt(hop, transfer)
        while true {
            do throws(FetchError) {
                if let response = try await response(to: &attempt, transfer) { return response }
            } catch {
                let failure = transfer.failure(error, at: hop.url)
                guard failure.code == .cutOff, !Task.isCancelled, let question = attempt.resume.broke() else {
                    await attempt.collector?.abandon()
                    throw failure
                }
                attempt.extra = question.headers
            }
        }
    }

    /// The state of one request that may have to be sent several times.
    private struct Attempt {
        let hop: Hop
        /// The header fields that ask for the rest.
        var extra = HTTPFields()
        var resume: ResumeStateMachine
        var collector: ContentCollector?
        /// The head of the response whose content is collected.
        var head: (status: Int, headers: HTTPFields)?

        init(_ hop: Hop, _ transfer: Transfer) {
            self.hop = hop
            self.resume = ResumeStateMachine(
                method: hop.method, isPlain: !hop.headers.contains(.range), attempts: transfer.limits.resumptions)
        }
    }

    /// - Returns: The response; `nil` if the request is to be sent again.
    private func response(
        to attempt: inout Attempt, _ transfer: Transfer
    ) async throws(FetchError) -> Response? {
        let url = attempt.hop.url
        let begun = try await send(attempt.hop, attempt.extra, transfer)
        // A client closes its connections when its last reference goes.
        defer { withExtendedLifetime(begun.client) {} }
        if begun.status == 304, !attempt.hop.isConditional, attempt.extra.isEmpty {
            throw .garbled(url, "the server says that nothing has changed, which was not asked")
        }
        if begun.status == 206, !attempt.hop.headers.contains(.range), !attempt.extra.contains(.range) {
            throw .garbled(url, "the server sends a part of it, which was not asked for")
        }
        switch attempt.resume.answered(status: begun.status, headers: begun.headers) {
        case .takeFromTheBeginning:
            guard (200..<300).contains(begun.status) else {
                await attempt.collector?.abandon()
                attempt.collector = nil
                try await discard(begun.response.body, transfer)
                return Response(
                    status: begun.status, headers: begun.headers, content: .data(Data()), sniffedType: .nothing)
            }
            if attempt.collector == nil {
                attempt.collector = try await ContentCollector(transfer.request.destination)
            } else {
                try await attempt.collector?.startAnew()
            }
            attempt.head = (begun.status, begun.headers)
        case .takeTheRest:
            break
        case .askAnew:
            attempt.extra = [:]
            return nil
        case .fail:
            throw .cutOff(url, nil)
        }
        guard let head = attempt.head, var collector = attempt.collector else { return nil }
        do throws(FetchError) {
            try await collect(
                begun.response.body, &collector, &attempt.resume, transfer, url, length: head.headers.plainLength)
            attempt.collector = collector
        } catch {
            attempt.collector = collector
            throw error
        }
        transfer.watch.pause()
        let type = collector.sniffed(isWhole: true) ?? .nothing
        return Response(
            status: head.status, headers: head.headers.decoded, content: try await collector.finish(), sniffedType: type
        )
    }

    /// Reads an unwanted content to its end, or drops its connection if it is long or breaks.
    private func discard(_ body: HTTPClientResponse.Body, _ transfer: Transfer) async throws(FetchError) {
        transfer.watch.enter(.idle, transfer.limits.idle)
        var pieces = body.makeAsyncIterator()
        var rest = min(transfer.limits.bytes, Self.unwantedBytes)
        while rest >= 0, let piece = try? await pieces.next(isolation: #isolation) {
            rest -= piece.readableBytes
            transfer.watch.enter(.idle, transfer.limits.idle)
        }
        transfer.watch.pause()
        if Task.isCancelled { throw .cancelled }
    }

    /// Collects a content.
    private func collect(
        _ body: HTTPClientResponse.Body, _ collector: inout ContentCollector, _ resume: inout ResumeStateMachine,
        _ transfer: Transfer, _ url: URL, length: Int64?
    ) async throws(FetchError) {
        let (request, limits) = (transfer.request, transfer.limits)
        let length = request.method == .head ? nil : length
        if let length {
            guard length <= limits.bytes else { throw .tooLarge(url, limits.bytes) }
            if collector.count == 0 { collector.reserve(Int(length)) }
        }
        var mustSniff = request.method != .head && request.expecting != .anything
        var pieces = body.makeAsyncIterator()
        transfer.watch.enter(.idle, limits.idle)
        while let piece = try await next(&pieces, url) {
            guard collector.count + piece.readableBytes <= limits.bytes else { throw .tooLarge(url, limits.bytes) }
            try await collector.append(piece)
            resume.received(piece.readableBytes)
            transfer.watch.enter(.idle, limits.idle)
            transfer.report(FetchProgress(received: Int64(collector.count), expected: length))
            if mustSniff, let type = collector.sniffed(isWhole: false) {
                mustSniff = false
                guard request.expecting.accepts(type) else { throw .unexpected(url, request.expecting, type) }
            }
        }
        // A cancelled content may end as if it were whole.
        if Task.isCancelled { throw .cancelled }
        if let length, Int64(collector.count) != length { throw .cutOff(url, nil) }
        // Before it takes the place of a file.
        if mustSniff, let type = collector.sniffed(isWhole: true), !request.expecting.accepts(type) {
            throw .unexpected(url, request.expecting, type)
        }
    }

    private func next(
        _ pieces: inout HTTPClientResponse.Body.AsyncIterator, _ url: URL
    ) async throws(FetchError) -> ByteBuffer? {
        do {
            return try await pieces.next(isolation: #isolation)
        } catch {
            throw FetchError(error, fetching: url)
        }
    }
}

extension HTTPFetcher {
    /// A response whose head has arrived.
    struct BegunResponse: Sendable {
        var response: HTTPClientResponse
        var headers: HTTPFields
        /// To be held for as long as the content is read.
        var client: PinnedClient

        var status: Int { Int(response.status.code) }
        var plainLength: Int64? { headers.plainLength }
    }

    /// Sends a request to the first of a host's addresses that takes a connection, and waits for the response's head.
    func send(_ hop: Hop, _ extra: HTTPFields, _ transfer: Transfer) async throws(FetchError) -> BegunResponse {
        transfer.watch.enter(.firstByte, transfer.limits.firstByte)
        guard let origin = WebOrigin(hop.url), let host = hop.url.connectedHost else {
            throw FetchError(.invalidRequest, "\(shown(hop.url)) is no address of the web. Check it.")
        }
        let checked: [IPAddress]
        do throws(EgressError) {
            checked = try await addresses.addresses(of: host, port: origin.port)
        } catch {
            throw FetchError(error, fetching: hop.url)
        }
        let request = HTTPClientRequest(hop, extra)
        var failure: FetchError?
        for address in checked {
            do throws(FetchError) {
                let client = try clients.client(for: PinnedClients.Target(host: host, address: address))
                let response = try await execute(request, client, hop.url)
                let size = response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
                guard size <= transfer.limits.headerBytes else { throw .headersTooLarge(hop.url) }
                return BegunResponse(response: response, headers: HTTPFields(response.headers), client: client)
            } catch {
                guard error.isOfConnecting, !Task.isCancelled else { throw error }
                failure = failure ?? error
            }
        }
        addresses.forget(host, port: origin.port)
        throw failure ?? FetchError(.hostNotFound, "\(host) has no address. Check it.")
    }

    private func execute(
        _ request: HTTPClientRequest, _ pinned: PinnedClient, _ url: URL
    ) async throws(FetchError) -> HTTPClientResponse {
        do {
            return try await pinned.client.execute(request, deadline: .distantFuture)
        } catch {
            throw FetchError(error, fetching: url)
        }
    }
}

extension ResumeStateMachine.Question {
    fileprivate var headers: HTTPFields {
        switch self {
        case .fromTheBeginning: [:]
        case .from(let start, let validator):
            [.range: "bytes=\(start)-", .ifRange: validator, .acceptEncoding: "identity"]
        }
    }
}

extension Hop {
    fileprivate var isConditional: Bool {
        [.ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince].contains { headers.contains($0) }
    }
}

extension HTTPClientRequest {
    fileprivate init(_ hop: Hop, _ extra: HTTPFields) {
        self.init(url: hop.url.absoluteString)
        method = HTTPMethod(rawValue: hop.method.rawValue)
        for field in hop.headers where !extra.contains(field.name) {
            headers.add(name: field.name.rawName, value: field.value)
        }
        for field in extra { headers.add(name: field.name.rawName, value: field.value) }
        if let content = hop.body { body = .bytes(ByteBuffer(bytes: content)) }
    }
}

extension HTTPFields {
    /// The fields of a response; a name that none may have is left out.
    fileprivate init(_ headers: HTTPHeaders) {
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { append(HTTPField(name: name, value: value)) }
        }
    }

    /// How long the content is; `nil` if the server doesn't say, or it is compressed.
    fileprivate var plainLength: Int64? { self[.contentEncoding] == nil ? announcedLength : nil }

    /// The fields of a content that has been decompressed, which has another length.
    fileprivate var decoded: HTTPFields {
        guard let encoding = self[.contentEncoding]?.lowercased(), ["gzip", "deflate"].contains(encoding) else {
            return self
        }
        var headers = self
        headers[fields: .contentEncoding] = []
        headers[fields: .contentLength] = []
        return headers
    }
}
