import Egress
import Foundation
import Futures
import Logging

// Opens the tab of a capture, in the shared browser or in one of its own.

extension PageCapturer {
    /// Opens a tab whose requests are answered from an archive, runs an operation in it, and closes it.
    func withTab<Value: Sendable>(
        for archive: WebArchive, _ options: CaptureOptions,
        _ body: @escaping @Sendable (PageTab, ArchivedResponses) async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        let answers = ArchivedResponses(archive)
        return try await withTab(answering: answers, at: archive.mainResource.url, options) {
            tab throws(CaptureError) in try await body(tab, answers)
        }
    }

    /// Opens a tab whose requests are answered from a file, runs an operation in it, and closes it.
    ///
    /// - Parameters:
    ///   - answers: The file's responses.
    ///   - address: The URL of the page.
    ///   - options: The options of the tab.
    ///   - body: The operation.
    /// - Returns: The value that the operation returns.
    /// - Throws: ``CaptureError``.
    func withTab<Value: Sendable>(
        answering answers: ArchivedResponses, at address: String, _ options: CaptureOptions,
        _ body: @escaping @Sendable (PageTab) async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        guard let url = URL(string: address) else {
            throw CaptureError(.invalidAddress, "The archive's own address isn't valid: \(address.shortened)")
        }
        try Self.validate(url)
        return try await queue.run { [self] () throws(CaptureError) in
            let request = PageTab.Request(url: url, options: options, archives: [], archivedResponses: answers)
            return try await withTab(request, body)
        }
    }

    /// Opens a tab, runs an operation in it with a deadline, and closes it in all cases.
    ///
    /// If the browser is ended because several pages together exceeded the memory limit, this runs once more, in a
    /// separate browser.
    func withTab<Value: Sendable>(
        _ request: PageTab.Request, _ body: @escaping @Sendable (PageTab) async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        let browser = try await pool.browser()
        do throws(CaptureError) {
            let value = try await withTab(request, in: browser, body)
            await pool.release(browser)
            return value
        } catch {
            await pool.release(browser)
            guard error.code == .memory, let excess = browser.memoryWatch.excess, excess.captures > 1 else {
                throw error
            }
            logger.notice("memory", metadata: ["bytes": "\(excess.bytes)", "captures": "\(excess.captures)"])
        }
        return try await soloQueue.run { [self] () throws(CaptureError) in
            let browser = try await pool.dedicatedBrowser()
            do throws(CaptureError) {
                let value = try await withTab(request, in: browser, body)
                await pool.discard(browser)
                return value
            } catch {
                await pool.discard(browser)
                throw error
            }
        }
    }

    private func withTab<Value: Sendable>(
        _ request: PageTab.Request, in browser: ChromiumProcess,
        _ body: @escaping @Sendable (PageTab) async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        browser.memoryWatch.captureBegan()
        defer { browser.memoryWatch.captureEnded() }
        let (ready, next) = await pool.sparePages(window: request.options.viewport, in: browser)
        defer { next?.begin() }
        var request = request
        // A tab that renders an archive has no session, so the proxy refuses its requests.
        let egress =
            request.archivedResponses == nil ? await pool.proxy?.session(policy: configuration.addressPolicy) : nil
        request.egress = egress
        request.didBeginRendering = { next?.begin() }
        // Runs in a task of its own, because an opened tab must be closed even after a cancellation.
        let opening = Task { [request, clock = configuration.clock] in
            await Self.open(request, spare: ready, in: browser.connection, clock: clock)
        }
        let tab: PageTab
        switch await opening.value {
        case .success(let opened):
            tab = opened
        case .failure(let error):
            await egress?.end()
            await pool.discard(browser)
            throw await causeOfEnd(CaptureError(error, url: request.url), of: browser)
        }
        var outcome: Result<Value, CaptureError>
        do {
            outcome = .success(
                try await withDeadline(
                    request.options.timeout, clock: configuration.clock, late: { await tab.timeoutError() },
                    operation: { () throws(CaptureError) in try await body(tab) }))
        } catch {
            outcome = .failure(error)
            logger.debug("failed", metadata: ["code": "\(error.code)", "url": "\(request.url.shown)"])
        }
        // The capture may look complete but lack a frame, or resources that the killed process should have loaded.
        if browser.memoryWatch.detectKill(), case .success = outcome {
            outcome = .failure(
                CaptureError(
                    .pageCrashed, "A process of \(request.url.shown) was killed. Try again.", url: request.url))
        }
        // A browser that can't close a page isn't reused.
        if await !tab.close() { await pool.discard(browser) }
        browser.stored(bytes: await tab.storedBytes)
        await egress?.end()
        switch outcome {
        case .success(let value): return value
        case .failure(let error): throw await causeOfEnd(error, of: browser)
        }
    }

    /// Determines why a capture ended.
    ///
    /// A browser that was ended by ``close()`` or for its memory use hasn't crashed, and neither has a page whose
    /// process the kernel killed.
    private func causeOfEnd(_ error: CaptureError, of browser: ChromiumProcess) async -> CaptureError {
        let isKilled = browser.memoryWatch.detectKill()
        guard error.code == .browserExited || isKilled && error.code != .cancelled else { return error }
        if await pool.isClosed {
            return CaptureError(.closed, "The capturer was closed.", url: error.url, cause: error)
        }
        guard let excess = browser.memoryWatch.excess, let limit = browser.memoryWatch.limit else { return error }
        func text(_ bytes: Int) -> String { bytes.formatted(.byteCount(style: .memory)) }
        return CaptureError(
            .memory,
            "\(error.url?.shown ?? "The page") needs too much memory: Chromium was stopped when it used "
                + "\(text(excess.bytes)); the limit is \(text(limit)). Nothing was saved; other pages aren't affected.",
            url: error.url, cause: error)
    }

    private static func open(
        _ request: PageTab.Request, spare: SparePage?, in connection: DevToolsConnection, clock: any Clock<Duration>
    ) async -> Result<PageTab, DevToolsError> {
        if let blank = await spare?.page(),
            let tab = try? await PageTab.open(request, on: blank, in: connection, clock: clock)
        {
            return .success(tab)
        }
        do throws(DevToolsError) {
            let blank = try await BlankPage.open(window: request.options.viewport, in: connection)
            return .success(try await PageTab.open(request, on: blank, in: connection, clock: clock))
        } catch {
            return .failure(error)
        }
    }
}
