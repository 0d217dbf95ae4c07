import Futures

// Enforces the limits on what a page may load.

extension PageTab {
    /// Records what a capture leaves out, once, for a warning.
    func omit(_ what: String) {
        if !omissions.contains(what) { omissions.append(what) }
    }

    /// Creates a format, or leaves it out if it's too large and others were requested.
    func unlessTooLarge<Value>(
        isOnly: Bool, _ make: () async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value? {
        do throws(CaptureError) {
            return try await make()
        } catch {
            guard error.code == .tooLarge, !isOnly, endReason == nil else { throw error }
            omit(error.message)
            return nil
        }
    }

    /// Whether a request exceeds the limit; if so, all further requests are blocked.
    func exceedsRequestLimit(_ id: String) -> Bool {
        guard archivedResponses == nil, log[id] == nil, load.started >= options.limits.requests else { return false }
        omit("The page made more than \(options.limits.requests) requests; the others were blocked.")
        blockRequests()
        return true
    }

    /// Stops the page once it has loaded more than it may.
    ///
    /// The loaded parts are captured. If the document itself is incomplete, the capture fails.
    func enforceLoadedBytes() {
        let limit = options.limits.loadedBytes
        guard archivedResponses == nil, !isStopped, load.bytes > limit - min(addressBytes, limit) else { return }
        isStopped = true
        blockRequests()
        for session in [session] + frameSessions.values {
            connection.post(DevTools.Page.StopLoading(), session: session)
        }
        let document = log.entries.last { $0.kind == "Document" && $0.frame == mainFrame }
        if let document, document.isFinished {
            omit("The page loaded more than \(limit) bytes; it was saved as it was then.")
            load.stopped(at: stopwatch.elapsed)
        } else {
            limitFailure = CaptureError(
                .tooLarge,
                "\(url.shown) is too large to capture: it loaded more than \(limit) bytes before its document was "
                    + "complete.", url: url)
        }
    }

    private func blockRequests() {
        guard !isBlocked else { return }
        isBlocked = true
        for session in [session] + frameSessions.values { block(session) }
    }

    /// Blocks all further requests of a page or frame.
    func block(_ session: String) {
        connection.post(DevTools.Network.SetBlockedURLs(urls: ["*"]), session: session)
    }
}
