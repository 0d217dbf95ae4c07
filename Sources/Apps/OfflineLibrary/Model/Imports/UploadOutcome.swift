public import Capture
public import Foundation
import Loading
public import Persistence

/// Which pages of a file were saved, and which weren't.
public struct UploadOutcome: Sendable {
    /// A page that wasn't saved.
    public struct Refusal: Sendable {
        /// The page's address.
        public var address: String
        /// Why it wasn't saved: a ``LibraryFileError`` or another error with a readable description.
        public var error: any Error
    }

    /// The identifiers of the pages that were saved.
    public internal(set) var saved: [SavedPage.ID] = []
    /// The number of pages that the library has already.
    public internal(set) var known = 0
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
        try await saving(pages, address: \.url.absoluteString) { try await save($0) }
    }

    /// Brings pages of an export back, one after another, as ``saving(_:_:)`` saves pages.
    ///
    /// - Parameters:
    ///   - pages: The pages.
    ///   - restore: Brings a page back; returns `nil` if the library has it already.
    /// - Returns: Which were brought back.
    /// - Throws: The first error if no page was brought back.
    public static func restoring(
        _ pages: [RestoredPage], _ restore: (RestoredPage) async throws -> SavedPage.ID?
    ) async throws -> UploadOutcome {
        try await saving(pages, address: \.address, restore)
    }

    /// Saves the pages at addresses, one after another, as ``saving(_:_:)`` saves pages.
    ///
    /// - Parameters:
    ///   - addresses: The addresses.
    ///   - save: Begins to save the page at an address.
    /// - Returns: Which are being saved.
    /// - Throws: The first error if no page is being saved.
    public static func saving(
        addresses: [String], _ save: (String) async throws -> SavedPage.ID
    ) async throws -> UploadOutcome {
        try await saving(addresses, address: \.self) { try await save($0) }
    }

    private static func saving<Page>(
        _ pages: [Page], address: (Page) -> String, _ save: (Page) async throws -> SavedPage.ID?
    ) async throws -> UploadOutcome {
        var outcome = UploadOutcome()
        for (index, page) in pages.enumerated() {
            let isDone = try await outcome.add(address(page)) { try await save(page) }
            guard isDone else {
                let refusal = outcome.refused[outcome.refused.count - 1]
                outcome.refused += pages[(index + 1)...].map { Refusal(address: address($0), error: refusal.error) }
                break
            }
        }
        try outcome.check()
        return outcome
    }

    /// Saves a page.
    ///
    /// - Parameters:
    ///   - address: The page's address.
    ///   - save: Saves the page; returns `nil` if the library has it already.
    /// - Returns: Whether further pages may be saved: `false` after an error that isn't about the page.
    /// - Throws: `CancellationError`.
    public mutating func add(
        _ address: String, _ save: () async throws -> SavedPage.ID?
    ) async throws -> Bool {
        do {
            if let id = try await save() { saved.append(id) } else { known += 1 }
            return true
        } catch {
            try Task.checkCancellation()
            refused.append(Refusal(address: address, error: error))
            if error is LibraryFileError { return true }
            if case LibraryError.invalidAddress = error { return true }
            return false
        }
    }

    /// Creates the outcome before the first page.
    public init() {}

    /// Throws the first error if no page was saved.
    public func check() throws {
        if saved.isEmpty, known == 0, let first = refused.first { throw first.error }
    }
}

extension UploadOutcome: CustomStringConvertible {
    /// How many pages were saved, and which weren't.
    public var description: String {
        let count = LibraryWords.pagesSaved(saved.count, of: saved.count + known + refused.count)
        guard let first = refused.first else { return count }
        let names = refused.prefix(Self.namedPages).map { refusal in
            let address = String(refusal.address.prefix(200))
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
