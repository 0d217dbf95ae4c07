public import Foundation

extension PageCapturer {
    /// Converts a web archive to a self-contained HTML file, to be viewed without scripts and without network access.
    ///
    /// The file embeds the archive's resources as `data:` URLs, and omits resources that the archive lacks; marks show
    /// where pictures and frames are missing. Nothing in it runs or loads anything. It's meant for a sandboxed frame
    /// with ``viewerPolicy``, and also contains that policy. Links to other pages open in a new window. The archive
    /// isn't trusted: none of its scripts run, and no request reaches the network during the conversion.
    ///
    /// Resources that would make the file larger than ``CaptureOptions/maximumArchiveBytes`` are left out.
    ///
    /// - Parameters:
    ///   - archive: The page.
    ///   - options: The options; the viewport determines which of several picture sizes is chosen.
    /// - Returns: The HTML in UTF-8.
    /// - Throws: ``CaptureError``, with the code `tooLarge` if the text alone exceeds the limit.
    @concurrent
    public func viewerCopy(
        of archive: WebArchive, options: CaptureOptions = CaptureOptions()
    ) async throws(CaptureError) -> Data {
        try await withTab(for: archive, options) { tab, responses throws(CaptureError) in
            try await tab.viewerCopy(of: responses.resources)
        }
    }

    /// The Content-Security-Policy that allows everything a viewer copy contains, and nothing else.
    public static let viewerPolicy = ViewerCopyWriter.policy
}
