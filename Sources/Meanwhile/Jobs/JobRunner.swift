import Capture
import Egress
import EmojiArtModel
import EmojiArtReading
import EmojiArtWeb
import Foundation
import Futures
import HTTPFetching
import Jobs
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import SystemPackage

/// Runs jobs in a job's process, with all code that parses untrusted bytes.
struct JobRunner: Sendable {
    let capturer: PageCapturer
    let fetcher: HTTPFetcher

    /// - Parameters:
    ///   - capturer: The process's browser.
    ///   - policy: The addresses that pictures may be fetched from.
    ///   - ownPorts: The server's ports, which pictures may not be fetched from.
    init(capturer: PageCapturer, policy: AddressPolicy, ownPorts: OwnPorts) {
        self.capturer = capturer
        fetcher = HTTPFetcher(
            addresses: AddressChecker(policy: policy, ownPorts: ownPorts),
            limits: FetchLimits { $0.bytes = BoardLimits.pictureBytes })
    }

    /// Ends the browser, and closes the connections.
    func end() async {
        await capturer.close()
        fetcher.shutDown()
    }

    /// Runs a job, which writes its output files to the order's folder.
    ///
    /// - Returns: The result, which describes the output files.
    /// - Throws: The job's error.
    func result(
        of order: JobOrder, input: FileDescriptor?, progress: @escaping @Sendable (Data) -> Void
    ) async throws(JobError) -> Data {
        let output = JobFolder(path: order.output, floor: order.freeDisk)
        do {
            switch order.kind {
            case .capture: return try await capture(try order.decodedPayload(), output, progress)
            case .viewerCopy: return try await viewerCopy(try order.decodedPayload(), input, output)
            case .article: return try await article(try order.decodedPayload(), input, output)
            case .pageText: return try await pageText(try order.decodedPayload(), input, output)
            case .pictureComparison: return try pictureComparison(try order.decodedPayload(), input)
            case .drawing: return try await drawing(try order.decodedPayload(), input, output)
            case .pictureFetch: return try await pictureFetch(try order.decodedPayload(), output, progress)
            case .pictureCheck: return try pictureCheck(input, output)
            case .boardFile: return try boardFile(try order.decodedPayload(), input, output)
            case .libraryFile: return try await libraryFile(try order.decodedPayload(), input, output)
            case .uploadedPage: return try await uploadedPage(try order.decodedPayload(), input, output)
            }
        } catch let fault as JobError {
            throw fault
        } catch let error as StoreError {
            throw JobError(error)
        } catch {
            throw JobError(code: "job", message: "\(error)", canRetry: true)
        }
    }
}

extension JobRunner {
    /// Reads an input file.
    static func bytes(of input: FileDescriptor?) throws -> Data {
        guard let input else { throw Errno.badFileDescriptor }
        return try FileHandle(fileDescriptor: input.rawValue, closeOnDealloc: false).readToEnd() ?? Data()
    }
}

extension JobOrder {
    fileprivate func decodedPayload<Value: Decodable>() throws -> Value {
        try JSONDecoder().decode(Value.self, from: payload)
    }
}

// MARK: - Parameters and results

/// The result of a capture; each of its formats is an output file.
///
/// ``CaptureLimits`` have already shortened the title.
struct CapturedPage: Codable, Sendable {
    /// The maximum length of the page's final URL, in bytes.
    ///
    /// A page's script can set a URL of megabytes.
    private static let longestAddress = 64 << 10
    /// The maximum number of warnings, and the maximum length of each, in characters.
    private static let (maximumWarnings, longestWarning) = (20, 2_000)

    var requestedURL: URL
    var url: URL
    var title: String
    var httpStatus: Int?
    var width: Int
    var height: Int
    var readiness: PageCapture.Readiness
    var warnings: [PageCapture.Warning]
    var formats: [PageFormat]
    var hasThumbnail: Bool
    /// Whether the page's text is an output file; `nil` in the result of an earlier version.
    var hasText: Bool?
    var duration: Duration
    /// The seconds of each phase; `nil` in the result of an earlier version, and for a file that isn't a page.
    var phases: [String: Double]?

