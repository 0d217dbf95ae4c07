import Capture
import EmojiArtModel
import EmojiArtWeb
import Foundation
import Futures
import FuturesFoundation
import Jobs
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import PrometheusMetrics

/// Runs the apps' work as jobs: captures, viewer copies, drawings, picture fetches and checks, and imports.
struct JobClient: Sendable {
    let queue: SQLiteJobQueue
    let follower: JobFollower
    let captures: CaptureJobs
    let data: DataFolder
    /// The folders of the jobs' outputs.
    let outputs: JobsFolder
    /// The folder of the jobs' inputs.
    private let incoming: String
    /// Where jobs and the phases of captures are timed; `nil` to measure nothing.
    private let metrics: JobMetrics?
    /// The owner of the jobs that requests wait for.
    private var owner = OwnerID.local
    /// Whether an interrupted picture fetch waits to be cancelled, instead of throwing, when the server shuts down.
    ///
    /// If it threw, open pages would show a failed background, although the picture is fetched again after the
    /// restart.
    var waitsForCancellationAtShutdown = false

    /// The size limit of a viewer copy and of a drawing, in bytes.
    private static let largestFile = 512 << 20
    /// How much of an archive is copied at once, in bytes.
    private static let copiedBytes = 256 << 10
    /// How long a job may wait for a worker, in seconds.
    private static let longestWait: TimeInterval = 120

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - storage: The database, opened with the migrations of `SQLiteJobQueue`.
    ///   - captureOptions: The options of the library's captures.
    ///   - metrics: Where jobs are timed; `nil` to measure nothing.
    init(_ storage: Storage, captureOptions: CaptureOptions, metrics: PrometheusMetrics? = nil) {
        self.metrics = metrics.map(JobMetrics.init)
        (data, incoming, outputs) = (storage.folder, storage.incoming, storage.outputs)
        queue = storage.jobs { [outputs] in outputs.output($0).remove() }
        follower = JobFollower(of: queue)
        captures = Self.captures(of: queue, in: storage, options: captureOptions)
    }

    /// The client for an owner's requests.
    func of(_ owner: OwnerID) -> JobClient {
        var client = self
        client.owner = owner
        return client
    }

    /// The library's capture jobs, also of a command that only adds pages.
    static func captures(
        of queue: SQLiteJobQueue, in storage: Storage, options: CaptureOptions
    ) -> CaptureJobs {
        let (folder, blobs) = (storage.folder, storage.blobs)
        return CaptureJobs(queue: queue, options: options, path: { folder.relative(blobs.path(of: $0)) })
    }

    /// A job's result with its output folder, which is removed when this object is deallocated.
    final class Outcome: Sendable {
        let report: Data
        let folder: JobFolder

        init(report: Data, folder: JobFolder) {
            (self.report, self.folder) = (report, folder)
        }

        deinit {
            folder.remove()
        }
    }

    /// Runs a request's job, and waits for its result.
    ///
    /// Cancelling the task cancels the job.
    private func run(
        _ kind: JobKind, _ payload: some Encodable, subject: String, input: String? = nil, limit: Duration,
        progress: @escaping @Sendable (Data) -> Void = { _ in }
    ) async throws(JobError) -> Outcome {
        let limit = JobFaultInjection.limit(limit)
        let input = try input.map(relative)
        let payload = try Self.encoded(payload)
        let id = Job.ID("\(kind.rawValue)/\(UUID().uuidString.lowercased())")
        let result: Result<Outcome, JobError>
        do throws(JobError) {
            if let input {
                try await transferring { (transfer) async throws(StoreError) in try await transfer.send(input: input) }
            }
            let job = Job(
                id: id, owner: owner, kind: kind.rawValue, lane: kind.lane, subject: subject, priority: kind.priority,
                payload: payload, input: input, attemptLimit: limit,
                deadline: Date() + Self.longestWait + limit / .seconds(1), lifetime: .request)
            try await enqueue(job)
            let record = try await end(of: job, progress: progress)
            result = .success(Outcome(report: try report(of: record), folder: try await output(of: record)))
        } catch {
            result = .failure(error)
        }
        // In a separate task, because this one may be cancelled. If the write fails, the next start removes the job.
        await Task { try? await queue.discard(id) }.value
        // The requester doesn't wait for this. If it fails, a sweep removes the input.
        if let input, let transfer = outputs.transfer { Task { await transfer.remove(input: input) } }
        return try result.get()
    }

