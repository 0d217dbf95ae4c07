import CoreMetrics
import Futures
import HTTPTypes
import Hummingbird
import PrometheusMetrics

/// Counts and times requests, by their route.
///
/// What a client can choose freely isn't a label: a path without a route has the label `NotFound`, and an unusual
/// method `other`.
final class RequestMetrics: RouterMiddleware {
    typealias Context = SiteContext

    private struct Kind: Hashable {
        var route: String
        var method: String
        var status: Int
    }

    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]

    private let metrics: PrometheusMetrics
    private let active: Meter
    /// The counter and the timer of each kind of request that has occurred.
    private let known = Lock<[Kind: (counter: Counter, timer: Timer)]>([:])

    init(_ metrics: PrometheusMetrics) {
        self.metrics = metrics
        active = Meter(label: "http.server.active.requests", factory: metrics)
        metrics.describe("http_server_requests_total", "Requests, by their route and the status of the response.")
        metrics.describe(
            "http_server_request_duration_seconds", "The time until the beginning of the response, by the route.")
        metrics.describe("http_server_active_requests", "Requests whose response hasn't begun.")
    }

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        let beganAt = ContinuousClock.now
        active.increment()
        defer { active.decrement() }
        let response = try await next(request, context)
        let kind = Kind(
            route: route(of: context),
            method: Self.methods.contains(request.method) ? request.method.rawValue : "other",
            status: response.status.code)
        let (counter, timer) = instruments(of: kind)
        counter.increment()
        timer.recordNanoseconds(Int64((ContinuousClock.now - beganAt) / .nanoseconds(1)))
        return response
    }

    /// The path of a static file contains a hash of all files, so these have one label.
    private func route(of context: SiteContext) -> String {
        let path = context.endpointPath ?? "NotFound"
        return path.hasPrefix("/files/") ? "/files" : path
    }

    private func instruments(of kind: Kind) -> (counter: Counter, timer: Timer) {
        known.withLock { known in
            if let instruments = known[kind] { return instruments }
            let labels = [("route", kind.route), ("method", kind.method)]
            let instruments = (
                counter: Counter(
                    label: "http.server.requests", dimensions: labels + [("status", "\(kind.status)")],
                    factory: metrics),
                timer: Timer(
                    label: "http.server.request.duration", dimensions: labels, preferredDisplayUnit: .seconds,
                    factory: metrics)
            )
            known[kind] = instruments
            return instruments
        }
    }
}
