import Capture
import Foundation
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence

/// The page that Offline Library has as sample data: it needs no network, because it is part of the program.
enum SamplePage {
    private static let address = "https://example.com/"

    /// The page; its thumbnail, rendered at 1,280 pixels and scaled to 480, is in `Resources/sample.png`.
    private static let html = """
        <!doctype html>
        <html lang="en">
        <head><meta charset="utf-8"><title>\(LibraryWords.sampleTitle)</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <style>
        body { max-width: 38rem; margin: 2rem auto; padding: 0 1rem; font: 1.1rem/1.6 Georgia, serif; }
        body { color: #222; background: #fff; }
        h1 { line-height: 1.2; }
        </style></head>
        <body>
        <h1>\(LibraryWords.sampleHeading)</h1>
        \(LibraryWords.sampleParagraphs.map { "<p>\($0)</p>" }.joined(separator: "\n"))
        </body>
        </html>
        """

    /// Stores the page.
    ///
    /// - Parameters:
    ///   - id: The page's identifier.
    ///   - owner: The page's owner.
    ///   - store: The store, which never requests a capture of the page.
    /// - Throws: ``LibraryError``, or an error in encoding the archive.
    static func add(as id: SavedPage.ID, of owner: OwnerID, to store: SQLiteLibraryStore) async throws {
        guard let url = URL(string: address) else { throw LibraryError.notFound }
        let archive = WebArchive(
            mainResource: WebArchive.Resource(
                data: Data(html.utf8), url: address, mediaType: "text/html", textEncodingName: "UTF-8",
                frameName: ""))
        var capture = PageCapture(
            requestedURL: url, url: url, title: LibraryWords.sampleTitle, httpStatus: 200,
            contentSize: (width: 800, height: 600),
            readiness: .almostIdle, data: [.webArchive: try archive.propertyList()],
            thumbnail: Data(PackageResources.sample_png), resources: [], warnings: [], duration: .zero)
        capture.text = ([LibraryWords.sampleHeading] + LibraryWords.sampleParagraphs).joined(separator: "\n")
        try await store.add(
            capture, as: id, of: CaptureRequest(url: url, formats: [.webArchive]), owner: owner, at: Date())
    }
}
