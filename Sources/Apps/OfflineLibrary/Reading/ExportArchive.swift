import Capture
package import Foundation
package import OfflineLibraryModel

/// An export of a library, which isn't trusted.
package struct ExportArchive: Sendable {
    /// Where the ZIP file is.
    private enum Source: Sendable {
        case data(Data)
        case path(String)
    }

    /// The largest file of a page, in bytes, and the maximum size of the files that are in memory at once.
    private static let (fileBytes, waitingBytes) = (512_000_000, 768_000_000)

    /// The pages, the newest first.
    package let pages: [ExportedPage]
    private let source: Source

    /// Opens an export in memory.
    ///
    /// - Throws: ``LibraryFileError``; `unknownFormat` if it is another ZIP file.
    package init(_ zip: Data) throws(LibraryFileError) { try self.init(.data(zip)) }

    /// Opens an export, of which only parts are in memory.
    ///
    /// - Throws: ``LibraryFileError``; `unknownFormat` if it is another file.
    package init(path: String) throws(LibraryFileError) { try self.init(.path(path)) }

    private init(_ source: Source) throws(LibraryFileError) {
        self.source = source
        guard let json = try Self.json(in: source) else { throw .unknownFormat }
        do throws(LibraryFileError) {
            pages = try ExportedLibrary(json).pages
        } catch {
            // A file of another program may have the same name.
            throw error == .damaged(LibraryWords.jsonProblem) ? .unknownFormat : error
        }
    }

    private static func json(in source: Source) throws(LibraryFileError) -> Data? {
        do throws(WACZError) {
            let reader = try reader(source)
            while let path = try reader.next() {
                if path == ExportedLibrary.path { return try reader.read(upTo: ExportedLibrary.maximumBytes) }
            }
            return nil
        } catch {
            throw .damaged(LibraryWords.zipProblem)
        }
    }

    private static func reader(_ source: Source) throws(WACZError) -> ZipReader {
        switch source {
        case .data(let zip): try ZipReader(zip, maximumFiles: ExportedLibrary.maximumFiles)
        case .path(let path): try ZipReader(path: path, maximumFiles: ExportedLibrary.maximumFiles)
        }
    }

    /// Reads the pages one after another, in the order in which their files end in the ZIP file.
    ///
    /// - Parameter body: Receives each page with its files; those that are missing or too large are left out.
    /// - Throws: ``LibraryFileError`` if the ZIP file is damaged, or the error of `body`.
    package func readPages(_ body: (RestoredPage) async throws -> Void) async throws {
        var owners: [String: (page: Int, kind: FileKind)] = [:]
        /// The number of files of each page that are still to be read; a file belongs to the first page that names it.
        var missing = [Int](repeating: 0, count: pages.count)
        for (index, page) in pages.enumerated() {
            for (path, kind) in page.kinds where owners[path] == nil {
                owners[path] = (index, kind)
                missing[index] += 1
            }
        }
        var (waiting, bytes) = ([Int: RestoredPage.Files](), 0)
        var isDone = missing.map { $0 == 0 }
        func end(_ index: Int) async throws {
            isDone[index] = true
            let files = waiting.removeValue(forKey: index) ?? [:]
            bytes -= files.values.reduce(0) { $0 + $1.count }
            try await body(RestoredPage(pages[index]) { () async throws(LibraryFileError) in files })
        }
        for index in pages.indices where missing[index] == 0 { try await end(index) }
        do {
            let reader = try Self.reader(source)
            while let path = try reader.next() {
                guard let (page, kind) = owners[path] else { continue }
                missing[page] -= 1
                let content = try reader.read(upTo: Self.fileBytes)
                if !isDone[page], content.count <= Self.waitingBytes - bytes {
                    waiting[page, default: [:]][kind] = content
                    bytes += content.count
                }
                if missing[page] == 0, !isDone[page] { try await end(page) }
            }
        } catch is WACZError {
            throw LibraryFileError.damaged(LibraryWords.zipProblem)
        }
        for index in pages.indices where !isDone[index] { try await end(index) }
    }
}
