import Hummingbird
import Synchronization

/// What a site was asked, and which of its stalled answers may go on.
final class Journal: Sendable {
    /// Said once for each path that was asked.
    let asked = Signals()
    /// Said once for each path that was released.
    let released = Signals()
    private let paths = Mutex<[String]>([])

    /// Paths with their queries, in the order of the requests.
    var requests: [String] {
        self.paths.withLock { $0 }
    }

    /// Writes down one request, then wakes those who wait for it.
    func record(_ path: String) {
        self.paths.withLock { $0.append(path) }
        self.asked.say(path)
    }

    /// Ends every wait, because no request will come any more.
    func close() {
        self.asked.close()
        self.released.close()
    }
}

/// Writes down every request before anything answers it.
struct JournalMiddleware<Context: RequestContext>: RouterMiddleware {
    let journal: Journal

    // `@concurrent` because the protocol comes from a module where that is what `async` means.
    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        self.journal.record(request.uri.string)
        return try await next(request, context)
    }
}
