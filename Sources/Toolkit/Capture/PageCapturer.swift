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
    let soloQueue = CaptureQueue(limit: 1)
    let configuration: Configuration
    let logger = Logger(label: "meanwhile.capture")

    /// Creates a capturer; nothing is started yet.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        self.pool = BrowserPool(configuration)
        self.queue = CaptureQueue(limit: configuration.simultaneousCaptures)
    }
}

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

    /// Starts the browser and opens an empty page with the options' window, before anything is captured.
    ///
    /// If that fails, the next capture throws the error.
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

    /// Refuses addresses that are not of the web, with the error that a capture would throw.
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
