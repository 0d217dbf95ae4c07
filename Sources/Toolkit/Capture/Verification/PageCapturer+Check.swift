package import Foundation
import FuturesFoundation

// Checks the files of saved pages.

extension PageCapturer {
    /// Checks a file of a saved page: its structure, its digests, and that nothing is missing from it.
    ///
    /// Web archives, WACZ files and HTML files are rendered without any network access. The file isn't trusted.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - picture: The page's picture, a PNG to compare the rendered page with; `nil` if there is none.
    ///   - options: The options for rendering; the picture determines the width of the viewport.
    /// - Returns: The outcome; `nil` if it's no file of a saved page.
    /// - Throws: ``CaptureError``, if the page can't be rendered.
    @concurrent
    package func check(
        _ data: Data, against picture: Data? = nil, options: CaptureOptions = CaptureOptions()
    ) async throws(CaptureError) -> SavedFileCheck? {
        guard let file = SavedFile(data) else { return nil }
        var check = SavedFileCheck(file)
        switch file {
        case .format(.png):
            if let problem = PNGCheck.problem(with: data) { check.add(problem: problem) }
        case .format(.pdf):
            if let problem = PDFDocument.problem(with: data) { check.add(problem: problem) }
        case .format(.webArchive):
            guard let archive = try? WebArchive(propertyList: data) else {
                check.add(problem: "The web archive is damaged.")
                return check
            }
            try await render(
                ArchivedResponses(archive), at: archive.mainResource.url, picture, options, into: &check)
        case .format(.wacz):
            try await checkWACZ(data, picture, options, &check)
        case .html:
            let page = WebArchive.Resource(
                data: data, url: "http://saved.invalid/", mediaType: "text/html", textEncodingName: "UTF-8")
            try await render(
                ArchivedResponses(WebArchive(mainResource: page)), at: page.url, picture, options, into: &check)
        }
        return check
    }

    private func checkWACZ(
        _ data: Data, _ picture: Data?, _ options: CaptureOptions, _ check: inout SavedFileCheck
    ) async throws(CaptureError) {
        let outcome = await WorkerThreads.computing.runUncancellable { token in
            Result { () throws(WACZError) in try WACZFile(data, isCancelled: { token.isEnded }) }
        }
        switch outcome {
        case .success(let file):
            for problem in file.problems { check.add(problem: problem) }
            guard check.isSound else { return }
            guard let page = file.page, file.items.contains(where: { $0.url == page }) else {
                return check.add(problem: "The page itself isn't in the file.")
            }
            try await render(ArchivedResponses(file), at: page, picture, options, into: &check)
        case .failure(.failed(let reason)):
            check.add(problem: "The WACZ file can't be read: \(reason).")
        case .failure(.cancelled):
            throw CaptureError(.cancelled, "The check was cancelled.")
        }
    }

    /// Renders a page offline, and records what is missing and how its picture differs.
    private func render(
        _ answers: ArchivedResponses, at address: String, _ picture: Data?, _ options: CaptureOptions,
        into check: inout SavedFileCheck
    ) async throws(CaptureError) {
        var options = options
        // A damaged picture is no evidence against the file.
        let picture = picture.flatMap { PNGCheck.problem(with: $0) == nil ? $0 : nil }
        if let size = picture.flatMap({ PNGCheck.size(of: $0) }), (16...10_000).contains(size.width) {
            options.viewport.width = size.width
        }
        let rendered: (undecodable: Set<String>, difference: Double?)
        do throws(CaptureError) {
            rendered = try await withTab(answering: answers, at: address, options) {
                (tab) async throws(CaptureError) -> (undecodable: Set<String>, difference: Double?) in
                let capture = try await tab.capture(formats: [.png])
                guard let picture, let png = capture.data[.png] else { return (capture.undecodable, nil) }
                let difference = try await tab.evaluate(
                    PageScripts.comparePictures(png, picture), as: Double.self, deadline: tab.options.timeout)
                return (capture.undecodable, difference)
            }
        } catch  where error.code == .invalidAddress || error.code == .unsupportedScheme {
            return check.add(problem: "The page's own address isn't a web address.")
        }
        for address in answers.unanswered where address.hasPrefix("http") && !ResourceLog.isOwnIcon(url: address) {
            check.add(missing: address)
        }
        for address in rendered.undecodable.sorted() { check.add(missing: address) }
        check.difference = rendered.difference
    }
}

extension PageScripts {
    private static let comparison = ScriptBundle(PackageResources.compare_js)

    /// The difference of a channel, of 255, up to which two pixels are the same.
    private static let channelTolerance = 8

    /// Returns the share of pixels in which two PNG pictures differ.
    static func comparePictures(_ first: Data, _ second: Data) -> String {
        comparison.call(
            "comparePictures", "\"\(first.base64EncodedString())\"", "\"\(second.base64EncodedString())\"",
            "\(channelTolerance)")
    }
}
