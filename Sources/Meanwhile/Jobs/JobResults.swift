import Capture
import EmojiArtModel
import EmojiArtWeb
import Foundation
import ImageInfo
import Jobs
import OfflineLibraryModel

// A job parses untrusted bytes, which may have compromised its process. Its report is therefore validated like a
// request.

/// The reasons to reject a job's result.
enum JobResultError: Error, Hashable {
    case pictureSize, pictureType, tooManyBytes, format, tooManyAddresses, address
}

extension CapturedPage {
    /// The size limits of output files, in bytes.
    private static let (largestFormat, largestThumbnail) = (512 << 20, 16 << 20)
    /// The maximum width and height, in CSS pixels; larger ones are clamped.
    private static let longestSide = 1 << 24

    /// Validates the result, and returns the capture with the output files.
    ///
    /// - Parameters:
    ///   - request: The job's request; the result may contain no other formats, except the PDF at the address alone.
    ///   - folder: The folder of the output files.
    /// - Returns: The capture.
    /// - Throws: ``JobResultError`` if the result is invalid, or the system's error if a file can't be read.
    func capture(of request: CaptureRequest, in folder: JobFolder) throws -> PageCapture {
        var data: [PageFormat: Data] = [:]
        for format in formats {
            guard request.formats.contains(format) || formats == [.pdf], data[format] == nil else {
                throw JobResultError.format
            }
            data[format] = try folder.read(format.rawValue, upTo: Self.largestFormat)
        }
        let isWeb = ["http", "https"].contains(url.scheme?.lowercased())
        let title = self.title.unicodeScalars.prefix(CaptureLimits().titleLength)
        var capture = PageCapture(
            requestedURL: request.url, url: isWeb && Self.isShort(url) ? url : request.url,
            title: String(String.UnicodeScalarView(title)),
            httpStatus: httpStatus.flatMap { (100...599).contains($0) ? $0 : nil },
            contentSize: (Self.clamped(width), Self.clamped(height)), readiness: readiness, data: data,
            thumbnail: hasThumbnail ? try folder.read(Self.thumbnail, upTo: Self.largestThumbnail) : nil,
            resources: [], warnings: Self.cut(warnings), duration: min(max(duration, .zero), .seconds(86_400)))
        if hasText == true { capture.text = try folder.text(Self.text) }
        return capture
    }

    private static func clamped(_ side: Int) -> Int { min(max(side, 0), longestSide) }
}

extension JobFolder {
    /// A UTF-16 code unit takes at most three bytes in UTF-8.
    private static let largestText = 3 * PageCapture.maximumTextLength

    /// Reads a page's text; bytes that aren't UTF-8 become U+FFFD.
    func text(_ name: String) throws -> String {
        String(decoding: try read(name, upTo: Self.largestText), as: UTF8.self)
    }
}

extension PictureChanges {
    /// The longest side of a picture, in pixels.
    private static let longestSide = 1 << 24

    /// Validates the result.
    ///
    /// - Returns: The changes.
    /// - Throws: A ``JobError`` if the result is invalid.
    func validated() throws(JobError) -> PictureChanges {
        let sides = 0...Self.longestSide
        let areValid = (old + new + [oldSize, newSize]).allSatisfy { region in
            sides.contains(region.x) && sides.contains(region.y) && sides.contains(region.width)
                && sides.contains(region.height)
        }
        guard areValid, (0...1).contains(share), max(old.count, new.count) <= Self.maximumRegions else {
            throw JobError(
                code: "result", message: JobWords.resultNotRead("\(JobResultError.pictureSize)"), canRetry: false)
        }
        return self
    }
}

extension LibraryFileReport {
    /// The size limit of the addresses, in bytes: each has a few texts of limited length.
    private static let largestFile = 256 << 20
    private static let longestName = 300

    /// Shortens a file's name to a length that pages can show.
    static func cut(_ name: String) -> String { String(name.unicodeScalars.prefix(longestName).map(Character.init)) }

