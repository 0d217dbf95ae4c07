import Egress
import Foundation

// The steps of a capture, from navigation to the finished files.

extension PageTab {
    /// The maximum number of attempts to render the page, which may navigate away during each.
    private static let renderingAttempts = 4
    /// The maximum length of a list of missing parts, in characters.
    private static let listLength = 1_500

    /// Navigates to the page and captures it in all formats.
    func capture(formats: Set<PageFormat>) async throws(CaptureError) -> PageCapture {
        report(.loading(finished: 0, started: 0, bytes: 0))
        try await navigate()
        for _ in 0..<Self.renderingAttempts {
            let document = try await settle()
            do throws(CaptureError) {
                let capture = try await render(formats, readiness: document.readiness)
                if load.document == document.id { return capture }
            } catch {
                // A navigation discards the old document, and all pending commands for it fail.
                guard load.document != document.id, error.code == .renderingFailed else { throw error }
            }
        }
        throw CaptureError(
            .tooManyRedirects, "\(url.shown) redirects to another page each time it loads.", url: url)
    }

    /// Waits until the page is ready and stays on the same document.
    func settle() async throws(CaptureError) -> (id: String?, readiness: PageCapture.Readiness) {
        while true {
            try await waitUntilLoaded()
            let document = load.document
            if let id = document, log[id]?.mediaType == "application/pdf" {
                throw CaptureError(
                    .download,
                    "\(url.shown) is a PDF, not a web page. Download it with a browser or with curl.",
                    url: url)
            }
            do throws(CaptureError) {
                try await loadLazyContent()
                while true {
                    let readiness = try await waitUntilReady()
                    let started = load.started
                    try await waitForImages(limit: options.settleLimit)
                    if load.document != document { break }
                    // Waits again for requests that the page made in the meantime.
                    if load.started == started || readiness == .settleLimit { return (document, readiness) }
                }
            } catch {
                guard load.document != document, error.code == .renderingFailed else { throw error }
            }
        }
    }

    private func render(
        _ formats: Set<PageFormat>, readiness: PageCapture.Readiness
    ) async throws(CaptureError) -> PageCapture {
        let summary = try await evaluate(
            PageScripts.summary(
                titleLength: min(max(options.limits.titleLength, 0), 1_000_000), images: max(options.limits.requests, 0)
            ),
            as: PageScripts.Summary.self)
        let size = try await contentSize()
        let document = log.entries.last { $0.kind == "Document" && $0.frame == mainFrame }
        var capture = PageCapture(
            requestedURL: url, url: URL(string: summary.url) ?? url, title: summary.title,
            httpStatus: document?.status, contentSize: (Int(size.width.rounded(.up)), Int(size.height.rounded(.up))),
            readiness: readiness, data: [:], resources: [], warnings: [], duration: .zero)
        // Comes first because the other steps may change the document.
        if let width = options.thumbnailWidth { capture.thumbnail = try await thumbnail(width: width) }
        // Comes before the picture and the PDF because they may change the document.
        if formats.contains(.webArchive) {
            report(.rendering(.webArchive))
            let page = try await unlessTooLarge(isOnly: formats.count == 1) { () throws(CaptureError) in
                try await archive()
            }
            do {
                capture.data[.webArchive] = try page?.archive.propertyList()
            } catch {
                throw CaptureError(
                    .renderingFailed, "The archive of \(url.shown) couldn't be written: \(error)", url: url,
                    cause: error)
            }
            capture.resources = page?.resources ?? requestedResources
        } else {
            capture.resources = requestedResources
        }
        capture.undecodable = Set(summary.undecodable)
        for index in capture.resources.indices
        where capture.resources[index].missing == nil && capture.undecodable.contains(capture.resources[index].url) {
            capture.resources[index].missing =
                PageCapture.Resource.refusal(capture.resources[index].status) ?? "the browser couldn't decode it"
        }
        var isCut = false
        if formats.contains(.png) {
            report(.rendering(.png))
            let picture = try await picture()
            capture.data[.png] = picture.png
            isCut = picture.isCut
        }
        if formats.contains(.pdf) {
            report(.rendering(.pdf))
            capture.data[.pdf] = try await unlessTooLarge(isOnly: capture.data.isEmpty) { () throws(CaptureError) in
                try await pdf()
            }
        }
        capture.refusals = egress?.refusals ?? []
        capture.warnings = warnings(for: capture, isBlank: summary.isBlank, isCut: isCut)
        return capture
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
                capture.data[.webArchive] == nil
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