    /// Writes a capture's files as output files, which survive a system crash when this returns.
    ///
    /// Otherwise a crash after the job had succeeded could truncate a file, which would then be stored with the page.
    init(_ capture: PageCapture, in folder: JobFolder) throws(StoreError) {
        for (format, data) in capture.data { try folder.write(data, as: format.rawValue, isDurable: true) }
        if let thumbnail = capture.thumbnail { try folder.write(thumbnail, as: Self.thumbnail, isDurable: true) }
        if let text = capture.text { try folder.write(Data(text.utf8), as: Self.text, isDurable: true) }
        try folder.syncNames()
        requestedURL = capture.requestedURL
        url = Self.isShort(capture.url) ? capture.url : capture.requestedURL
        title = capture.title
        httpStatus = capture.httpStatus
        (width, height) = capture.contentSize
        readiness = capture.readiness
        warnings = Self.cut(capture.warnings)
        formats = capture.data.keys.sorted { $0.rawValue < $1.rawValue }
        hasThumbnail = capture.thumbnail != nil
        hasText = capture.text != nil
        duration = capture.duration
    }

    static let thumbnail = "thumbnail"
    static let text = "text"

    static func isShort(_ url: URL) -> Bool { url.absoluteString.utf8.count <= longestAddress }

    static func cut(_ warnings: [PageCapture.Warning]) -> [PageCapture.Warning] {
        warnings.prefix(maximumWarnings).map { warning in
            var warning = warning
            warning.message = String(warning.message.prefix(longestWarning))
            return warning
        }
    }
}

/// The result of a drawing; the PNG is an output file.
struct DrawnPage: Codable, Sendable {
    /// Whether Chromium could decode all pictures.
    var isWhole: Bool
}

/// The parameters of a picture fetch.
struct PictureFetchParameters: Codable, Sendable {
    var address: String
    var limit: Int
}

/// The result of a picture fetch or check; the picture's bytes are an output file.
struct PictureReport: Codable, Sendable {
    static let file = "picture"

    var type: String
    var width: Int
    var height: Int

    /// Writes a picture as an output file.
    init(_ checked: CheckedPicture, in folder: JobFolder) throws {
        (type, width, height) = (checked.picture.type, checked.width, checked.height)
        try folder.write(checked.picture.data, as: Self.file)
    }
}

/// The parameters of reading a board file.
struct BoardFileParameters: Codable, Sendable {
    var boundary: String?
    var name: String?
}

/// The result of reading a board file.
///
/// The output files are the board's content, as JSON in the format of the app's requests, and its picture.
struct BoardFileReport: Codable, Sendable {
    static let board = "board"

    var fileName: String?
    var name: String?
    var notes: [String]
    var picture: PictureReport?
}

// MARK: - Pages

extension JobRunner {
    private func capture(
        _ parameters: CaptureParameters, _ output: JobFolder, _ progress: @escaping @Sendable (Data) -> Void
    ) async throws -> Data {
        let capture: PageCapture
        let phases = CapturePhases()
        do throws(CaptureError) {
            capture = try await capturer.capture(
                parameters.request.url, formats: parameters.request.formats, options: parameters.options
            ) { step in
                phases.began(step)
                if let data = try? JSONEncoder().encode(step) { progress(data) }
            }
        } catch {
            guard error.code == .download, let pdf = try await pdf(at: parameters.request.url) else {
                throw JobError(CaptureFailure(error))
            }
            return try JSONEncoder().encode(CapturedPage(pdf, in: output))
        }
        var page = try CapturedPage(capture, in: output)
        page.phases = phases.end()
        return try JSONEncoder().encode(page)
    }

    private func viewerCopy(_ options: CaptureOptions, _ input: FileDescriptor?, _ output: JobFolder) async throws
        -> Data
    {
        try await convert(input, output) { archive in try await capturer.viewerCopy(of: archive, options: options) }
    }

    private func article(_ options: CaptureOptions, _ input: FileDescriptor?, _ output: JobFolder) async throws -> Data
    {
        try await convert(input, output) { archive in try await capturer.article(of: archive, options: options) }
    }

    private func pageText(_ options: CaptureOptions, _ input: FileDescriptor?, _ output: JobFolder) async throws
        -> Data
    {
        try await convert(input, output) { archive in
            Data(try await capturer.text(of: archive, options: options).utf8)
        }
    }

