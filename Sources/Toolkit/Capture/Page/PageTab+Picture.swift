import Foundation
import Futures
import FuturesFoundation

// Renders a page as pictures.

extension PageTab {
    /// The maximum size of the window, in device pixels.
    ///
    /// Chromium's software compositor holds several copies of the window, with four bytes for each pixel.
    static let windowPixels = 50_000_000

    /// The maximum height of the window, in CSS pixels.
    var tallestWindow: Int {
        let viewport = options.viewport
        let pixels = Double(options.windowPixels ?? Self.windowPixels)
        let height = pixels / (Double(max(viewport.width, 1)) * viewport.scale * viewport.scale)
        return max(Int(height < Self.longestSide ? height : Self.longestSide), viewport.height, 1)
    }

    /// How long a script waits for frames, which a busy machine may draw late or never.
    static let frameLimit = Duration.seconds(2)

    /// Shows the whole page, so that pictures and frames that wait until they come into view load.
    ///
    /// The window is made as tall as the page, and stays so. A page that is taller than any window is scrolled through.
    func showAll() async throws(CaptureError) {
        _ = try await evaluate(PageScripts.layOutContents, as: Bool.self)
        var shown = max(options.viewport.height, 0)
        // The loaded content may make the page taller. Stops after three rounds, because a page may grow without end.
        for _ in 0..<3 {
            let height = Int(try await contentSize().height.rounded(.up))
            guard height > shown else { break }
            shown = height
            let window = min(height, tallestWindow)
            try await enlargeWindow(to: window)
            guard height > window else { continue }
            let end = min(height, options.maximumPixels / max(options.viewport.width, 1))
            for top in stride(from: window, to: end, by: window) {
                // The rest of the time is for the formats. What wasn't shown may lack lazy content.
                guard stopwatch.elapsed < options.timeout / 4 else { break }
                try await show(from: top)
            }
            try await show(from: 0)
        }
    }

    /// Makes the window taller, without resizing elements that follow its height.
    ///
    /// Chromium's `captureBeyondViewport` briefly lays out the page in a narrow window, for which the page may request
    /// other resources, and doesn't draw cross-site frames that were outside of the window.
    private func enlargeWindow(to height: Int) async throws(CaptureError) {
        guard height > windowHeight ?? 0 else { return }
        _ = try await evaluate(PageScripts.measure, as: Int.self)
        setWindow(height: height)
        try await waitBriefly(for: PageScripts.freezeHeights)
        try await show(from: 0)
    }

    /// Scrolls to a position, and waits until it's drawn, but not for long.
    func show(from top: Int) async throws(CaptureError) {
        try await waitBriefly(for: PageScripts.show(from: top))
    }

    /// Waits until the page's fonts and pictures are loaded and decoded, for at most the settle limit, and ends its
    /// animations.
    func waitForImages() async throws(CaptureError) {
        let limit = min(max(options.settleLimit, .zero), .seconds(CaptureOptions.longestTimeout))
        try await waitBriefly(for: PageScripts.settle, limit: limit)
    }

    /// Runs a script that waits for the page, but not for longer than `limit`.
    func waitBriefly(
        for script: String, frame: String? = nil, session: String? = nil, limit: Duration = frameLimit
    ) async throws(CaptureError) {
        do {
            _ = try await evaluate(script, as: Bool.self, frame: frame, session: session, deadline: limit)
        } catch  where error.code == .timedOut {
            // The page is captured as it is.
        }
    }

    /// The size of the content in CSS pixels, from 0 to ``longestSide``, so that it can be converted to integers.
    func contentSize() async throws(CaptureError) -> (width: Double, height: Double) {
        let size = try await send(DevTools.Page.GetLayoutMetrics()).cssContentSize
        return (min(max(size.width, 0), Self.longestSide), min(max(size.height, 0), Self.longestSide))
    }

    /// An upper bound for the size of a page in CSS pixels; Chromium's layout ends at 2²⁵.
    private static let longestSide = 1e9

    // MARK: The picture

    /// The part of the page that its picture shows, in CSS pixels.
    struct PictureSize: Sendable {
        var width: Double
        var height: Double
        /// Whether the page is taller.
        var isCut: Bool
        /// Whether the page is taller than any window, so that the picture is made of stripes.
        var isStriped: Bool
    }

    /// Makes the window as tall as the picture.
    func preparePicture() async throws(CaptureError) -> PictureSize {
        if windowHeight != options.viewport.height, try await evaluate(PageScripts.hasNewFollowers, as: Bool.self) {
            // Their heights are known only in the page's own window.
            _ = try await evaluate(PageScripts.releaseHeights, as: Bool.self)
            setWindow(height: options.viewport.height)
            try await show(from: 0)
        }
        let size = try await contentSize()
        let scale = options.viewport.scale
        let width = max(size.width, 1)
        let allowed = Double(options.maximumPixels) / (width * scale * scale)
        let height = max(min(size.height, allowed.rounded(.down)), 1)
        let window = Int(height.rounded(.up))
        try await enlargeWindow(to: min(window, tallestWindow))
        if !frameSessions.isEmpty {
            await showFrames()
            try await show(from: 0)
        }
        if options.backdrop == .transparent {
            _ = try await send(
                DevTools.Emulation.SetDefaultBackgroundColorOverride(color: .init(r: 0, g: 0, b: 0, a: 0)))
        }
        return PictureSize(
            width: width, height: height, isCut: height < size.height, isStriped: window > tallestWindow)
    }

