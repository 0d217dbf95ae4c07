package import Capture
package import Foundation

/// Renders boards as bitmaps: in this process's own browser, or in another process's.
package protocol BoardRendering: Sendable {
    /// Renders a page with its resources; `isWhole` says whether all of its pictures could be decoded.
    func picture(
        of page: WebArchive, options: CaptureOptions
    ) async throws(CaptureError) -> (png: Data, isWhole: Bool)
}

extension PageCapturer: BoardRendering {
    /// Renders a page in this process's own browser.
    package func picture(
        of page: WebArchive, options: CaptureOptions
    ) async throws(CaptureError) -> (png: Data, isWhole: Bool) {
        let drawn = try await render(page, options: options)
        return (drawn.png, drawn.undecodable.isEmpty)
    }
}
