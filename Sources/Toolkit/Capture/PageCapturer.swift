public import Egress
public import Foundation
import Futures
import Logging

/// Runs an operation with a new capturer, and closes the capturer when the operation returns or throws.
///
/// ```swift
/// try await withPageCapturer { capturer in
///     let page = try await capturer.capture(url, formats: [.pdf])
///     try page.data[.pdf]?.write(to: file)
/// }
/// ```
///
/// - Parameters:
///   - configuration: The capturer's configuration.
///   - operation: Receives the capturer, which is valid until it returns.
/// - Returns: The value that the operation returns.
/// - Throws: The error that the operation throws.
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

/// Captures web pages as pictures, PDFs, web archives and WACZ files, using a Chromium process of its own.
///
/// The browser starts with the first capture and keeps running. Concurrent captures share it, each in its own browser
/// context. If the browser crashes, its captures fail, and the next capture restarts it. Use
/// ``withPageCapturer(_:_:)``, or close the capturer when you're done. Otherwise Chromium ends when the capturer is
/// deallocated or this process exits. Can be used from any thread.
///
/// Captures can be cancelled at any time; a cancelled capture closes its page before it returns.
public final class PageCapturer: Sendable {
    /// The configuration of a capturer.
    public struct Configuration: Sendable {
        /// The path of Chromium's executable; `nil` to search the usual locations.
        public var chromium: String?
        /// The maximum number of concurrent captures; further ones wait in order.
        public var simultaneousCaptures: Int = 4
        /// Whether to open an empty page during a capture, for the next capture to use.
        ///
        /// It makes that capture about 10% faster and takes about 80 MB of memory.
        public var keepsSparePage: Bool = true
        /// The maximum memory of all processes of one browser, in bytes; `nil` for no limit.
        ///
        /// If this process may create a child of its memory cgroup, the kernel enforces the limit, which then also
        /// covers page cache and kernel memory. Otherwise the processes' proportional set size is sampled four times a
        /// second during captures, and a page can exceed the limit between two samples. A browser that exceeds the
        /// limit is ended. If it ran a single capture, that capture fails with
        /// ``CaptureError/Code-swift.struct/memory``. If it ran several, each is retried once in a separate browser,
        /// one after the other and with its full ``CaptureOptions/timeout``, so that only the page that needs the
        /// memory fails.
        ///
        /// The default is 3 GB because Chromium needs 2 GB to render the largest picture that
        /// ``CaptureOptions/maximumPixels`` allows.
        public var maximumBrowserMemory: Int? = 3 << 30
        /// The bytes of earlier pages' bodies in the browser's memory from which it is replaced after its captures.
        var maximumStoredBytes = 32 << 20
        /// Whether to enforce the memory limit with a cgroup; tests turn it off.
        var usesCgroup = true
        /// The addresses that pages and their resources may be loaded from.
        ///
        /// Chromium's only access to the network is a proxy that enforces this policy; see `PinningProxy`. The proxy
        /// connects to servers directly and ignores the environment's `http_proxy`.
        public var addressPolicy: AddressPolicy = .publicOnly
        /// The ports that this program listens on, which no page can reach even if ``addressPolicy`` allows it.
        public var ownPorts = OwnPorts()
        /// The resolver of host names.
        public var resolver: any NameResolver = SystemNameResolver()
        /// The clock that deadlines are measured with.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// Creates the default configuration and applies changes to it.
        public init(_ change: (inout Configuration) -> Void = { _ in }) { change(&self) }
    }

    let pool: BrowserPool
    let queue: CaptureQueue
    /// Runs captures that need a browser of their own, one at a time.
    let soloQueue = CaptureQueue(limit: 1)
    let configuration: Configuration
    let logger = Logger(label: "meanwhile.capture")

    /// Creates a capturer without starting the browser.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        self.pool = BrowserPool(configuration)
        self.queue = CaptureQueue(limit: configuration.simultaneousCaptures)
    }
}

