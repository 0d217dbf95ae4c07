import Capture
import Egress
import EmojiArtModel
import EmojiArtWeb
import Foundation
import HTTPFetching
import Loading
import OfflineLibraryModel
import Persistence
import SystemPackage

/// What a child does, by the kind of its job: all that reads bytes from outside.
struct JobWork: Sendable {
    let capturer: PageCapturer
    private let fetcher: HTTPFetcher

    /// - Parameters:
    ///   - capturer: The child's browser.
    ///   - policy: Where pictures may be fetched from.
    ///   - ownPorts: The ports that nothing is fetched from.
    init(capturer: PageCapturer, policy: AddressPolicy, ownPorts: OwnPorts) {
        self.capturer = capturer
        fetcher = HTTPFetcher(
            addresses: AddressChecker(policy: policy, ownPorts: ownPorts),
            limits: FetchLimits(bytes: BoardLimits.pictureBytes))
    }

    /// Ends the browser and the connections.
    func end() async {
        await capturer.close()
        await fetcher.shutDown()
    }

    /// Does a job.
    ///
    /// - Parameters:
    ///   - order: The job.
    ///   - input: Its input.
    ///   - progress: Told how far it is.
    /// - Returns: What is to be known of the files that are in the order's folder then.
    /// - Throws: Why there are none.
    func result(
        of order: JobOrder, input: FileDescriptor?, progress: @escaping @Sendable (Data) -> Void
    ) async throws(JobFault) -> Data {
        let input = JobInput(input)
        let output = JobFolder(path: order.output)
        do {
            switch order.kind {
            case .capture: return try await capture(try order.decodedPayload(), output, progress)
            case .viewerCopy: return try await viewerCopy(try order.decodedPayload(), input, output)
            case .drawing: return try await drawing(try order.decodedPayload(), input, output)
            case .pictureFetch: return try await pictureFetch(try order.decodedPayload(), output, progress)
            case .pictureCheck: return try pictureCheck(input, output)
            case .boardFile: return try boardFile(try order.decodedPayload(), input, output)
            }
        } catch let fault as JobFault {
            throw fault
        } catch {
            throw JobFault(code: "storage", message: "\(error)", canRetry: true)
        }
    }
}

extension JobOrder {
    fileprivate func decodedPayload<Value: Decodable>() throws -> Value {
        try JSONDecoder().decode(Value.self, from: payload)
    }
}

// MARK: - What jobs are told, and what they tell

/// What is to be captured.
struct CaptureOrder: Codable, Sendable {
    var request: CaptureRequest
    var options: CaptureOptions
}

/// What is known of a capture, besides its files.
struct CapturedPage: Codable, Sendable {
    /// The longest title that is told, in characters; pages show far less of it.
    private static let longestTitle = 1_000
    /// How many warnings are told, and how much of each, in characters.
    private static let (mostWarnings, longestWarning) = (20, 2_000)

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
    var duration: Duration

    init(_ capture: PageCapture) {
        (requestedURL, url) = (capture.requestedURL, capture.url)
        title = String(capture.title.prefix(Self.longestTitle))
        httpStatus = capture.httpStatus
        (width, height) = capture.contentSize
        readiness = capture.readiness
        warnings = capture.warnings.prefix(Self.mostWarnings).map { warning in
            var warning = warning
            warning.message = String(warning.message.prefix(Self.longestWarning))
            return warning
        }
        formats = capture.data.keys.sorted { $0.rawValue < $1.rawValue }
        hasThumbnail = capture.thumbnail != nil
        duration = capture.duration
    }

    /// The capture, with its files.
    func capture(in folder: JobFolder) throws -> PageCapture {
        var data: [PageFormat: Data] = [:]
        for format in formats { data[format] = try folder.read(format.rawValue) }
        return PageCapture(
            requestedURL: requestedURL, url: url, title: title, httpStatus: httpStatus, contentSize: (width, height),
            readiness: readiness, data: data, thumbnail: hasThumbnail ? try folder.read(Self.thumbnail) : nil,
            resources: [], warnings: warnings, duration: duration)
    }

    static let thumbnail = "thumbnail"
}

/// A page that is to be drawn.
struct DrawnPage: Codable, Sendable {
    /// Whether all that it needs could be decoded.
    var isWhole: Bool
}

/// A picture that is to be fetched.
struct PictureOrder: Codable, Sendable {
    var address: String
    var limit: Int
}

/// A picture that was checked; its bytes are a file.
struct PictureReport: Codable, Sendable {
    static let file = "picture"

    var type: String
    var width: Int
    var height: Int

    /// Writes a picture into a job's folder.
    init(_ checked: CheckedPicture, in folder: JobFolder) throws {
        (type, width, height) = (checked.picture.type, checked.width, checked.height)
        try folder.write(checked.picture.data, as: Self.file)
    }

