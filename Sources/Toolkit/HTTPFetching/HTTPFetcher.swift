public import Egress
import Foundation
import Futures
public import Loading
import NIOCore

/// Fetches by HTTP: what many want at the same time once, within limits, from nowhere but where it may, and what is kept
/// and still good not at all.
///
/// Everything that it does ends: with a resource, with a ``FetchError``, at a limit of time, or because nobody waits for it
/// any more.
///
/// ```swift
/// let fetcher = HTTPFetcher(cache: HTTPCache(storage: DiskCacheStorage(at: "/var/cache/pictures")))
/// let picture = try await fetcher.fetch(FetchRequest(url, expecting: .image))
/// ```
public actor HTTPFetcher {
    nonisolated let fetching: Fetching

    /// Creates a fetcher; nothing is connected to yet.
    ///
    /// - Parameters:
    ///   - addresses: What may be connected to; only public addresses, unless it says otherwise.
    ///   - limits: What a fetch may take that has no limits of its own. Decompressed content is held to these in any case.
    ///   - cache: What was fetched before; `nil` to keep nothing.
    ///   - settings: How it connects.
    ///   - clock: What limits of time are measured by.
    public init(
        addresses: AddressChecker = AddressChecker(), limits: FetchLimits = .standard, cache: HTTPCache? = nil,
        settings: FetcherSettings = FetcherSettings(), clock: some Clock<Duration> = ContinuousClock()
    ) {
        let now = cache?.now ?? { @Sendable in Date() }
        let exchange = Exchange(
            addresses: CheckedAddresses(checker: addresses, lifetime: settings.addressLifetime, clock: clock),
            clients: PinnedClients(settings: settings, limits: limits), now: now)
        self.fetching = Fetching(
            exchange: exchange, watchdog: Watchdog(clock: clock), cache: cache, limits: limits, settings: settings,
            now: now)
    }

    deinit {
        fetching.flights.close()
        fetching.exchange.clients.close()
    }
}

extension HTTPFetcher {
    /// Fetches something, or waits for it if an equal request is under way.
    ///
    /// When the task is cancelled it ends at once, and nobody else who waits for the same is concerned; when the last who
    /// waits has gone, the transfer is cancelled. Its priority is that of the most urgent who waits.
    ///
    /// - Parameters:
    ///   - request: What to fetch. Answers with a status that is not one of success are errors.
    ///   - progress: Told how much has arrived: what there is already when it joins, and what comes. Never two at a time,
    ///     never an older one after a newer; on any thread. It starts from the beginning when the transfer does.
    /// - Returns: What was fetched.
    /// - Throws: ``FetchError``.
    public func fetch(
        _ request: FetchRequest, progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) async throws(FetchError) -> FetchedResource {
        try await fetching.resource(request, progress: progress)
    }

    /// Asks for something, and hands its content on as it arrives.
    ///
    /// Every request is a transfer of its own, whatever else is under way, and the cache has no part in it. A transfer that
    /// breaks stays broken. The same limits hold, but for the time that `body` takes between two pieces, of which only the
    /// whole is limited. When the task is cancelled, the transfer is, and what `body` waits for ends.
    ///
    /// - Parameters:
    ///   - request: What to ask for. What it expects, and its destination, are not looked at.
    ///   - body: Takes the beginning of the answer, of whatever status, and its content. It runs in a task of its own; the
    ///     transfer ends when it returns.
    /// - Returns: What `body` returns.
    /// - Throws: ``FetchError``, or what `body` throws.
    public func stream<Outcome: Sendable>(
        _ request: FetchRequest,
        _ body: @escaping @Sendable (FetchedHead, FetchedBytes) async throws -> Outcome
    ) async throws -> Outcome {
        try await fetching.stream(request, body)
    }

    /// Ends all that is under way with the code `closed` or `cancelled`, and closes all connections.
    ///
    /// Whatever is fetched from now on fails with the code `closed`, unless the cache has it.
    public func shutDown() {
        fetching.flights.close()
        fetching.exchange.clients.close()
    }

    /// How many wait for what an equal request fetches, for the tests.
    nonisolated func waiterCount(_ request: FetchRequest) -> Int {
        fetching.flights.waiterCount(Fetching.FlightKey(request: request))
    }
}
