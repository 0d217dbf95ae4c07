import Foundation

extension PageTab {
    /// The first screen as a small PNG, without a change to the window.
    ///
    /// Chromium draws it anew at that scale instead of shrinking a picture, so that its lines and letters are sharp.
    /// The width is in device pixels, and kept within what a picture may be.
    func thumbnail(width: Int) async throws(CaptureError) -> Data {
        let (viewport, limit) = (options.viewport, options.maximumPixels)
        let window = (width: Double(max(viewport.width, 1)), height: Double(max(viewport.height, 1)))
        let widest = (Double(max(limit, 1)) * window.width / window.height).squareRoot().rounded(.down)
        let scale = min(Double(max(width, 1)), max(widest, 1)) / (window.width * viewport.scale)
        return try await screenshot(
            .init(optimizeForSpeed: false, clip: .init(width: window.width, height: window.height, scale: scale)))
    }
}
