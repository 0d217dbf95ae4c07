public import EmojiArtModel
public import Foundation
public import Persistence

extension ReadBoard {
    /// Reads a board's file.
    ///
    /// - Parameters:
    ///   - data: What is in the file.
    ///   - fileName: What the file is called.
    /// - Throws: Why there is no board in it.
    public init(_ data: Data, fileName: String?) throws(BoardFileError) {
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

    /// Reads what a request brought.
    ///
    /// - Parameters:
    ///   - body: The body of the request.
    ///   - boundary: What stands between the parts of a form; `nil` where the body is the file.
    ///   - name: What the file is called, where the body does not say.
    /// - Throws: Why there is no board in it; ``BoardFileError/noFile`` for a form without a file.
    public init(body: Data, boundary: String?, name: String?) throws(BoardFileError) {
        guard let boundary else {
            try self.init(body, fileName: name)
            return
        }
        guard let file = UploadedFile(in: body, boundary: boundary) else { throw .noFile }
        try self.init(file.data, fileName: file.name)
    }
}

/// Reads files in this process: in a job, in a command, or in a test.
public struct LocalArtReading: ArtReading {
    /// Creates one.
    public init() {}

    /// Checks a picture.
    @concurrent
    public func picture(in file: IncomingFile) async throws(PictureError) -> CheckedPicture {
        let data: Data
        do throws(PersistenceError) {
            data = try file.read()
        } catch {
            throw .store(.failed(error.message))
        }
        return try CheckedPicture(data)
    }

    /// Reads a board's file.
    @concurrent
    public func board(in upload: BoardUpload) async throws(BoardFileError) -> ReadBoard {
        let data: Data
        do throws(PersistenceError) {
            data = try upload.body.read()
        } catch {
            throw .store(.failed(error.message))
        }
        return try ReadBoard(body: data, boundary: upload.boundary, name: upload.name)
    }
}
