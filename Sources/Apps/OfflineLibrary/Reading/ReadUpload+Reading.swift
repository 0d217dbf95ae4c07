import Capture
package import Foundation
import Multipart
package import OfflineLibraryModel

extension ReadUpload {
    /// The maximum length of the field with a page's address, in bytes.
    private static let longestAddress = 20_000

    /// Reads the body of a form with a file.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - boundary: The boundary of its parts.
    ///   - isPage: Whether the file is a page, whatever it contains.
    /// - Throws: ``LibraryFileError``.
    package init(body: Data, boundary: String, isPage: Bool = false) throws(LibraryFileError) {
        let parts = MultipartForm.parts(in: body, boundary: boundary)
        guard let file = parts.first(where: { $0.fileName != nil && !$0.isNoFile }) else { throw .noFile }
        let fields = parts.filter { $0.fileName == nil }
        let content: Content
        if isPage {
            // The name of the field is configurable in SingleFile, so every field with an address counts.
            let addresses = fields.filter { $0.data.count <= Self.longestAddress }.lazy
                .map { String(decoding: $0.data, as: UTF8.self) }
            guard let url = addresses.compactMap(Self.url).first else { throw .noPageAddress }
            content = .pages([try UploadedPage(file.data, url: url)])
        } else {
            content = .addresses(try AddressFile(reading: Data(file.data)))
        }
        self.init(
            content: content, fileName: file.fileName,
            formats: Set(fields.map(\.name).compactMap(PageFormat.init(rawValue:))))
    }

    private static func url(_ text: String) -> URL? {
        guard let url = URL(string: text.trimmingCharacters(in: .whitespacesAndNewlines)),
            (try? PageCapturer.validate(url)) != nil
        else { return nil }
        return url
    }
}

extension UploadedPage {
    /// Reads an uploaded page.
    ///
    /// - Parameters:
    ///   - content: The content: a single HTML file.
    ///   - url: The page's address.
    /// - Throws: ``LibraryFileError``.
    init(_ content: Data, url: URL) throws(LibraryFileError) {
        guard !content.isEmpty else { throw .empty }
        guard content.count <= ImportLimits.pageBytes else { throw .tooLarge }
        self.init(source: .html, url: url) { () throws(LibraryFileError) in content }
    }
}
