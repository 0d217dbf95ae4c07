import Foundation

/// The scripts that run in a page, in an isolated world that the page can't see or change.
enum PageScripts {
    /// A frame's document, serialised as HTML after its scripts ran.
    struct Document: Decodable, Sendable {
        var html: String
        var url: String
        var contentType: String
        /// Whether it exceeds the limit, in which case `html` is empty.
        var isTooLong: Bool?
    }

    /// A summary of a page.
    struct Summary: Decodable, Sendable {
        var title: String
        var url: String
        var isBlank: Bool
        /// The URLs of images that the browser couldn't decode, or whose body is missing.
        var undecodable: [String]
    }

    /// The element that contains a frame.
    struct FrameOwner: Decodable, Sendable {
        /// The URL in the element's attributes; empty if it has none.
        var address: String
        var name: String
    }

    private static let page = ScriptBundle(PackageResources.page_js)
    private static let archive = ScriptBundle(PackageResources.serializer_js)

    /// Waits until fonts are loaded and pictures are loaded and decoded, for at most `limit`.
    static func settle(limit: Duration) -> String {
        // Clamped, because the limit may be any duration; 10¹⁵ ms are more than 30,000 years.
        page.call("settle", "\(Int(min(max(limit / .milliseconds(1), 0), 1e15)))")
    }

    /// Scrolls to a position, and waits until it's laid out and intersection observers have run; for at most half a
    /// second.
    static func show(from top: Int) -> String { page.call("show", "\(top)") }

    /// Returns the page's ``Summary``, with limits on the title's length in Unicode scalars and on the number of
    /// images.
    static func summary(titleLength: Int, images: Int) -> String {
        page.call("summary", "\(titleLength)", "\(images)")
    }

    /// Makes the page print its colours as shown on the screen.
    static let exactColours = page.call("exactColours")

    /// Records the heights of all elements, to find those that depend on the window's height.
    static let measureHeights = page.call("measureHeights")

    /// Restores the recorded height of each element whose height has changed, and scrolls to the top.
    static let freezeHeightsAndShow = page.call("freezeHeightsAndShow")

    /// Returns the ``FrameOwner`` of an element.
    ///
    /// The function must be called on that element.
    static let frameOwner = page.method("frameOwner")

    /// Returns the ``Document`` after its scripts ran; one longer than the limit, in UTF-16 code units, isn't sent.
    ///
    /// The document is stored under `address`, or under its own URL if `address` is empty.
    static func serializeDocument(limit: Int, address: String) throws -> String {
        archive.call(
            "serializeDocument", "\(limit)", String(decoding: try JSONEncoder().encode(address), as: UTF8.self))
    }
}
