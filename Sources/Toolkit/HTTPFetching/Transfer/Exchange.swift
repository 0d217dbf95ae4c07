import AsyncHTTPClient
import Egress
import Foundation
import HTTPTypes
import ImageInfo
import Loading
import NIOCore
import NIOHTTP1

/// Asks one server one question, at an address that was checked, and collects the answer; takes it up again where it broke.
struct Exchange: Sendable {
    /// How much is read of an answer that is not one of success, for the cache's sake.
    private static let mostOfAFailure = 256 << 10

    let addresses: CheckedAddresses
    let clients: PinnedClients
    let now: @Sendable () -> Date
}

extension Exchange {
    /// Asks, and waits for all of the answer.
    ///
    /// - Parameters:
    ///   - hop: What to ask.
    ///   - conditions: Header fields that ask for an answer only if something has changed.
    ///   - transfer: What holds for it.
    /// - Returns: The answer, of whatever status.
    /// - Throws: ``FetchError``.
    func ask(_ hop: Hop, _ conditions: HTTPFields, _ transfer: Transfer) async throws(FetchError) -> Answer {
        var attempt = Attempt(hop, conditions, transfer)
        while true {
            do throws(FetchError) {
                if let answer = try await ask(&attempt, transfer) { return answer }
            } catch {
                let failure = transfer.failure(error, at: hop.url)
                if failure.code == .cutOff, !Task.isCancelled, let question = attempt.resume.broke() {
                    attempt.extra = question.headers(instead: conditions)
                } else {
                    await attempt.collector?.abandon()
                    throw failure
                }
            }
        }
    }

    /// The state of one question that may have to be asked several times.
    private struct Attempt {
        let hop: Hop
        let conditions: HTTPFields
        /// The header fields that are added to the question's own.
        var extra: HTTPFields
        var resume: ResumeStateMachine
        var collector: ContentCollector?
        /// The beginning of the answer whose content is collected.
        var head: (status: Int, headers: HTTPFields, requested: Date)?

        init(_ hop: Hop, _ conditions: HTTPFields, _ transfer: Transfer) {
            self.hop = hop
            self.conditions = conditions
            self.extra = conditions
            self.resume = ResumeStateMachine(
                method: hop.method, isPlain: !hop.headers.contains(.range), attempts: transfer.limits.resumptions)
        }
    }

    /// - Returns: The answer; `nil` if the question is to be asked again.
    private func ask(_ attempt: inout Attempt, _ transfer: Transfer) async throws(FetchError) -> Answer? {
        let url = attempt.hop.url
        let requested = now()
        let begun = try await send(attempt.hop, attempt.extra, transfer)
        // A client that nobody holds ends its connections.
        defer { withExtendedLifetime(begun.client) {} }
        let (status, headers) = (begun.status, begun.headers)
        if status == 304, !attempt.hop.isConditional, attempt.extra == attempt.conditions, attempt.conditions.isEmpty {
            throw .garbled(url, "the server says that nothing has changed, which nobody has asked")
        }
        if status == 206, !attempt.hop.headers.contains(.range), !attempt.extra.contains(.range) {
            throw .garbled(url, "the server sends a part of it, which nobody has asked for")
        }
        let isSuccess = (200..<300).contains(status)
        switch attempt.resume.answered(status: status, headers: headers) {
        case .takeFromTheBeginning:
            if isSuccess, attempt.collector != nil {
                try await attempt.collector?.startAnew()
            } else if isSuccess {
                attempt.collector = try await ContentCollector(transfer.request.destination)
            } else {
                await attempt.collector?.abandon()
                attempt.collector = try await ContentCollector(.memory)
            }
            attempt.head = (status, headers, requested)
        case .takeTheRest:
            break
        case .askAnew:
            attempt.extra = attempt.conditions
            return nil
        case .fail:
            throw .cutOff(url, nil)
        }
        guard let head = attempt.head, var collector = attempt.collector else { return nil }
        let received = now()
        let isWhole: Bool
        do throws(FetchError) {
            isWhole = try await collect(
                begun.response.body, &collector, &attempt.resume, transfer,
                Expectations(head.headers, isSuccess: (200..<300).contains(head.status), url: url))
            attempt.collector = collector
        } catch {
            attempt.collector = collector
            throw error
        }
        transfer.watch.pause()
        let type = collector.sniffed(isWhole: true) ?? .nothing
        let content = try await collector.finish()
        return Answer(
            status: head.status, headers: decoded(head.headers), content: content, isWhole: isWhole, sniffedType: type,
            requested: head.requested, received: received)
    }

    /// What was decompressed is not compressed any more, and has another length.
    private func decoded(_ headers: HTTPFields) -> HTTPFields {
        guard let encoding = headers[.contentEncoding]?.lowercased(), ["gzip", "deflate"].contains(encoding) else {
            return headers
        }
        var headers = headers
        headers[fields: .contentEncoding] = []
        headers[fields: .contentLength] = []
        return headers
    }
}

