import Egress
import Foundation

// The steps of a capture, from navigation to the finished files.

extension PageTab {
    /// The maximum number of attempts to render the page, which may navigate away during each.
    private static let renderingAttempts = 4
    /// The maximum length of a list of missing parts, in characters.
    private static let listLength = 1_500

    /// A document that has loaded and settled.
    struct SettledPage: Sendable {
        var document: String?
        var readiness: PageCapture.Readiness
        /// How much is known of the page's rest; `nil` if nothing has to be verified.
        var rest: Rest?
    }

    /// Navigates to the page and captures it in all formats.
    func capture(formats: Set<PageFormat>) async throws(CaptureError) -> PageCapture {
        report(.loading(finished: 0, started: 0, bytes: 0))
        try await navigate()
        // A page that seems to be at rest is rendered at once, and once more if it changed meanwhile.
        var (attempts, isEarly) = (0, true)
        while attempts < Self.renderingAttempts {
            let page = try await settle(early: isEarly)
            do throws(CaptureError) {
                let capture = try await render(formats, of: page)
                if let capture, load.document == page.document { return capture }
                attempts += isEarly && capture == nil ? 0 : 1
                isEarly = false
            } catch {
                // A navigation discards the old document, and all pending commands for it fail.
                guard load.document != page.document, error.code == .renderingFailed else { throw error }
                attempts += 1
            }
        }
        throw CaptureError(
            .tooManyRedirects, "\(url.shown) redirects to another page each time it loads.", url: url)
    }

    /// Waits until the page is ready and stays on the same document.
    ///
    /// With `early`, it returns as soon as the page seems to be at rest. Unless the page's scripts don't run, it must
    /// be verified later that it was.
    func settle(early: Bool) async throws(CaptureError) -> SettledPage {
        while true {
            try await waitUntilLoaded()
            let document = load.document
            if document != shownDocument { setWindow(height: options.viewport.height) }
            shownDocument = document
            if let id = document, log[id]?.mediaType == "application/pdf" {
                throw CaptureError(
                    .download,
                    "\(url.shown) is a PDF, not a web page. Download it with a browser or with curl.",
                    url: url)
            }
            do throws(CaptureError) {
                try await showAll()
                if early {
                    report(.settling)
                    try await waitForImages()
                    if load.document == document, let rest = try await provisionalRest() {
                        return SettledPage(document: document, readiness: .atRest, rest: rest)
                    }
                }
                while true {
                    let readiness = early ? try await waitForRest() : try await waitUntilReady()
                    let started = load.started
                    try await waitForImages()
                    if load.document != document { break }
                    // Waits again for requests that the page made in the meantime.
                    if load.started == started || readiness == .settleLimit {
                        return SettledPage(document: document, readiness: readiness)
                    }
                }
            } catch {
                guard load.document != document, error.code == .renderingFailed else { throw error }
            }
        }
    }

    /// Renders a page; returns `nil` if the page changed meanwhile.
    private func render(
        _ formats: Set<PageFormat>, of page: SettledPage
    ) async throws(CaptureError) -> PageCapture? {
        let summary = try await evaluate(
            PageScripts.summary(
                titleLength: min(max(options.limits.titleLength, 0), 1_000_000),
                textLength: PageCapture.maximumTextLength, images: max(options.limits.requests, 0)),
            as: PageScripts.Summary.self)
        let size = try await contentSize()
        let document = log.entries.last { $0.kind == "Document" && $0.frame == mainFrame }
        var capture = PageCapture(
            requestedURL: url, url: URL(string: summary.url) ?? url, title: summary.title,
            httpStatus: document?.status, contentSize: (Int(size.width.rounded(.up)), Int(size.height.rounded(.up))),
            readiness: page.readiness, data: [:], resources: [], warnings: [], duration: .zero)
        capture.text = summary.text
        let isCut = try await render(formats, in: &capture)
        guard load.document == page.document, try await wasAtRest(page.rest) else { return nil }
        if let width = options.thumbnailWidth {
            // Comes last, because the page may change with the window.
            setWindow(height: options.viewport.height)
            _ = try await evaluate(PageScripts.releaseHeights, as: Bool.self)
            try await show(from: 0)
            capture.thumbnail = try await thumbnail(width: width)
        }
        capture.undecodable = Set(summary.undecodable)
        for index in capture.resources.indices
        where capture.resources[index].missing == nil && capture.undecodable.contains(capture.resources[index].url) {
            capture.resources[index].missing =
                PageCapture.Resource.refusal(capture.resources[index].status) ?? "the browser couldn't decode it"
        }
        capture.refusals = egress?.refusals ?? []
        capture.warnings = warnings(for: capture, isBlank: summary.isBlank, isCut: isCut)
        return capture
    }

    /// Renders the formats; returns whether the picture is cut off.
    ///
    /// Chromium draws and compresses a picture in other processes than the page's, which makes the other formats
    /// meanwhile.
    private func render(_ formats: Set<PageFormat>, in capture: inout PageCapture) async throws(CaptureError) -> Bool {
        var needsArchive = collectsBodies
        if !needsArchive { capture.resources = requestedResources }
        guard formats.contains(.png) else {
            didBeginRendering()
            if needsArchive { try await addArchives(to: &capture, isOnly: formats.count == 1) }
            if formats.contains(.pdf) { try await addPDF(to: &capture, isOnly: capture.data.isEmpty) }
            return false
        }
        report(.rendering(.png))
        let size = try await preparePicture()
        if size.isStriped, needsArchive {
            try await addArchives(to: &capture, isOnly: false)
            needsArchive = false
            report(.rendering(.png))
        }
        // Ends on its own, at the latest with the session.
        let drawing = Task { await outcome { () async throws(CaptureError) in try await picture(size) } }
        defer { drawing.cancel() }
        if size.isStriped {
            didBeginRendering()
            _ = try await drawing.value.get()
        }
        // The frame of the picture comes first.
        try await waitBriefly(for: PageScripts.frame)
        didBeginRendering()
        if needsArchive { try await addArchives(to: &capture, isOnly: false) }
        if formats.contains(.pdf) {
            try await addPDF(to: &capture, isOnly: false) { _ = await drawing.value }
        }
        report(.rendering(.png))
        let drawn = try await drawing.value.get()
        capture.data[.png] = drawn.png
        return size.isCut || drawn.isCut
    }

