import Capture
package import Foundation
import Multipart
package import OfflineLibraryModel

extension ReadUpload {
    /// Reads the body of a form with a file.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - boundary: The boundary of its parts.
    /// - Throws: ``LibraryFileError``.
    package init(body: Data, boundary: String) throws(LibraryFileError) {
        let parts = MultipartForm.parts(in: body, boundary: boundary)
        guard let file = parts.first(where: { $0.fileName != nil && !$0.isNoFile }) else { throw .noFile }
        let fields = parts.filter { $0.fileName == nil }.map(\.name)
        self.init(
            file: try AddressFile(reading: Data(file.data)), fileName: file.fileName,
            formats: Set(fields.compactMap(PageFormat.init(rawValue:))))
    }
}
