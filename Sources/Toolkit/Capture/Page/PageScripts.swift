/// The scripts that run in a page, in a world of their own: the page cannot see or change them.
enum PageScripts {
    /// What a frame's document is, and what it looks like as HTML after its scripts ran.
    struct Document: Decodable, Sendable {
        var html: String
        var url: String
        var baseURL: String
        var contentType: String
        var hasBase: Bool
        /// Whether it exceeds the limit, and `html` is empty therefore.
        var isTooLong: Bool?
    }

    /// What is told about a page.
    struct Summary: Decodable, Sendable {
        var title: String
        var url: String
        var isBlank: Bool
        /// The addresses of images that the browser couldn't decode, or got no body of.
        var undecodable: [String]
    }

    /// The element that a frame stands in.
    struct FrameOwner: Decodable, Sendable {
        /// The address that the element asks for; empty if it has none.
        var address: String
        var name: String
    }

    private static let page = ScriptBundle(PackageResources.page_js)
    private static let archive = ScriptBundle(PackageResources.serializer_js)

    /// Waits for fonts, and for pictures to be there and decoded, for so long at the most.
    static func settle(limit: Duration) -> String {
        // A limit of any length: 10¹⁵ ms are more than 30,000 years.
        page.call("settle", "\(Int(min(max(limit / .milliseconds(1), 0), 1e15)))")
    }

    /// Scrolls to a place, and waits until what is there is laid out and seen by intersection observers.
    static func show(from top: Int) -> String { page.call("show", "\(top)") }

    /// Makes the page's ``Summary``, with limits of the title, in Unicode scalars, and of the number of images.
    static func summary(titleLength: Int, images: Int) -> String {
        page.call("summary", "\(titleLength)", "\(images)")
    }

    /// Prints colours as they are shown.
    static let exactColours = page.call("exactColours")

    /// Notes the heights of all elements, to find those that follow the height of the window.
    static let measureHeights = page.call("measureHeights")

    /// Gives each element whose height has changed since it was measured the height that it had, and goes to the top.
    static let freezeHeightsAndShow = page.call("freezeHeightsAndShow")

    /// Makes the ``FrameOwner`` of an element.
    ///
    /// It is called on that element.
    static let frameOwner = page.method("frameOwner")

    /// Writes a ``Document`` as it is after its scripts ran; one longer than the limit, in UTF-16 code units, is not sent.
    static func serializeDocument(limit: Int) -> String { archive.call("serializeDocument", "\(limit)") }
}
