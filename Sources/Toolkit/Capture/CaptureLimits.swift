/// Limits on what a page may load and what it may make the browser send, so that no page can exhaust the memory.
///
/// The defaults far exceed the needs of ordinary pages. Where possible, the capture leaves out what exceeds a limit and
/// has a warning of the kind ``PageCapture/Warning/Kind-swift.enum/limited``. If nothing useful would be left, the
/// capture fails with ``CaptureError/Code-swift.struct/tooLarge``.
public struct CaptureLimits: Hashable, Codable, Sendable {
    /// The maximum number of requests, including those of documents that redirect the page.
    ///
    /// Further requests are blocked.
    public var requests: Int = 5_000
    /// The maximum number of decoded bytes that a page may load, including the URLs of its requests.
    ///
    /// They are counted as they arrive. At the limit, the page stops loading and is captured in its current state. If
    /// the document itself is still incomplete, the capture fails.
    public var loadedBytes: Int = 512 << 20
    /// The maximum length of the HTML of all frames' documents together, in UTF-16 code units.
    ///
    /// The browser measures a document before it sends it. A frame that would exceed the limit is left out of the
    /// archive. If the page's own document exceeds the limit, no archive is created.
    public var documentLength: Int = 64 << 20
    /// The maximum number of frames in a web archive, including the page; Chromium opens about 1,000 per page.
    ///
    /// Further frames are left out.
    public var frames: Int = 1_000
    /// The maximum size of a PDF in bytes; the browser's stream is read no further.
    public var pdfBytes: Int = 256 << 20
    /// The maximum size of the picture of a page that is taller than the window, in bytes.
    ///
    /// The picture is cut off where it would exceed the limit.
    public var pictureBytes: Int = 512 << 20
    /// The maximum length of a title in Unicode scalars; a longer title is cut before the browser sends it.
    public var titleLength: Int = 1_000

    /// Creates the default limits and applies changes to them.
    public init(_ change: (inout CaptureLimits) -> Void = { _ in }) { change(&self) }
}
