import Foundation
import Futures

// Renders a page that is ready.

extension PageTab {
    /// The maximum height of the window that triggers lazy loading, in CSS pixels.
    private static let lazyWindowLimit = 20_000

    /// Triggers the lazy loading of pictures and frames.
    ///
    /// The window is briefly made as tall as the page. A page that exceeds the maximum height is scrolled through as
    /// well.
    func loadLazyContent() async throws(CaptureError) {
        let viewport = options.viewport.height
        var shown = max(viewport, 0)
        // The loaded content may make the page taller. Stops after three rounds, because a page may grow without end.
        for _ in 0..<3 {
            let height = Int(try await contentSize().height.rounded(.up))
            guard height > shown else { break }
            shown = height
            let window = min(height, Self.lazyWindowLimit)
            setViewport(height: window)
            for top in stride(
                from: 0, to: min(height, options.maximumPixels / max(options.viewport.width, 1)), by: window)
            {
                _ = try await evaluate(PageScripts.show(from: top), as: Bool.self)
            }
        }
        if shown > viewport {
            setViewport(height: viewport)
            _ = try await evaluate(PageScripts.show(from: 0), as: Bool.self)
        }
    }

    /// Waits for fonts and pictures, for at most `limit`.
    func waitForImages(limit: Duration) async throws(CaptureError) {
        _ = try await evaluate(PageScripts.settle(limit: limit), as: Bool.self, deadline: limit + .seconds(20))
    }

    /// The size of the content in CSS pixels, from 0 to ``longestSide``, so that it can be converted to integers.
    func contentSize() async throws(CaptureError) -> (width: Double, height: Double) {
        let size = try await send(DevTools.Page.GetLayoutMetrics()).cssContentSize
        return (min(max(size.width, 0), Self.longestSide), min(max(size.height, 0), Self.longestSide))
    }

    /// An upper bound for the size of a page in CSS pixels; Chromium's layout ends at 2²⁵.
    private static let longestSide = 1e9

