public import Foundation

/// A web page by its address, as the data of a snapshot, a PDF or a web archive.
///
/// The face of the article that this library began with, over ``PageCapturer``. Calls may overlap; each gets its own page
/// and its own answer. Cancelling the task that waits ends its capture.
@MainActor
public final class WebDataManager {
    /// What went wrong with data that should be there.
    public enum DataError: Error {
        /// The page gave no picture.
        case noImageData
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
    }

    private let capturer: PageCapturer
    private let options: CaptureOptions

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - capturer: What captures the pages; may be shared.
    ///   - options: How.
    public init(capturer: PageCapturer = PageCapturer(), options: CaptureOptions = CaptureOptions()) {
        self.capturer = capturer
        self.options = options
    }

    /// Loads a page and makes its data.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` address.
    ///   - type: What to make.
    /// - Returns: The content of a PNG, PDF or `.webarchive` file.
    /// - Throws: ``CaptureError``, or ``DataError``.
    public func createData(url: URL, type: DataType) async throws -> Data {
        let capture = try await capturer.capture(url, formats: [type.format], options: options)
        guard let data = capture.data[type.format], !data.isEmpty else { throw DataError.noImageData }
        return data
    }

    /// Ends the browser behind it.
    public func close() async {
        await capturer.close()
    }
}
