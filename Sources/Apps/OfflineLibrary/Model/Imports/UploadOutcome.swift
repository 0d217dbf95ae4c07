public import Capture
public import Foundation
import Loading
public import Persistence

/// Which pages of a file were saved, and which weren't.
public struct UploadOutcome: Sendable {
    /// A page that wasn't saved.
    public struct Refusal: Sendable {
        /// The page's address.
        public var url: URL
        /// Why it wasn't saved: a ``LibraryFileError`` or another error with a readable description.
        public var error: any Error
    }

    /// The identifiers of the pages that were saved.
    public internal(set) var saved: [SavedPage.ID] = []
    /// The pages that weren't saved, in the order of the file.
    public internal(set) var refused: [Refusal] = []

    /// The maximum number of pages that ``description`` names.
    private static let namedPages = 10

    /// Saves pages one after another.
    ///
    /// A page whose content can't be read is left out. After another error, such as a full library, the following pages
    /// aren't tried.
    ///
    /// - Parameters:
    ///   - pages: The pages.
    ///   - save: Saves a page.
    /// - Returns: Which were saved.
    /// - Throws: The first error if no page was saved.
    public static func saving(
        _ pages: [UploadedPage], _ save: (UploadedPage) async throws -> SavedPage.ID
    ) async throws -> UploadOutcome {
        var outcome = UploadOutcome()
        for (index, page) in pages.enumerated() {
            do {
                outcome.saved.append(try await save(page))
            } catch let error as LibraryFileError {
                outcome.refused.append(Refusal(url: page.url, error: error))
            } catch {
                outcome.refused += pages[index...].map { Refusal(url: $0.url, error: error) }
                break
            }
        }
        if outcome.saved.isEmpty, let first = outcome.refused.first { throw first.error }
        return outcome
    }
}

extension UploadOutcome: CustomStringConvertible {
    /// How many pages were saved, and which weren't.
    public var description: String {
        let count = LibraryWords.pagesSaved(saved.count, of: saved.count + refused.count)
        guard let first = refused.first else { return count }
        let names = refused.prefix(Self.namedPages).map { refusal in
            let address = String(refusal.url.absoluteString.prefix(200))
            let isFirstReason = "\(refusal.error)" == "\(first.error)"
            return isFirstReason ? address : LibraryWords.unsavedPage(address, because: "\(refusal.error)")
        }
        return LibraryWords.pagesNotSaved(
            count, because: "\(first.error)", names, others: refused.count - names.count)
    }
}

extension UploadStore {
    /// Adds a page in a command, and returns when its content is durable.
    ///
    /// The server makes its other files.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - formats: The formats to make.
    ///   - owner: The owner.
    ///   - time: The time of the import.
    /// - Returns: The page's identifier.
    /// - Throws: ``LibraryError``, or a ``LibraryFileError`` if the content can't be read.
    public func add(
        _ page: UploadedPage, formats: Set<PageFormat>, owner: OwnerID, at time: Date
    ) async throws -> SavedPage.ID {
        let content = try await page.content()
        let saved = SavedPage(page, formats: formats, at: time)
        try await addUpload(saved, source: page.source, content: content, owner: owner)
        return saved.id
    }
}

extension SavedPage {
    /// An uploaded page whose other files are being made: a web archive always, and no WACZ file, which consists of
    /// requests.
    init(_ page: UploadedPage, formats: Set<PageFormat>, at time: Date) {
        let request = CaptureRequest(url: page.url, formats: formats.subtracting([.wacz]).union([.webArchive]))
        self.init(
            request: request, requestedAt: min(page.savedAt ?? time, time), state: .fetching(request, previous: nil))
    }
}
