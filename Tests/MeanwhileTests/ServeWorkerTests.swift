import BrowserDriver
import FixtureSite
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension JobRuns {
    /// Workers that end, are suspended, or run beside the server.
    @Suite struct Workers {
        @Test func suspendedWorkerIsReplacedAndItsJobCompletes() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve { server in
                    try await server.save(site.address("/stall"))
                    try await server.program.waitForRequest("/stall", of: site)
                    let stopped = try #require(workspace.workers.first)
                    kill(stopped.id, SIGSTOP)
                    site.release("/stall")
                    try await eventually("the worker is replaced", within: .seconds(300)) {
                        let status = try await server.get("/library/").status
                        #expect(status == 200)
                        return workspace.workers.contains { $0.id != stopped.id }
                    }
                    try await server.wait(untilSaved: 1)
                    // Until it runs its own program, a process that a worker has just started looks like a worker.
                    try await eventually("one worker is left") { workspace.workers.count == 1 }
                    #expect(try await workspace.sqlite("SELECT id FROM library_page").count == 1)
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(outcome.errors.contains("a worker doesn't report"))
                try await workspace.expectIntactData()
            }
        }

        @Test func refusedAddressIsRecorded() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    try await server.save("http://10.1.2.3/secret?token=secret")
                    try await eventually("the refusal is recorded") {
                        try await workspace.sqlite("SELECT action || ' ' || subject FROM account_audit") == [
                            "egressRefused 10.1.2.3"
                        ]
                    }
                    #expect(try await server.get("/activity").text.contains("10.1.2.3"))
                }
            }
        }

        @Test func repeatedlyKilledWorkerIsReplacedWithBackoff() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.serve { server in
                    var known: Set<Int32> = []
                    for _ in 1...3 {
                        try await eventually("there is another worker") {
                            workspace.workers.contains { !known.contains($0.id) }
                        }
                        for worker in workspace.workers where known.insert(worker.id).inserted {
                            kill(worker.id, SIGKILL)
                        }
                    }
                    try await eventually("there is another worker") {
                        workspace.workers.contains { !known.contains($0.id) }
                    }
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                let pauses = outcome.errors.split(separator: "\n").filter { $0.contains("another is started") }
                #expect(pauses.count == 3)
                for (line, pause) in zip(pauses, ["0.2 seconds", "0.4 seconds", "0.8 seconds"]) {
                    #expect(line.contains("pause=\(pause)"), "\(line)")
                }
            }
        }

        /// Saves the page `/stall`, and suspends the processes of all jobs once one has requested it.
        ///
        /// The site answers the request after `release("/stall")`.
        ///
        /// - Returns: The suspended processes.
        @discardableResult
        private func saveAndSuspendJobs(
            of server: RunningServer, whileTheyCapture site: FixtureSite
        ) async throws -> [ProcessEntry] {
            try await server.save(site.address("/stall"))
            try await server.program.waitForRequest("/stall", of: site)
            let jobs = server.workspace.jobProcesses
            #expect(!jobs.isEmpty)
            for job in jobs { kill(job.id, SIGSTOP) }
            return jobs
        }

        @Test func suspendedJobIsKilledAndRetried() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve { server in
                    try await saveAndSuspendJobs(of: server, whileTheyCapture: site)
                    site.release("/stall")
                    try await server.wait(untilSaved: 1)
                    #expect(try await workspace.sqlite("SELECT id FROM library_page").count == 1)
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(outcome.errors.contains("a job doesn't report"))
                try await workspace.expectIntactData()
            }
        }

        @Test func suspendedJobOfAKilledWorkerIsEnded() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve { server in
                    let jobs = try await saveAndSuspendJobs(of: server, whileTheyCapture: site)
                    for worker in workspace.workers { kill(worker.id, SIGKILL) }
                    site.release("/stall")
                    try await server.wait(untilSaved: 1)
                    try await eventually("the suspended jobs have ended") {
                        let left = workspace.jobProcesses.map(\.id)
                        return !jobs.contains { left.contains($0.id) }
                    }
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func pagesAreCapturedByTheSeparateWorkerCommand() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve("--no-worker") { server in
                    try await server.save(site.address("/plain"))
                    #expect(workspace.workers.isEmpty)
                    #expect(try await workspace.sqlite("SELECT state FROM library_page") == ["fetching"])
                    let worker = try await workspace.work { worker in
                        try await server.wait(untilSaved: 1)
                        try worker.send(SIGTERM)
                    }
                    #expect(worker.exitCode == 0, "\(worker.errors)")
                    #expect(workspace.jobProcesses.isEmpty)
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func captureContinuesDuringARestartAndIsNotRepeated() async throws {
            try await withSite { site, workspace in
                let worker = try await workspace.work { worker in
                    let killed = try await workspace.serve("--no-worker") { server in
                        try await server.save(site.address("/stall"))
                        try await server.program.waitForRequest("/stall", of: site)
                        try server.program.send(SIGKILL)
                    }
                    #expect(killed.signal == SIGKILL)
                    site.release("/stall")
                    try await eventually("the capture is done") {
                        try await workspace.sqlite("SELECT phase FROM job") == ["2"]
                    }
                    let next = try await workspace.serve("--no-worker") { server in
                        try await server.wait(untilSaved: 1)
                    }
                    #expect(next.exitCode == 0, "\(next.errors)")
                    // The end of the worker waits for the removal of folders only a few seconds.
                    try await eventually("the job's folder is removed") {
                        workspace.names(in: "\(workspace.data)/jobs").isEmpty
                    }
                    try worker.send(SIGTERM)
                }
                #expect(worker.exitCode == 0, "\(worker.errors)")
                #expect(site.requests.count { $0 == "/stall" } == 1)
                #expect(try await workspace.sqlite("SELECT id FROM job").isEmpty)
                try await workspace.expectIntactData()
            }
        }

        @Test func gracefulWorkerShutdownDoesNotCountTheAttempt() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve("--no-worker") { server in
                    try await server.save(site.address("/stall"))
                    for _ in 1...4 {
                        let before = site.requests.count { $0 == "/stall" }
                        let worker = try await workspace.work { worker in
                            try await worker.wait(until: "the page is requested") {
                                site.requests.count { $0 == "/stall" } > before
                            }
                            try worker.send(SIGTERM)
                        }
                        #expect(worker.exitCode == 0, "\(worker.errors)")
                        #expect(try await workspace.sqlite("SELECT phase, attempts FROM job") == ["0|0"])
                    }
                    site.release("/stall")
                    try await workspace.work { worker in
                        try await server.wait(untilSaved: 1)
                        try worker.send(SIGTERM)
                    }
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func captureCancelledOnTheJobsPageIsStopped() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve { server in
                    try await server.save(site.address("/stall"))
                    try await server.program.waitForRequest("/stall", of: site)
                    let job = try #require(try await workspace.sqlite("SELECT id FROM job").first)
                    #expect(try await server.get("/data/jobs/").text.contains(job))
                    #expect(try await server.post("/data/jobs/cancel", "job=\(job)").status == 303)
                    try await server.wait(untilReceived: "You stopped saving this page")
                    #expect(try await workspace.sqlite("SELECT id FROM job").isEmpty)
                    #expect(try await server.get("/data/jobs/").text.contains("No jobs."))
                    // Cancelling a job that has ended or never existed isn't an error.
                    #expect(try await server.post("/data/jobs/cancel", "job=\(job)").status == 303)
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func deletingAPageStopsItsCapture() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve { server in
                    try await server.save(site.address("/stall"))
                    try await server.program.waitForRequest("/stall", of: site)
                    let id = try #require(try await workspace.sqlite("SELECT id FROM library_page").first)
                    let renderers = Set(workspace.renderers.map(\.id))
                    try #require(!renderers.isEmpty)
                    #expect(try await server.post("/library/pages/\(id)/delete").status == 303)
                    try await eventually("the job is gone, and no browser shows the page") {
                        // The worker starts another browser for the next page.
                        let left = Set(workspace.renderers.map(\.id))
                        return try await workspace.sqlite("SELECT id FROM job").isEmpty
                            && left.isDisjoint(with: renderers)
                    }
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }
    }
}

extension Workspace {
    /// Runs `meanwhile worker` with this workspace's data folder.
    @discardableResult
    fileprivate func work(while body: (RunningProgram) async throws -> Void) async throws -> Outcome {
        try await run([Program.path, "worker", "--data", data, "--allow", "127.0.0.1"], while: body)
    }
}
