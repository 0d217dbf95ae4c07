import BrowserDriver
import FixtureSite
import Foundation
import StoreTesting
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension JobRuns {
    /// Jobs that parse untrusted bytes, and misbehave in their own processes.
    @Suite struct Jobs {
        /// The misbehaviour of all jobs in one run of the server; see `MEANWHILE_JOB_TRAP`.
        enum Trap: String, CaseIterable, Sendable {
            case trap, loop, allocate, stop, exit

            /// The text that the requester's error must contain.
            var words: String {
                switch self {
                case .trap, .allocate: "exited before the job was done. It crashed"
                case .exit: "exited before the job was done. It exited with status 3"
                case .loop, .stop: "The job took longer than"
                }
            }

            /// The time limit of jobs: short for those that never end; long for those that end, which may start late
            /// on a busy machine.
            var seconds: String { [.loop, .stop].contains(self) ? "4" : "300" }
        }

        @Test(arguments: Trap.allCases)
        func misbehavingJobsFailWithAReasonAndTheServerStaysResponsive(trap: Trap) async throws {
            try await withSite { site, workspace in
                let (page, board) = try await makePageAndBoard(in: workspace, from: site)
                let outcome = try await workspace.serve(environment: [
                    "MEANWHILE_JOB_TRAP": "all:\(trap.rawValue)", "MEANWHILE_JOB_SECONDS": trap.seconds,
                ]) { server in
                    let before = try await server.responseTimesOfOtherClients()
                    async let view = server.get("/library/pages/\(page)/view")
                    async let drawing = server.get("/art/boards/\(board)/export.png")
                    async let picture = server.upload(Data("a picture".utf8), to: "/art/boards/\(board)/pictures")
                    async let file = server.upload(Data("a board".utf8), to: "/art/import")
                    try await server.save(site.address("/plain"))
                    let operation = #"{"op":"background","background":{"address":"\#(site.address("/image/5.png"))"}}"#
                    _ = try await server.send(operation, as: "bg", to: board)
                    // Pages are still served while the jobs run.
                    ServerRuns.Attacks.expectShort(
                        try await server.responseTimesOfOtherClients(), before, in: trap.rawValue)
                    #expect(try await server.state(of: board).revision == 1)
                    for answer in [try await view, try await drawing, try await picture, try await file] {
                        #expect((400...599).contains(answer.status))
                        #expect(answer.text.contains(trap.words), "\(answer.text)")
                    }
                    try await server.wait(untilReceived: trap.words)
                    try await eventually("the board reports that its background failed") {
                        let picture = try await server.state(of: board).picture
                        return picture.state == "failed" && picture.message?.contains(trap.words) == true
                    }
                    #expect(try server.peakMemory() < 500_000_000)
                    // The end of the server waits for the removal of folders only a few seconds.
                    try await eventually("the folders of the jobs are removed") {
                        workspace.names(in: workspace.data + "/jobs").isEmpty
                    }
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(workspace.jobProcesses.isEmpty)
                try await workspace.expectIntactData()
            }
        }

        /// Creates a page and a board with a server whose jobs behave well.
        private func makePageAndBoard(
            in workspace: Workspace, from site: FixtureSite
        ) async throws -> (page: String, board: String) {
            var board = ""
            try await workspace.serve { server in
                try await server.save(site.address("/plain"))
                try await server.wait(untilSaved: 1)
                board = try await server.makeBoard()
            }
            return (try #require(try await workspace.sqlite("SELECT id FROM library_page").first), board)
        }

        /// Unresponsive servers occupy all slots for captures and picture fetches of a worker.
        @Test func slowServersDoNotDelayOtherJobs() async throws {
            try await withSite { site, workspace in
                let (page, board) = try await makePageAndBoard(in: workspace, from: site)
                let outcome = try await workspace.serve { server in
                    var slow: [String] = []
                    for number in 1...2 {
                        slow.append("/stall?\(number)")
                        try await server.save(site.address(slow.last ?? ""))
                    }
                    for number in 1...4 {
                        slow.append("/stall/\(number).png")
                        let address = site.address(slow.last ?? "")
                        let operation = #"{"op":"background","background":{"address":"\#(address)"}}"#
                        _ = try await server.send(operation, as: "bg", to: try await server.makeBoard())
                    }
                    for path in slow { try await server.program.waitForRequest(path, of: site) }
                    let svg = #"<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"/>"#
                    let picture = try await server.upload(Data(svg.utf8), to: "/art/boards/\(board)/pictures")
                    #expect(picture.status == 201, "\(picture.text)")
                    #expect(try await server.get("/art/boards/\(board)/export.png").status == 200)
                    #expect(try await server.get("/library/pages/\(page)/view").status == 200)
                    // None of the other jobs waited for the slow pages.
                    let states = try await workspace.sqlite("SELECT state FROM library_page WHERE id != '\(page)'")
                    #expect(states == ["fetching", "fetching"])
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func captureOfAStalledPageEndsAfterTheChosenTime() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve("--capture-timeout", "1") { server in
                    try await server.save(site.address("/stall?1"))
                    // The error suggests twice the time.
                    try await server.wait(untilReceived: "start Meanwhile with: script/server --capture-timeout 2")
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(try await workspace.sqlite("SELECT state FROM library_page") == ["failed"])
            }
        }

        /// The sizes of stored pictures are unknown, as after an update, and each job that checks one crashes.
        @Test func storedPictureThatCrashesItsParserLeavesTheServerRunning() async throws {
            try await withSite { _, workspace in
                let board = try await boardWithPicture(in: workspace)
                _ = try await workspace.sqlite("UPDATE art_picture SET width = NULL, height = NULL")
                let outcome = try await workspace.serve(environment: ["MEANWHILE_JOB_TRAP": "picture-check:trap"]) {
                    server in
                    try await eventually("the board reports that its background failed") {
                        let picture = try await server.state(of: board).picture
                        return picture.state == "failed" && picture.message?.contains("It crashed") == true
                    }
                    #expect(try await server.get("/art/").text.contains("Beach"))
                    #expect(try await server.get("/art/boards/\(board)/export.svg").status == 502)
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func missingPictureSizesAreDeterminedByJobs() async throws {
            try await withSite { _, workspace in
                let board = try await boardWithPicture(in: workspace)
                #expect(try await workspace.sqlite("SELECT width, height FROM art_picture") == ["64|48"])
                _ = try await workspace.sqlite("UPDATE art_picture SET width = NULL, height = NULL")
                let outcome = try await workspace.serve { server in
                    try await eventually("the list shows the picture") {
                        try await server.get("/art/").text.contains(#"width="64" height="48"/>"#)
                    }
                    try await eventually("the board shows the picture") {
                        try await server.state(of: board).picture.state == "shown"
                    }
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(try await workspace.sqlite("SELECT width, height FROM art_picture") == ["64|48"])
            }
        }

        /// Creates a board whose background is a picture of 64 by 48 pixels.
        private func boardWithPicture(in workspace: Workspace) async throws -> String {
            var board = ""
            try await workspace.serve { server in
                board = try await server.makeBoard()
                let svg = #"<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"/>"#
                let answer = try await server.upload(Data(svg.utf8), to: "/art/boards/\(board)/pictures")
                try #require(answer.status == 201, "\(answer.text)")
                let uploaded = try JSONDecoder().decode(UploadedPicture.self, from: answer.body)
                let operation = #"{"op":"background","background":{"picture":"\#(uploaded.picture)"}}"#
                #expect(try await server.send(operation, as: "bg", to: board)?.refused == [])
            }
            return board
        }

        private struct UploadedPicture: Decodable {
            let picture: String
        }

        @Test func noPageIsLostOrSavedTwiceWhenJobsAndWorkersAreKilled() async throws {
            let count = isSoak ? 1_000 : 6
            // A capture takes a second or two; with many of them, most should succeed.
            let pauses = isSoak ? 2_000..<10_000 : 200..<2_500
            try await withSite { site, workspace in
                let outcome = try await workspace.serve("--workers", "2") { server in
                    let pages = (0..<count).map { site.address("/plain?\($0)") }
                    let killing = Task {
                        for _ in 0..<2 * count {
                            let targets = Int.random(in: 0..<4) == 0 ? workspace.workers : workspace.jobProcesses
                            targets.randomElement().map { _ = kill($0.id, SIGKILL) }
                            let time = ContinuousClock.now + .milliseconds(Int.random(in: pauses))
                            try await eventually("the pause is over") { ContinuousClock.now >= time }
                        }
                    }
                    defer { killing.cancel() }
                    for (number, page) in pages.enumerated() {
                        // Stay below the limit on waiting captures.
                        if number.isMultiple(of: 100) {
                            try await eventually("fewer than 200 captures wait", within: .seconds(1_800)) {
                                try await workspace.sqlite(
                                    "SELECT id FROM library_page WHERE state NOT IN ('found', 'failed')"
                                ).count < 200
                            }
                        }
                        try await server.save(page)
                    }
                    // A capture whose attempts were all killed fails with a reason, and is retried.
                    try await eventually("all pages are saved", within: .seconds(isSoak ? 7_200 : 600)) {
                        for id in try await workspace.sqlite("SELECT id FROM library_page WHERE state = 'failed'") {
                            _ = try await server.post("/library/pages/\(id)/retry")
                        }
                        return try await workspace.sqlite("SELECT id FROM library_page WHERE state = 'found'").count
                            == count
                    }
                    let addresses = try await workspace.sqlite("SELECT address FROM library_page")
                    #expect(addresses.sorted() == pages.sorted())
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                try await workspace.expectIntactData()
            }
        }
    }
}

extension RunningServer {
    /// Uploads a file as a page of the site does.
    fileprivate func upload(_ data: Data, to path: String) async throws -> Response {
        let file = "\(workspace.root)/upload-\(UInt32.random(in: 0...UInt32.max))"
        try data.write(to: URL(filePath: file))
        return try await curl([
            origin + path, "--header", "Origin: \(origin)", "--header", "Content-Type: application/octet-stream",
            "--data-binary", "@\(file)",
        ])
    }
}
