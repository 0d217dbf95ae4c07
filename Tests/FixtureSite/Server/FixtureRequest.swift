import Hummingbird
import NIOCore

/// The context of a request: Hummingbird's own, and the connection, which a route may break.
struct FixtureContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.channel = source.channel
    }
}

/// One request, as the routes see it.
struct FixtureRequest: Sendable {
    let request: Request
    let context: FixtureContext
    let journal: Journal
    let refusingPort: Int

    /// The path with its query: the name under which this request is recorded and released.
    var path: String { self.request.uri.string }

    /// The port that this site listens on.
    var port: Int { self.context.channel.localAddress?.port ?? 0 }

    /// The origin of the other site: `localhost` for a request to `127.0.0.1`, and the reverse.
    var otherOrigin: String {
        let usesHostName = self.request.head.authority?.hasPrefix("localhost") ?? false
        return "http://\(usesHostName ? "127.0.0.1" : "localhost"):\(self.port)"
    }

    /// A parameter of the query; `nil` if it is absent or isn't a number.
    func number(_ name: Substring) -> Int? {
        self.request.uri.queryParameters[name].flatMap { Int($0) }
    }

    /// A path component that the route captures.
    func pathParameter(_ name: String) -> String {
        self.context.parameters.get(name) ?? ""
    }

    /// Closes the connection after the bytes that have been written so far.
    func breakConnection() async {
        // The client may have closed it already, which has the same effect.
        try? await self.context.channel.close().get()
    }

    /// Waits until the test releases this path.
    ///
    /// - Throws: `CancellationError` if the client disconnects or the server stops first.
    func stall() async throws {
        try await self.request.body.consumeWithCancellationOnInboundClose { _ in
            await self.journal.released.wait(for: self.path)
            try Task.checkCancellation()
        }
    }
}

/// Collects the routes of a site.
struct Routes {
    let router: Router<FixtureContext>
    let journal: Journal
    let refusingPort: Int

    /// Adds a route with an arbitrary response.
    func add(_ path: String, _ answer: @escaping @Sendable (FixtureRequest) async throws -> Response) {
        let (journal, refusingPort) = (self.journal, self.refusingPort)
        self.router.get(RouterPath(path)) { request, context in
            try await answer(
                FixtureRequest(request: request, context: context, journal: journal, refusingPort: refusingPort))
        }
    }

    /// Adds a static HTML page.
    func page(_ path: String, _ html: String) {
        self.add(path) { _ in .html(html) }
    }

    /// Adds an HTML page that depends on the request.
    func page(_ path: String, _ html: @escaping @Sendable (FixtureRequest) -> String) {
        self.add(path) { .html(html($0)) }
    }
}
