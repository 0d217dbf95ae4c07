/// How a page is captured.
public struct CaptureOptions: Hashable, Codable, Sendable {
    /// The window that the page believes it is shown in.
    public struct Viewport: Hashable, Codable, Sendable {
        /// In CSS pixels.
        public var width: Int
        /// In CSS pixels.
        public var height: Int
        /// Device pixels to a CSS pixel.
        public var scale: Double

        /// Creates a viewport.
        public init(width: Int, height: Int, scale: Double = 1) {
            self.width = width
            self.height = height
            self.scale = scale
        }
    }

    /// What a PDF's pages are.
    public enum Paper: String, CaseIterable, Hashable, Codable, Sendable {
        /// One page as wide as the viewport and as tall as the content.
        case onePage = "page"
        /// 210 × 297 mm, with margins of 1 cm; laid out for print.
        case a4
        /// 8.5 × 11 in, with margins of 1 cm; laid out for print.
        case letter
    }

    /// The window that the page believes it is shown in.
    public var viewport: Viewport = Viewport(width: 1280, height: 800)
    /// What the PDF's pages are.
    public var paper: Paper = .onePage
    /// How long the whole capture may take, from when its turn comes.
    public var timeout: Duration = .seconds(60)
    /// How long, after the page has loaded, to wait for its network, fonts and images at the most.
    public var settleLimit: Duration = .seconds(10)
    /// How large the picture may be, in device pixels.
    ///
    /// A taller page is cut there, and the capture says so.
    ///
    /// Chromium's software compositor drew 100 million pixels correctly; memory is four bytes each.
    public var maximumPixels: Int = 100_000_000
    /// How large what the page is made of may be, in bytes, all together.
    ///
    /// What is more is left out of the archive, and the capture says so.
    public var maximumArchiveBytes: Int = 256 << 20
    /// What else a page may load and make the browser send.
    public var limits: CaptureLimits = CaptureLimits()

    /// How wide a small picture of the page's first screen is to be, in device pixels; `nil` for none.
    ///
    /// It is as tall as the window is in proportion, and made whatever formats are asked for.
    public var thumbnailWidth: Int?

    /// Creates the usual options, and changes some.
    public init(_ change: (inout CaptureOptions) -> Void = { _ in }) { change(&self) }
}
