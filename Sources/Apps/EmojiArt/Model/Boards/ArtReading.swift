public import Persistence

/// Parses the files that users upload: in this process, or in child processes.
public protocol ArtReading: Sendable {
    /// Validates a picture.
    ///
    /// - Parameter file: The uploaded file.
    /// - Returns: The picture.
    /// - Throws: Why it is rejected.
    func picture(in file: IncomingFile) async throws(PictureError) -> CheckedPicture

    /// Reads a board file.
    ///
    /// - Parameter upload: The uploaded file or form.
    /// - Returns: The file's contents.
    /// - Throws: Why it can't be read as a board.
    func board(in upload: BoardUpload) async throws(BoardFileError) -> ReadBoard
}

/// A board file as a request carries it: as the body itself, or in a multipart form.
public struct BoardUpload: Sendable {
    /// The request's body.
    public var body: IncomingFile
    /// The boundary of the multipart form; `nil` if the body is the file.
    public var boundary: String?
    /// The file's name, if the request gives it outside the form.
    public var name: String?

    /// Creates an upload.
    public init(body: IncomingFile, boundary: String? = nil, name: String? = nil) {
        (self.body, self.boundary, self.name) = (body, boundary, name)
    }
}

/// The contents of an uploaded board file.
public struct ReadBoard: Sendable {
    /// The board, with its picture moved to ``picture``.
    public var file: ArtFile
    /// The background's picture; `nil` if there is none, or if it is rejected, which the file's notes say.
    public var picture: CheckedPicture?
    /// The file's name; `nil` if the upload has none.
    public var fileName: String?

    /// Creates the result of reading a board file; `file` doesn't include the picture.
    public init(file: ArtFile, picture: CheckedPicture?, fileName: String?) {
        (self.file, self.picture, self.fileName) = (file, picture, fileName)
    }
}