    /// The folder of a finished job's output, whose files are on this machine.
    private func output(of record: JobRecord) async throws(JobError) -> JobFolder {
        let output = outputs.output(record.outputName)
        try await transferring { (transfer) async throws(StoreError) in try await transfer.receive(output: output) }
        return output
    }

    /// Copies files from or to workers with another data folder, if there may be any.
    private func transferring(
        _ body: (JobTransfer) async throws(StoreError) -> Void
    ) async throws(JobError) {
        guard let transfer = outputs.transfer else { return }
        try await rethrowing(JobError.init) { () async throws(StoreError) in try await body(transfer) }
    }

    /// Waits for the end of a job, and measures it.
    private func end(
        of job: Job, progress: @escaping @Sendable (Data) -> Void
    ) async throws(JobError) -> JobRecord {
        let record = try await follower.end(of: job.id, progress: progress)
        metrics?.ended(record)
        return record
    }

    private func enqueue(_ job: Job) async throws(JobError) {
        _ = try await rethrowing(JobError.init) { () async throws(StoreError) in try await queue.enqueue(job) }
    }

    private func report(of record: JobRecord) throws(JobError) -> Data {
        switch record.phase {
        case .succeeded(let report): return report
        case .failed(let error), .dead(let error): throw error
        case .waiting, .running: throw JobError(code: "result", message: JobWords.notFinished, canRetry: true)
        }
    }

    private func relative(_ path: String) throws(JobError) -> String {
        guard let relative = data.relative(path) else {
            throw JobError(
                code: JobError.storageCode, message: JobWords.inputElsewhere, canRetry: false)
        }
        return relative
    }

    /// Writes an input file, which is removed when the returned object is deallocated.
    private func inputFile(_ first: Data, _ second: Data) async throws(JobError) -> IncomingFile {
        try await Self.accessing { [data, incoming] in
            let file = try IncomingFile(in: incoming, leaving: data.budget.freeDisk)
            try file.append(first)
            try file.append(second)
            return file
        }
    }

    /// Writes an input file, which is removed when the returned object is deallocated.
    private func inputFile(_ content: @escaping @Sendable () throws -> Data) async throws(JobError) -> IncomingFile {
        try await Self.accessing { [data, incoming] in
            let file = try IncomingFile(in: incoming, leaving: data.budget.freeDisk)
            try file.append(try content())
            return file
        }
    }

    /// Runs a body with the path of an archive's file; one in pieces is copied, because a job's input is one file.
    private func withArchive<Value>(
        _ archive: PageFile, _ body: (String) async throws(JobError) -> Value
    ) async throws(JobError) -> Value {
        switch archive.content {
        case .data: throw JobError(code: JobError.storageCode, message: JobWords.notAFile, canRetry: false)
        case .path(let path): return try await body(path)
        case .pieces(let pieces):
            let file = try await Self.accessing { [data, incoming] in
                let file = try IncomingFile(in: incoming, leaving: data.budget.freeDisk)
                let reader = BlobReader(pieces)
                while file.byteCount < reader.byteCount {
                    try file.append(try reader.part(at: file.byteCount, count: Self.copiedBytes))
                }
                return file
            }
            // The file is removed when the object is released.
            defer { withExtendedLifetime(file) {} }
            return try await body(file.path)
        }
    }

    private static func encoded(_ payload: some Encodable) throws(JobError) -> Data {
        do {
            return try JSONEncoder().encode(payload)
        } catch {
            throw JobError(code: "payload", message: "\(error)", canRetry: false)
        }
    }

    private static func decoded<Value: Decodable>(_ data: Data) throws(JobError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch {
            throw JobError(code: "result", message: JobWords.resultNotRead("\(error)"), canRetry: true)
        }
    }

