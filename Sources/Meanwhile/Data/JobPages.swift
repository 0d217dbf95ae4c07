import Foundation
import HTTPTypes
import Hummingbird
import Jobs
import OfflineLibraryModel
import OfflineLibraryStore
import OfflineLibraryWeb
import Persistence
import Site

/// The page “Background jobs”: lists running, waiting and failed jobs; cancels, retries and dismisses them.
struct JobPages {
    static let path = "/data/jobs/"
    /// The maximum number of jobs shown in each list.
    private static let listLength = 100
    /// The wait after which the page says that no worker runs the job, in seconds.
    private static let longWait: TimeInterval = 60

    private let queue: any JobQueue
    private let libraries: OpenLibraries
    private let folder: String
    private let templates: Templates

    /// - Parameters:
    ///   - queue: The job queue.
    ///   - libraries: The libraries, through which captures are cancelled and retried.
    ///   - folder: The path of the data folder.
    /// - Throws: An error if the template is invalid.
    init(queue: any JobQueue, libraries: OpenLibraries, folder: String) throws {
        self.queue = queue
        self.libraries = libraries
        self.folder = folder
        self.templates = try Templates(
            [
                "jobs": PackageResources.jobs_mustache, "noworker": PackageResources.noworker_mustache,
                "worker": PackageResources.worker_mustache,
            ], words: DataWords.jobTemplates)
    }

    func addRoutes(to router: SiteRouter, layout: Layout) {
        let jobs = router.group("/data/jobs")
        jobs.get("/") { _, context in try await page(context, layout) }
        jobs.post("/cancel") { request, context in
            try await change(request, context) { record in
                if let page = CaptureJobs.page(of: record.job) {
                    try await libraries.stop(page, owner: record.job.owner)
                } else {
                    try await queue.cancel(record.job.id)
                }
            }
        }
        jobs.post("/retry") { request, context in
            try await change(request, context) { record in
                guard let page = CaptureJobs.page(of: record.job) else { throw Self.notRetriable }
                try await libraries.retry(page, owner: record.job.owner)
            }
        }
        jobs.post("/dismiss") { request, context in
            try await change(request, context) { record in _ = try await queue.dismiss(record.job.id) }
        }
    }

    private static let notRetriable = Problem(
        .conflict, title: DataWords.notRetriable, detail: DataWords.notRetriableDetail)

    private struct JobForm: Decodable {
        var job: String?
    }

    /// Changes the job named by a form; does nothing if the job is gone, because it is done or another tab has
    /// removed it.
    private func change(
        _ request: Request, _ context: SiteContext, _ body: (JobRecord) async throws -> Void
    ) async throws -> Response {
        let form = try await request.decode(as: JobForm.self, context: context)
        if let id = form.job, let record = try await queue.record(Job.ID(id)), record.job.owner == context.owner {
            try await body(record)
        }
        return Response(status: .seeOther, headers: [.location: Self.path])
    }
}

// MARK: - The page

extension JobPages {
    private func page(_ context: SiteContext, _ layout: Layout) async throws -> Response {
        let (unfinished, dead) = try await queue.overview(
            of: context.owner, limit: Self.listLength + 1)
        let now = Date()
        let busyLanes = Set(unfinished.filter(\.isRunning).map(\.job.lane))
        let view = JobsView(
            folder: context.isAdministrator ? folder : nil,
            isStuck: unfinished.contains { Self.isStuck($0, at: now) && !busyLanes.contains($0.job.lane) },
            hasUnfinished: !unfinished.isEmpty,
            unfinished: unfinished.prefix(Self.listLength).map { JobView(unfinished: $0, at: now) },
            shownCount: unfinished.count > Self.listLength ? Self.listLength : nil, hasFailed: !dead.isEmpty,
            failed: dead.prefix(Self.listLength).map(JobView.init(dead:)))
        var response = layout.page(
            title: DataWords.jobs, heading: DataWords.jobs, content: templates.render("jobs", view))
        response.headers[.cacheControl] = "no-store"
        // The browser reloads the page while there are jobs, without a script.
        if !unfinished.isEmpty, let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "2" }
        return response
    }

    private static func isStuck(_ record: JobRecord, at now: Date) -> Bool {
        guard case .waiting(let from) = record.phase else { return false }
        return from < now - longWait
    }
}

// MARK: - Values of the template

private struct JobsView {
    /// `nil` for people who don't administer the server.
    let folder: String?
    let isStuck: Bool
    let hasUnfinished: Bool
    let unfinished: [JobView]
    /// The number of jobs shown if there are more; otherwise `nil`.
    let shownCount: Int?
    let hasFailed: Bool
    let failed: [JobView]
}

private struct JobView {
    let id: Job.ID
    let kind: String
    let subject: String
    let cancel = Link("\(JobPages.path)cancel")
    let dismiss = Link("\(JobPages.path)dismiss")
    /// `nil` if the job can't be retried here.
    let retry: Link?
    let isRunning: Bool
    var state: String?
    var time: HTML?
    var message: String?

    private init(_ record: JobRecord) {
        id = record.job.id
        kind = Self.name(of: record.job.kind)
        subject = String(record.job.subject.prefix(300))
        retry = CaptureJobs.page(of: record.job).map { _ in Link("\(JobPages.path)retry") }
        isRunning = record.isRunning
    }

    init(unfinished record: JobRecord, at now: Date) {
        self.init(record)
        let phase =
            switch record.phase {
            case .waiting(let from) where from > now: DataWords.interrupted
            case .waiting: DataWords.waiting
            default: DataWords.running
            }
        state = record.attempts > 1 ? DataWords.attempt(record.attempts, of: phase) : phase
    }

    init(dead record: JobRecord) {
        self.init(record)
        time = HTML.time(record.changedAt)
        if case .dead(let error) = record.phase { message = error.message }
    }

    private static func name(of kind: String) -> String {
        switch JobKind(rawValue: kind) {
        case .capture: DataWords.capture
        case .viewerCopy: DataWords.viewerCopy
        case .article: DataWords.article
        case .pageText: DataWords.pageText
        case .pictureComparison: DataWords.pictureComparison
        case .drawing: DataWords.drawing
        case .pictureFetch: DataWords.pictureFetch
        case .pictureCheck: DataWords.pictureCheck
        case .boardFile: DataWords.boardFile
        case .libraryFile: DataWords.libraryFile
        case .uploadedPage: DataWords.uploadedPage
        case nil: kind
        }
    }
}

extension JobRecord {
    /// Whether the job is leased to a worker.
    fileprivate var isRunning: Bool {
        if case .running = phase { true } else { false }
    }
}
