public import Egress
public import Foundation
import Futures
import Logging

/// Runs an operation with a capturer of its own, and closes that at the end, also if the operation throws.
///
/// ```swift
/// try await withPageCapturer { capturer in
///     let page = try await capturer.capture(url, formats: [.pdf])
///     try page.data[.pdf]?.write(to: file)
/// }
/// ```
///
/// - Parameters:
///   - configuration: How the capturer works.
///   - operation: Uses the capturer, which is closed when it returns.
/// - Returns: What the operation returns.
/// - Throws: What the operation throws.
public func withPageCapturer<Value, Failure: Error>(
    _ configuration: PageCapturer.Configuration = PageCapturer.Configuration(),
    _ operation: (PageCapturer) async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let capturer = PageCapturer(configuration: configuration)
    do throws(Failure) {
        let value = try await operation(capturer)
        await capturer.close()
        return value
    } catch {
        await capturer.close()
        throw error
    }
}

/// Captures web pages as pictures, PDFs and web archives, with a Chromium of its own.
///
/// The browser starts with the first capture and stays warm; captures that run at the same time share it, each in a context
/// of its own. If it crashes, the captures in it fail, and the next one starts it anew. Use ``withPageCapturer(_:_:)``, or close the
/// capturer when done: otherwise Chromium ends with the capturer or this process. May be used from any thread.
///
/// A capture may be cancelled at any time; its page is closed before it returns.
public final class PageCapturer: Sendable {
    /// How a capturer works.
    public struct Configuration: Sendable {
        /// Chromium's program; `nil` to look in the usual places.
        public var chromium: String?
        /// How many pages are captured at a time; further ones wait for their turn.
        public var simultaneousCaptures: Int = 4
        /// Whether an empty page is opened while another one is captured, for the capture that comes next.
        ///
        /// That saves it a tenth of its time, and costs about 80 MB of memory.
        public var keepsSparePage: Bool = true
        /// How much memory the processes of one browser may take, in bytes; `nil` for any amount.
        ///
        /// Where a memory cgroup may be made below the one that this process is in, the kernel enforces this, and counts page cache
        /// and its own structures too. Elsewhere the processes' proportional set size is read four times a second while captures
        /// run, and a page may take more for that long. A browser that takes more is ended. If one page was captured in it,
        /// that capture fails with ``CaptureError/Code-swift.struct/memory``. If there were several, each is begun anew, once, in a
        /// browser of its own, one after the other and with its whole ``CaptureOptions/timeout``, so that only the page that
        /// needs the memory fails.
        ///
        /// The largest picture that ``CaptureOptions/maximumPixels`` allows takes 2 GB while Chromium makes it, hence 3 GB.
        public var maximumBrowserMemory: Int? = 3 << 30
        /// Whether a cgroup is made for the limit of memory, for the tests.
        var usesCgroup = true
        /// Which addresses pages may be loaded from, they themselves and all that they ask for.
        ///
        /// Chromium reaches the network by a proxy alone, which enforces this; see `PinningProxy`. It connects to servers
        /// directly: a proxy that the environment names (`http_proxy`) is not used.
        public var addressPolicy: AddressPolicy = .publicOnly
        /// Where this program itself listens, which no page reaches, whatever ``addressPolicy`` allows.
        public var ownPorts = OwnPorts()
        /// What knows the addresses of names.
        public var resolver: any NameResolver = SystemNameResolver()
        /// What deadlines are measured by.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// Creates the usual configuration, and changes some of it.
        public init(_ change: (inout Configuration) -> Void = { _ in }) { change(&self) }
    }

    let pool: BrowserPool
    let queue: CaptureQueue
    /// For captures that need a browser of their own.
    private let soloQueue = CaptureQueue(limit: 1)
    private let configuration: Configuration
    private let logger = Logger(label: "meanwhile.capture")

    /// Creates a capturer; nothing is started yet.
    ///
    /// - Parameter configuration: How it works.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        self.pool = BrowserPool(configuration)
        self.queue = CaptureQueue(limit: configuration.simultaneousCaptures)
    }
}

