public import Capture
public import Foundation

/// What draws boards as pictures: this process's own browser, or another process's.
public protocol BoardRendering: Sendable {
    /// Draws a page.
    ///
    /// - Parameters:
    ///   - page: The drawing, with all that it needs.
    ///   - options: How.
    /// - Returns: The picture as PNG, and whether all that the page needs could be decoded.
    /// - Throws: Why there is none.
    func picture(
        of page: WebArchive, options: CaptureOptions
    ) async throws(CaptureError) -> (png: Data, isWhole: Bool)
}

extension PageCapturer: BoardRendering {
    /// Draws a page with this process's own browser.
    public func picture(
        of page: WebArchive, options: CaptureOptions
    ) async throws(CaptureError) -> (png: Data, isWhole: Bool) {
        let drawn = try await render(page, options: options)
        return (drawn.png, drawn.undecodable.isEmpty)
    }
}
