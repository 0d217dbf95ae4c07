import Accounts
import Crypto
import Digests
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Performs a `POST` with the header `Idempotency-Key` once, however often it is sent.
///
/// | the key was used within a day | |
/// |---|---|
/// | never | the request is performed, and its response stored |
/// | by the same request, which succeeded | the stored response is sent again |
/// | by the same request, which is running, or during which the server was stopped | 409: its outcome isn't known |
/// | by the same request, which was refused | the request is performed, because nothing was changed |
/// | by another request | 422 |
struct RepeatableRequests: RouterMiddleware {
    typealias Context = SiteContext

    private static let header = HTTPField.Name("Idempotency-Key")
    /// The headers of a response that are stored.
    private static let stored: [HTTPField.Name] = [.contentType, .location, .eTag, .cacheControl]

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .post, let header = Self.header, let text = request.headers[header],
            let requests = context.requests
        else { return try await next(request, context) }
        guard let key = APIRequestKey(text, of: context.owner) else { throw Problem.invalidKey }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: context.maxUploadSize)
        } catch is NIOTooManyBytesError {
            throw Problem.tooLarge(limit: context.maxUploadSize)
        }
        var copy = request
        copy.body = RequestBody(buffer: body)
        switch try await requests.begin(key, fingerprint: Self.fingerprint(request, body), at: Date()) {
        case .new: return try await perform(copy, key, context, requests, next: next)
        case .unfinished: throw Problem.unfinishedKey
        case .different: throw Problem.otherKey
        case .finished(let response): return Self.response(response)
        }
    }

    private func perform(
        _ request: Request, _ key: APIRequestKey, _ context: SiteContext, _ requests: any APIRequestStore,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        let response: Response
        do {
            response = try await next(request, context)
        } catch let error as any PresentableError where error.problem.status.code < 500 {
            // Nothing was changed. After any other error, something may have been.
            try? await requests.forget(key)
            throw error
        }
        let body = BodyCollector(limit: APIStoredResponse.maximumBytes)
        try await response.body.write(body)
        guard let data = body.data else { throw Problem.tooLarge(limit: APIStoredResponse.maximumBytes) }
        var headers: [String: String] = [:]
        for name in Self.stored { headers[name.canonicalName] = response.headers[name] }
        let stored = APIStoredResponse(status: response.status.code, headers: headers, body: data)
        try await requests.finish(key, stored)
        return Self.response(stored)
    }

    private static func response(_ stored: APIStoredResponse) -> Response {
        var headers = HTTPFields()
        for (name, value) in stored.headers { HTTPField.Name(name).map { headers[$0] = value } }
        let body = stored.body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: stored.body))
        return Response(status: .init(code: stored.status), headers: headers, body: body)
    }

    /// A hash of the method, the address and the body.
    private static func fingerprint(_ request: Request, _ body: ByteBuffer) -> String {
        var hash = SHA256()
        for text in [request.method.rawValue, request.uri.description, request.headers[.contentType] ?? ""] {
            hash.update(data: Array("\(text.utf8.count) \(text)".utf8))
        }
        hash.update(data: Array(body.readableBytesView))
        return hash.finalize().hexadecimal
    }
}

/// Collects the body of a response up to a limit.
private final class BodyCollector: ResponseBodyWriter {
    private let limit: Int
    private var bytes: [UInt8] = []
    private var isTooLarge = false

    init(limit: Int) { self.limit = limit }

    var data: Data? { isTooLarge ? nil : Data(bytes) }

    func write(_ buffer: ByteBuffer) async throws {
        guard bytes.count + buffer.readableBytes <= limit else {
            isTooLarge = true
            return
        }
        bytes += buffer.readableBytesView
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension Problem {
    static let invalidKey = Problem(
        .badRequest, title: SiteWords.keyTitle, detail: SiteWords.invalidKey(APIRequestKey.maximumBytes))
    static let unfinishedKey = Problem(.conflict, title: SiteWords.keyTitle, detail: SiteWords.unfinishedKey)
    static let otherKey = Problem(.unprocessableContent, title: SiteWords.keyTitle, detail: SiteWords.otherKey)
}