// MARK: - Capturing

extension PageCapturer {
    /// Captures a page: loads it once, waits until it is ready, and makes every format of that one load.
    ///
    /// The page and all that it asks for come from addresses that ``Configuration/addressPolicy`` allows; what is refused
    /// is missing. A page with an HTTP error status is captured too, and says so. The page runs in the browser's sandbox, without
    /// anything that other captures or this machine's user have stored.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` address.
    ///   - formats: What to make; none makes nothing but the summary.
    ///   - options: How.
    ///   - progress: Told how far it is, often, on any thread.
    /// - Returns: The page in every format.
    /// - Throws: ``CaptureError``. Nothing is left behind then.
    @concurrent
    public func capture(
        _ url: URL, formats: Set<PageFormat> = Set(PageFormat.allCases), options: CaptureOptions = CaptureOptions(),
        progress: @escaping @Sendable (CaptureProgress) -> Void = { _ in }
    ) async throws(CaptureError) -> PageCapture {
        try Self.validate(url)
        progress(.starting)
        return try await queue.run { [self] () throws(CaptureError) in
            let start = ContinuousClock.now
            let request = PageTab.Request(
                url: url, options: options, keepsBodies: formats.contains(.webArchive),
                progress: progress)
            var capture = try await self.withTab(request) { tab throws(CaptureError) in
                try await tab.capture(formats: formats)
            }
            capture.duration = ContinuousClock.now - start
            return capture
        }
    }

    /// Draws a web archive as a page, with every request answered from the archive: nothing reaches the network, and no
    /// script runs.
    ///
    /// - Parameters:
    ///   - archive: The page.
    ///   - options: How.
    /// - Returns: The full page as PNG, the addresses that the page asked for and the archive does not have, and those of images
    ///   in the archive that the browser couldn't decode.
    /// - Throws: ``CaptureError``.
    @concurrent
    public func render(
        _ archive: WebArchive, options: CaptureOptions = CaptureOptions()
    ) async throws(CaptureError) -> (png: Data, unanswered: [String], undecodable: Set<String>) {
        try await withTab(for: archive, options) { tab, answers throws(CaptureError) in
            let capture = try await tab.capture(formats: [.png])
            guard let png = capture.data[.png] else {
                throw CaptureError(.renderingFailed, "Chromium made no picture of the archive.", url: tab.url)
            }
            return (png, answers.unanswered, capture.undecodable)
        }
    }

    /// Starts the browser, and opens an empty page in it, before anything is captured.
    ///
    /// What goes wrong is said by the capture that comes next.
    ///
    /// - Parameter options: How pages will be captured: the empty page has their window.
    package func warmUp(for options: CaptureOptions = CaptureOptions()) async {
        guard let browser = try? await pool.browser() else { return }
        await pool.sparePages(window: options.viewport, in: browser).next?.begin()
    }

    /// Ends the browser; captures that run fail with ``CaptureError/Code-swift.struct/closed``, and none can be begun any
    /// more.
    ///
    /// Returns when Chromium with all its processes is gone.
    public func close() async {
        await pool.close()
    }

    /// Refuses addresses that are not of the web.
    ///
    /// - Parameter url: An address.
    /// - Throws: ``CaptureError``, as ``capture(_:formats:options:progress:)`` would.
    public static func validate(_ url: URL) throws(CaptureError) {
        guard let scheme = url.scheme?.lowercased() else {
            throw CaptureError(
                .invalidAddress, "\(url.shown) is not a whole address. Write it with https:// in front.",
                url: url)
        }
        guard ["http", "https"].contains(scheme) else {
            throw CaptureError(
                .unsupportedScheme,
                "\(scheme): addresses are not of the web and are not opened. Give an address that begins with https:// or "
                    + "http://.", url: url)
        }
        guard let host = url.host(), !host.isEmpty else {
            throw CaptureError(.invalidAddress, "\(url.shown) names no host.", url: url)
        }
    }
}

// MARK: - Tabs

