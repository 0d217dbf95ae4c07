import Foundation
import Loading

/// A page as the file `pages.json` of an export describes it.
///
/// docs/exports.md explains the fields.
package struct ExportedPage: Codable, Sendable {
    /// A file of the page.
    package struct File: Codable, Sendable {
        /// The kind, such as `png`.
        var kind: String
        /// The path in the ZIP file; `nil` if the file is missing.
        package var path: String?
        /// The size in bytes.
        var bytes: Int?
        /// The SHA-256 of the content, in hexadecimal.
        var sha256: String?
        /// What is wrong with the file; `nil` if nothing is.
        var problem: String?
    }

    /// How far a page is.
    enum State: String, Codable, Sendable {
        /// A copy is saved.
        case saved
        /// It couldn't be saved.
        case failed
        /// It is still being saved.
        case unfinished
    }

    var id: String
    var state: State
    var address: String
    var finalAddress: String?
    var title: String
    var requestedAt: Date
    var savedAt: Date?
    var httpStatus: Int?
    var isComplete: Bool?
    var warnings: [String]
    var failure: String?
    var tags: [String]
    var isFavourite: Bool
    var note: String
    var folder: String?
    /// How far it has been read, by the names of ``ReadingView``.
    var positions: [String: ReadingPosition]?
    package var files: [File] = []

    /// Describes a page without its files.
    init(_ item: LibraryItem) {
        id = item.id.description
        let content = item.state.value
        address = item.request.url.absoluteString
        finalAddress = content?.url.absoluteString
        title = content?.title ?? item.givenTitle
        requestedAt = item.requestedAt
        savedAt = content?.capturedAt
        httpStatus = content?.httpStatus
        isComplete = content?.isComplete
        warnings = content?.warnings ?? []
        tags = item.marks.tags.map(\.name)
        isFavourite = item.marks.isFavourite
        note = item.marks.note
        let positions = item.positions.map { ($0.key.rawValue, $0.value) }
        self.positions = positions.isEmpty ? nil : Dictionary(positions) { first, _ in first }
        switch item.state {
        case .found: state = .saved
        case .idle, .fetching: state = content == nil ? .unfinished : .saved
        case .failed(let reason, _):
            failure = reason.message
            state = content == nil ? .failed : .saved
        }
    }

    /// The title, or the address if there is none.
    var name: String { title.isEmpty ? finalAddress ?? address : title }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// The page as a line of JSON.
    var json: String {
        let encoder = Self.encoder
        // Encoding can't fail: shares are finite.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