    /// Writes what the body makes of an archive as the only output file.
    private func convert(
        _ input: FileDescriptor?, _ output: JobFolder, _ body: (PageFile) async throws -> Data
    ) async throws -> Data {
        do {
            let archive = try Self.bytes(of: input)
            let file = PageFile(content: .data(archive), byteCount: archive.count, digest: "")
            try output.write(try await body(file), as: JobFolder.onlyFile)
        } catch let error as CaptureFailure {
            throw JobError(error)
        }
        return Data()
    }

    private func drawing(_ options: CaptureOptions, _ input: FileDescriptor?, _ output: JobFolder) async throws -> Data
    {
        let page = try WebArchive(propertyList: try Self.bytes(of: input))
        do {
            let drawn = try await capturer.picture(of: page, options: options)
            try output.write(drawn.png, as: JobFolder.onlyFile)
            return try JSONEncoder().encode(DrawnPage(isWhole: drawn.isWhole))
        } catch let error as CaptureError {
            throw JobError(
                code: "\(error.code)", message: error.message, canRetry: true,
                details: try JSONEncoder().encode(error.code))
        }
    }
}

// MARK: - Boards

extension JobRunner {
    private func pictureFetch(
        _ parameters: PictureFetchParameters, _ output: JobFolder, _ progress: @escaping @Sendable (Data) -> Void
    ) async throws -> Data {
        let isRefused = Lock(false)
        let fetcher = ArtFetcher(fetcher: fetcher) { isRefused.withLock { $0 = true } }
        do {
            let checked = try await fetcher.fetch(parameters.address, limit: parameters.limit) { step in
                if let data = try? JSONEncoder().encode(step) { progress(data) }
            }
            return try JSONEncoder().encode(PictureReport(checked, in: output))
        } catch let error as BackgroundError {
            throw JobError(error, code: isRefused.withLock { $0 } ? JobError.refusedCode : "fetch")
        }
    }

    private func pictureCheck(_ input: FileDescriptor?, _ output: JobFolder) throws -> Data {
        do {
            return try JSONEncoder().encode(PictureReport(CheckedPicture(try Self.bytes(of: input)), in: output))
        } catch let error as PictureError {
            throw JobError(error, code: "picture")
        }
    }

    private func boardFile(_ parameters: BoardFileParameters, _ input: FileDescriptor?, _ output: JobFolder) throws
        -> Data
    {
        do {
            let read = try ReadBoard(
                body: try Self.bytes(of: input), boundary: parameters.boundary, name: parameters.name)
            try output.write(try ArtJSON.data(read.file.art), as: BoardFileReport.board)
            let report = BoardFileReport(
                fileName: read.fileName.map(BoardFileReport.cut), name: read.file.name.map(BoardFileReport.cut),
                notes: BoardFileReport.cut(read.file.notes),
                picture: try read.picture.map { try PictureReport($0, in: output) })
            return try JSONEncoder().encode(report)
        } catch let error as BoardFileError {
            throw JobError(error, code: "board-file")
        }
    }
}

// MARK: - Errors

extension JobError {
    /// Creates an error from a capture's failure.
    init(_ failure: CaptureFailure) {
        self.init(code: failure.code, message: failure.message, canRetry: failure.canRetry)
    }

    /// The code of file and database errors.
    static let storageCode = "storage"

    init(_ error: StoreError) {
        if let refusal = error.overBudget {
            self.init(refusal, code: OverBudget.code)
        } else if error.code == .closed {
            self = .closed
        } else {
            self.init(code: Self.storageCode, message: error.message, canRetry: true)
        }
    }

    /// Creates an error from an app's error, which ``error(_:)`` decodes again.
    init(_ error: some Error & Encodable & CustomStringConvertible, code: String) {
        self.init(
            code: code, message: String(error.description.prefix(2_000)), canRetry: true,
            details: try? JSONEncoder().encode(error))
    }

    /// The maximum size of ``details`` in bytes: users read their texts, and a job could report texts of any size.
    private static let longestDetails = 16 << 10

    /// Decodes the app's error, or returns `nil` if the job failed for another reason or the details are too large.
    func error<Decoded: Error & Decodable>(_ type: Decoded.Type) -> Decoded? {
        guard let details, details.count <= Self.longestDetails else { return nil }
        return try? JSONDecoder().decode(type, from: details)
    }
}
