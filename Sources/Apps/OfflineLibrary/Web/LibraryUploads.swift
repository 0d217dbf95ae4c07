import Foundation
import HTTPTypes
import Hummingbird
import Multipart
import NIOCore
public import OfflineLibraryModel
public import Persistence
public import Site

/// Receives uploaded files without parsing them, and has them read.
public struct LibraryUploads: Sendable {
    /// Reads the files.
    var reading: any LibraryReading
    /// Knows the tokens of programs that upload pages.
    let store: any UploadStore
    private let incoming: String
    private let floor: FreeDiskFloor

    /// The maximum length of a form's other fields and of the lines around its file, in bytes.
    private static let formBytes = 50_000

    /// Creates a receiver.
    ///
    /// - Parameters:
    ///   - reading: Reads the files.
    ///   - store: Knows the tokens of programs that upload pages.
    ///   - incoming: The path of the folder for the files.
    ///   - floor: The disk space that each write must leave free.
    public init(reading: any LibraryReading, store: any UploadStore, incoming: String, floor: FreeDiskFloor) {
        (self.reading, self.store, self.incoming, self.floor) = (reading, store, incoming, floor)
    }

    /// Receives a form with a file.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isPage: Whether the file is a page, whatever it contains.
    /// - Returns: The upload, whose file is deleted with the object.
    /// - Throws: ``LibraryFileError``, the connection's error, or a `StoreError`.
    func form(in request: Request, isPage: Bool = false) async throws -> LibraryUpload {
        guard let boundary = MultipartForm.boundary(in: request.headers[.contentType] ?? "") else {
            throw Problem(
                .unsupportedMediaType, title: LibraryWords.importFailedTitle, detail: LibraryWords.notAForm)
        }
        do {
            let file = try IncomingFile(in: incoming, leaving: floor)
            try await request.receive(
                upTo: ImportLimits.pageBytes + Self.formBytes, orElse: .uploadTooLarge,
                expecting: { if let refusal = floor.refusal(at: incoming, adding: $0) { throw StoreError(refusal) } },
                { try file.append(Data($0.readableBytesView)) })
            return LibraryUpload(body: file, boundary: boundary, isPage: isPage)
        } catch let error as StoreError {
            throw error.overBudget.map { LibraryFileError.overBudget($0) } ?? error
        }
    }
}

extension LibraryFileError: PresentableError {
    /// The problem to present.
    public var problem: Problem {
        let status: HTTPResponse.Status =
            switch self {
            case .noFile, .noPageAddress: .badRequest
            case .tooLarge: .contentTooLarge
            case .unknownFormat: .unsupportedMediaType
            case .empty, .damaged, .noAddresses, .tooMany, .tooManyPages: .unprocessableContent
            case .overBudget(let reason): .init(code: reason.statusCode)
            case .unfinished: .serviceUnavailable
            }
        return Problem(status, title: LibraryWords.importFailedTitle, detail: "\(self)")
    }
}

extension Problem {
    fileprivate static var uploadTooLarge: Problem {
        Problem(
            .contentTooLarge, title: LibraryWords.importFailedTitle,
            detail: LibraryWords.uploadTooLarge(limit: ImportLimits.pageBytes))
    }
}