    private static func untilCancelled() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        continuation.finish()
    }

    /// Reads output files or writes input files on threads that may block on the disk.
    private static func accessing<Value: Sendable>(
        _ read: @escaping @Sendable () throws -> Value
    ) async throws(JobError) -> Value {
        do {
            return try await WorkerThreads.disk.runUncancellable { _ in Result { try read() } }.get()
        } catch let error as StoreError {
            throw JobError(error)
        } catch {
            throw JobError(
                code: JobError.storageCode, message: JobWords.filesNotUsable("\(error)"), canRetry: true)
        }
    }
}

// MARK: - The library

extension JobClient: PageCapturing {
    /// The time limit of a viewer copy.
    private static let viewerTime = Duration.seconds(180)

    func capture(
        _ request: CaptureRequest, for attempt: CaptureAttempt, options: CaptureOptions,
        progress: @escaping @Sendable (CaptureProgress) -> Void
    ) async throws(CaptureFailure) -> PageCapture {
        do throws(JobError) {
            let job: Job
            do {
                job = try captures.job(attempt, request)
            } catch {
                throw JobError(code: "payload", message: "\(error)", canRetry: false)
            }
            // The store has already enqueued the job together with the page, unless an older version added the page.
            try await enqueue(job)
            let record = try await end(of: job) { data in
                guard let step = try? JSONDecoder().decode(CaptureProgress.self, from: data) else { return }
                progress(step)
            }
            let captured: CapturedPage = try Self.decoded(try report(of: record))
            metrics?.captured(captured.phases ?? [:])
            // When the store stores the page, it removes the job and then its output. If the server is killed before
            // that, it reads the output again after the next start.
            let output = outputs.output(record.outputName)
            try await transferring { (transfer) async throws(StoreError) in
                // The only copy is in the bucket: a failure would discard it.
                try await transfer.untilDone { () async throws(StoreError) in
                    try await transfer.receive(output: output)
                }
            }
            return try await Self.accessing { try captured.capture(of: request, in: output) }
        } catch {
            throw CaptureFailure(error)
        }
    }

