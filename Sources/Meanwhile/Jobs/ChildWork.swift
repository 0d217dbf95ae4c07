import Capture
import EmojiArtModel
import EmojiArtWeb
import Foundation
import Futures
import Loading
import OfflineLibraryModel
import Persistence
import SystemPackage

/// What the apps have done by children: captures, viewer copies, drawings, and all that people or servers bring.
struct ChildWork: Sendable {
    let children: JobChildren
    /// The folder for what a job reads.
    let incoming: String
    /// Whether a fetch that fails because Meanwhile ends says nothing until it is cancelled.
    ///
    /// What is fetched for a board doesn't fail as long as a page could be told so.
    var isSilentAtEnd = false

    private static func decoded<Value: Decodable>(_ data: Data) throws(JobFault) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch {
            throw JobFault(code: "result", message: "What came of it can't be read: \(error)", canRetry: true)
        }
    }

    private static func untilCancelled() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        continuation.finish()
    }

    /// Reads a job's files.
    @concurrent
    private static func files<Value: Sendable>(
        _ read: @Sendable () throws -> Value
    ) async throws(JobFault) -> Value {
        do {
            return try read()
        } catch {
            throw JobFault(code: "storage", message: "What came of it can't be read: \(error)", canRetry: true)
        }
    }
}

// MARK: - The library

extension ChildWork: PageCapturing {
    /// What a capture may take more than its own time: to start a browser, and to write its files.
    private static let spareTime = Duration.seconds(90)
    /// How long a viewer copy may take.
    private static let viewerTime = Duration.seconds(180)

    func capture(
        _ request: CaptureRequest, options: CaptureOptions, progress: @escaping @Sendable (CaptureProgress) -> Void
    ) async throws(CaptureFailure) -> PageCapture {
        progress(.starting)
        do throws(JobFault) {
            let outcome = try await children.run(
                .capture, CaptureOrder(request: request, options: options), limit: options.timeout + Self.spareTime
            ) { data in
                if let step = try? JSONDecoder().decode(CaptureProgress.self, from: data) { progress(step) }
            }
            let captured: CapturedPage = try Self.decoded(outcome.report)
            return try await Self.files { try captured.capture(in: outcome.folder) }
        } catch {
            throw CaptureFailure(error)
        }
    }

    func viewerCopy(of archive: KeptFile, options: CaptureOptions) async throws(CaptureFailure) -> Data {
        do throws(JobFault) {
            guard case .path(let path) = archive.content else {
                throw JobFault(code: "storage", message: "The archive isn't a file.", canRetry: false)
            }
            let outcome = try await children.run(.viewerCopy, options, input: path, limit: Self.viewerTime)
            return try await Self.files { try outcome.folder.read(JobFolder.page) }
        } catch {
            throw CaptureFailure(error)
        }
    }
}

extension CaptureFailure {
    fileprivate init(_ fault: JobFault) {
        self.init(code: fault.code, message: fault.message, canRetry: fault.canRetry)
    }
}

// MARK: - Boards

extension ChildWork: BoardRendering {
    /// How long a drawing may take.
    private static let drawingTime = Duration.seconds(150)

    func picture(
        of page: WebArchive, options: CaptureOptions
    ) async throws(CaptureError) -> (png: Data, isWhole: Bool) {
        do throws(JobFault) {
            let file = try await Self.files { [incoming] in
                let file = try IncomingFile(in: incoming)
                try file.append(try page.propertyList())
                return file
            }
            let outcome = try await children.run(.drawing, options, input: file.path, limit: Self.drawingTime)
            let drawn: DrawnPage = try Self.decoded(outcome.report)
            return (try await Self.files { try outcome.folder.read(JobFolder.page) }, drawn.isWhole)
        } catch {
            let code = error.details.flatMap { try? JSONDecoder().decode(CaptureError.Code.self, from: $0) }
            throw CaptureError(code ?? .renderingFailed, error.message)
        }
    }
}

extension ChildWork: BackgroundFetching {
    /// How long a picture may take to come, and to be looked at.
    private static let fetchTime = Duration.seconds(330)

    func fetch(
        _ address: String, limit: Int, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> CheckedPicture {
        do throws(JobFault) {
            let outcome = try await children.run(
                .pictureFetch, PictureOrder(address: address, limit: limit), limit: Self.fetchTime
            ) { data in
                if let step = try? JSONDecoder().decode(FetchProgress.self, from: data) { progress(step) }
            }
            let report: PictureReport = try Self.decoded(outcome.report)
            return try await Self.files { try report.picture(in: outcome.folder) }
        } catch {
            if isSilentAtEnd, error.code == JobFault.closed.code {
                await Self.untilCancelled()
            }
            throw error.error(BackgroundError.self)
                ?? .fetch(error.message, error.canRetry ? .retry(after: nil) : .never)
        }
    }
}

extension ChildWork: ArtReading {
    /// How long it may take to read what somebody brought.
    private static let readingTime = Duration.seconds(60)

    func picture(in file: IncomingFile) async throws(PictureError) -> CheckedPicture {
        do throws(JobFault) {
            let outcome = try await children.run(.pictureCheck, true, input: file.path, limit: Self.readingTime)
            let report: PictureReport = try Self.decoded(outcome.report)
            return try await Self.files { try report.picture(in: outcome.folder) }
        } catch {
            throw error.error(PictureError.self)
                ?? .image(ImageError(.damaged, "The picture couldn't be read. \(error.message)", found: "a file"))
        }
    }

    func board(in upload: BoardUpload) async throws(BoardFileError) -> ReadBoard {
        do throws(JobFault) {
            let outcome = try await children.run(
                .boardFile, BoardFileOrder(boundary: upload.boundary, name: upload.name), input: upload.body.path,
                limit: Self.readingTime)
            let report: BoardFileReport = try Self.decoded(outcome.report)
            return try await Self.files { try report.board(in: outcome.folder) }
        } catch {
            throw error.error(BoardFileError.self) ?? .file(.corrupt("it couldn't be read. \(error.message)"))
        }
    }
}

extension BoardFileReport {
    /// The board, in the app's own format, which the child has written.
    fileprivate func board(in folder: JobFolder) throws -> ReadBoard {
        var file = try ArtFile.read(try folder.read(Self.board))
        file.notes = notes
        return ReadBoard(file: file, picture: try picture?.picture(in: folder), fileName: fileName)
    }
}
