import Capture
import Foundation
import HTTPFetching
import Jobs
import OfflineLibraryModel
import OfflineLibraryReading
import OfflineLibraryStore
import SystemPackage

/// The parameters of reading an uploaded file of the library.
struct LibraryFileParameters: Codable, Sendable {
    /// The boundary of the form.
    var boundary: String
    /// Whether the file is a page, whatever it contains.
    var isPage: Bool
}

/// The result of reading an uploaded file of the library; its content is an output file.
struct LibraryFileReport: Codable, Sendable {
    static let addresses = "addresses"
    /// The name of the output file with a page's content.
    static func page(_ index: Int) -> String { "page-\(index)" }

    /// The output file with the pages of an export.
    static let exported = "exported"
    /// The name of the output file with a file of a page of an export.
    static func file(_ kind: FileKind, of index: Int) -> String { "page-\(index)-\(kind.rawValue)" }

    /// A page in the file.
    struct Page: Codable, Sendable {
        var source: PageSource
        var url: URL
        var savedAt: Date?
    }

    var fileName: String?
    var formats: [PageFormat]
    /// The pages; `nil` if the file contains something else.
    var pages: [Page]?
    /// Whether the file is an export; `nil` if it isn't.
    var isExport: Bool?
}

/// A page of an export, with the kinds of its files.
struct ExportedPageReport: Codable, Sendable {
    var page: ExportedPage
    var kinds: [FileKind]
}

/// The parameters of a comparison of two pictures, which follow each other in the input file.
struct PictureComparisonParameters: Codable, Sendable {
    /// The size of the old picture, in bytes.
    var oldBytes: Int
}

extension JobRunner {
    func pictureComparison(_ parameters: PictureComparisonParameters, _ input: FileDescriptor?) throws -> Data {
        let both = try Self.bytes(of: input)
        do {
            return try JSONEncoder().encode(
                try PictureChanges(
                    from: both.prefix(parameters.oldBytes), to: both.dropFirst(parameters.oldBytes)))
        } catch let problem as PictureRows.Problem {
            throw JobError(code: "picture", message: "\(problem)", canRetry: false)
        }
    }

    func libraryFile(
        _ parameters: LibraryFileParameters, _ input: FileDescriptor?, _ output: JobFolder
    ) async throws -> Data {
        do {
            let read = try ReadUpload(
                body: try Self.bytes(of: input), boundary: parameters.boundary, isPage: parameters.isPage)
            var report = LibraryFileReport(
                fileName: read.fileName.map(LibraryFileReport.cut),
                formats: read.formats.sorted { $0.rawValue < $1.rawValue })
            switch read.content {
            case .addresses(let file): try output.write(try JSONEncoder().encode(file), as: LibraryFileReport.addresses)
            case .pages(let pages):
                report.pages = pages.map {
                    LibraryFileReport.Page(source: $0.source, url: $0.url, savedAt: $0.savedAt)
                }
                var rest = ImportLimits.contentsBytes
                for (index, page) in pages.enumerated() {
                    let content = try await page.content()
                    guard content.count <= min(rest, ImportLimits.contentBytes) else {
                        throw LibraryFileError.tooManyPages
                    }
                    rest -= content.count
                    try output.write(content, as: LibraryFileReport.page(index))
                }
            case .exported(let pages):
                report.isExport = true
                try await write(pages, to: output)
            }
            return try JSONEncoder().encode(report)
        } catch let error as LibraryFileError {
            throw JobError(error, code: JobKind.libraryFile.rawValue)
        }
    }

    private func write(_ pages: [RestoredPage], to output: JobFolder) async throws {
        guard pages.count <= ImportLimits.addresses else { throw LibraryFileError.tooMany }
        var rest = ImportLimits.contentsBytes
        var reports: [ExportedPageReport] = []
        for (index, page) in pages.enumerated() {
            var kinds: [FileKind] = []
            for (kind, content) in page.page.intact(try await page.files()) {
                guard content.count <= min(rest, ImportLimits.contentBytes) else { throw LibraryFileError.tooManyPages }
                rest -= content.count
                try output.write(content, as: LibraryFileReport.file(kind, of: index))
                kinds.append(kind)
            }
            reports.append(ExportedPageReport(page: page.page, kinds: kinds))
        }
        try output.write(try JSONEncoder().encode(reports), as: LibraryFileReport.exported)
    }

    /// The PDF at an address, as a page with no other file; `nil` if it is another download.
    ///
    /// Chromium doesn't render PDFs without a window, so the file itself is kept.
    func pdf(at url: URL) async throws -> PageCapture? {
        let started = ContinuousClock.now
        let file: FetchedResource
        do throws(FetchError) {
            file = try await fetcher.fetch(
                FetchRequest(url, expecting: .pdf, limits: FetchLimits { $0.bytes = ImportLimits.pageBytes }))
        } catch {
            if error.code == .unexpectedType { return nil }
            throw JobError(code: "fetch", message: "\(error)", canRetry: true)
        }
        var title = file.url.lastPathComponent
        if title.lowercased().hasSuffix(".pdf") { title.removeLast(4) }
        return PageCapture(
            requestedURL: url, url: file.url, title: title, httpStatus: file.status, contentSize: (0, 0),
            readiness: .atRest, data: [.pdf: file.data], resources: [], warnings: [],
            duration: ContinuousClock.now - started)
    }

    /// Makes the files of an uploaded page, without a network.
    func uploadedPage(
        _ parameters: UploadParameters, _ input: FileDescriptor?, _ output: JobFolder
    ) async throws -> Data {
        let (request, content) = (parameters.request, try Self.bytes(of: input))
        let archive: WebArchive
        do {
            archive = try parameters.archive(of: content)
        } catch {
            throw JobError(
                code: "unreadable", message: LibraryWords.unreadableArchive(because: "\(error)"), canRetry: false)
        }
        var capture: PageCapture
        do throws(CaptureError) {
            capture = try await capturer.capture(archive, formats: request.formats, options: parameters.options)
        } catch {
            throw JobError(CaptureFailure(error))
        }
        (capture.requestedURL, capture.url) = (request.url, request.url)
        // The status of the original response isn't known.
        capture.httpStatus = nil
        // The browser requests an icon by itself; a page is complete without it.
        let missing = capture.resources.filter { $0.missing != nil && $0.url.hasPrefix("http") }
        if missing.allSatisfy({ URL(string: $0.url)?.path() == "/favicon.ico" }) {
            capture.warnings.removeAll { $0.kind == .missingResources }
        }
        if parameters.source == .html, request.formats.contains(.webArchive) {
            capture.data[.webArchive] = try archive.propertyList()
        }
        return try JSONEncoder().encode(CapturedPage(capture, in: output))
    }
}

extension UploadParameters {
    /// The archive of an uploaded page.
    fileprivate func archive(of content: Data) throws -> WebArchive {
        switch source {
        case .webArchive: return try WebArchive(propertyList: content)
        case .html:
            // Without a name of an encoding, the browser reads that of the document.
            let isUTF8 = String(validating: content, as: UTF8.self) != nil
            return WebArchive(
                mainResource: WebArchive.Resource(
                    data: content, url: request.url.absoluteString, mediaType: "text/html",
                    textEncodingName: isUTF8 ? "UTF-8" : nil, frameName: ""))
        }
    }
}