    /// Renders the full page as PNG; also returns whether the picture is cut off.
    func picture() async throws(CaptureError) -> (png: Data, isCut: Bool) {
        let size = try await contentSize()
        let scale = options.viewport.scale
        let width = max(size.width, 1)
        let allowed = Double(options.maximumPixels) / (width * scale * scale)
        let height = max(min(size.height, allowed.rounded(.down)), 1)
        try await enlargeWindow(to: Int(height.rounded(.up)))
        for (frame, session) in frameSessions {
            // These frames don't render until they come into view. A frame that disappears or doesn't respond is drawn
            // as it is.
            _ = try? await evaluate(
                PageScripts.show(from: 0), as: Bool.self, frame: frame, session: session, deadline: .seconds(2))
        }
        if options.backdrop == .transparent {
            _ = try await send(
                DevTools.Emulation.SetDefaultBackgroundColorOverride(color: .init(r: 0, g: 0, b: 0, a: 0)))
        }
        let isWindow = Int(width) == options.viewport.width && height == height.rounded(.up)
        let picture = try await screenshot(
            .init(optimizeForSpeed: true, clip: isWindow ? nil : .init(width: width, height: height)))
        setViewport(height: options.viewport.height)
        return (picture, height < size.height)
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

    /// Makes the window taller, without resizing elements that depend on the window's height.
    ///
    /// Chromium's `captureBeyondViewport` briefly lays out the page in a narrow window, for which the page may request
    /// other resources, and doesn't draw cross-site frames that were outside of the window.
    private func enlargeWindow(to height: Int) async throws(CaptureError) {
        guard height != options.viewport.height else { return }
        _ = try await evaluate(PageScripts.measureHeights, as: Int.self)
        setViewport(height: height)
        _ = try await evaluate(PageScripts.freezeHeightsAndShow, as: Bool.self)
    }

    // MARK: PDF

    /// CSS pixels per inch, by https://www.w3.org/TR/css-values-4/#absolute-lengths.
    private static let pixelsPerInch = 96.0
    private static let millimetresPerInch = 25.4
    /// The maximum height of a PDF page that Chromium prints, in CSS pixels: less than 65,536 points of 1/72 inch.
    static let pdfHeightLimit = (65_535.0 / 72 * pixelsPerInch).rounded(.down)

    /// Renders the page as a tagged PDF that includes backgrounds.
    func pdf() async throws(CaptureError) -> Data {
        _ = try await evaluate(PageScripts.exactColours, as: Bool.self)
        let margin = 10 / Self.millimetresPerInch
        switch options.paper {
        case .onePage: return try await onePagePDF()
        case .a4:
            return try await pdf(
                width: 210 / Self.millimetresPerInch, height: 297 / Self.millimetresPerInch, margin: margin)
        case .letter: return try await pdf(width: 8.5, height: 11, margin: margin)
        }
    }

    /// Renders the page with its screen layout on one PDF page as tall as the content, or on several if that is too
    /// tall.
    private func onePagePDF() async throws(CaptureError) -> Data {
        _ = try await send(DevTools.Emulation.SetEmulatedMedia(media: "screen"))
        let size = try await contentSize()
        // Measured before printing, because printing changes the layout.
        _ = try await evaluate(PageScripts.measureHeights, as: Int.self)
        let whole = try await pdf(ofContent: size)
        guard PDFDocument.pageCount(of: whole) > 1, size.height < Self.pdfHeightLimit else { return whole }
        // Some elements are as tall as the window and grow with the paper's height, so that no paper is tall enough.
        // Fix their heights to those on the screen.
        setViewport(height: min(options.viewport.height, .max / 2) * 2)
        _ = try await evaluate(PageScripts.freezeHeightsAndShow, as: Bool.self)
        setViewport(height: options.viewport.height)
        _ = try await evaluate(PageScripts.show(from: 0), as: Bool.self)
        var frozen = try await contentSize()
        for _ in 0..<3 {
            let document = try await pdf(ofContent: frozen)
            let pages = PDFDocument.pageCount(of: document)
            if pages <= 1 { return document }
            // The print layout is a little taller than the screen layout.
            frozen.height *= Double(pages)
        }
        return try await pdf(ofContent: frozen)
    }

    private func pdf(ofContent size: (width: Double, height: Double)) async throws(CaptureError) -> Data {
        // One pixel more than the content, because its height is rounded: on paper that is a little too low, the last
        // line would start a second page.
        try await pdf(
            width: max(size.width, 1) / Self.pixelsPerInch,
            height: min(max(size.height, 1) + 1, Self.pdfHeightLimit) / Self.pixelsPerInch, margin: 0)
    }

    private func pdf(width: Double, height: Double, margin: Double) async throws(CaptureError) -> Data {
        let stream = try await send(
            DevTools.Page.PrintToPDF(
                paperWidth: width, paperHeight: height, marginTop: margin, marginBottom: margin, marginLeft: margin,
                marginRight: margin), deadline: options.timeout
        ).stream
        do {
            return try await read(stream: stream, limit: options.limits.pdfBytes)
        } catch  where error.code == .tooLarge {
            throw CaptureError(
                .tooLarge,
                "The PDF of \(url.shown) is larger than \(options.limits.pdfBytes) bytes. Save the page as a picture or web "
                    + "archive instead.", url: url)
        }
    }

    /// Reads a stream of the browser to its end and closes it; throws `tooLarge` beyond the limit in bytes, or beyond
    /// the budget.
    ///
    /// With a `budgetID`, the bytes count toward the budget of bodies. Uses the page's session by default.
    func read(
        stream: String, limit: Int, budgetID: String? = nil, session: String? = nil
    ) async throws(CaptureError) -> Data {
        let session = session ?? self.session
        defer { connection.post(DevTools.IO.Close(handle: stream), session: session) }
        var data = Data()
        while true {
            let before = data.count
            let part = try await send(DevTools.IO.Read(handle: stream, size: 4 << 20), to: session)
            if part.base64Encoded == true {
                guard let bytes = Data(base64Encoded: part.data) else {
                    throw CaptureError(.renderingFailed, "Chromium sent data that isn't base64.", url: url)
                }
                data.append(bytes)
            } else {
                data.append(contentsOf: part.data.utf8)
            }
            let hasRoom = budgetID.map { budget.reserve(data.count - before, for: $0) } ?? true
            if data.count > limit || !hasRoom {
                if let budgetID { budget.release(budgetID) }
                throw CaptureError(
                    .tooLarge, "A part of \(url.shown) is larger than \(limit) bytes.", url: url)
            }
            if part.eof { return data }
        }
    }
}