    /// Makes the cross-site frames draw, which they don't do before they come into view.
    private func showFrames() async {
        let frames = frameSessions
        await withTaskGroup(of: Void.self) { group in
            for (frame, session) in frames {
                // A frame that disappears or doesn't respond is drawn as it is.
                group.addTask {
                    try? await self.waitBriefly(for: PageScripts.showFrame, frame: frame, session: session)
                }
            }
        }
    }

    /// Renders the page as PNG, after ``preparePicture()``; also returns whether it is cut off.
    func picture(_ size: PictureSize) async throws(CaptureError) -> (png: Data, isCut: Bool) {
        if size.isStriped { return try await stripedPicture(size) }
        let isWindow = Int(size.width) == options.viewport.width && size.height == windowHeight.map(Double.init)
        let clip = isWindow ? nil : DevTools.Page.CaptureScreenshot.Clip(width: size.width, height: size.height)
        return (try await screenshot(.init(optimizeForSpeed: true, clip: clip)), false)
    }

    /// The maximum height of a stripe in device pixels: phones, which show it as a tile, can decode it.
    private static let tallestStripe = 8_192

    /// Renders a page that is taller than the window in stripes, and joins them.
    ///
    /// Chromium renders one stripe at a time: of several at once, all would show the last one.
    private func stripedPicture(_ size: PictureSize) async throws(CaptureError) -> (png: Data, isCut: Bool) {
        let window = windowHeight ?? tallestWindow
        let scale = options.viewport.scale
        let tops = PictureStripes.tops(
            height: size.height, tallest: min(window, Int(Double(Self.tallestStripe) / scale)), scale: scale)
        _ = try await evaluate(PageScripts.holdElements(height: size.height), as: Int.self)
        let limit = options.limits.pictureBytes
        do {
            let file = try StripedPicture()
            var isCut = false
            var shownEnd = 0.0
            for (index, top) in tops.enumerated() where !isCut {
                // The rest of the time is for the other formats.
                if index > 0, stopwatch.elapsed > options.timeout / 2 {
                    omit("The picture was cut off after half of the time limit. Allow more time to save all of it.")
                    isCut = true
                    break
                }
                let bottom = index + 1 < tops.count ? tops[index + 1] : size.height
                if bottom > shownEnd {
                    try await waitBriefly(for: PageScripts.showStripe(from: top))
                    await showFrames()
                    shownEnd = top + Double(window)
                }
                let clip = DevTools.Page.CaptureScreenshot.Clip(y: top, width: size.width, height: bottom - top)
                let stripe = try await screenshot(.init(optimizeForSpeed: true, clip: clip))
                isCut = try await WorkerThreads.computing.runUncancellable { _ in
                    Result { try !file.append(stripe, limit: limit) }
                }.get()
            }
            _ = try await evaluate(PageScripts.releaseElements, as: Bool.self)
            return (try file.finish(), isCut)
        } catch let error as CaptureError {
            throw error
        } catch {
            throw CaptureError(
                .renderingFailed, "The picture of \(url.shown) couldn't be written: \(error)", url: url, cause: error)
        }
    }

    /// The delay before a picture is requested again; it doubles with each further request.
    private static let screenshotRetryDelay = Duration.seconds(2)

    /// Takes a picture of the window or of a part of the page.
    ///
    /// On a busy machine, Chromium 156 sometimes waits for a compositor frame that it never draws (1 to 3 of 100
    /// pictures). Another request makes it draw, and then it replies to both.
    func screenshot(_ command: DevTools.Page.CaptureScreenshot) async throws(CaptureError) -> Data {
        let retrying = Task { [connection, session, stopwatch] in
            var delay = Self.screenshotRetryDelay
            while (try? await stopwatch.sleep(until: stopwatch.elapsed + delay)) != nil {
                connection.post(command, session: session)
                delay *= 2
            }
        }
        defer { retrying.cancel() }
        return try await send(command, deadline: options.timeout).data
    }

    /// Renders the first screen as a small PNG, without changing the window.
    ///
    /// Chromium renders at that scale instead of downsampling a picture, so that lines and letters are sharp. The width
    /// is in device pixels, and is reduced to what ``CaptureOptions/maximumPixels`` allows.
    func thumbnail(width: Int) async throws(CaptureError) -> Data {
        let (viewport, limit) = (options.viewport, options.maximumPixels)
        let window = (width: Double(max(viewport.width, 1)), height: Double(max(viewport.height, 1)))
        let widest = (Double(max(limit, 1)) * window.width / window.height).squareRoot().rounded(.down)
        let scale = min(Double(max(width, 1)), max(widest, 1)) / (window.width * viewport.scale)
        return try await screenshot(
            .init(optimizeForSpeed: false, clip: .init(width: window.width, height: window.height, scale: scale)))
    }
}
