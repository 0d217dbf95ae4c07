public import Foundation

extension PageCapturer {
    /// Makes one self-contained HTML file of a web archive, to be looked at without scripts and without the network.
    ///
    /// Everything that the archive has is in the file as `data:` addresses, what it lacks is nothing, and nothing in the file
    /// runs or loads anything. It is made for a sandboxed frame with ``viewerPolicy``; it carries that policy itself too.
    /// Links to other pages open in a window of their own. The archive isn't trusted: no request reaches the network
    /// while the file is made, and no script of the archive's runs.
    ///
    /// What would make the file larger than ``CaptureOptions/maximumArchiveBytes`` is left out of it.
    ///
    /// - Parameters:
    ///   - archive: The page.
    ///   - options: How; its window is the one that pictures are chosen for.
    /// - Returns: HTML in UTF-8.
    /// - Throws: ``CaptureError``; `tooLarge` where the text alone is larger than allowed.
    @concurrent
    public func viewerCopy(
        of archive: WebArchive, options: CaptureOptions = CaptureOptions()
    ) async throws(CaptureError) -> Data {
        try await withTab(for: archive, options) { tab, answers throws(CaptureError) in
            try await tab.viewerCopy(of: answers.resources)
        }
    }

    /// The Content-Security-Policy under which a viewer copy shows all that it has.
    public static let viewerPolicy = ViewerCopyWriter.policy
}