    func viewerCopy(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> Data {
        try await converted(archive, by: .viewerCopy, options)
    }

    func article(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> Data {
        try await converted(archive, by: .article, options)
    }

    private func converted(
        _ archive: PageFile, by kind: JobKind, _ options: CaptureOptions
    ) async throws(CaptureFailure) -> Data {
        do throws(JobError) {
            let outcome = try await withArchive(archive) { path throws(JobError) in
                try await run(kind, options, subject: JobWords.archive, input: path, limit: Self.viewerTime)
            }
            return try await Self.accessing { try outcome.folder.read(JobFolder.onlyFile, upTo: Self.largestFile) }
        } catch {
            throw CaptureFailure(error)
        }
    }
}

extension JobClient {
    func text(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> String {
        do throws(JobError) {
            let outcome = try await withArchive(archive) { path throws(JobError) in
                try await run(.pageText, options, subject: JobWords.archive, input: path, limit: Self.viewerTime)
            }
            return try await Self.accessing { try outcome.folder.text(JobFolder.onlyFile) }
        } catch {
            throw CaptureFailure(error)
        }
    }
}

extension JobClient {
    /// The maximum size of two pictures that are compared, in bytes.
    private static let largestPictures = 256 << 20

    func pictureChanges(
        from old: PageFile, to new: PageFile
    ) async throws(CaptureFailure) -> PictureChanges {
        let (first, second): (Data, Data)
        do throws(LibraryError) {
            (first, second) = (try await old.read(), try await new.read())
        } catch {
            throw CaptureFailure(code: JobError.storageCode, message: "\(error)")
        }
        do throws(JobError) {
            guard first.count + second.count <= Self.largestPictures else {
                throw JobError(code: "picture", message: JobWords.picturesTooLarge, canRetry: false)
            }
            let file = try await inputFile(first, second)
            let outcome = try await run(
                .pictureComparison, PictureComparisonParameters(oldBytes: first.count),
                subject: JobWords.versionPictures,
                input: file.path, limit: Self.viewerTime)
            let changes: PictureChanges = try Self.decoded(outcome.report)
            return try changes.validated()
        } catch {
            throw CaptureFailure(error)
        }
    }
}

extension JobClient: LibraryReading {
    func read(_ upload: LibraryUpload) async throws(LibraryFileError) -> ReadUpload {
        do throws(JobError) {
            let outcome = try await run(
                .libraryFile, LibraryFileParameters(boundary: upload.boundary, isPage: upload.isPage),
                subject: JobWords.libraryFile,
                input: upload.body.path, limit: Self.readingTime)
            let report: LibraryFileReport = try Self.decoded(outcome.report)
            return try await Self.accessing {
                try report.upload(in: outcome.folder) { (name: String) async throws(LibraryFileError) -> Data in
                    // The closure keeps the folder.
                    do throws(JobError) {
                        return try await Self.accessing { [outcome] in
                            try outcome.folder.read(name, upTo: ImportLimits.contentBytes)
                        }
                    } catch {
                        throw .unfinished(LibraryWords.importNotRead(error.message))
                    }
                }
            }
        } catch {
            throw error.error(LibraryFileError.self) ?? error.error(OverBudget.self).map { .overBudget($0) }
                ?? .unfinished(LibraryWords.importNotRead(error.message))
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
            let file = try await inputFile { try page.propertyList() }
            let outcome = try await run(
                .drawing, options, subject: "a board", input: file.path, limit: Self.drawingTime)
            let drawn: DrawnPage = try Self.decoded(outcome.report)
            return (
                try await Self.accessing { try outcome.folder.read(JobFolder.onlyFile, upTo: Self.largestFile) },
                drawn.isWhole
            )
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
            let outcome = try await run(
                .pictureFetch, PictureFetchParameters(address: address, limit: limit), subject: address,
                limit: Self.fetchTime
            ) { data in
                if let step = try? JSONDecoder().decode(FetchProgress.self, from: data) { progress(step) }
            }
            let report: PictureReport = try Self.decoded(outcome.report)
            return try await Self.accessing { try report.picture(in: outcome.folder) }
        } catch {
            if waitsForCancellationAtShutdown, error.code == JobError.closed.code {
                await Self.untilCancelled()
            }
            // A job whose process died or exceeded its time limit has used up its attempts: only the user can retry.
            let hasUsedUpAttempts = [JobError.lostCode, JobError.lateCode].contains(error.code)
            throw error.error(BackgroundError.self) ?? error.storeError.map { .picture(.store($0)) }
                ?? .fetch(error.message, error.canRetry && !hasUsedUpAttempts ? .retry(after: nil) : .never)
        }
    }
}

extension JobClient {
    func check(_ stored: Data) async throws(PictureError) -> CheckedPicture {
        let file: IncomingFile
        do throws(JobError) {
            file = try await inputFile { stored }
        } catch {
            throw error.storeError.map { .store($0) } ?? .unfinished(error.message)
        }
        return try await picture(in: file)
    }
}

extension JobClient: ArtReading {
    /// The time limit of reading an uploaded file.
    private static let readingTime = Duration.seconds(60)

    func picture(in file: IncomingFile) async throws(PictureError) -> CheckedPicture {
        do throws(JobError) {
            let outcome = try await run(
                .pictureCheck, true, subject: JobWords.picture, input: file.path, limit: Self.readingTime)
            let report: PictureReport = try Self.decoded(outcome.report)
            return try await Self.accessing { try report.picture(in: outcome.folder) }
        } catch {
            throw error.error(PictureError.self) ?? error.storeError.map { .store($0) }
                ?? .unfinished(JobWords.pictureNotRead(error.message))
        }
    }

    func board(in upload: BoardUpload) async throws(BoardFileError) -> ReadBoard {
        do throws(JobError) {
            let outcome = try await run(
                .boardFile, BoardFileParameters(boundary: upload.boundary, name: upload.name),
                subject: upload.name ?? JobWords.board, input: upload.body.path, limit: Self.readingTime)
            let report: BoardFileReport = try Self.decoded(outcome.report)
            return try await Self.accessing { try report.board(in: outcome.folder) }
        } catch {
            throw error.error(BoardFileError.self) ?? error.storeError.map { .store($0) }
                ?? .unfinished(JobWords.fileNotRead(error.message))
        }
    }
}

extension JobError {
    /// The boards' error, if the cause is a file, the database or a disk limit.
    fileprivate var storeError: BoardStoreError? {
        switch code {
        case OverBudget.code: error(OverBudget.self).map { .overBudget($0) }
        case Self.storageCode: .failed(message)
        default: nil
        }
    }
}
