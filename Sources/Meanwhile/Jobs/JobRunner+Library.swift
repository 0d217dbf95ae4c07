import Capture
import Foundation
import Jobs
import OfflineLibraryModel
import OfflineLibraryReading
import SystemPackage

/// The parameters of reading an uploaded file of the library.
struct LibraryFileParameters: Codable, Sendable {
    /// The boundary of the form.
    var boundary: String
}

/// The result of reading an uploaded file of the library; its addresses are an output file, as JSON.
struct LibraryFileReport: Codable, Sendable {
    static let addresses = "addresses"

    var fileName: String?
    var formats: [PageFormat]
}

extension JobRunner {
    func libraryFile(
        _ parameters: LibraryFileParameters, _ input: FileDescriptor?, _ output: JobFolder
    ) throws -> Data {
        do {
            let read = try ReadUpload(body: try Self.bytes(of: input), boundary: parameters.boundary)
            try output.write(try JSONEncoder().encode(read.file), as: LibraryFileReport.addresses)
            return try JSONEncoder().encode(
                LibraryFileReport(
                    fileName: read.fileName.map(LibraryFileReport.cut),
                    formats: read.formats.sorted { $0.rawValue < $1.rawValue }))
        } catch let error as LibraryFileError {
            throw JobError(error, code: JobKind.libraryFile.rawValue)
        }
    }
}
