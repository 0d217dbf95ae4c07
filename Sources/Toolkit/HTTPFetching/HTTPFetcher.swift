public import Egress
import Foundation
import Futures
import HTTPTypes
public import Loading

/// An HTTP client that sends equal concurrent requests once, enforces size and time limits, and connects only to allowed addresses.
///
/// Every fetch ends: with a resource, with a ``FetchError``, at a time limit, or because its last caller was cancelled. May be used
/// from any thread.
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

    /// Creates a fetcher; nothing is connected to yet.
    ///
    /// - Parameters:
    ///   - addresses: What may be connected to; only public addresses, unless it says otherwise.
    ///   - limits: The limits of a request that has none of its own. Content is never decompressed beyond these.
    ///   - settings: How it connects.
    ///   - clock: What time limits are measured by.
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
    /// Fetches a resource, or waits for the transfer of an equal request.
    ///
    /// A caller that is cancelled leaves at once; when the last has left, the transfer is cancelled. The transfer has the priority of
    /// its most urgent caller.
    ///
    /// - Parameters:
    ///   - request: What to fetch. A status that is not one of success is an error.
    ///   - progress: Called with how much has arrived: what there is already, and what follows. Never two calls at a time, never an
    ///     older one after a newer; on any thread. It starts anew when the transfer does.
    /// - Returns: The resource.
    /// - Throws: ``FetchError``.
    public func fetch(
        _ request: FetchRequest, progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) async throws(FetchError) -> FetchedResource {
        // A request that can't be sent is refused before anything is begun.
        let trail = try RedirectTrail(request, limit: limits(of: request).redirects)
        var request = request
        request.url = trail.hop.url
        return try await flights.runFlight(request, progress: progress) { [request] flight throws(FetchError) in
            try await self.transfer(request, trail, flight.handle, report: flight.report)
        }.value
    }

    /// Sends a request and hands its response on as it arrives.
    ///
    /// Each call is a transfer of its own, and one that breaks isn't resumed. The same limits hold, but the time that `body` takes
    /// between two pieces counts only for the whole. When the task is cancelled, so are the transfer and `body`.
    ///
    /// - Parameters:
    ///   - request: The request. Its expected type and its destination are ignored.
    ///   - body: Takes the response's head, of any status, and its content. It runs in a task of its own; the transfer ends when it
    ///     returns.
    /// - Returns: What `body` returns.
    /// - Throws: ``FetchError``, or what `body` throws.
    public func stream<Outcome: Sendable>(
        _ request: FetchRequest,
        _ body: @escaping @Sendable (FetchedHead, FetchedBytes) async throws -> Outcome
    ) async throws -> Outcome {
        let handle = TaskHandle()
        let trail = try RedirectTrail(request, limit: limits(of: request).redirects)
        let result: Result<Outcome, any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Owned by this call; a task of its own, because time limits cancel it.
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

    /// Ends all transfers with the code `closed` or `cancelled`, and closes all connections.
    ///
    /// Each later fetch fails with the code `closed`.
    public func shutDown() {
        flights.close()
        clients.close()
    }
}

extension HTTPFetcher {
    /// What holds for one fetch across its redirects.
    struct Transfer: Sendable {
        var request: FetchRequest
        var limits: FetchLimits
        var watch: Watchdog.Watch
        var report: @Sendable (FetchProgress) -> Void

        /// The error to throw: the time limit, if reaching it caused this one.
        func failure(_ error: FetchError, at url: URL) -> FetchError {
            guard let limit = watch.reached else { return error }
            let duration: Duration? =
                switch limit {
                case .firstByte: limits.firstByte
                case .idle: limits.idle
                case .whole: limits.whole
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
        let watch = watchdog.watch(handle, whole: limits.whole)
        defer { watch.end() }
        let transfer = Transfer(request: request, limits: limits, watch: watch, report: report)
        var trail = trail
        while true {
            let response = try await response(to: sent(trail.hop), transfer)
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
        let watch = watchdog.watch(handle, whole: limits.whole)
        defer { watch.end() }
        let transfer = Transfer(request: request, limits: limits, watch: watch, report: { _ in })
        var trail = trail
        while true {
            let hop = sent(trail.hop)
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

    /// A request with the header fields that every request has.
    private func sent(_ hop: Hop) -> Hop {
        var hop = hop
        if !hop.headers.contains(.userAgent) { hop.headers[.userAgent] = userAgent }
        if !hop.headers.contains(.accept) { hop.headers[.accept] = "*/*" }
        // A part of a compressed content can't be decompressed.
        if !hop.headers.contains(.acceptEncoding) {
            hop.headers[.acceptEncoding] = hop.headers.contains(.range) ? "identity" : "gzip, deflate"
        }
        return hop
    }
}