extension PageCapturer {
    /// Opens a tab whose requests are answered from an archive, runs something in it, and closes it.
    func withTab<Value: Sendable>(
        for archive: WebArchive, _ options: CaptureOptions,
        _ body: @escaping @Sendable (PageTab, RequestAnswers) async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        guard let url = URL(string: archive.mainResource.url) else {
            throw CaptureError(.invalidAddress, "The archive's own address is not one: \(archive.mainResource.url)")
        }
        try Self.validate(url)
        return try await queue.run { [self] () throws(CaptureError) in
            let answers = RequestAnswers(archive)
            let request = PageTab.Request(url: url, options: options, keepsBodies: false, answers: answers)
            return try await withTab(request) { tab throws(CaptureError) in try await body(tab, answers) }
        }
    }

    /// Opens a tab, runs something in it before its deadline, and closes it, whatever happens.
    ///
    /// If the browser is ended because several pages together take too much memory, this is done once more, in a browser of
    /// its own.
    func withTab<Value: Sendable>(
        _ request: PageTab.Request, _ body: @escaping @Sendable (PageTab) async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        let browser = try await pool.browser()
        do throws(CaptureError) {
            return try await withTab(request, in: browser, body)
        } catch {
            guard error.code == .memory, let excess = browser.memoryWatch.excess, excess.captures > 1 else {
                throw error
            }
            logger.notice("memory", metadata: ["bytes": "\(excess.bytes)", "captures": "\(excess.captures)"])
        }
        return try await soloQueue.run { [self] () throws(CaptureError) in
            let browser = try await pool.browserAlone()
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
        // What is drawn from an archive has no session, so that the proxy does not serve it.
        let egress = request.answers == nil ? await pool.proxy?.session(policy: configuration.addressPolicy) : nil
        request.egress = egress
        request.progress = { [progress = request.progress] step in
            if step == .settling { next?.begin() }
            progress(step)
        }
        // Not cut short by cancellation: what has been opened must be known, to be closed.
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
        // A capture that seems whole may lack a frame, or parts that the killed process was to load.
        if browser.memoryWatch.findsKill(), case .success = outcome {
            outcome = .failure(
                CaptureError(.pageCrashed, "A process of \(request.url.shown) was killed.", url: request.url))
        }
        // A browser that cannot close a page any more is of no use to the next capture.
        if await !tab.close() { await pool.discard(browser) }
        await egress?.end()
        switch outcome {
        case .success(let value): return value
        case .failure(let error): throw await causeOfEnd(error, of: browser)
        }
    }

    /// Why a capture ended: a browser that was ended by ``close()`` or for its memory has not crashed, nor has a page whose process
    /// the kernel killed.
    private func causeOfEnd(_ error: CaptureError, of browser: ChromiumProcess) async -> CaptureError {
        let isKilled = browser.memoryWatch.findsKill()
        guard error.code == .browserExited || isKilled && error.code != .cancelled else { return error }
        if await pool.isClosed {
            return CaptureError(.closed, "The capturer was closed.", url: error.url, cause: error)
        }
        guard let excess = browser.memoryWatch.excess, let limit = browser.memoryWatch.limit else { return error }
        func text(_ bytes: Int) -> String { bytes.formatted(.byteCount(style: .memory)) }
        return CaptureError(
            .memory,
            "\(error.url?.shown ?? "The page") needs too much memory: Chromium was ended when it took \(text(excess.bytes)); it "
                + "may take \(text(limit)). Nothing was saved; other pages are not affected.", url: error.url,
            cause: error)
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

/// Lets so many captures run at a time; the others wait, first come, first served.
typealias CaptureQueue = TurnQueue<CaptureError>

extension CaptureQueue {
    /// - Parameter limit: How many captures run at a time; at least one.
    init(limit: Int) {
        self.init(
            limit: limit,
            cancelled: CaptureError(.cancelled, "The capture was cancelled while it waited for its turn."),
            closed: CaptureError(.closed, "The queue of captures was closed."))
    }
}
