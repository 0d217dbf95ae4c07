public import Foundation

/// A web page by its address, as the data of a snapshot, a PDF or a web archive.
///
/// Calls may overlap; each loads its own page and returns its own data. Cancelling the task that waits ends its capture.
///
/// Each call loads the page, so three types of one page are three loads, perhaps of different content. To get several
/// formats of one load, with title, warnings and missing parts, use ``PageCapturer/capture(_:formats:options:progress:)``.
@MainActor
public final class WebDataManager {
    /// The browser made a file without content.
    public enum DataError: Error, Hashable {
        /// The snapshot has no bytes.
        case noImageData
        /// The PDF has no bytes.
        case noPDFData
        /// The web archive has no bytes.
        case noWebArchiveData
    }

    /// The kinds of data.
    public enum DataType: String, CaseIterable, Sendable {
        /// A PNG of the full page.
        case snapshot = "Snapshot"
        /// A PDF with one page as tall as the content.
        case pdf = "PDF"
        /// A `.webarchive` with everything that the page is made of.
        case webArchive = "Web Archive"

        fileprivate var format: PageFormat {
            switch self {
            case .snapshot: .png
            case .pdf: .pdf
            case .webArchive: .webArchive
            }
        }

        fileprivate var emptyError: DataError {
            switch self {
            case .snapshot: .noImageData
            case .pdf: .noPDFData
            case .webArchive: .noWebArchiveData
            }
        }
    }

    private let capture: @Sendable (URL, PageFormat) async throws(CaptureError) -> Data?
    private let end: @Sendable () async -> Void

    /// Creates a manager of a capturer, which may be shared.
    public init(capturer: PageCapturer = PageCapturer(), options: CaptureOptions = CaptureOptions()) {
        self.capture = { (url, format) async throws(CaptureError) in
            try await capturer.capture(url, formats: [format], options: options).data[format]
        }
        self.end = { await capturer.close() }
    }

    /// Creates a manager without a browser, for the tests.
    init(capture: @escaping @Sendable (URL, PageFormat) async throws(CaptureError) -> Data?) {
        self.capture = capture
        self.end = {}
    }

    /// Loads a page of an absolute `http` or `https` address, and makes its data: one load for each call.
    ///
    /// Throws ``CaptureError`` if the page can't be loaded or captured, or the task is cancelled; ``DataError`` if the file is empty.
    public func createData(url: URL, type: DataType) async throws -> Data {
        guard let data = try await capture(url, type.format), !data.isEmpty else { throw type.emptyError }
        return data
    }

    /// Ends the browser behind it.
    public func close() async {
        await end()
    }
}