extension PageCapturer {
    /// Loads a page once, waits until it's ready, and captures it in all formats.
    ///
    /// The page and its resources are loaded only from addresses that ``Configuration/addressPolicy`` allows; refused
    /// resources are missing from the capture. A page with an HTTP error status is captured with a warning. The page
    /// runs in the browser's sandbox, isolated from other captures and from the user's data.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - formats: The formats to create; if empty, the capture has only a summary.
    ///   - options: The capture's options.
    ///   - progress: Called often, from any thread, with the capture's progress.
    /// - Returns: The captured page.
    /// - Throws: ``CaptureError``, after the page has been closed.
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
                url: url, options: options, archives: formats.filter(\.isArchive),
                progress: progress)
            var capture = try await self.withTab(request) { tab throws(CaptureError) in
                try await tab.capture(formats: formats)
            }
            capture.duration = ContinuousClock.now - start
            return capture
        }
    }

    /// Renders a web archive as a picture, without using the network and without running scripts.
    ///
    /// All requests are answered from the archive.
    ///
    /// - Returns: The full page as PNG, the URLs that the page requested but the archive doesn't contain, and the URLs
    ///   of images that the browser couldn't decode.
    /// - Throws: ``CaptureError``.
    @concurrent
    public func render(
        _ archive: WebArchive, options: CaptureOptions = CaptureOptions()
    ) async throws(CaptureError) -> (png: Data, unanswered: [String], undecodable: Set<String>) {
        try await withTab(for: archive, options) { tab, answers throws(CaptureError) in
            let capture = try await tab.capture(formats: [.png])
            guard let png = capture.data[.png] else {
                throw CaptureError(.renderingFailed, "Chromium couldn't make a picture of the archive.", url: tab.url)
            }
            return (png, answers.unanswered, capture.undecodable)
        }
    }

    /// Captures the page of a web archive in other formats, without using the network and without running scripts.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - formats: The formats to create; archives can't be created, because no request is made.
    ///   - options: The capture's options.
    /// - Returns: The captured page; its warnings say what the archive doesn't contain.
    /// - Throws: ``CaptureError``.
    @concurrent
    package func capture(
        _ archive: WebArchive, formats: Set<PageFormat>, options: CaptureOptions = CaptureOptions()
    ) async throws(CaptureError) -> PageCapture {
        let start = ContinuousClock.now
        var capture = try await withTab(for: archive, options) { tab, _ throws(CaptureError) in
            try await tab.capture(formats: formats.filter { !$0.isArchive })
        }
        capture.duration = ContinuousClock.now - start
        return capture
    }

    /// Reads the text of a web archive's page, without using the network and without running scripts.
    ///
    /// - Returns: The text that the page shows, as in ``PageCapture/text``.
    /// - Throws: ``CaptureError``.
    @concurrent
    public func text(
        of archive: WebArchive, options: CaptureOptions = CaptureOptions()
    ) async throws(CaptureError) -> String {
        try await withTab(for: archive, options) { tab, _ throws(CaptureError) in
            try await tab.capture(formats: []).text ?? ""
        }
    }

    /// Starts the browser and opens an empty page with the viewport of the options, ahead of the first capture.
    ///
    /// If this fails, the next capture throws the error.
    package func warmUp(for options: CaptureOptions = CaptureOptions()) async {
        guard let browser = try? await pool.browser() else { return }
        await pool.sparePages(window: options.viewport, in: browser).next?.begin()
        await pool.release(browser)
    }

    /// Closes the capturer: running captures fail with ``CaptureError/Code-swift.struct/closed``, and so do later ones.
    ///
    /// Returns when all of Chromium's processes have ended.
    public func close() async {
        await pool.close()
    }

    /// Throws the error that a capture would throw if the URL isn't an absolute `http` or `https` URL.
    public static func validate(_ url: URL) throws(CaptureError) {
        guard let scheme = url.scheme?.lowercased() else {
            throw CaptureError(
                .invalidAddress, "\(url.shown) isn't a complete web address. Add https:// in front.",
                url: url)
        }
        guard ["http", "https"].contains(scheme) else {
            throw CaptureError(
                .unsupportedScheme,
                "\(scheme): addresses aren't web addresses. Enter an address that starts with https:// or http://.",
                url: url)
        }
        guard let host = url.host(), !host.isEmpty else {
            throw CaptureError(.invalidAddress, "\(url.shown) contains no server name, such as example.org.", url: url)
        }
        if let port = url.port, !(0...65_535).contains(port) {
            throw CaptureError(.invalidAddress, "\(url.shown) has the port \(port); the largest is 65535.", url: url)
        }
    }
}

/// Limits the number of concurrent captures; waiting captures run in order.
typealias CaptureQueue = ConcurrencyLimiter<CaptureError>

extension CaptureQueue {
    /// - Parameter limit: The maximum number of concurrent captures; at least one.
    init(limit: Int) {
        self.init(
            limit: limit,
            cancelled: CaptureError(.cancelled, "The capture was cancelled while it was waiting to start."),
            closed: CaptureError(.closed, "The queue of captures was closed."))
    }
}
