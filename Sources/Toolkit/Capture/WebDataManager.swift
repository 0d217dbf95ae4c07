public import Foundation

/// Creates the data of a snapshot, a PDF or a web archive from a page's URL.
///
/// Calls may overlap. Cancelling the calling task cancels its capture.
///
/// Each call loads the page again, so three types are three loads, possibly of different content. To capture several
/// formats from one load, with title, warnings and missing resources, use
/// ``PageCapturer/capture(_:formats:options:progress:)``.
@MainActor
public final class WebDataManager {
    /// The browser created an empty file.
    public enum DataError: Error, Hashable {
        /// The snapshot is empty.
        case noImageData
        /// The PDF is empty.
        case noPDFData
        /// The web archive is empty.
        case noWebArchiveData
    }

    /// A type of data.
    public enum DataType: String, CaseIterable, Sendable {
        /// A PNG of the full page.
        case snapshot = "Snapshot"
        /// A PDF with a single page as tall as the content.
        case pdf = "PDF"
        /// A `.webarchive` with all resources of the page.
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

    /// Creates a manager that uses a capturer, which may be shared.
    public init(capturer: PageCapturer = PageCapturer(), options: CaptureOptions = CaptureOptions()) {
        self.capture = { (url, format) async throws(CaptureError) in
            try await capturer.capture(url, formats: [format], options: options).data[format]
        }
        self.end = { await capturer.close() }
    }

    /// Creates a manager without a browser, for tests.
    init(capture: @escaping @Sendable (URL, PageFormat) async throws(CaptureError) -> Data?) {
        self.capture = capture
        self.end = {}
    }

    /// Loads a page from an absolute `http` or `https` URL, and creates its data.
    ///
    /// Throws ``CaptureError`` if the page can't be loaded or captured, or if the task is cancelled, and ``DataError``
    /// if the data is empty.
    public func createData(url: URL, type: DataType) async throws -> Data {
        guard let data = try await capture(url, type.format), !data.isEmpty else { throw type.emptyError }
        return data
    }

    /// Closes the capturer, even if it's shared.
    public func close() async {
        await end()
    }
}
