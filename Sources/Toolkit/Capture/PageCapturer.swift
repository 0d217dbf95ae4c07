public import Egress
public import Foundation
import Futures
import Logging

/// Captures web pages as pictures, PDFs and web archives, with a Chromium of its own.
///
/// The browser starts with the first capture and stays warm; captures that run at the same time share it, each in a context
/// of its own. If it crashes, the captures in it fail, and the next one starts it anew. Close the capturer when done:
/// without that, Chromium ends with this process.
///
/// A capture may be cancelled at any time; its page is closed before it returns.
public actor PageCapturer {
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

        /// Creates the usual configuration.
        public init() {}
    }

    private let configuration: Configuration
    private let logger = Logger(label: "meanwhile.capture")
    let queue: CaptureQueue
    /// For captures that need a browser of their own.
    private let soloQueue = CaptureQueue(limit: 1)
    private var soloBrowser: ChromiumProcess?
    private var starting: Task<Result<Started, CaptureError>, Never>?
    private var browser: ChromiumProcess?
    /// By what every browser of this capturer reaches the network.
    private(set) var proxy: PinningProxy?
    private var isClosed = false
    private var spare: SparePage?
    /// How many browsers have been started, for the tests.
    private(set) var browsersStarted = 0

    private struct Started {
        var browser: ChromiumProcess
        var proxy: PinningProxy
    }

    /// Creates a capturer; nothing is started yet.
    ///
    /// - Parameter configuration: How it works.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        self.queue = CaptureQueue(limit: configuration.simultaneousCaptures)
    }

    deinit {
        browser?.requestEnd()
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
    public func render(
        _ archive: WebArchive, options: CaptureOptions = CaptureOptions()
    ) async throws(CaptureError) -> (png: Data, unanswered: [String], undecodable: Set<String>) {
        guard let url = URL(string: archive.mainResource.url) else {
            throw CaptureError(.invalidAddress, "The archive's own address is not one: \(archive.mainResource.url)")
        }
        try Self.validate(url)
        return try await queue.run { [self] () throws(CaptureError) in
            let answers = RequestAnswers(archive)
            let request = PageTab.Request(url: url, options: options, keepsBodies: false, answers: answers)
            let capture = try await self.withTab(request) { tab throws(CaptureError) in
                try await tab.capture(formats: [.png])
            }
            guard let png = capture.data[.png] else {
                throw CaptureError(.renderingFailed, "Chromium made no picture of the archive.", url: url)
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
        guard let blank = URL(string: "about:blank"), let process = try? await runningBrowser(for: blank).process else {
            return
        }
        prepareSpare(window: options.viewport, in: process)?.begin()
    }

    /// Ends the browser; captures that run fail with ``CaptureError/Code-swift.struct/closed``, and none can be begun any
    /// more.
    ///
    /// Returns when Chromium with all its processes is gone.
    public func close() async {
        isClosed = true
        spare?.discard()
        spare = nil
        starting?.cancel()
        if case .success(let started)? = await starting?.value {
            await started.browser.terminate()
            await started.proxy.close()
        }
        await browser?.terminate()
        browser = nil
        await soloBrowser?.terminate()
        soloBrowser = nil
        await proxy?.close()
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

// MARK: - The browser

extension PageCapturer {
    /// The browser that captures run in at the moment.
    var currentBrowser: ChromiumProcess? { browser }

    /// The page for the next capture, for the tests.
    var currentSparePage: SparePage? { spare }

    /// Opens a tab, runs something in it before its deadline, and closes it, whatever happens.
    ///
    /// If the browser is ended because several pages together take too much memory, this is done once more, in a browser of
    /// its own.
    func withTab<Value: Sendable>(
        _ request: PageTab.Request, _ body: @escaping @Sendable (PageTab) async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        let (process, proxy) = try await runningBrowser(for: request.url)
        do throws(CaptureError) {
            return try await withTab(request, in: process, proxy: proxy, body)
        } catch {
            guard error.code == .memory, let excess = process.memoryWatch.excess, excess.captures > 1 else {
                throw error
            }
            logger.notice("memory", metadata: ["bytes": "\(excess.bytes)", "captures": "\(excess.captures)"])
        }
        return try await soloQueue.run { [self] () throws(CaptureError) in
            try await self.inSoloBrowser(proxy: proxy, for: request.url) { process throws(CaptureError) in
                try await self.withTab(request, in: process, proxy: proxy, body)
            }
        }
    }

    private func inSoloBrowser<Value: Sendable>(
        proxy: PinningProxy, for url: URL, _ body: (ChromiumProcess) async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        if isClosed { throw CaptureError(.closed, "The capturer has been closed.", url: url) }
        browsersStarted += 1
        let process = try await Self.launch(configuration, proxyPort: proxy.port)
        soloBrowser = process
        let result: Result<Value, CaptureError>
        if isClosed {
            result = .failure(CaptureError(.closed, "The capturer has been closed.", url: url))
        } else {
            do throws(CaptureError) {
                result = .success(try await body(process))
            } catch {
                result = .failure(error)
            }
        }
        if soloBrowser === process { soloBrowser = nil }
        await process.terminate()
        return try result.get()
    }

    private func withTab<Value: Sendable>(
        _ request: PageTab.Request, in process: ChromiumProcess, proxy: PinningProxy,
        _ body: @escaping @Sendable (PageTab) async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        process.memoryWatch.captureBegan()
        defer { process.memoryWatch.captureEnded() }
        let ready = spare(for: request, in: process)
        // A browser of one capture has no next one.
        let next = process === soloBrowser ? nil : prepareSpare(window: request.options.viewport, in: process)
        defer { next?.begin() }
        var request = request
        // What is drawn from an archive has no session, so that the proxy does not serve it.
        let egress = request.answers == nil ? proxy.session(policy: configuration.addressPolicy) : nil
        request.egress = egress
        request.progress = { [progress = request.progress] step in
            if step == .settling { next?.begin() }
            progress(step)
        }
        // Not cut short by cancellation: what has been opened must be known, to be closed.
        let opening = Task { [request, clock = configuration.clock] in
            await Self.open(request, spare: ready, in: process.connection, clock: clock)
        }
        let tab: PageTab
        switch await opening.value {
        case .success(let opened):
            tab = opened
        case .failure(let error):
            await egress?.end()
            await discard(process)
            throw causeOfEnd(CaptureError(error, url: request.url), of: process)
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
        if process.memoryWatch.findsKill(), case .success = outcome {
            outcome = .failure(
                CaptureError(.pageCrashed, "A process of \(request.url.shown) was killed.", url: request.url))
        }
        // A browser that cannot close a page any more is of no use to the next capture.
        if await !tab.close() { await discard(process) }
        await egress?.end()
        return try outcome.mapError { causeOfEnd($0, of: process) }.get()
    }

    /// Why a capture ended: a browser that was ended by ``close()`` or for its memory has not crashed, nor has a page whose process
    /// the kernel killed.
    private func causeOfEnd(_ error: CaptureError, of process: ChromiumProcess) -> CaptureError {
        let isKilled = process.memoryWatch.findsKill()
        guard error.code == .browserExited || isKilled && error.code != .cancelled else { return error }
        if isClosed { return CaptureError(.closed, "The capturer was closed.", url: error.url, cause: error) }
        guard let excess = process.memoryWatch.excess, let limit = process.memoryWatch.limit else { return error }
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

    /// The spare page, if there is one that fits; it is taken.
    private func spare(for request: PageTab.Request, in process: ChromiumProcess) -> SparePage? {
        guard let spare, spare.isBegun, spare.process === process, spare.window == request.options.viewport else {
            return nil
        }
        self.spare = nil
        return spare
    }

    /// What is to be begun when there is time to open a page for the next capture.
    private func prepareSpare(window: CaptureOptions.Viewport, in process: ChromiumProcess) -> SparePage? {
        guard configuration.keepsSparePage else { return nil }
        if let spare, spare.process === process, spare.window == window { return spare }
        spare?.discard()
        spare = SparePage(window: window, in: process)
        return spare
    }

    private func runningBrowser(
        for url: URL
    ) async throws(CaptureError) -> (process: ChromiumProcess, proxy: PinningProxy) {
        if isClosed { throw CaptureError(.closed, "The capturer has been closed.", url: url) }
        if let browser, let proxy {
            if browser.isRunning { return (browser, proxy) }
            await discard(browser)
        }
        let task: Task<Result<Started, CaptureError>, Never>
        if let starting {
            task = starting
        } else {
            // Shared by all captures that wait for it, so that cancelling one does not fail the others; owned by this
            // actor, which ends what it has started in `close()`.
            task = Task { [configuration, proxy] in
                do throws(CaptureError) {
                    return .success(try await Self.start(configuration, proxy: proxy))
                } catch {
                    return .failure(error)
                }
            }
            starting = task
            browsersStarted += 1
        }
        let result = await task.value
        if starting == task {
            starting = nil
            if case .success(let started) = result { (browser, proxy) = (started.browser, started.proxy) }
        }
        if isClosed {
            throw CaptureError(.closed, "The capturer has been closed.", url: url)
        }
        let started = try result.get()
        return (started.browser, started.proxy)
    }

    /// Starts a browser, and before it the proxy that it lives by, if there is none yet.
    private static func start(
        _ configuration: Configuration, proxy existing: PinningProxy?
    ) async throws(CaptureError) -> Started {
        let proxy: PinningProxy
        if let existing {
            proxy = existing
        } else {
            do throws(EgressError) {
                proxy = try await PinningProxy.start(
                    resolver: configuration.resolver, ownPorts: configuration.ownPorts)
            } catch {
                throw CaptureError(.browserFailedToStart, "Chromium cannot be started. \(error)", cause: error)
            }
        }
        do throws(CaptureError) {
            return Started(browser: try await launch(configuration, proxyPort: proxy.port), proxy: proxy)
        } catch {
            if existing == nil { await proxy.close() }
            throw error
        }
    }

    private static func launch(
        _ configuration: Configuration, proxyPort: Int
    ) async throws(CaptureError) -> ChromiumProcess {
        var launch = ChromiumProcess.Configuration()
        launch.executable = configuration.chromium
        launch.clock = configuration.clock
        launch.proxyPort = proxyPort
        launch.memoryLimit = configuration.maximumBrowserMemory
        launch.usesCgroup = configuration.usesCgroup
        return try await ChromiumProcess.launch(launch)
    }

    private func discard(_ process: ChromiumProcess) async {
        if browser === process { browser = nil }
        if spare?.process === process {
            spare?.discard()
            spare = nil
        }
        await process.terminate()
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
