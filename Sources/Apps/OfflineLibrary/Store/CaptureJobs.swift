package import Capture
import Foundation
package import Jobs
package import OfflineLibraryModel
package import Persistence

/// The parameters of a capture job.
package struct CaptureParameters: Codable, Sendable {
    /// The page's URL, and the formats.
    package var request: CaptureRequest
    package var options: CaptureOptions
}

/// The parameters of a job that makes the files of an uploaded page.
package struct UploadParameters: Codable, Sendable {
    /// The page's URL, and the formats.
    package var request: CaptureRequest
    package var options: CaptureOptions
    /// The kind of the job's input file.
    package var source: PageSource
}

/// The capture jobs of the library, which change in the same transactions as their pages.
package struct CaptureJobs: Sendable {
    /// The kind and lane of the jobs.
    package static let kind = "capture", lane = "browser"
    /// The kind and lane of jobs for uploaded pages, which wait for no server.
    package static let uploadKind = "uploaded-page", uploadLane = "view"
    /// The priority of pages of an import, so that pages that the owner saves one by one come first.
    static let importPriority = -10
    /// The priority of captures by a schedule, for which the owner doesn't wait.
    static let schedulePriority = -20
    /// The time that an attempt may take in addition to the capture's timeout, to start the browser and write files.
    private static let spareTime = Duration.seconds(90)

    private let queue: SQLiteJobQueue
    private let options: CaptureOptions
    /// Returns the path of a blob, as jobs refer to it.
    private let path: @Sendable (BlobStore.ID) -> String?

    /// - Parameters:
    ///   - queue: The queue, in the same database as the pages.
    ///   - options: The options for captures.
    ///   - path: Returns the path of a blob, as jobs refer to it.
    package init(
        queue: SQLiteJobQueue, options: CaptureOptions,
        path: @escaping @Sendable (BlobStore.ID) -> String? = { _ in nil }
    ) {
        self.queue = queue
        self.options = options
        self.path = path
    }

    /// Creates the job for an attempt to capture a page.
    package func job(_ attempt: CaptureAttempt, _ request: CaptureRequest, priority: Int = 0) throws -> Job {
        Job(
            id: Job.ID("\(Self.prefix(of: attempt.page))\(attempt.number)"), owner: attempt.owner, kind: Self.kind,
            lane: Self.lane, subject: request.url.absoluteString, priority: priority,
            payload: try JSONEncoder().encode(CaptureParameters(request: request, options: options)),
            attemptLimit: options.timeout + Self.spareTime)
    }

    /// The page of a job; `nil` if it isn't a capture job.
    package static func page(of job: Job) -> SavedPage.ID? {
        guard [kind, uploadKind].contains(job.kind) else { return nil }
        return job.id.description.split(separator: "/").dropFirst().first.flatMap { SavedPage.ID(String($0)) }
    }

    private static func prefix(of page: SavedPage.ID) -> String {
        "\(kind)/\(page)/"
    }

    /// Takes the lock of the jobs before that of the blobs, as all changes of pages do.
    func lock(in transaction: any SQLConnection) throws { try queue.lock(in: transaction) }

    func enqueue(_ row: PageRow, priority: Int = 0, in transaction: any SQLConnection) throws {
        guard let page = SavedPage.ID(row.id) else { return }
        let attempt = CaptureAttempt(page: page, owner: row.owner, number: row.attempt)
        var job = try job(attempt, row.request, priority: priority)
        if let source = row.uploaded {
            // It has the identifier of a capture, so that those who wait for the page's capture wait for this job.
            job.kind = Self.uploadKind
            job.lane = Self.uploadLane
            job.payload = try JSONEncoder().encode(
                UploadParameters(request: row.request, options: options, source: source))
            job.input = try row.files(in: transaction).first { $0.kind == source.kind.rawValue }
                .flatMap { BlobStore.ID($0.blob) }.flatMap(path)
        }
        try queue.enqueue(job, in: transaction)
    }

    /// Enqueues the capture of a schedule, unless it is enqueued already.
    func enqueue(
        _ request: CaptureRequest, as page: SavedPage.ID, owner: OwnerID, in transaction: any SQLConnection
    ) throws {
        let attempt = CaptureAttempt(page: page, owner: owner, number: 1)
        try queue.enqueue(try job(attempt, request, priority: Self.schedulePriority), in: transaction)
    }

    /// Lets a page's waiting job run before those of imports.
    func hasten(_ page: SavedPage.ID, in transaction: any SQLConnection) throws {
        try queue.raise(beginningWith: Self.prefix(of: page), to: 0, in: transaction)
    }

    /// Ends and removes a page's jobs, including dead letters.
    func remove(_ page: SavedPage.ID, in transaction: any SQLConnection) throws {
        try queue.remove(beginningWith: Self.prefix(of: page), in: transaction)
    }

    /// Ends and removes a page's jobs, except dead letters.
    func discard(_ page: SavedPage.ID, in transaction: any SQLConnection) throws {
        try queue.discard(beginningWith: Self.prefix(of: page), in: transaction)
    }
}
