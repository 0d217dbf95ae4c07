import Hummingbird
import Synchronization

/// The requests that a site has received, and the stalled responses that may resume.
final class Journal: Sendable {
    /// Signals each path that was requested.
    let asked = Signals()
    /// Signals each path that was released.
    let released = Signals()
    private let paths = Mutex<[String]>([])

    /// The requested paths with their queries, in order.
    var requests: [String] {
        self.paths.withLock { $0 }
    }

    /// Records a request, then wakes the tasks that wait for it.
    func record(_ path: String) {
        self.paths.withLock { $0.append(path) }
        self.asked.say(path)
    }

    /// Ends every wait, because no further request will arrive.
    func close() {
        self.asked.close()
        self.released.close()
    }
}

/// Records every request before a route handles it.
struct JournalMiddleware<Context: RequestContext>: RouterMiddleware {
    let journal: Journal

    // `@concurrent` because that is what a plain `async` means in the protocol's module.
    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        self.journal.record(request.uri.string)
        return try await next(request, context)
    }
}
