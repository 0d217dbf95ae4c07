import Foundation
import Futures
import HTTPTypes
import ImageInfo
import Loading

/// What a fetcher works with, and how it answers a request: from the cache, or by a transfer that all who want it share.
struct Fetching: Sendable {
    /// What tells transfers apart: those whose requests are equal in all that a server may look at, and in what is made of
    /// the answer, are one.
    struct FlightKey: Hashable, Sendable {
        var request: FetchRequest
        /// Whether it only brings the cache up to date.
        var isBackground = false
    }

    typealias Flights = SingleFlight<FlightKey, FetchedResource, FetchProgress, FetchError>

    let exchange: Exchange
    let watchdog: Watchdog
    let cache: HTTPCache?
    let limits: FetchLimits
    let settings: FetcherSettings
    let now: @Sendable () -> Date
    let flights = Flights(onCancel: .cancelled, onClose: .closed)
}

extension Fetching {
    /// Answers a request.
    func resource(
        _ request: FetchRequest, progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws(FetchError) -> FetchedResource {
        var request = request
        // What nothing can come of is refused before anything is begun.
        let trail = try RedirectTrail(request, limit: (request.limits ?? limits).redirects)
        request.url = trail.hop.url
        let key = FlightKey(request: request)
        if !flights.isUnderWay(key), let resource = try await found(request, trail.hop) { return resource }
        return try await flights.runFlight(key, progress: progress) { [request] flight throws(FetchError) in
            try await transfer(request, trail, flight)
        }.value
    }

    /// What the cache has, if it can be served without asking anybody.
    private func found(_ request: FetchRequest, _ hop: Hop) async throws(FetchError) -> FetchedResource? {
        guard let cache = cache(for: request) else { return nil }
        let question = question(request, hop)
        guard case .found(let decision, let record, let data) = await cache.look(question, hop.url),
            decision.isServing, (200..<300).contains(record.status)
        else { return nil }
        return try resource(serve(decision, record, data, request, hop), request, hop.url)
    }

    /// One transfer, from the first address to the last that servers lead to.
    private func transfer(
        _ request: FetchRequest, _ trail: RedirectTrail, _ flight: Flights.Flight
    ) async throws(FetchError) -> FetchedResource {
        let limits = request.limits ?? limits
        let watch = watchdog.watch(flight.handle, whole: limits.whole)
        defer { watch.end() }
        let transfer = Transfer(request: request, limits: limits, watch: watch, report: flight.report)
        var trail = trail
        while true {
            let answer = try await answer(transfer, trail.hop)
            let isElsewhere = try trail.follow(status: answer.status, headers: answer.headers)
            if !isElsewhere { return try resource(answer, request, trail.hop.url) }
        }
    }

    /// What is made of the last answer.
    private func resource(
        _ answer: Answer, _ request: FetchRequest, _ url: URL
    ) throws(FetchError) -> FetchedResource {
        guard (200..<300).contains(answer.status) else {
            throw FetchError(status: answer.status, headers: answer.headers, url: url, now: now())
        }
        guard request.expecting.accepts(answer.sniffedType) else {
            throw .unexpected(url, request.expecting, answer.sniffedType)
        }
        let limit = (request.limits ?? limits).bytes
        if case .data(let data) = answer.content, data.count > limit { throw .tooLarge(url, limit) }
        return FetchedResource(
            content: answer.content, status: answer.status, headers: answer.headers, url: url,
            sniffedType: answer.sniffedType, origin: answer.origin)
    }
}

extension Fetching {
    /// The answer to one question: what is kept, what the server says, or both.
    private func answer(_ transfer: Transfer, _ hop: Hop) async throws(FetchError) -> Answer {
        let request = transfer.request
        guard let cache = cache(for: request) else { return try await ask(transfer, hop, [:]) }
        let question = question(request, hop)
        switch await cache.look(question, hop.url) {
        case .found(.revalidate, let record, let data):
            return try await orStale(transfer, hop, question) { () throws(FetchError) in
                try await revalidate(record, data, transfer, hop, question)
            }
        case .found(let decision, let record, let data):
            return serve(decision, record, data, request, hop)
        case .decided(.notCached):
            throw FetchError(
                .notCached, "\(shown(hop.url)) is not in the cache, or is too old there. Fetch it from the network.")
        case .decided:
            return try await orStale(transfer, hop, question) { () throws(FetchError) in
                try await askAndKeep(transfer, hop, question)
            }
        }
    }

    private func askAndKeep(
        _ transfer: Transfer, _ hop: Hop, _ question: CacheQuestion
    ) async throws(FetchError) -> Answer {
        let answer = try await ask(transfer, hop, [:])
        await keep(answer, question, hop.url)
        return answer
    }

