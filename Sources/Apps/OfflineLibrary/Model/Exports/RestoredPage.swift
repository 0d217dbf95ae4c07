import Capture
public import Foundation
import Loading
public import Persistence

// Bringing the pages of an export back into a library.

/// A page of an export, with its files.
public struct RestoredPage: Sendable {
    /// The files' contents by kind.
    package typealias Files = [FileKind: Data]

    package var page: ExportedPage
    /// Reads the files that the export has.
    package var files: @Sendable () async throws(LibraryFileError) -> Files

    /// Creates a page.
    package init(_ page: ExportedPage, files: @escaping @Sendable () async throws(LibraryFileError) -> Files) {
        (self.page, self.files) = (page, files)
    }

    /// The address, also if it isn't valid.
    package var address: String { page.address }
}

/// The beginning of `pages.json`, which says what it is.
package struct ExportedLibrary: Codable, Sendable {
    /// The value of ``format``.
    package static let format = "meanwhile-library"
    /// The path in the ZIP file.
    package static let path = "pages.json"
    /// The maximum size of `pages.json`, in bytes: 100,000 pages with notes.
    package static let maximumBytes = 256_000_000
    /// The maximum number of files in an export.
    package static let maximumFiles = 1_000_000

    package var format: String
    package var version: Int
    package var pages: [ExportedPage]

    /// Reads `pages.json`.
    ///
    /// - Throws: ``LibraryFileError`` if it is another file or isn't valid.
    package init(_ json: Data) throws(LibraryFileError) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            self = try decoder.decode(Self.self, from: json)
        } catch {
            throw .damaged(LibraryWords.jsonProblem)
        }
        guard format == Self.format else { throw .unknownFormat }
        guard version <= ExportedTexts.version else { throw .damaged(LibraryWords.newerExport) }
    }
}

extension ExportedPage {
    /// The kinds of the files in the ZIP file, by path.
    package var kinds: [String: FileKind] {
        var kinds: [String: FileKind] = [:]
        for file in files {
            guard let path = file.path, let kind = LibraryExport.kinds.first(where: { $0.name == file.kind })?.kind
            else {
                continue
            }
            kinds[path] = kind
        }
        return kinds
    }

    /// The files without those that differ from what the export says of them.
    package func intact(_ contents: RestoredPage.Files) -> RestoredPage.Files {
        contents.filter { kind, content in
            files.contains { file in
                LibraryExport.kinds.contains { $0.kind == kind && $0.name == file.kind }
                    && (file.sha256 == nil || file.sha256 == BlobStore.ID(of: content).description)
            }
        }
    }

    /// A valid address as it is written.
    private static func url(_ text: String) -> URL? { (try? PageAddress(text)).flatMap { _ in URL(string: text) } }

    /// The page as it is stored.
    ///
    /// - Parameters:
    ///   - contents: The intact files.
    ///   - now: The current time: a page isn't newer.
    /// - Returns: The page. Without a file, it counts as one that couldn't be saved.
    /// - Throws: ``LibraryError/invalidAddress(_:)``.
    package func saved(with contents: RestoredPage.Files, at now: Date) throws(LibraryError) -> SavedPage {
        let url = try PageAddress(address).url
        let captured = PageFormat.allCases.filter { contents[FileKind($0)] != nil }
        let request = CaptureRequest(
            url: url, formats: captured.isEmpty ? LibrarySettings().formats : Set(captured))
        let isSaved = state == .saved && !contents.isEmpty
        let content = PageContent(
            title: title, url: finalAddress.flatMap { Self.url($0) } ?? url,
            httpStatus: httpStatus.flatMap { (100...599).contains($0) ? $0 : nil },
            capturedAt: min(savedAt ?? requestedAt, now),
            warnings: warnings.prefix(20).map { String($0.prefix(2_000)) }, isComplete: isComplete,
            sizes: contents.mapValues(\.count))
        let reason =
            switch state {
            case .saved: LibraryWords.restoredWithoutFiles
            case .failed: failure.map { String($0.prefix(2_000)) } ?? LibraryWords.restoredUnfinished
            case .unfinished: LibraryWords.restoredUnfinished
            }
        var page = SavedPage(
            id: SavedPage.ID(id) ?? SavedPage.ID(), request: request, requestedAt: min(requestedAt, now),
            state: isSaved ? .found(content) : .failed(CaptureFailure(code: "exported", message: reason), previous: nil)
        )
        if !isSaved { page.givenTitle = content.title }
        page.marks = PageMarks(importedTags: tags, note: PageMarks.importedNote(note), in: PageList())
        page.marks.isFavourite = isFavourite
        for (name, position) in positions ?? [:] {
            guard let view = ReadingView(rawValue: name) else { continue }
            page.positions[view] = ReadingPosition(
                share: position.share, paragraph: position.paragraph, changedAt: min(position.changedAt, now))
        }
        return page
    }
}

extension Library {
    /// Brings a page of an export back, with its marks and files; returns when it is durable.
    ///
    /// - Parameter page: The page.
    /// - Returns: The page's identifier; `nil` if the library has the page already.
    /// - Throws: ``LibraryError``, or a ``LibraryFileError`` if its files can't be read.
    public func restore(_ page: RestoredPage) async throws -> SavedPage.ID? {
        if isShuttingDown { throw LibraryError.shuttingDown }
        guard let uploadStore else { throw LibraryError.storage(LibraryWords.uploadsUnavailable) }
        let files = page.page.intact(try await page.files())
        let saved = try page.page.saved(with: files, at: configuration.now())
        let stored = try await uncancellable { () throws(LibraryError) in
            try await uploadStore.addRestored(saved, files: files, owner: self.owner)
        }
        if let stored { show([stored]) }
        return stored?.id
    }
}

extension UploadStore {
    /// Brings a page of an export back in a command.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - owner: The owner.
    ///   - time: The current time.
    /// - Returns: The page's identifier; `nil` if the owner has the page already.
    /// - Throws: ``LibraryError``, or a ``LibraryFileError`` if its files can't be read.
    public func restore(_ page: RestoredPage, owner: OwnerID, at time: Date) async throws -> SavedPage.ID? {
        let files = page.page.intact(try await page.files())
        return try await addRestored(try page.page.saved(with: files, at: time), files: files, owner: owner)?.id
    }
}