    private func outcome<Value: Sendable>(
        of operation: () async throws(CaptureError) -> Value
    ) async -> Result<Value, CaptureError> {
        do throws(CaptureError) {
            return .success(try await operation())
        } catch {
            return .failure(error)
        }
    }

    /// Renders the PDF; calls `willResize` before the window is resized, if that is necessary.
    private func addPDF(
        to capture: inout PageCapture, isOnly: Bool, willResize: () async -> Void = {}
    ) async throws(CaptureError) {
        report(.rendering(.pdf))
        capture.data[.pdf] = try await unlessTooLarge(isOnly: isOnly) { () throws(CaptureError) in
            try await pdf(willResize: willResize)
        }
    }

    private func warnings(for capture: PageCapture, isBlank: Bool, isCut: Bool) -> [PageCapture.Warning] {
        var warnings: [PageCapture.Warning] = []
        func warn(_ kind: PageCapture.Warning.Kind, _ message: String) {
            warnings.append(PageCapture.Warning(kind: kind, message: message))
        }
        if let status = capture.httpStatus, status >= 400 {
            warn(.httpStatus, "The server responded with status \(status), so this may be an error page.")
        }
        if isBlank {
            warn(.blank, "The page is blank: it has no text and no pictures.")
        }
        if isCut {
            warn(
                .cut,
                "The page is \(capture.contentSize.height) pixels tall, which is too tall for one picture, so the "
                    + "picture shows only its beginning.")
        }
        if options.paper == .onePage, let pdf = capture.data[.pdf] {
            let pages = PDFDocument.pageCount(of: pdf)
            if pages > 1 {
                warn(
                    .severalPages,
                    "The page is \(capture.contentSize.height) pixels tall, which is too tall for one PDF page, so the "
                        + "PDF has \(pages) pages.")
            }
        }
        let missing = capture.resources.filter { $0.missing != nil && $0.url.hasPrefix("http") }
        if !missing.isEmpty {
            let share = "\(missing.count) of \(capture.resources.count) parts"
            let summary =
                !capture.data.keys.contains(where: \.isArchive)
                ? "\(share) of the page didn't load, or couldn't be decoded."
                : "\(share) are missing from the page or its archive: they didn't load, couldn't be decoded, or exceed "
                    + "the archive's limit of \(options.maximumArchiveBytes.formatted(.byteCount(style: .memory)))."
            warn(.missingResources, summary + Self.list(of: missing))
        }
        for omission in omissions { warn(.limited, omission) }
        if let refused = PageCapture.summary(of: capture.refusals) { warn(.refusedAddresses, refused) }
        if capture.readiness == .settleLimit {
            warn(.unsettled, "The page kept loading, so it was saved as it was after \(options.settleLimit).")
        }
        return warnings
    }

    /// Lists missing parts with the reasons, each once and on a line of its own, as far as they fit.
    private static func list(of missing: [PageCapture.Resource]) -> String {
        var lines: [String] = []
        var (rest, others) = (listLength, 0)
        var seen: Set<String> = []
        for resource in missing where seen.insert(resource.url).inserted {
            let line = "\n\(resource.url.shortened): \(reason(resource).shortened)"
            if line.count <= rest, others == 0 {
                rest -= line.count
                lines.append(line)
            } else {
                others += 1
            }
        }
        if others > 0 { lines.append("\n… and \(others) more") }
        return lines.joined()
    }

    /// The reason why a part is missing, in words: the resource may have only the name of Chromium's network error.
    private static func reason(_ resource: PageCapture.Resource) -> String {
        let reason = resource.missing ?? ""
        guard reason.hasPrefix("net::"), let url = URL(string: resource.url) else { return reason }
        return CaptureError(netError: reason, url: url).message
    }

    /// The error for a capture that exceeds its deadline.
    func timeoutError() -> CaptureError {
        let address = url.shown
        let limit = "\((options.timeout / .seconds(1)).formatted(.number.precision(.fractionLength(0...1)))) s"
        let open = load.openRequests
        let waiting: String =
            switch (stage, load.isLoaded, open.count) {
            case (.rendering(.png), true, _): "it loaded, but the browser didn't finish its picture"
            case (.rendering(.pdf), true, _): "it loaded, but the browser didn't finish its PDF"
            case (.rendering(.webArchive), true, _): "it loaded, but the browser didn't finish its web archive"
            case (.rendering(.wacz), true, _): "it loaded, but its WACZ file wasn't finished"
            case (_, true, _): "it loaded, but its scripts keep the browser busy"
            case (_, false, 0): "it didn't finish loading"
            case (_, false, 1): "it was still waiting for \(open[0].shortened)"
            case (_, false, let count): "it was still waiting for \(count) responses, such as \(open[0].shortened)"
            }
        var error = CaptureError(
            .timedOut, "\(address) wasn't ready within \(limit): \(waiting). Try again, or allow more time.", url: url)
        error.exceededTimeout = options.timeout
        return error
    }
}
