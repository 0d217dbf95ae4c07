import Foundation
import Multipart

/// A file in a `multipart/form-data` form.
///
/// Only pages whose script didn't load send such forms; the script sends the file itself as the body.
struct UploadedFile {
    /// The file's name on the user's machine.
    var name: String?
    /// The file's contents.
    var data: Data

    /// Finds the first file of a body whose parts are separated by a boundary; `nil` if there is none.
    ///
    /// - Complexity: O(*n*).
    init?(in body: Data, boundary: String) {
        let file = MultipartForm.parts(in: body, boundary: boundary).first { $0.fileName != nil && !$0.isNoFile }
        guard let file else { return nil }
        (name, data) = (file.fileName, Data(file.data))
    }
}
