import AsyncHTTPClient
import Egress
import Foundation
import HTTPTypes
import ImageInfo
import Loading
import NIOCore
import NIOHTTP1

// Sends one request to one server at a checked address, and resumes it after a broken connection.

extension HTTPFetcher {
    /// How many bytes of an error's or a redirect's content are read so that the connection can be reused.
    private static let drainLimit = 256 << 10

    /// A complete response, of any status.
    struct Response: Sendable {
        var status: Int
        var headers: HTTPFields
        /// Empty without a success status.
        var content: FetchedResource.Content
        var sniffedType: SniffedType
    }

    /// Sends a request and waits for the complete response.
    func response(to hop: Hop, _ transfer: Transfer) async throws(FetchError) -> Response {
        var attempt = Attempt(hop, transfer)
        while true {
            do throws(FetchError) {
                if let response = try await response(to: &attempt, transfer) { return response }
            } catch {
                let failure = transfer.failure(error, at: hop.url)
                guard failure.code == .cutOff, !Task.isCancelled, let requestKind = attempt.resume.connectionLost()
                else {
                    await attempt.collector?.abandon()
                    throw failure
                }
                attempt.extra = requestKind.headers
            }
        }
    }

    /// The state of one request that may be sent several times.
    private struct Attempt {
        let hop: Hop
        /// The header fields that request the rest of the content.
        var extra = HTTPFields()
        var resume: ResumeStateMachine
        var collector: ContentCollector?
        /// The head of the response whose content is being collected.
        var head: (status: Int, headers: HTTPFields)?

        init(_ hop: Hop, _ transfer: Transfer) {
            self.hop = hop
            self.resume = ResumeStateMachine(
                method: hop.method, isPlain: !hop.headers.contains(.range), attempts: transfer.limits.resumptions)
        }
    }

    /// - Returns: The response; `nil` if the request must be sent again.
    private func response(
        to attempt: inout Attempt, _ transfer: Transfer
    ) async throws(FetchError) -> Response? {
        let url = attempt.hop.url
        let begun = try await send(attempt.hop, attempt.extra, transfer)
        // A client closes its connections when its last reference is released.
        defer { withExtendedLifetime(begun.client) {} }
        if begun.status == 304, !attempt.hop.isConditional, attempt.extra.isEmpty {
            throw .garbled(url, "it is a 304, although the request had no condition")
        }
        if begun.status == 206, !attempt.hop.headers.contains(.range), !attempt.extra.contains(.range) {
            throw .garbled(url, "it has only a part of the content, although the request was for all of it")
        }
        switch attempt.resume.answered(status: begun.status, headers: begun.headers) {
        case .replace:
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
                try await attempt.collector?.restart()
            }
            attempt.head = (begun.status, begun.headers)
        case .append:
            break
        case .restart:
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
        let type = collector.sniffed(isComplete: true) ?? .nothing
        return Response(
            status: head.status, headers: head.headers.decoded, content: try await collector.finish(), sniffedType: type
        )
    }

    /// Reads unwanted content to its end so that its connection can be reused, unless it's too long or breaks off.
    private func discard(_ body: HTTPClientResponse.Body, _ transfer: Transfer) async throws(FetchError) {
        transfer.watch.enter(.idle, transfer.limits.idle)
        var pieces = body.makeAsyncIterator()
        var rest = min(transfer.limits.bytes, Self.drainLimit)
        while rest >= 0, let piece = try? await pieces.next(isolation: #isolation) {
            rest -= piece.readableBytes
            transfer.watch.enter(.idle, transfer.limits.idle)
        }
        transfer.watch.pause()
        if Task.isCancelled { throw .cancelled }
    }

    /// Reads the content into the collector, enforcing limits and the expected type.
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
            if mustSniff, let type = collector.sniffed(isComplete: false) {
                mustSniff = false
                guard request.expecting.accepts(type) else { throw .unexpected(url, request.expecting, type) }
            }
        }
        // After a cancellation, the content may end as if it were complete.
        if Task.isCancelled { throw .cancelled }
        if let length, Int64(collector.count) != length { throw .cutOff(url, nil) }
        // Checked before the content replaces an existing file.
        if mustSniff, let type = collector.sniffed(isComplete: true), !request.expecting.accepts(type) {
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
        /// Must be retained for as long as the content is read.
        var client: PinnedClient

        var status: Int { Int(response.status.code) }
        var plainLength: Int64? { headers.plainLength }
    }

    /// Sends a request to the first of a host's addresses that accepts a connection, and waits for the response's head.
    func send(_ hop: Hop, _ extra: HTTPFields, _ transfer: Transfer) async throws(FetchError) -> BegunResponse {
        transfer.watch.enter(.firstByte, transfer.limits.firstByte)
        guard let origin = WebOrigin(hop.url), let host = hop.url.connectedHost else {
            throw FetchError(.invalidRequest, "\(shown(hop.url)) isn't a web address. Check it.")
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
                guard error.isConnectError, !Task.isCancelled else { throw error }
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

extension ResumeStateMachine.RequestKind {
    fileprivate var headers: HTTPFields {
        switch self {
        case .fromStart: [:]
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
    /// Copies a response's fields, except those with an invalid name.
    fileprivate init(_ headers: HTTPHeaders) {
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { append(HTTPField(name: name, value: value)) }
        }
    }

    /// The content's length; `nil` if the server doesn't announce it, or the content is compressed.
    fileprivate var plainLength: Int64? { self[.contentEncoding] == nil ? announcedLength : nil }

    /// The fields that describe the decompressed content: those for its encoding and its compressed length are removed.
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
