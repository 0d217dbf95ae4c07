import Capture
import EmojiArtModel
import EmojiArtWeb
import Foundation
import Loading
import OfflineLibraryModel
import Persistence

/// Runs the apps' work as jobs: captures, viewer copies, drawings, picture fetches and checks, and imports.
struct JobClient: Sendable {
    let pool: JobProcessPool
    /// The folder for the jobs' input files.
    let incoming: String
    /// The disk space that the input files leave free.
    var floor = FreeDiskFloor.automatic
    /// Whether a fetch that fails because the server ends waits until it is cancelled.
    ///
    /// Otherwise open pages would show that a board's background failed, while it is only fetched again after the restart.
    var waitsAtEnd = false

    private static func decoded<Value: Decodable>(_ data: Data) throws(JobError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch {
            throw JobError(code: "result", message: "The job's result can't be read: \(error)", canRetry: true)
        }
    }

    private static func untilCancelled() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        continuation.finish()
    }

    /// Reads output files, or writes input files, on no actor.
    @concurrent
    private static func accessing<Value: Sendable>(
        _ read: @Sendable () throws -> Value
    ) async throws(JobError) -> Value {
        do {
            return try read()
        } catch {
            throw JobError(code: "storage", message: "The job's files can't be used: \(error)", canRetry: true)
        }
    }
}

// MARK: - The library

extension JobClient: PageCapturing {
    /// The time that a capture has besides its own time limit: to start the browser, and to write files.
    private static let spareTime = Duration.seconds(90)
    /// The time limit of a viewer copy.
    private static let viewerTime = Duration.seconds(180)

    func capture(
        _ request: CaptureRequest, options: CaptureOptions, progress: @escaping @Sendable (CaptureProgress) -> Void
    ) async throws(CaptureFailure) -> PageCapture {
        progress(.starting)
        do throws(JobError) {
            let outcome = try await pool.run(
                .capture, CaptureOrder(request: request, options: options), limit: options.timeout + Self.spareTime
            ) { data in
                if let step = try? JSONDecoder().decode(CaptureProgress.self, from: data) { progress(step) }
            }
            let captured: CapturedPage = try Self.decoded(outcome.report)
            return try await Self.accessing { try captured.capture(in: outcome.folder) }
        } catch {
            throw CaptureFailure(error)
        }
    }

    func viewerCopy(of archive: KeptFile, options: CaptureOptions) async throws(CaptureFailure) -> Data {
        do throws(JobError) {
            guard case .path(let path) = archive.content else {
                throw JobError(code: "storage", message: "The archive isn't a file.", canRetry: false)
            }
            let outcome = try await pool.run(.viewerCopy, options, input: path, limit: Self.viewerTime)
            return try await Self.accessing { try outcome.folder.read(JobFolder.page) }
        } catch {
            throw CaptureFailure(error)
        }
    }
}

extension CaptureFailure {
    fileprivate init(_ fault: JobError) {
        self.init(code: fault.code, message: fault.message, canRetry: fault.canRetry)
    }
}

// MARK: - Boards

extension JobClient: BoardRendering {
    /// The time limit of a drawing.
    private static let drawingTime = Duration.seconds(150)

    func picture(
        of page: WebArchive, options: CaptureOptions
    ) async throws(CaptureError) -> (png: Data, isWhole: Bool) {
        do throws(JobError) {
            let file = try await Self.accessing { [incoming, floor] in
                let file = try IncomingFile(in: incoming, leaving: floor)
                try file.append(try page.propertyList())
                return file
            }
            let outcome = try await pool.run(.drawing, options, input: file.path, limit: Self.drawingTime)
            let drawn: DrawnPage = try Self.decoded(outcome.report)
            return (try await Self.accessing { try outcome.folder.read(JobFolder.page) }, drawn.isWhole)
        } catch {
            let code = error.details.flatMap { try? JSONDecoder().decode(CaptureError.Code.self, from: $0) }
            throw CaptureError(code ?? .renderingFailed, error.message)
        }
    }
}

extension JobClient: BackgroundFetching {
    /// The time limit of a picture fetch; the fetcher's own limits are shorter.
    private static let fetchTime = Duration.seconds(330)

    func fetch(
        _ address: String, limit: Int, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> CheckedPicture {
        do throws(JobError) {
            let outcome = try await pool.run(
                .pictureFetch, PictureOrder(address: address, limit: limit), limit: Self.fetchTime
            ) { data in
                if let step = try? JSONDecoder().decode(FetchProgress.self, from: data) { progress(step) }
            }
            let report: PictureReport = try Self.decoded(outcome.report)
            return try await Self.accessing { try report.picture(in: outcome.folder) }
        } catch {
            if waitsAtEnd, error.code == JobError.closed.code {
                await Self.untilCancelled()
            }
            throw error.error(BackgroundError.self)
                ?? .fetch(error.message, error.canRetry ? .retry(after: nil) : .never)
        }
    }
}

extension JobClient: ArtReading {
    /// The time limit of reading an uploaded file.
    private static let readingTime = Duration.seconds(60)

    func picture(in file: IncomingFile) async throws(PictureError) -> CheckedPicture {
        do throws(JobError) {
            let outcome = try await pool.run(.pictureCheck, true, input: file.path, limit: Self.readingTime)
            let report: PictureReport = try Self.decoded(outcome.report)
            return try await Self.accessing { try report.picture(in: outcome.folder) }
        } catch {
            throw error.error(PictureError.self)
                ?? .image(ImageError(.damaged, "The picture couldn't be read. \(error.message)", found: "a file"))
        }
    }

    func board(in upload: BoardUpload) async throws(BoardFileError) -> ReadBoard {
        do throws(JobError) {
            let outcome = try await pool.run(
                .boardFile, BoardFileOrder(boundary: upload.boundary, name: upload.name), input: upload.body.path,
                limit: Self.readingTime)
            let report: BoardFileReport = try Self.decoded(outcome.report)
            return try await Self.accessing { try report.board(in: outcome.folder) }
        } catch {
            throw error.error(BoardFileError.self) ?? .file(.corrupt("it couldn't be read. \(error.message)"))
        }
    }
}

extension BoardFileReport {
    /// Reads the board that the process has written in the app's own format.
    fileprivate func board(in folder: JobFolder) throws -> ReadBoard {
        var file = try ArtFile.read(try folder.read(Self.board))
        file.notes = notes
        return ReadBoard(file: file, picture: try picture?.picture(in: folder), fileName: fileName)
    }
}
