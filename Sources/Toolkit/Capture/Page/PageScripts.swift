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
        var text: String
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

    private static let page = ScriptBundle(PackageResources.frozen_js, PackageResources.page_js)
    private static let archive = ScriptBundle(PackageResources.frozen_js, PackageResources.serializer_js)

    /// Ends all animations that have an end, and waits until fonts are loaded and pictures are loaded and decoded.
    static let settle = page.call("settle")

    private static let sources = ScriptBundle(PackageResources.sources_js)

    /// Watches what may run a frame's scripts, and answers ``isQuiet(event:)``.
    ///
    /// Must run in the page's own world, before the page's scripts.
    static func watchSources(event: String) -> String { sources.call("watchSources", "\"\(event)\"") }

    /// Returns whether neither a script nor an animation is going to change a frame within half a second.
    static func isQuiet(event: String) -> String { page.call("isQuiet", "\"\(event)\"") }

    /// Begins to watch the document for changes; returns whether every change would be noticed.
    static let watch = page.call("watch")

    /// Ends the watch; returns whether the document has changed.
    static let hasChanged = page.call("hasChanged")

    /// Waits until the page begins to draw its next frame.
    static let frame = page.call("frame")

    /// Scrolls to a position, and waits until it's drawn and intersection observers have run.
    static func show(from top: Int) -> String { page.call("show", "\(top)") }

    /// Waits until a cross-site frame is on the screen.
    static let showFrame = page.call("showFrame")

    /// Returns the page's ``Summary``, with limits on the title's length in Unicode scalars, on the text's length in
    /// UTF-16 code units, and on the number of images.
    static func summary(titleLength: Int, textLength: Int, images: Int) -> String {
        page.call("summary", "\(titleLength)", "\(textLength)", "\(images)")
    }

    /// Makes the page print its colours as shown on the screen.
    static let exactColours = page.call("exactColours")

    /// Lets the content of elements with scroll bars break between lines and pictures.
    static let allowBreaks = page.call("allowBreaks")

    /// Records the heights and positions of all elements, before the window is resized.
    static let measure = page.call("measure")

    /// Lays out all contents, instead of estimating the heights of those that haven't come into view.
    static let layOutContents = page.call("layOutContents")

    /// Restores the recorded height of each element that follows the window's height.
    static let freezeHeights = page.call("freezeHeights")

    /// Lets these elements follow the window's height again.
    static let releaseHeights = page.call("releaseHeights")

    /// Returns whether an element that wasn't recorded may follow the window's height.
    static let hasNewFollowers = page.call("hasNewFollowers")

    /// Makes the page look the same in all stripes of a picture that is that tall, in CSS pixels.
    static func holdElements(height: Double) -> String { page.call("holdElements", "\(height)") }

    /// Scrolls to a stripe of the picture, and waits until it's drawn.
    static func showStripe(from top: Double) -> String { page.call("showStripe", "\(top)") }

    /// Undoes ``holdElements(height:)``.
    static let releaseElements = page.call("releaseElements")

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
