public import Capture
public import Persistence

/// Parses the files that users import: in child processes, because they aren't trusted.
public protocol LibraryReading: Sendable {
    /// Reads an uploaded file.
    ///
    /// - Parameter upload: The upload.
    /// - Returns: The file's contents.
    /// - Throws: Why it can't be imported.
    func read(_ upload: LibraryUpload) async throws(LibraryFileError) -> ReadUpload
}

/// A file as a request carries it, in a form with files.
public struct LibraryUpload: Sendable {
    /// The request's body.
    public var body: IncomingFile
    /// The boundary of the form.
    public var boundary: String
    /// Whether the file is a page, whatever it contains.
    public var isPage: Bool

    /// Creates an upload.
    public init(body: IncomingFile, boundary: String, isPage: Bool = false) {
        (self.body, self.boundary, self.isPage) = (body, boundary, isPage)
    }
}

/// The contents of an uploaded form.
public struct ReadUpload: Sendable {
    /// What the file contains.
    public enum Content: Sendable {
        /// Addresses.
        case addresses(AddressFile)
        /// Pages.
        case pages([UploadedPage])
        /// Pages of an export of this library, with their marks.
        case exported([RestoredPage])
    }

    /// What the file contains.
    public var content: Content
    /// The file's name; `nil` if it has none.
    public var fileName: String?
    /// The chosen formats.
    public var formats: Set<PageFormat>

    /// Creates the result of reading an upload.
    public init(content: Content, fileName: String?, formats: Set<PageFormat>) {
        (self.content, self.fileName, self.formats) = (content, fileName, formats)
    }
}

/// The reason why a file can't be imported.
public enum LibraryFileError: Error, Hashable, Codable, Sendable {
    /// The form has no file.
    case noFile
    /// The file is larger than ``ImportLimits/fileBytes``.
    case tooLarge
    /// The file has no content.
    case empty
    /// The file is none of the known kinds.
    case unknownFormat
    /// The file is damaged; the text says how.
    case damaged(String)
    /// The file is of a known kind, but has no addresses.
    case noAddresses
    /// The file is a page, but doesn't say from which address.
    case noPageAddress
    /// The file has more than ``ImportLimits/pages``, or they are too large.
    case tooManyPages
    /// The file has more than ``ImportLimits/addresses``.
    case tooMany
    /// A limit of the budget is reached.
    case overBudget(OverBudget)
    /// The file couldn't be read now; the text says why.
    case unfinished(String)
}

extension LibraryFileError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .noFile: LibraryWords.noImportFile
        case .tooLarge: LibraryWords.importTooLarge(limit: ImportLimits.fileBytes)
        case .empty: LibraryWords.emptyImport
        case .unknownFormat: LibraryWords.unknownImport
        case .damaged(let reason): LibraryWords.damagedImport(because: reason)
        case .noAddresses: LibraryWords.importWithoutAddresses
        case .tooManyPages: LibraryWords.tooManyPages(limit: ImportLimits.pages)
        case .noPageAddress: LibraryWords.noPageAddress
        case .tooMany: LibraryWords.tooManyImported(limit: ImportLimits.addresses)
        case .overBudget(let reason): reason.message
        case .unfinished(let reason): reason
        }
    }
}
