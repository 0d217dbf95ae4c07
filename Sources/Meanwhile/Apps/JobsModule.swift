import Hummingbird
import Jobs
import Site

/// The server module that runs workers and the page “Background jobs”.
struct JobsModule: SiteModule {
    private let jobs: JobClient
    private let workers: WorkerSupervisor
    private let pages: JobPages

    init(_ jobs: JobClient, workers: WorkerSupervisor, pages: JobPages) {
        self.jobs = jobs
        self.workers = workers
        self.pages = pages
    }

    func addRoutes(to router: SiteRouter, layout: Layout) {
        pages.addRoutes(to: router, layout: layout)
    }

    func run() async { await workers.run() }

    func tidy() async throws {
        try await jobs.queue.expire()
        // The worker may be on another machine.
        await jobs.outputs.sweep(jobs.queue)
    }

    /// Ends all waits for jobs, so that the pages and models that wait for one can shut down.
    func beginShutdown() async { await jobs.follower.close() }
    func shutDown() async { await JobFolder.waitForRemovals() }
}
