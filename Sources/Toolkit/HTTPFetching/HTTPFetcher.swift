public import Egress
import Foundation
import Futures
import HTTPTypes
public import Loading

/// An HTTP client that sends equal concurrent requests once, enforces size and time limits, and connects only to
/// allowed addresses.
///
/// A fetch always ends: with a resource, with a ``FetchError``, at a time limit, or when its last caller is cancelled.
/// The fetcher can be used from any thread.
///
/// ```swift
/// let fetcher = HTTPFetcher()
/// let picture = try await fetcher.fetch(FetchRequest(url, expecting: .image))
/// print(picture.data.count, picture.sniffedType)
/// ```
public final class HTTPFetcher: Sendable {
    let flights = SingleFlight<FetchRequest, FetchedResource, FetchProgress, FetchError>(
        onCancel: .cancelled, onClose: .closed)
    let watchdog: Watchdog
    let addresses: CheckedAddresses
    let clients: PinnedClients
    private let limits: FetchLimits
    private let userAgent: String

    /// Creates a fetcher without connecting to any host.
    ///
    /// - Parameters:
    ///   - addresses: Resolves hosts and checks which addresses may be connected to. By default, only public ones.
    ///   - limits: The limits of requests without limits of their own. Content is never decompressed beyond these.
    ///   - settings: The connection settings.
    ///   - clock: The clock that time limits are measured with.
    public init(
        addresses: AddressChecker = AddressChecker(), limits: FetchLimits = FetchLimits(),
        settings: FetcherSettings = FetcherSettings(), clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.addresses = CheckedAddresses(checker: addresses, lifetime: settings.addressLifetime, clock: clock)
        self.clients = PinnedClients(settings: settings, limits: limits)
        self.watchdog = Watchdog(clock: clock)
        self.limits = limits
        self.userAgent = settings.userAgent
    }
}

extension HTTPFetcher {
    /// Fetches a resource, or joins the transfer of an equal request.
    ///
    /// A cancelled caller returns at once. The transfer is cancelled when its last caller is. It runs with the priority
    /// of its most urgent caller.
    ///
    /// - Parameters:
    ///   - request: The request. A response without a success status is thrown as an error.
    ///   - progress: Called with the current progress, if there is any, and then with each update. Calls are made on
    ///     any thread, one at a time and in order. The count restarts at zero when the transfer restarts.
    /// - Returns: The resource.
    /// - Throws: ``FetchError``.
    public func fetch(
        _ request: FetchRequest, progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) async throws(FetchError) -> FetchedResource {
        // A request that can't be sent fails before a transfer is started.
        let trail = try RedirectTrail(request, limit: limits(of: request).redirects)
        var request = request
        request.url = trail.hop.url
        return try await flights.runFlight(request, progress: progress) { [request] flight throws(FetchError) in
            try await self.transfer(request, trail, flight.handle, report: flight.report)
        }.value
    }

    /// Sends a request and passes on its response as it arrives.
    ///
    /// Each call makes a transfer of its own, which isn't resumed after a broken connection. The same limits apply, but
    /// the time that `body` takes between two pieces counts only toward the limit of the whole fetch. Cancelling the
    /// task cancels the transfer and `body`.
    ///
    /// - Parameters:
    ///   - request: The request. Its expected type and its destination are ignored.
    ///   - body: Receives the response's head, whatever its status, and its content. Runs in a separate task; the
    ///     transfer ends when it returns.
    /// - Returns: The value that `body` returns.
    /// - Throws: ``FetchError``, or the error that `body` throws.
    public func stream<Outcome: Sendable>(
        _ request: FetchRequest,
        _ body: @escaping @Sendable (FetchedHead, FetchedBytes) async throws -> Outcome
    ) async throws -> Outcome {
        let handle = TaskHandle()
        let trail = try RedirectTrail(request, limit: limits(of: request).redirects)
        let result: Result<Outcome, any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // This call owns the task. It's a separate task because time limits cancel it.
                let task = Task {
                    do {
                        continuation.resume(returning: .success(try await self.stream(request, trail, handle, body)))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
                handle.attach(task)
            }
        } onCancel: {
            handle.cancel()
        }
        return try result.get()
    }

