import HTTPTypes
import Hummingbird

/// Limits the event streams of each client address and of all.
struct EventStreamLimit: RouterMiddleware {
    typealias Context = SiteContext

    /// When a page may ask again for a stream that was refused, in seconds.
    private static let pause = "30"

    let table: ConnectionTable

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard response.headers[.contentType] == EventStream.mediaType else { return response }
        let (table, client) = (table, context.clientAddress)
        guard table.add(.eventStream, from: client) else {
            var refusal = Response(status: .serviceUnavailable)
            refusal.headers[.retryAfter] = Self.pause
            refusal.headers[.cacheControl] = "no-store"
            return refusal
        }
        let slot = EventStreamSlot(table: table, address: client)
        let body = response.body
        response.body = ResponseBody { writer in
            defer { withExtendedLifetime(slot) {} }
            try await body.write(writer)
        }
        return response
    }
}

/// A counted event stream, until it is deallocated: after its end, or without one if it is never written.
private final class EventStreamSlot: Sendable {
    private let table: ConnectionTable
    private let address: String

    init(table: ConnectionTable, address: String) {
        (self.table, self.address) = (table, address)
    }

    deinit {
        table.remove(.eventStream, from: address)
    }
}
