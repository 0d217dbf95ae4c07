import EmojiArtModel
import EmojiArtReading
import Foundation
import Futures
import Persistence

/// Reads files in the test process.
struct LocalArtReading: ArtReading {
    /// Checks a picture.
    @concurrent
    func picture(in file: IncomingFile) async throws(PictureError) -> CheckedPicture {
        let data = try await rethrowing(PictureError.store) { () throws(BoardStoreError) in try file.bytes() }
        return try CheckedPicture(data)
    }

    /// Reads a board file.
    @concurrent
    func board(in upload: BoardUpload) async throws(BoardFileError) -> ReadBoard {
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
