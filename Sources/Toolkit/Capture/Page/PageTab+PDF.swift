import Foundation
import Futures

// Renders a page that is ready, as a PDF.

extension PageTab {
    /// CSS pixels per inch, by https://www.w3.org/TR/css-values-4/#absolute-lengths.
    private static let pixelsPerInch = 96.0
    private static let millimetresPerInch = 25.4
    /// The maximum height of a PDF page that Chromium prints, in CSS pixels: less than 65,536 points of 1/72 inch.
    static let pdfHeightLimit = (65_535.0 / 72 * pixelsPerInch).rounded(.down)

    /// Renders the page as a tagged PDF that includes backgrounds; calls `willResize` before the window is resized, if
    /// that is necessary.
    func pdf(willResize: () async -> Void = {}) async throws(CaptureError) -> Data {
        _ = try await evaluate(PageScripts.exactColours, as: Bool.self)
        let margin = 10 / Self.millimetresPerInch
        if options.paper != .onePage {
            // The pages' heights don't depend on the window's.
            await willResize()
            _ = try await evaluate(PageScripts.releaseHeights, as: Bool.self)
            _ = try await evaluate(PageScripts.allowBreaks, as: Bool.self)
        }
        switch options.paper {
        case .onePage: return try await onePagePDF(willResize: willResize)
        case .a4:
            return try await pdf(
                width: 210 / Self.millimetresPerInch, height: 297 / Self.millimetresPerInch, margin: margin)
        case .letter: return try await pdf(width: 8.5, height: 11, margin: margin)
        }
    }

    /// Renders the page with its screen layout on one PDF page as tall as the content, or on several if that is too
    /// tall.
    private func onePagePDF(willResize: () async -> Void) async throws(CaptureError) -> Data {
        _ = try await send(DevTools.Emulation.SetEmulatedMedia(media: "screen"))
        let size = try await contentSize()
        if size.height >= Self.pdfHeightLimit {
            await willResize()
            _ = try await evaluate(PageScripts.allowBreaks, as: Bool.self)
        }
        let whole = try await pdf(ofContent: size)
        guard PDFDocument.pageCount(of: whole) > 1, size.height < Self.pdfHeightLimit else { return whole }
        // Some elements are as tall as the window and grow with the paper's height, so that no paper is tall enough.
        // Fix their heights to those on the screen.
        await willResize()
        setWindow(height: options.viewport.height)
        _ = try await evaluate(PageScripts.measure, as: Int.self)
        setWindow(height: min(options.viewport.height, .max / 2) * 2)
        try await waitBriefly(for: PageScripts.freezeHeights)
        setWindow(height: options.viewport.height)
        try await show(from: 0)
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
