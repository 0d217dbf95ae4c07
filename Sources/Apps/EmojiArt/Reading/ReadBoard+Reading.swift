package import EmojiArtModel
package import Foundation

extension ReadBoard {
    /// Decodes a board file and validates its picture.
    package init(_ data: Data, fileName: String?) throws(BoardFileError) {
        var file: ArtFile
        do throws(ArtFileError) {
            file = try ArtFile.read(data)
        } catch {
            throw .file(error)
        }
        var picture: CheckedPicture?
        if let embedded = file.picture {
            file.picture = nil
            do throws(PictureError) {
                picture = try CheckedPicture(embedded.data)
            } catch {
                file.notes.append(ArtWords.invalidPictureLeftOut("\(error)"))
            }
        }
        self.init(file: file, picture: picture, fileName: fileName)
    }

    /// Decodes a request's body: a form if there is a boundary, otherwise the file itself.
    ///
    /// - Throws: Why it can't be read as a board; ``BoardFileError/noFile`` for a form without a file.
    package init(body: Data, boundary: String?, name: String?) throws(BoardFileError) {
        guard let boundary else {
            try self.init(body, fileName: name)
            return
        }
        guard let file = UploadedFile(in: body, boundary: boundary) else { throw .noFile }
        try self.init(file.data, fileName: file.name)
    }
}