    /// The picture, with its bytes.
    func picture(in folder: JobFolder) throws -> CheckedPicture {
        CheckedPicture(
            KeptPicture(data: try folder.read(Self.file), type: type), width: width, height: height)
    }
}

/// A board's file that is to be read.
struct BoardFileOrder: Codable, Sendable {
    var boundary: String?
    var name: String?
}

/// A board's file that was read; the board is a file of the app's own format, and its picture another.
struct BoardFileReport: Codable, Sendable {
    static let board = "board"

    var fileName: String?
    var notes: [String]
    var picture: PictureReport?
}

// MARK: - Pages

extension JobWork {
    private func capture(
        _ order: CaptureOrder, _ output: JobFolder, _ progress: @escaping @Sendable (Data) -> Void
    ) async throws -> Data {
        let capture: PageCapture
        do throws(CaptureError) {
            capture = try await capturer.capture(
                order.request.url, formats: order.request.formats, options: order.options
            ) { step in
                if let data = try? JSONEncoder().encode(step) { progress(data) }
            }
        } catch {
            throw JobFault(CaptureFailure(error))
        }
        for (format, data) in capture.data { try output.write(data, as: format.rawValue) }
        if let thumbnail = capture.thumbnail { try output.write(thumbnail, as: CapturedPage.thumbnail) }
        return try JSONEncoder().encode(CapturedPage(capture))
    }

    private func viewerCopy(_ options: CaptureOptions, _ input: JobInput, _ output: JobFolder) async throws -> Data {
        let html: Data
        do {
            let archive = try input.data()
            html = try await capturer.viewerCopy(
                of: KeptFile(content: .data(archive), byteCount: archive.count, digest: ""), options: options)
        } catch let error as CaptureFailure {
            throw JobFault(error)
        }
        try output.write(html, as: JobFolder.page)
        return Data()
    }

    private func drawing(_ options: CaptureOptions, _ input: JobInput, _ output: JobFolder) async throws -> Data {
        let page = try WebArchive(propertyList: try input.data())
        do {
            let drawn = try await capturer.picture(of: page, options: options)
            try output.write(drawn.png, as: JobFolder.page)
            return try JSONEncoder().encode(DrawnPage(isWhole: drawn.isWhole))
        } catch let error as CaptureError {
            throw JobFault(
                code: "\(error.code)", message: error.message, canRetry: true,
                details: try JSONEncoder().encode(error.code))
        }
    }
}

// MARK: - Boards

extension JobWork {
    private func pictureFetch(
        _ order: PictureOrder, _ output: JobFolder, _ progress: @escaping @Sendable (Data) -> Void
    ) async throws -> Data {
        let fetcher = ArtFetcher(fetcher: fetcher)
        do {
            let checked = try await fetcher.fetch(order.address, limit: order.limit) { step in
                if let data = try? JSONEncoder().encode(step) { progress(data) }
            }
            return try JSONEncoder().encode(PictureReport(checked, in: output))
        } catch let error as BackgroundError {
            throw JobFault(error, code: "fetch")
        }
    }

    private func pictureCheck(_ input: JobInput, _ output: JobFolder) throws -> Data {
        do {
            return try JSONEncoder().encode(PictureReport(CheckedPicture(try input.data()), in: output))
        } catch let error as PictureError {
            throw JobFault(error, code: "picture")
        }
    }

    private func boardFile(_ order: BoardFileOrder, _ input: JobInput, _ output: JobFolder) throws -> Data {
        do {
            let read = try ReadBoard(body: try input.data(), boundary: order.boundary, name: order.name)
            try output.write(try read.file.write(as: .meanwhile), as: BoardFileReport.board)
            let report = BoardFileReport(
                fileName: read.fileName.map { String($0.prefix(1_000)) },
                notes: read.file.notes.prefix(100).map { String($0.prefix(1_000)) },
                picture: try read.picture.map { try PictureReport($0, in: output) })
            return try JSONEncoder().encode(report)
        } catch let error as BoardFileError {
            throw JobFault(error, code: "board-file")
        }
    }
}

// MARK: - Faults

extension JobFault {
    /// A capture's failure.
    init(_ failure: CaptureFailure) {
        self.init(code: failure.code, message: failure.message, canRetry: failure.canRetry)
    }

    /// An error that is told as it is.
    init(_ error: some Error & Encodable & CustomStringConvertible, code: String) {
        self.init(
            code: code, message: String(error.description.prefix(2_000)), canRetry: true,
            details: try? JSONEncoder().encode(error))
    }

    /// The error that was told; `nil` for what ended the job otherwise.
    func error<Told: Error & Decodable>(_ type: Told.Type) -> Told? {
        details.flatMap { try? JSONDecoder().decode(type, from: $0) }
    }
}
