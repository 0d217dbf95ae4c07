/// The options of a capture.
public struct CaptureOptions: Hashable, Codable, Sendable {
    /// The size of the window that the page is shown in.
    public struct Viewport: Hashable, Codable, Sendable {
        /// The width in CSS pixels.
        public var width: Int
        /// The height in CSS pixels.
        public var height: Int
        /// The number of device pixels per CSS pixel.
        public var scale: Double

        /// Creates a viewport.
        public init(width: Int, height: Int, scale: Double = 1) {
            self.width = width
            self.height = height
            self.scale = scale
        }
    }

    /// The paper size of a PDF.
    public enum Paper: String, CaseIterable, Hashable, Codable, Sendable {
        /// A single page as wide as the viewport and as tall as the content.
        case onePage = "page"
        /// 210 × 297 mm with margins of 1 cm, in the page's print layout.
        case a4
        /// 8.5 × 11 in with margins of 1 cm, in the page's print layout.
        case letter
    }

    /// What is visible where a page paints no background.
    public enum Backdrop: String, CaseIterable, Hashable, Codable, Sendable {
        /// White, as in a window.
        case white
        /// Nothing: the picture is transparent there.
        case transparent
    }

    /// The size of the window that the page is shown in.
    public var viewport: Viewport = Viewport(width: 1280, height: 800)
    /// The paper size of the PDF.
    public var paper: Paper = .onePage
    /// The maximum duration of the capture, not counting its wait for other captures.
    public var timeout: Duration = .seconds(60)
    /// The maximum time to wait for the network, fonts and images after the page has loaded.
    public var settleLimit: Duration = .seconds(10)
    /// The maximum size of the picture, in device pixels.
    ///
    /// The picture of a taller page is cut off, and the capture has a warning. A picture of more than 50 million pixels
    /// is made in stripes and written to a temporary file, so that it needs no more memory than a smaller one; it ends
    /// where half of the ``timeout`` has passed.
    public var maximumPixels: Int = 4_000_000_000
    /// The maximum size of all resources together, in bytes.
    ///
    /// The archive leaves out resources beyond the limit, and the capture has a warning.
    public var maximumArchiveBytes: Int = 256 << 20
    /// Further limits on what a page may load and make the browser send.
    public var limits: CaptureLimits = CaptureLimits()

    /// The width of a thumbnail of the page's first screen, in device pixels; `nil` for no thumbnail.
    ///
    /// The thumbnail has the proportions of the viewport, and is created independently of the formats.
    public var thumbnailWidth: Int?

    /// What is visible in the picture where the page paints no background; `nil` for white.
    public var backdrop: Backdrop?

    /// The path to which links of a viewer copy lead, followed by their percent-encoded URL; `nil` for the URL itself.
    ///
    /// The site that shows the copy then decides where to continue. Links in frames lead to their URL.
    package var viewerLinkPath: String?

    /// The path of the style sheet of an article, on the site that shows it; `nil` for none.
    package var articleStylePath: String?

    /// The maximum size of the window in device pixels; `nil` for the default.
    ///
    /// A taller picture is made in stripes.
    package var windowPixels: Int?

    /// Creates the default options and applies changes to them.
    public init(_ change: (inout CaptureOptions) -> Void = { _ in }) { change(&self) }
}

extension CaptureOptions {
    /// The longest ``timeout`` that commands accept, in seconds: one day.
    package static let longestTimeout: Double = 86_400

    /// A ``timeout`` in whole seconds to suggest to a user after a capture has exceeded one.
    package static func suggestedTimeout(after exceeded: Duration) -> Int {
        Int(min(max((exceeded / .seconds(1) * 2).rounded(.up), 1), longestTimeout))
    }
}