    /// Cancels all fetches, which fail with the code `closed` or `cancelled`, and closes all unused connections.
    ///
    /// Later requests fail with the code `closed`. A running stream isn't cancelled, but fails with `closed` if it's
    /// redirected.
    public func shutDown() {
        flights.close()
        clients.close()
    }
}

extension HTTPFetcher {
    /// The state that one fetch shares across its redirects.
    struct Transfer: Sendable {
        var request: FetchRequest
        var limits: FetchLimits
        var watch: Watchdog.Watch
        var report: @Sendable (FetchProgress) -> Void

        /// The error to throw: `timedOut` if a time limit caused `error`, otherwise `error` itself.
        func failure(_ error: FetchError, at url: URL) -> FetchError {
            guard let limit = watch.reached else { return error }
            let duration: Duration? =
                switch limit {
                case .firstByte: limits.firstByte
                case .idle: limits.idle
                case .total: limits.total
                case .connecting, .bytes, .headerBytes: nil
                }
            return .timedOut(url, limit, duration, error)
        }
    }

    private func limits(of request: FetchRequest) -> FetchLimits { request.limits ?? limits }

    private func transfer(
        _ request: FetchRequest, _ trail: RedirectTrail, _ handle: TaskHandle,
        report: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(FetchError) -> FetchedResource {
        let limits = limits(of: request)
        let watch = watchdog.watch(handle, total: limits.total)
        defer { watch.end() }
        let transfer = Transfer(request: request, limits: limits, watch: watch, report: report)
        var trail = trail
        while true {
            let response = try await response(to: withDefaultHeaders(trail.hop), transfer)
            if try trail.follow(status: response.status, headers: response.headers) { continue }
            let url = trail.hop.url
            guard (200..<300).contains(response.status) else {
                throw FetchError(status: response.status, headers: response.headers, url: url, now: Date())
            }
            guard request.expecting.accepts(response.sniffedType) else {
                throw .unexpected(url, request.expecting, response.sniffedType)
            }
            return FetchedResource(
                content: response.content, status: response.status, headers: response.headers, url: url,
                sniffedType: response.sniffedType)
        }
    }

    private func stream<Outcome: Sendable>(
        _ request: FetchRequest, _ trail: RedirectTrail, _ handle: TaskHandle,
        _ body: @Sendable (FetchedHead, FetchedBytes) async throws -> Outcome
    ) async throws -> Outcome {
        let limits = limits(of: request)
        let watch = watchdog.watch(handle, total: limits.total)
        defer { watch.end() }
        let transfer = Transfer(request: request, limits: limits, watch: watch, report: { _ in })
        var trail = trail
        while true {
            let hop = withDefaultHeaders(trail.hop)
            let begun: BegunResponse
            do throws(FetchError) {
                begun = try await send(hop, [:], transfer)
            } catch {
                throw transfer.failure(error, at: hop.url)
            }
            if try trail.follow(status: begun.status, headers: begun.headers) { continue }
            let head = FetchedHead(
                status: begun.status, headers: begun.headers, url: hop.url, contentLength: begun.plainLength)
            if let length = head.contentLength, length > limits.bytes, hop.method != .head {
                throw FetchError.tooLarge(hop.url, limits.bytes)
            }
            watch.pause()
            return try await body(head, FetchedBytes(begun: begun, transfer: transfer, url: hop.url))
        }
    }

    /// Adds the default header fields to a request.
    private func withDefaultHeaders(_ hop: Hop) -> Hop {
        var hop = hop
        if !hop.headers.contains(.userAgent) { hop.headers[.userAgent] = userAgent }
        if !hop.headers.contains(.accept) { hop.headers[.accept] = "*/*" }
        // A range of compressed content can't be decompressed.
        if !hop.headers.contains(.acceptEncoding) {
            hop.headers[.acceptEncoding] = hop.headers.contains(.range) ? "identity" : "gzip, deflate"
        }
        return hop
    }
}