    /// Asks whether what is kept is still good.
    private func revalidate(
        _ record: CacheRecord, _ data: Data, _ transfer: Transfer, _ hop: Hop, _ question: CacheQuestion
    ) async throws(FetchError) -> Answer {
        let answer = try await ask(transfer, hop, CachePolicy.conditions(for: record))
        guard answer.status == 304 else {
            await keep(answer, question, hop.url)
            return answer
        }
        guard
            let new = CachePolicy.freshened(
                record, by: answer.headers, requested: answer.requested, received: answer.received)
        else {
            // The server means another one.
            return try await askAndKeep(transfer, hop, question)
        }
        await cache?.replace(record, by: new, hop.url)
        return Answer(new, data, origin: .revalidated, now: now(), policy: CachePolicy())
    }

    /// Does what asks the server; if it cannot answer, serves what is kept, where that is allowed.
    private func orStale(
        _ transfer: Transfer, _ hop: Hop, _ question: CacheQuestion, _ ask: () async throws(FetchError) -> Answer
    ) async throws(FetchError) -> Answer {
        let failure: FetchError
        var answer: Answer?
        do throws(FetchError) {
            let fresh = try await ask()
            guard CachePolicy.isServerFailure(fresh.status) else { return fresh }
            answer = fresh
            failure = FetchError(status: fresh.status, headers: fresh.headers, url: hop.url, now: now())
        } catch {
            guard error.isOfTheWay else { throw error }
            failure = error
        }
        if let (record, data) = await cache?.lookAfterError(question, hop.url) {
            return Answer(record, data, origin: .staleAfterError(failure.message), now: now(), policy: CachePolicy())
        }
        guard let answer else { throw failure }
        return answer
    }

    private func keep(_ answer: Answer, _ question: CacheQuestion, _ url: URL) async {
        guard answer.isWhole, case .data(let data) = answer.content else { return }
        await cache?.keep(
            HTTPCache.Reply(
                status: answer.status, headers: answer.headers, requested: answer.requested, received: answer.received,
                data: data),
            for: question, url)
    }

    /// Serves what is kept, and begins to bring it up to date if that is due.
    private func serve(
        _ decision: CachePolicy.Decision, _ record: CacheRecord, _ data: Data, _ request: FetchRequest, _ hop: Hop
    ) -> Answer {
        let origin: FetchedResource.Origin
        switch decision {
        case .serveWhileRevalidating:
            bringUpToDate(request, hop)
            origin = .staleWhileRevalidating
        case .serveStale:
            origin = .stale
        case .serve, .fetch, .revalidate, .notCached:
            origin = .cache
        }
        return Answer(record, data, origin: origin, now: now(), policy: CachePolicy())
    }

    private func bringUpToDate(_ request: FetchRequest, _ hop: Hop) {
        guard let cache else { return }
        var request = request
        request.url = hop.url
        request.headers = hop.headers
        request.cacheUse = .revalidate
        request.expecting = .anything
        guard let trail = try? RedirectTrail(request, limit: limits.redirects) else { return }
        let key = FlightKey(request: request, isBackground: true)
        flights.runInBackground(key, limit: cache.backgroundLimit) { [request] flight throws(FetchError) in
            try await transfer(request, trail, flight)
        }
    }
}

extension Fetching {
    /// Asks the server.
    private func ask(_ transfer: Transfer, _ hop: Hop, _ conditions: HTTPFields) async throws(FetchError) -> Answer {
        var hop = hop
        hop.headers = sent(hop)
        let answer = try await exchange.ask(hop, conditions, transfer)
        if let cache {
            let gone = CachePolicy.invalidated(
                by: hop.method, at: hop.url, status: answer.status, headers: answer.headers)
            if !gone.isEmpty { await cache.drop(gone) }
        }
        return answer
    }

    /// What is sent: what was asked for, and what is said anyway.
    func sent(_ hop: Hop) -> HTTPFields {
        var headers = hop.headers
        if !headers.contains(.userAgent) { headers[.userAgent] = settings.userAgent }
        if !headers.contains(.accept) { headers[.accept] = "*/*" }
        // A part of what is compressed cannot be decompressed.
        if !headers.contains(.acceptEncoding) {
            headers[.acceptEncoding] = headers.contains(.range) ? "identity" : "gzip, deflate"
        }
        return headers
    }

    private func question(_ request: FetchRequest, _ hop: Hop) -> CacheQuestion {
        CacheQuestion(method: hop.method, headers: sent(hop), use: request.cacheUse)
    }

    private func cache(for request: FetchRequest) -> HTTPCache? {
        request.destination == .memory ? cache : nil
    }
}

extension CachePolicy.Decision {
    /// Whether something is served without asking first.
    fileprivate var isServing: Bool {
        switch self {
        case .serve, .serveStale, .serveWhileRevalidating: true
        case .fetch, .revalidate, .notCached: false
        }
    }
}

extension FetchError {
    /// Whether it is the way, or the other end of it, that is to blame.
    fileprivate var isOfTheWay: Bool {
        switch code {
        case .hostNotFound, .noNetwork, .connectionFailed, .timedOut, .cutOff, .garbled, .insecureConnection: true
        default: false
        }
    }
}