    /// Returns the upload; decoding its addresses shortens their texts as reading them does.
    ///
    /// - Returns: The upload.
    /// - Throws: ``JobResultError`` if there are too many addresses, or the system's error.
    func upload(in folder: JobFolder, reading read: @escaping PageReader) throws -> ReadUpload {
        ReadUpload(
            content: try content(in: folder, reading: read), fileName: fileName.map(Self.cut), formats: Set(formats))
    }

    /// Reads the content of a page when it is needed, so that not all pages are in memory at once.
    typealias PageReader = @Sendable (_ name: String) async throws(LibraryFileError) -> Data

    private func content(in folder: JobFolder, reading read: @escaping PageReader) throws -> ReadUpload.Content {
        if let pages {
            guard pages.count <= ImportLimits.pages else { throw JobResultError.tooManyAddresses }
            return .pages(
                try pages.enumerated().map { index, page in
                    guard CapturedPage.isShort(page.url), (try? PageCapturer.validate(page.url)) != nil else {
                        throw JobResultError.address
                    }
                    return UploadedPage(source: page.source, url: page.url, savedAt: page.savedAt) {
                        () async throws(LibraryFileError) in try await read(Self.page(index))
                    }
                })
        }
        if isExport == true {
            let data = try folder.read(Self.exported, upTo: Self.largestFile)
            let reports = try JSONDecoder().decode([ExportedPageReport].self, from: data)
            guard reports.count <= ImportLimits.addresses else { throw JobResultError.tooManyAddresses }
            return .exported(
                reports.enumerated().map { index, report in
                    RestoredPage(report.page) { () async throws(LibraryFileError) in
                        var files: [FileKind: Data] = [:]
                        for kind in report.kinds { files[kind] = try await read(Self.file(kind, of: index)) }
                        return files
                    }
                })
        }
        let data = try folder.read(Self.addresses, upTo: Self.largestFile)
        let file = try JSONDecoder().decode(AddressFile.self, from: data)
        guard file.addresses.count <= ImportLimits.addresses else { throw JobResultError.tooManyAddresses }
        return .addresses(file)
    }
}

extension PictureReport {
    /// The media types that a picture may be served as.
    private static let types = Set(ImageFormat.allCases.map(\.mediaType))

    /// Validates the result, and returns the picture with its bytes.
    ///
    /// - Returns: The picture.
    /// - Throws: ``JobResultError`` if boards don't accept the picture's type or size, or the system's error.
    func picture(in folder: JobFolder) throws -> CheckedPicture {
        guard Self.types.contains(type) else { throw JobResultError.pictureType }
        guard let size = PictureSize(width: width, height: height) else { throw JobResultError.pictureSize }
        return CheckedPicture(
            data: try folder.read(Self.file, upTo: BoardLimits.pictureBytes), type: type, size: size)
    }
}

extension BoardFileReport {
    /// The size limit of a board without its picture, in bytes: 10,000 emoji take 2 MB.
    private static let largestBoard = 16 << 20
    private static let (maximumNotes, longestText) = (100, 1_000)

    /// Shortens a text to a length that pages can show.
    static func cut(_ text: String) -> String { String(text.prefix(longestText)) }

    static func cut(_ notes: [String]) -> [String] { notes.prefix(maximumNotes).map(cut) }

    /// Returns the board, parsing its JSON like that of a request.
    ///
    /// - Returns: The board, with its picture if it has one.
    /// - Throws: ``JobResultError``, ``ArtJSONError``, or the system's error if a file can't be read.
    func board(in folder: JobFolder) throws -> ReadBoard {
        let art: EmojiArt = try ArtJSON.read(from: try folder.read(Self.board, upTo: Self.largestBoard))
        return ReadBoard(
            file: ArtFile(name: name.map(Self.cut), art: art, notes: Self.cut(notes)),
            picture: try picture?.picture(in: folder), fileName: fileName.map(Self.cut))
    }
}
