import Capture
package import Foundation
import Multipart
package import OfflineLibraryModel

extension ReadUpload {
    /// The maximum length of the field with a page's address, in bytes.
    private static let longestAddress = 20_000

    /// The field that makes folders tags.
    private static let foldersField = "folders"

    /// Reads the body of a form with a file.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - boundary: The boundary of its parts.
    ///   - isPage: Whether the file is a page, whatever it contains.
    /// - Throws: ``LibraryFileError``.
    package init(body: Data, boundary: String, isPage: Bool = false) throws(LibraryFileError) {
        let parts = MultipartForm.parts(in: body, boundary: boundary)
        guard let file = parts.first(where: { $0.fileName != nil && !$0.isNoFile }) else { throw .noFile }
        let fields = parts.filter { $0.fileName == nil }
        let content: Content
        if isPage {
            // The name of the field is configurable in SingleFile, so every field with an address counts.
            let addresses = fields.filter { $0.data.count <= Self.longestAddress }.lazy
                .map { String(decoding: $0.data, as: UTF8.self) }
            guard let url = addresses.compactMap({ PageURL.url($0) }).first else { throw .noPageAddress }
            content = .pages([try UploadedPage(file.data, url: url)])
        } else {
            let read = try Self.content(of: Data(file.data), name: file.fileName ?? "")
            if case .addresses(var file) = read, fields.contains(where: { $0.name == Self.foldersField }) {
                file.makeFoldersTags()
                content = .addresses(file)
            } else {
                content = read
            }
        }
        self.init(
            content: content, fileName: file.fileName,
            formats: Set(fields.map(\.name).compactMap(PageFormat.init(rawValue:))))
    }

    /// Reads a file, whose content tells what it is.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - name: The file's name.
    /// - Returns: What the file contains.
    /// - Throws: ``LibraryFileError``.
    package static func content(of data: Data, name: String) throws(LibraryFileError) -> Content {
        let fallback = PageURL.fallback(name)
        if data.starts(with: Data("bplist".utf8)) { return .pages([try UploadedPage(webArchive: data)]) }
        if data.starts(with: [0x50, 0x4B, 3, 4]) {
            if let pages = try RestoredPage.pages(in: data) { return .exported(pages) }
            do throws(LibraryFileError) {
                return .addresses(try AddressFile(reading: data))
            } catch {
                // Exports have only files that this reads; a folder has pages.
                guard error == .unknownFormat else { throw error }
            }
            let pages = try ZIPPages(data)
            let paths = pages.paths
            guard !paths.isEmpty else { throw .unknownFormat }
            guard paths.count <= ImportLimits.pages else { throw .tooManyPages }
            return .pages(
                paths.map { path in
                    // Made one after another, because each has its own copy of the files that pages share.
                    UploadedPage(source: .webArchive, url: pages.url(of: path)) { () throws(LibraryFileError) in
                        try UploadedPage.propertyList(of: pages.archive(of: path))
                    }
                })
        }
        let bytes = Array(data)
        if MHTMLFile.matches(bytes) {
            let file = try MHTMLFile(bytes, fallback: fallback)
            return .pages([UploadedPage(file.archive, savedAt: file.savedAt)])
        }
        if isHTML(bytes), !BookmarkReader.isBookmarkFile(bytes) {
            return .pages([try UploadedPage(data, url: PageURL.find(in: bytes) ?? fallback)])
        }
        return .addresses(try AddressFile(reading: data))
    }

    /// Whether the beginning of a file looks like HTML.
    private static func isHTML(_ bytes: [UInt8]) -> Bool {
        let start = String(decoding: bytes.prefix(2_048), as: UTF8.self).lowercased()
        return ["<!doctype html", "<html", "<head", "<body", "<title"].contains { start.contains($0) }
    }
}

extension UploadedPage {
    /// Reads an uploaded page.
    ///
    /// - Parameters:
    ///   - content: The content: a single HTML file.
    ///   - url: The page's address.
    /// - Throws: ``LibraryFileError``.
    init(_ content: Data, url: URL) throws(LibraryFileError) {
        guard !content.isEmpty else { throw .empty }
        guard content.count <= ImportLimits.pageBytes else { throw .tooLarge }
        self.init(source: .html, url: url) { () throws(LibraryFileError) in content }
    }

    /// Reads a web archive.
    ///
    /// - Parameter data: The archive's file.
    /// - Throws: ``LibraryFileError``.
    init(webArchive data: Data) throws(LibraryFileError) {
        guard let archive = try? WebArchive(propertyList: data) else { throw .damaged(LibraryWords.archiveProblem) }
        guard let url = PageURL.url(archive.mainResource.url) else { throw .noPageAddress }
        self.init(source: .webArchive, url: url) { () throws(LibraryFileError) in data }
    }

    /// Creates a page of an archive that was made from another file.
    init(_ archive: WebArchive, savedAt: Date?) {
        let url = URL(string: archive.mainResource.url) ?? PageURL.fallback("")
        self.init(source: .webArchive, url: url, savedAt: savedAt) { () throws(LibraryFileError) in
            try Self.propertyList(of: archive)
        }
    }

    fileprivate static func propertyList(of archive: WebArchive) throws(LibraryFileError) -> Data {
        do {
            return try archive.propertyList()
        } catch {
            throw .damaged(LibraryWords.archiveProblem)
        }
    }
}

extension RestoredPage {
    /// The maximum size of the files of an export in memory, in bytes.
    private static let filesBytes = 512_000_000

    /// The pages of an export in memory; `nil` if it is another ZIP file.
    static func pages(in zip: Data) throws(LibraryFileError) -> [RestoredPage]? {
        let archive: ExportArchive
        do throws(LibraryFileError) {
            archive = try ExportArchive(zip)
        } catch {
            guard error == .unknownFormat else { throw error }
            return nil
        }
        let files: [String: Data]
        do throws(WACZError) {
            files = try ZipReader.files(
                in: zip, limit: filesBytes, maximumFiles: ExportedLibrary.maximumFiles,
                where: { $0.hasPrefix("pages/") })
        } catch {
            throw .damaged(LibraryWords.zipProblem)
        }
        return archive.pages.map { page in
            RestoredPage(page) { () async throws(LibraryFileError) in
                Dictionary(
                    page.kinds.compactMap { path, kind in files[path].map { (kind, $0) } },
                    uniquingKeysWith: { first, _ in first })
            }
        }
    }
}
