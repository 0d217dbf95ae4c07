import Foundation
import Futures

// What a page that is ready is made into.

extension PageTab {
    /// The tallest window, in CSS pixels, that a page is shown in to make its lazy pictures load.
    private static let lazyWindowLimit = 20_000

    /// Makes lazily loaded pictures and frames load.
    ///
    /// The page is shown in a window as tall as itself for a moment, and scrolled through if it is taller than such a
    /// window may be.
    func loadLazyContent() async throws(CaptureError) {
        let viewport = options.viewport.height
        var shown = max(viewport, 0)
        // What comes into view may make the page longer; a page that grows for ever is left after three rounds.
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

    /// Waits for fonts and pictures, for the rest of the time that settling may take.
    func waitForImages(limit: Duration) async throws(CaptureError) {
        _ = try await evaluate(PageScripts.settle(limit: limit), as: Bool.self, deadline: limit + .seconds(20))
    }

    /// The size of the content, in CSS pixels: from 0 to ``longestSide``, so that whole numbers can be made of it.
    func contentSize() async throws(CaptureError) -> (width: Double, height: Double) {
        let size = try await send(DevTools.Page.GetLayoutMetrics()).cssContentSize
        return (min(max(size.width, 0), Self.longestSide), min(max(size.height, 0), Self.longestSide))
    }

    /// More CSS pixels than any page has: the layout of Chromium ends at 2²⁵.
    private static let longestSide = 1e9

    /// The full page as a PNG; returns the picture, and whether the page is taller than it.
    func picture() async throws(CaptureError) -> (png: Data, isCut: Bool) {
        let size = try await contentSize()
        let scale = options.viewport.scale
        let width = max(size.width, 1)
        let allowed = Double(options.maximumPixels) / (width * scale * scale)
        let height = max(min(size.height, allowed.rounded(.down)), 1)
        try await enlargeWindow(to: Int(height.rounded(.up)))
        for (frame, session) in frameSessions {
            // Such frames rest until they come into view. One that goes, or does not answer, is drawn as it is.
            _ = try? await evaluate(
                PageScripts.show(from: 0), as: Bool.self, frame: frame, session: session, deadline: .seconds(2))
        }
        let isWindow = Int(width) == options.viewport.width && height == height.rounded(.up)
        let picture = try await screenshot(
            .init(optimizeForSpeed: true, clip: isWindow ? nil : .init(width: width, height: height)))
        setViewport(height: options.viewport.height)
        return (picture, height < size.height)
    }

    /// How long a picture may take before it is asked for once more; twice as long each further time.
    private static let screenshotPatience = Duration.seconds(2)

    /// Takes a picture of the window or of a part of the page.
    ///
    /// On a busy machine, Chromium 156 sometimes waits for a frame that it never draws: 1 to 3 of 100 pictures. Another request
    /// makes it draw, and then it answers both.
    func screenshot(_ command: DevTools.Page.CaptureScreenshot) async throws(CaptureError) -> Data {
        let asking = Task { [connection, session, stopwatch] in
            var patience = Self.screenshotPatience
            while (try? await stopwatch.sleep(until: stopwatch.elapsed + patience)) != nil {
                connection.post(command, session: session)
                patience *= 2
            }
        }
        defer { asking.cancel() }
        return try await send(command, deadline: options.timeout).data
    }

    /// The first screen as a small PNG, without a change to the window.
    ///
    /// Chromium draws it anew at that scale instead of shrinking a picture, so that its lines and letters are sharp.
    /// The width is in device pixels, and kept within what a picture may be.
    func thumbnail(width: Int) async throws(CaptureError) -> Data {
        let (viewport, limit) = (options.viewport, options.maximumPixels)
        let window = (width: Double(max(viewport.width, 1)), height: Double(max(viewport.height, 1)))
        let widest = (Double(max(limit, 1)) * window.width / window.height).squareRoot().rounded(.down)
        let scale = min(Double(max(width, 1)), max(widest, 1)) / (window.width * viewport.scale)
        return try await screenshot(
            .init(optimizeForSpeed: false, clip: .init(width: window.width, height: window.height, scale: scale)))
    }

    /// Shows the page in a window of another height, without letting what is as tall as the window grow with it.
    ///
    /// Chromium's own way, `captureBeyondViewport`, lays the page out in a narrow window in between, for which the page asks
    /// for other things, and does not draw frames of other sites that were outside of the window.
    private func enlargeWindow(to height: Int) async throws(CaptureError) {
        guard height != options.viewport.height else { return }
        _ = try await evaluate(PageScripts.measureHeights, as: Int.self)
        setViewport(height: height)
        _ = try await evaluate(PageScripts.freezeHeightsAndShow, as: Bool.self)
    }

    // MARK: PDF

    /// CSS pixels to an inch, by https://www.w3.org/TR/css-values-4/#absolute-lengths.
    private static let pixelsPerInch = 96.0
    private static let millimetresPerInch = 25.4
    /// The tallest page of a PDF that Chromium prints, in CSS pixels: less than 65,536 points of 1/72 inch.
    static let pdfHeightLimit = (65_535.0 / 72 * pixelsPerInch).rounded(.down)

    /// The page as a tagged PDF with its backgrounds.
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

    /// One page as tall as the content, as it looks on a screen; several, if one may not be as tall as that.
    private func onePagePDF() async throws(CaptureError) -> Data {
        _ = try await send(DevTools.Emulation.SetEmulatedMedia(media: "screen"))
        let size = try await contentSize()
        // Before anything is printed: printing lays the page out anew, and what it is then is not what it was.
        _ = try await evaluate(PageScripts.measureHeights, as: Int.self)
        let whole = try await pdf(ofContent: size)
        guard PDFDocument.pageCount(of: whole) > 1, size.height < Self.pdfHeightLimit else { return whole }
        // Something is as tall as the window and follows the page's height on paper, so that no page is tall enough.
        // Such elements keep the height they have on the screen.
        setViewport(height: min(options.viewport.height, .max / 2) * 2)
        _ = try await evaluate(PageScripts.freezeHeightsAndShow, as: Bool.self)
        setViewport(height: options.viewport.height)
        _ = try await evaluate(PageScripts.show(from: 0), as: Bool.self)
        var frozen = try await contentSize()
        for _ in 0..<3 {
            let document = try await pdf(ofContent: frozen)
            let pages = PDFDocument.pageCount(of: document)
            if pages <= 1 { return document }
            // Laid out for paper it is a little taller than on the screen.
            frozen.height *= Double(pages)
        }
        return try await pdf(ofContent: frozen)
    }

    private func pdf(ofContent size: (width: Double, height: Double)) async throws(CaptureError) -> Data {
        // One pixel more: the content's height is rounded, and a line too many would make a second page.
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

    /// Reads a stream of the browser to its end and closes it; throws `tooLarge` beyond the limit, in bytes, or the budget.
    ///
    /// With a `budgetID` the bytes are counted in the budget of bodies. The session is the page's own unless another is given.
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
                    throw CaptureError(.renderingFailed, "Chromium sent a part that is not base64.", url: url)
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