extension Exchange {
    /// What is known of a content before it comes.
    private struct Expectations {
        var url: URL
        var isSuccess: Bool
        /// How long it is; `nil` if nobody says, or it is compressed.
        var length: Int64?

        init(_ headers: HTTPFields, isSuccess: Bool, url: URL) {
            self.url = url
            self.isSuccess = isSuccess
            self.length = headers[.contentEncoding] == nil ? headers.announcedLength : nil
        }
    }

    /// Collects a content.
    ///
    /// - Returns: Whether it is whole: only the beginning is read of what is not wanted.
    private func collect(
        _ body: HTTPClientResponse.Body, _ collector: inout ContentCollector, _ resume: inout ResumeStateMachine,
        _ transfer: Transfer, _ expectations: Expectations
    ) async throws(FetchError) -> Bool {
        let limits = transfer.limits
        let url = expectations.url
        let isWanted = expectations.isSuccess && transfer.request.method != .head
        let limit = expectations.isSuccess ? limits.bytes : min(limits.bytes, Self.mostOfAFailure)
        if let length = expectations.length, isWanted {
            guard length <= limit else { throw .tooLarge(url, limit) }
            if collector.count == 0 { collector.reserve(Int(length)) }
        }
        var mustSniff = isWanted && transfer.request.expecting != .anything
        var pieces = body.makeAsyncIterator()
        transfer.watch.enter(.idle, limits.idle)
        while let piece = try await next(&pieces, url) {
            guard collector.count + piece.readableBytes <= limit else {
                guard expectations.isSuccess else { return false }
                throw .tooLarge(url, limit)
            }
            try await collector.append(piece)
            resume.received(piece.readableBytes)
            transfer.watch.enter(.idle, limits.idle)
            if isWanted {
                transfer.report(FetchProgress(received: Int64(collector.count), expected: expectations.length))
            }
            if mustSniff, let type = collector.sniffed(isWhole: false) {
                mustSniff = false
                guard transfer.request.expecting.accepts(type) else {
                    throw .unexpected(url, transfer.request.expecting, type)
                }
            }
        }
        // A cancelled body may end as if it were whole.
        if Task.isCancelled { throw .cancelled }
        if isWanted, let length = expectations.length, Int64(collector.count) != length { throw .cutOff(url, nil) }
        // Before it takes the place of a file.
        if mustSniff, let type = collector.sniffed(isWhole: true), !transfer.request.expecting.accepts(type) {
            throw .unexpected(url, transfer.request.expecting, type)
        }
        return true
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

extension Exchange {
    /// An answer that has begun.
    struct Begun: Sendable {
        var response: HTTPClientResponse
        var headers: HTTPFields
        /// To be held for as long as the content is read.
        var client: PinnedClient

        var status: Int { Int(response.status.code) }
    }

    /// Sends a question to the first of a host's addresses that takes a connection, and waits for the beginning of the answer.
    func send(
        _ hop: Hop, _ extra: HTTPFields, _ transfer: Transfer
    ) async throws(FetchError) -> Begun {
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
                return Begun(response: response, headers: HTTPFields(response.headers), client: client)
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

extension Transfer {
    /// What a failure is, if a limit of time is what caused it.
    func failure(_ error: FetchError, at url: URL) -> FetchError {
        guard let limit = watch.reached else { return error }
        switch limit {
        case .firstByte: return .timedOut(url, limit, limits.firstByte, error)
        case .idle: return .timedOut(url, limit, limits.idle, error)
        case .whole: return .timedOut(url, limit, limits.whole, error)
        case .connecting, .bytes, .headerBytes: return .timedOut(url, limit, nil, error)
        }
    }
}

extension ResumeStateMachine.Question {
    fileprivate func headers(instead conditions: HTTPFields) -> HTTPFields {
        switch self {
        case .fromTheBeginning: conditions
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

extension URL {
    /// The host as the HTTP client takes it: without the brackets of an address.
    var connectedHost: String? {
        guard let host, !host.isEmpty else { return nil }
        return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}

extension HTTPClientRequest {
    fileprivate init(_ hop: Hop, _ extra: HTTPFields) {
        self.init(url: hop.url.absoluteString)
        method = HTTPMethod(rawValue: hop.method.rawValue)
        var fields = hop.headers
        for name in Set(extra.map(\.name)) { fields[fields: name] = [] }
        for field in fields { headers.add(name: field.name.rawName, value: field.value) }
        for field in extra { headers.add(name: field.name.rawName, value: field.value) }
        if let content = hop.body { body = .bytes(ByteBuffer(bytes: content)) }
    }
}

extension HTTPFields {
    /// Those that an answer has; what cannot be a field's name is left out.
    init(_ headers: HTTPHeaders) {
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { append(HTTPField(name: name, value: value)) }
        }
    }
}
