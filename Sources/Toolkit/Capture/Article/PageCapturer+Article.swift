public import Foundation
import FuturesFoundation

extension PageCapturer {
    /// Converts a web archive to its article: the title, text and pictures, without navigation, advertising and styles.
    ///
    /// The result is a self-contained HTML document that runs and loads nothing, except for the style sheet that the
    /// options name. It's meant for a frame without scripts, with ``articlePolicy``, and also contains that policy. The
    /// archive isn't trusted: none of its scripts run, and no request reaches the network during the conversion.
    ///
    /// - Parameters:
    ///   - archive: The page.
    ///   - options: The options.
    /// - Returns: The HTML in UTF-8; empty if the page has no article.
    /// - Throws: ``CaptureError``, with the code `tooLarge` if the page or its article exceeds a limit.
    @concurrent
    public func article(
        of archive: WebArchive, options: CaptureOptions = CaptureOptions()
    ) async throws(CaptureError) -> Data {
        try await withTab(for: archive, options) { tab, responses throws(CaptureError) in
            try await tab.article(of: responses.resources)
        }
    }

    /// The Content-Security-Policy that allows everything an article contains, and nothing else.
    public static let articlePolicy = ArticleWriter.policy
}

extension PageTab {
    /// Navigates to the archive's page, and converts it to its article.
    func article(of resources: [String: WebArchive.Resource]) async throws(CaptureError) -> Data {
        report(.loading(finished: 0, started: 0, bytes: 0))
        try await navigate()
        // No script of the archive runs, so nothing can change later.
        _ = try await settle(early: true)
        let pictures = resources.filter {
            !$0.value.data.isEmpty && $0.value.mediaType.lowercased().hasPrefix("image/")
        }
        let script = try script { try PageScripts.readArticle(.init(pictures: pictures.keys.sorted())) }
        let article = try await evaluate(script, as: PageScripts.Article.self, deadline: options.timeout)
        let document = await WorkerThreads.computing.runUncancellable { [options] token in
            var writer = ArticleWriter(
                article, resources: resources, linkPath: options.viewerLinkPath, stylePath: options.articleStylePath,
                limit: options.maximumArchiveBytes, isCancelled: { token.isEnded })
            return Result { () throws(ArticleWriter.Failure) in try writer.document() }
        }
        switch document {
        case .success(let document): return document
        case .failure(.tooLarge):
            throw CaptureError(.tooLarge, "\(url.shown) is too large for the reader view.", url: url)
        case .failure(.cancelled):
            throw CaptureError(.cancelled, "Preparing \(url.shown) for reading was cancelled.", url: url)
        }
    }
}
