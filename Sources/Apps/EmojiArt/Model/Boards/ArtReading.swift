public import Persistence

/// What reads the files that people bring: in this process, or in others.
public protocol ArtReading: Sendable {
    /// Checks a picture.
    ///
    /// - Parameter file: What was brought.
    /// - Returns: The picture.
    /// - Throws: Why it is not taken.
    func picture(in file: IncomingFile) async throws(PictureError) -> CheckedPicture

    /// Reads a board's file.
    ///
    /// - Parameter upload: What was brought.
    /// - Returns: What is in the file.
    /// - Throws: Why there is no board in it.
    func board(in upload: BoardUpload) async throws(BoardFileError) -> ReadBoard
}

/// A board's file as a request brings it: the file itself, or a form with the file in it.
public struct BoardUpload: Sendable {
    /// The body of the request.
    public var body: IncomingFile
    /// What stands between the parts of a form; `nil` where the body is the file.
    public var boundary: String?
    /// What the file is called, where the request says so and not the form.
    public var name: String?

    /// Creates a description.
    public init(body: IncomingFile, boundary: String? = nil, name: String? = nil) {
        (self.body, self.boundary, self.name) = (body, boundary, name)
    }
}

/// What was read of a board's file.
public struct ReadBoard: Sendable {
    /// The board; its picture is beside it.
    public var file: ArtFile
    /// The background's picture; `nil` where there is none, or it is not taken, which the file's notes say then.
    public var picture: CheckedPicture?
    /// The file's name; `nil` if the upload has none.
    public var fileName: String?

    /// A board that was read; its file is without the picture.
    public init(file: ArtFile, picture: CheckedPicture?, fileName: String?) {
        (self.file, self.picture, self.fileName) = (file, picture, fileName)
    }
}
