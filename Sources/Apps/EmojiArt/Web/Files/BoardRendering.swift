package import Capture
package import Foundation

/// What draws boards as pictures: this process's own browser, or another process's.
package protocol BoardRendering: Sendable {
    /// Draws a page with all that it needs, and says whether all of that could be decoded.
    func picture(
        of page: WebArchive, options: CaptureOptions
    ) async throws(CaptureError) -> (png: Data, isWhole: Bool)
}

extension PageCapturer: BoardRendering {
    /// Draws a page with this process's own browser.
    package func picture(
        of page: WebArchive, options: CaptureOptions
    ) async throws(CaptureError) -> (png: Data, isWhole: Bool) {
        let drawn = try await render(page, options: options)
        return (drawn.png, drawn.undecodable.isEmpty)
    }
}
