package import EmojiArtModel
package import Foundation
package import Persistence

extension ReadBoard {
    /// Reads a board's file.
    package init(_ data: Data, fileName: String?) throws(BoardFileError) {
        var file: ArtFile
        do throws(ArtFileError) {
            file = try ArtFile.read(data)
        } catch {
            throw .file(error)
        }
        var picture: CheckedPicture?
        if let kept = file.picture {
            file.picture = nil
            do throws(PictureError) {
                picture = try CheckedPicture(kept.data)
            } catch {
                file.notes.append("The background's picture was left out. \(error)")
            }
        }
        self.init(file: file, picture: picture, fileName: fileName)
    }

    /// Reads what a request brought: a form, if there is a boundary between its parts, else the file, under a name.
    ///
    /// - Throws: Why there is no board in it; ``BoardFileError/noFile`` for a form without a file.
    package init(body: Data, boundary: String?, name: String?) throws(BoardFileError) {
        guard let boundary else {
            try self.init(body, fileName: name)
            return
        }
        guard let file = UploadedFile(in: body, boundary: boundary) else { throw .noFile }
        try self.init(file.data, fileName: file.name)
    }
}

/// Reads files in this process: in a job, in a command, or in a test.
package struct LocalArtReading: ArtReading {
    /// Creates one.
    package init() {}

    /// Checks a picture.
    @concurrent
    package func picture(in file: IncomingFile) async throws(PictureError) -> CheckedPicture {
        let data = try await rethrowing(PictureError.store) { () throws(BoardStoreError) in try file.bytes() }
        return try CheckedPicture(data)
    }

    /// Reads a board's file.
    @concurrent
    package func board(in upload: BoardUpload) async throws(BoardFileError) -> ReadBoard {
        let data = try await rethrowing(BoardFileError.store) { () throws(BoardStoreError) in
            try upload.body.bytes()
        }
        return try ReadBoard(body: data, boundary: upload.boundary, name: upload.name)
    }
}

extension IncomingFile {
    fileprivate func bytes() throws(BoardStoreError) -> Data {
        do throws(StoreError) { return try read() } catch { throw .failed(error.message) }
    }
}
