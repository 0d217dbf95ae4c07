import BrowserDriver
import FixtureSite
import Foundation
import PostgreSQL
import S3
import ServedPostgreSQL
import ServedS3
import Testing

@testable import Meanwhile

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension JobRuns {
    /// Several servers that share a PostgreSQL database and a data folder.
    @Suite struct Clusters {
        /// The environment of servers with a new database.
        private static func newDatabase() async throws -> [String: String] {
            ["MEANWHILE_DATABASE": try await ServedPostgreSQL.newSchema().text]
        }

        private static func environment(of bucket: S3Address) -> [String: String] {
            [
                "MEANWHILE_BLOBS": "s3://\(bucket.bucket)/\(bucket.prefix)?endpoint=\(bucket.endpoint.absoluteString)",
                "AWS_ACCESS_KEY_ID": "AKIDTESTS", "AWS_SECRET_ACCESS_KEY": "right",
            ]
        }

        @Test func serversAnswerForEachOtherAndReplaceOneThatIsKilled() async throws {
            let database = try await Self.newDatabase()
            try await Workspace.with { workspace in
                let killed = try await workspace.serve("--no-worker", environment: database) { owner in
                    let board = try await owner.makeBoard()
                    let next = try await workspace.serve("--no-worker", environment: database) { other in
                        let file = "\(workspace.root)/board-events"
                        async let page: Void = workspace.follow(
                            other.origin + "/art/boards/\(board)/events?since=0", into: file)
                        func wait(untilReceived text: String) async throws {
                            try await other.program.wait(until: "the page receives \(text)") {
                                (try? String(contentsOfFile: file, encoding: .utf8))?.contains(text) == true
                            }
                        }
                        try await wait(untilReceived: "event: name")
                        #expect(try await owner.addDog("d1", to: board)?.revision == 1)
                        try await wait(untilReceived: "add-d1")
                        #expect(try await other.addDog("d2", to: board)?.revision == 2)
                        try await wait(untilReceived: "add-d2")
                        #expect(try await owner.state(of: board).art.emojis.map(\.id) == ["d1", "d2"])
                        #expect(try await other.state(of: board).revision == 2)
                        // Only the servers know the secret that lets a request pass the check of its host.
                        let forged = try await other.get(
                            "/art/", "--header", "Host: evil.example", "--header",
                            "Meanwhile-Forwarded: \(String(repeating: "0", count: 64)) 127.0.0.1")
                        #expect(forged.status == 421)
                        try owner.program.send(SIGKILL)
                        // The stream ends, so a browser would connect again.
                        try await page
                        try await eventually("the other server answers by itself", within: .seconds(120)) {
                            try await other.get("/art/boards/\(board)/state").status == 200
                        }
                        #expect(try await other.state(of: board).art.emojis.map(\.id) == ["d1", "d2"])
                        #expect(try await other.addDog("d3", to: board)?.revision == 3)
                    }
                    #expect(next.exitCode == 0, "\(next.errors)")
                }
                #expect(killed.signal == SIGKILL)
            }
        }

        /// A browser has opened the board at one server, and another server holds the board until a signal kills that one.
        @Test func openBoardOutlivesItsServer() async throws {
            let database = try await Self.newDatabase()
            try await Workspace.with { workspace in
                let killed = try await workspace.serve("--no-worker", environment: database) { owner in
                    let board = try await owner.makeBoard("First")
                    let next = try await workspace.serve("--no-worker", environment: database) { other in
                        try await BrowserTab.run { tab in
                            func wait(untilNamed name: String) async throws {
                                try await tab.wait(until: "document.querySelector('#board-name').value === '\(name)'")
                            }
                            func wait(untilStored count: Int) async throws {
                                try await eventually("\(count) emoji are stored", within: .seconds(120)) {
                                    // No server answers for the board while its own is replaced.
                                    let answer = try await other.get("/art/boards/\(board)/state")
                                    guard answer.status == 200 else { return false }
                                    return answer.text.components(separatedBy: #""size""#).count - 1 == count
                                }
                            }
                            try await tab.open(try other.url("/art/boards/\(board)"))
                            try await tab.wait(until: "document.querySelector('#palette-emoji button')")
                            let renamed = try await owner.post("/art/boards/\(board)/rename", "name=Second")
                            #expect(renamed.status == 303)
                            try await wait(untilNamed: "Second")
                            try await tab.click("#palette-emoji button")
                            try await wait(untilStored: 1)
                            try owner.program.send(SIGKILL)
                            // This is sent until another server has the board.
                            try await tab.click("#palette-emoji button")
                            try await wait(untilStored: 2)
                            #expect(try await other.post("/art/boards/\(board)/rename", "name=Third").status == 303)
                            try await wait(untilNamed: "Third")
                        }
                    }
                    #expect(next.exitCode == 0, "\(next.errors)")
                }
                #expect(killed.signal == SIGKILL)
            }
        }

        @Test func targetOfARequestNeverLeadsToAnotherHost() {
            let address = "http://192.0.2.1:8080"
            #expect(RequestForwarder.url(of: "/art/?a=b", at: address) == "http://192.0.2.1:8080/art/?a=b")
            #expect(RequestForwarder.url(of: "//other.example/", at: address).flatMap(URL.init)?.host() == "192.0.2.1")
            for target in ["@other.example/", ".other.example/", "0/", "http://other.example/", "*", ""] {
                #expect(RequestForwarder.url(of: target, at: address) == nil, "\(target)")
            }
        }

        @Test func serverThatIsStoppedForTooLongIsReplacedAndEnds() async throws {
            let database = try await Self.newDatabase()
            try await Workspace.with { workspace in
                let replaced = try await workspace.serve("--no-worker", environment: database) { owner in
                    let board = try await owner.makeBoard()
                    #expect(try await owner.addDog("d1", to: board)?.revision == 1)
                    let next = try await workspace.serve("--no-worker", environment: database) { other in
                        #expect(try await other.state(of: board).revision == 1)
                        try owner.program.send(SIGSTOP)
                        // It is replaced while this request's body arrives.
                        let body = try workspace.makeFile("body", String(repeating: "a", count: 1_200_000))
                        async let upload = curl([
                            other.origin + "/art/import", "--limit-rate", "60k", "--header", "Origin: \(other.origin)",
                            "--data-binary", "@\(body)",
                        ])
                        // The first of these requests waits until the server is replaced.
                        try await eventually("the other server answers by itself", within: .seconds(120)) {
                            try await other.get("/art/boards/\(board)/state").status == 200
                        }
                        #expect(try await other.addDog("d2", to: board)?.revision == 2)
                        let answer = try await upload
                        #expect(answer.status == 503, "\(answer)")
                        try owner.program.send(SIGCONT)
                        try await eventually("the replaced server ends", within: .seconds(120)) {
                            owner.program.hasEnded
                        }
                        #expect(try await other.state(of: board).art.emojis.map(\.id) == ["d1", "d2"])
                    }
                    #expect(next.exitCode == 0, "\(next.errors)")
                }
                #expect(replaced.exitCode == 1 && replaced.errors.contains("other servers have taken over"))
            }
        }

        @Test func workerOfOneServerSavesThePagesOfAnother() async throws {
            let database = try await Self.newDatabase()
            try await withSite { site, workspace in
                let ended = try await workspace.serve("--no-worker", environment: database) { owner in
                    let next = try await workspace.serve(environment: database) { other in
                        try await other.save(site.address("/plain"))
                        try await owner.wait(untilSaved: 1)
                        try await other.wait(untilSaved: 1)
                        // Empty if the process has ended.
                        func environment(of process: ProcessEntry) -> String {
                            let data = try? Data(contentsOf: URL(filePath: "/proc/\(process.id)/environ"))
                            return String(decoding: data ?? Data(), as: UTF8.self)
                        }
                        func areRight(_ processes: [ProcessEntry], mayConnect: Bool) -> Bool {
                            let environments = processes.map(environment).filter { !$0.isEmpty }
                            #expect(environments.allSatisfy { $0.contains("postgres://") == mayConnect })
                            #expect(!processes.contains { $0.commandLine.contains("postgres://") })
                            return !environments.isEmpty
                        }
                        #expect(areRight(workspace.workers, mayConnect: true))
                        try await eventually("a process waits for the next job") {
                            areRight(workspace.jobProcesses, mayConnect: false)
                        }
                        // It lets the other take over at once.
                        try owner.program.send(SIGTERM)
                        try await eventually("the server ends", within: .seconds(120)) { owner.program.hasEnded }
                        let list = try await other.get("/library/")
                        #expect(list.status == 200 && list.text.contains("page.webarchive?download"))
                        try await other.save(site.address("/plain"))
                        try await eventually("another page is saved", within: .seconds(300)) {
                            let list = try await other.get("/library/").text
                            return list.components(separatedBy: "page.webarchive?download").count - 1 == 2
                        }
                    }
                    #expect(next.exitCode == 0, "\(next.errors)")
                }
                #expect(ended.exitCode == 0, "\(ended.errors)")
            }
        }

        @Test func filesAreStoredInABucketAndCopiedBack() async throws {
            let bucket = try await ServedS3.seaweedFS.address()
            let environment = Self.environment(of: bucket)
            try await withSite { site, workspace in
                // The files of the first page are stored in the bucket later.
                let first = try await workspace.serve { server in
                    try await server.save(site.address("/plain"))
                    try await server.wait(untilSaved: 1)
                }
                #expect(first.exitCode == 0, "\(first.errors)")
                let second = try await workspace.serve(environment: environment) { server in
                    try await server.save(site.address("/plain"))
                    try await server.wait(untilSaved: 2)
                    let page = try #require(try await workspace.sqlite("SELECT id FROM library_page LIMIT 1").first)
                    let path = "/library/pages/\(page)/page.pdf"
                    let before = try await server.get(path)
                    #expect(before.status == 200 && before.body.starts(with: Data("%PDF".utf8)))
                    let client = S3Client(bucket, credentials: ServedS3.credentials)
                    let count = try await workspace.sqlite(
                        "SELECT count(*) FROM blob WHERE id NOT IN (SELECT blob FROM blob_piece)")
                    try await eventually("all files are in the bucket") {
                        let objects = try await client.list().objects.filter {
                            $0.key.wholeMatch(of: /..\/[0-9a-f]{64}/) != nil
                        }
                        return [String(objects.count)] == count
                    }
                    // As on a machine that has none of the files.
                    for name in workspace.names(in: "\(workspace.data)/blobs") where name.count == 2 {
                        try FileManager.default.removeItem(atPath: "\(workspace.data)/blobs/\(name)")
                    }
                    let after = try await server.get(path)
                    #expect(after.status == 200 && after.body == before.body)
                    // Its input is the archive.
                    let view = try await server.get("/library/pages/\(page)/view")
                    #expect(view.status == 200, "\(view.text)")
                }
                #expect(second.exitCode == 0, "\(second.errors)")
                // Without the bucket, the files that weren't copied back are missing.
                #expect(!workspace.names(in: "\(workspace.data)/blobs").isEmpty)
            }
        }

        /// Neither the server nor the worker can read the other's folder.
        @Test func serverAndWorkerExchangeFilesThroughTheBucket() async throws {
            let bucket = try await ServedS3.seaweedFS.address()
            let environment = try await Self.newDatabase().merging(Self.environment(of: bucket)) { $1 }
            try await withSite { site, workspace in
                let page = try workspace.makeFile("upload.html", "<!doctype html><title>Uploaded</title><p>A text.")
                let (folder, worker) = ("\(workspace.root)/another", [Program.path, "worker", "--allow", "127.0.0.1"])
                let served = try await workspace.serve("--no-worker", environment: environment) { server in
                    let worked = try await workspace.run(worker + ["--data", folder], environment: environment) {
                        program in
                        try await server.save(site.address("/plain"))
                        let uploaded = try await curl([
                            "\(server.origin)/library/import", "--header", "Origin: \(server.origin)", "--form",
                            "file=@\(page)", "--form", "webarchive=on",
                        ])
                        #expect(uploaded.status == 303, "\(uploaded.text)")
                        try await server.wait(untilSaved: 2)
                        let list = try await server.get("/library/").text
                        let ids = list.matches(of: /href="\/library\/pages\/([^\/"]+)\/archive"/).map(\.output.1)
                        for id in Set(ids) {
                            let view = try await server.get("/library/pages/\(id)/view")
                            #expect(view.status == 200, "\(view.text)")
                        }
                        #expect(Set(ids).count == 2)
                        // Programs that end leave what they haven't removed yet to a later one.
                        let client = S3Client(bucket, credentials: ServedS3.credentials)
                        try await eventually("no files of jobs remain") {
                            try await client.list(beginningWith: "jobs/").objects.isEmpty
                        }
                        try program.send(SIGTERM)
                    }
                    #expect(worked.exitCode == 0, "\(worked.errors)")
                }
                #expect(served.exitCode == 0, "\(served.errors)")
                #expect(workspace.names(in: "\(workspace.data)/blobs").count > 1)
            }
        }

        @Test func downloadComesFromTheBucketIfItsAddressSaysSo() async throws {
            let bucket = try await ServedS3.seaweedFS.address()
            var environment = Self.environment(of: bucket)
            environment["MEANWHILE_BLOBS"]? += "&downloads=direct"
            try await withSite { site, workspace in
                let served = try await workspace.serve(environment: environment) { server in
                    try await server.save(site.address("/plain"))
                    try await server.wait(untilSaved: 1)
                    let page = try #require(try await workspace.sqlite("SELECT id FROM library_page").first)
                    let path = "/library/pages/\(page)/page.pdf"
                    let shown = try await server.get(path)
                    #expect(shown.status == 200 && shown.body.starts(with: Data("%PDF".utf8)))
                    let redirect = try await server.get("\(path)?download")
                    #expect(redirect.status == 307 && redirect.body.isEmpty)
                    let downloaded = try await server.get("\(path)?download", "--location", "--dump-header", "-")
                    let text = String(decoding: downloaded.body, as: UTF8.self)
                    #expect(downloaded.body.suffix(shown.body.count) == shown.body)
                    #expect(text.contains(bucket.endpoint.absoluteString) && text.contains("attachment; filename="))
                    #expect(try await server.get("/library/pages/\(page)/page.wacz?download").status == 404)
                }
                #expect(served.exitCode == 0, "\(served.errors)")
            }
        }

        @Test(arguments: [
            (["--database", "mysql://a/b"], "must begin with postgres://"),
            (["--database", "postgres://a/b", "--backup-folder", "/tmp/b"], "pg_dump"),
            (["--database", "postgres://a/b", "--listen", "0.0.0.0"], "--peer-address"),
            (["--database", "postgres://a/b", "--peer-address", "b"], "--peer-address"),
            (["--blobs", "s3://bucket?endpoint=https://a"], "AWS_ACCESS_KEY_ID"),
            (["--blobs", "https://a/b"], "s3://"),
        ])
        func wrongOptionIsExplained(options: [String], message: String) async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.run(
                    [Program.path, "serve", "--data", workspace.data, "--port", "0"] + options)
                #expect(outcome.exitCode == 64 && outcome.errors.contains(message), "\(outcome.errors)")
                #expect(workspace.names(in: workspace.data).isEmpty)
            }
        }

        @Test func dataMovesToAServerAndBack() async throws {
            let database = try await Self.newDatabase()
            let address = try #require(database["MEANWHILE_DATABASE"])
            try await Workspace.with { workspace in
                func run(_ environment: [String: String] = [:], _ arguments: String...) async throws -> Outcome {
                    try await workspace.run([Program.path] + arguments, environment: environment)
                }
                let (old, new) = (workspace.data, "\(workspace.root)/new")
                #expect(try await run([:], "coffee", "add", "Espresso", "--data", old).exitCode == 0)
                let moved = try await run([:], "migrate", "--from", "sqlite:\(old)", "--to", address, "--json")
                #expect(moved.exitCode == 0, "\(moved.errors)")
                let refused = try await run([:], "coffee", "add", "Latte", "--data", old)
                #expect(refused.exitCode == 1 && refused.errors.contains("postgres://"), "\(refused.errors)")
                let served = try await workspace.serve("--no-worker", environment: database) { server in
                    #expect(try await server.get("/coffee/").text.contains("Espresso"))
                    let added = try await run(database, "coffee", "add", "Latte", "--data", old)
                    #expect(added.exitCode == 0, "\(added.errors)")
                }
                #expect(served.exitCode == 0, "\(served.errors)")
                let back = try await run([:], "migrate", "--from", address, "--to", "sqlite:\(new)", "--data", old)
                #expect(back.exitCode == 0, "\(back.errors)")
                let listed = try await run([:], "coffee", "list", "--data", new)
                let text = String(decoding: listed.output, as: UTF8.self)
                #expect(text.contains("Espresso") && text.contains("Latte"), "\(text) \(listed.errors)")
            }
        }

        @Test func commandsUseTheDatabase() async throws {
            let database = try await Self.newDatabase()
            try await Workspace.with { workspace in
                func run(_ arguments: String...) async throws -> Outcome {
                    try await workspace.run(
                        [Program.path] + arguments + ["--data", workspace.data], environment: database)
                }
                let added = try await run("coffee", "add", "Espresso")
                #expect(added.exitCode == 0, "\(added.errors)")
                let listed = try await run("coffee", "list", "--json")
                #expect(
                    listed.exitCode == 0 && String(decoding: listed.output, as: UTF8.self).contains("Espresso"),
                    "\(listed.errors)")
                #expect(!FileManager.default.fileExists(atPath: "\(workspace.data)/meanwhile.sqlite"))
                let saved = try await run("backup", "\(workspace.root)/backup.tar")
                #expect(saved.exitCode == 1 && saved.errors.contains("pg_dump"), "\(saved.errors)")
                let doctor = try await run("doctor", "--json")
                let findings = String(decoding: doctor.output, as: UTF8.self)
                #expect(findings.contains("answers"), "\(findings)")
                let ends = try await workspace.serve("--no-worker", environment: database) { server in
                    #expect(try await server.get("/coffee/").text.contains("Espresso"))
                    let moved = try await run("user", "move", "--to", "anna")
                    #expect(moved.exitCode == 1)
                }
                #expect(ends.exitCode == 0, "\(ends.errors)")
            }
        }
    }
}
