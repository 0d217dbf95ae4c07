/// The most that a page may load and make the browser send, so that no page decides how much memory a capture takes.
///
/// Each is far more than ordinary pages need. Where possible, the page is captured without what exceeds a limit, and a warning
/// of the kind ``PageCapture/Warning/Kind-swift.enum/limited`` says so. Where nothing useful would be left, the capture fails
/// with ``CaptureError/Code-swift.struct/tooLarge``.
public struct CaptureLimits: Hashable, Codable, Sendable {
    /// How many requests a page may make, in all documents that it leads through.
    ///
    /// Further requests are blocked.
    public var requests: Int = 5_000
    /// How many bytes a page may load, decoded, counted while they arrive; the addresses of its requests are included.
    ///
    /// Beyond it the page stops loading, and is captured as it is then. If its document itself is still arriving, the capture
    /// fails.
    public var loadedBytes: Int = 512 << 20
    /// How long the documents of all frames together may be as HTML, in UTF-16 code units.
    ///
    /// The browser measures a document before it sends it. A frame that is too long is left out of the archive; if it is the page
    /// itself, there is no archive.
    public var documentLength: Int = 64 << 20
    /// How many frames a web archive may have, the page itself included; Chromium opens about 1,000 in a page.
    ///
    /// Further frames are left out.
    public var frames: Int = 1_000
    /// How large a PDF may be, in bytes; the browser's stream is read no further.
    public var pdfBytes: Int = 256 << 20
    /// How long a title may be, in Unicode scalars; a longer one is cut before the browser sends it.
    public var titleLength: Int = 1_000

    /// Creates the usual limits, and changes some.
    public init(_ change: (inout CaptureLimits) -> Void = { _ in }) { change(&self) }
}
