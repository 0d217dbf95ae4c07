import BrowserDriver
import FixtureSite
import Foundation
import StoreTesting
import Subprocess
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A board's state as pages receive it, declared independently of the program's own types.
struct ArtState: Decodable {
    struct Art: Decodable {
        let emojis: [Emoji]
    }

    struct Emoji: Decodable {
        let id: String
        let x: Double
    }

    struct Picture: Decodable {
        let state: String
        let message: String?
    }

    let name: String
    let revision: Int
    let art: Art
    let picture: Picture
}

private struct ArtEntries: Decodable {
    struct Entry: Decodable {
        let revision: Int
        let id: String
    }

    let revision: Int
    let entries: [Entry]
}

struct ArtOutcome: Decodable, Equatable {
    struct Refused: Decodable, Equatable {
        let reason: String
    }

    let revision: Int
    let refused: [Refused]
}

/// A value that several tasks modify.
private final class SharedValue<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    func withLock<Outcome: Sendable>(_ body: (inout Value) -> Outcome) -> Outcome {
        value.withLock { value in body(&value) }
    }
}

extension RunningServer {
    private struct CreatedBoard: Decodable {
        let id: String
    }

    /// Creates a board, and returns its identifier.
    func makeBoard(_ name: String = "Beach") async throws -> String {
        let answer = try await curl([
            origin + "/art/boards", "--request", "POST", "--header", "Origin: \(origin)", "--header",
            "Accept: application/json", "--data-urlencode", "name=\(name)",
        ])
        try #require(answer.status == 201, "\(answer.text)")
        return try JSONDecoder().decode(CreatedBoard.self, from: answer.body).id
    }

    /// Sends operations, and returns the outcome, or `nil` if the server is gone.
    func send(_ operations: String, as id: String, to board: String) async throws -> ArtOutcome? {
        let batch = #"{"id":"\#(id)","name":"Step","operations":[\#(operations)]}"#
        // `curl(_:)` would fail the test if the server is gone.
        var outcome: ArtOutcome?
        try await eventually("the server accepts the operations") {
            let result = try await Subprocess.run(
                .name("curl"),
                arguments: [
                    "--silent", "--max-time", "600", "--write-out", "\n%{http_code}", "--header", "Origin: \(origin)",
                    "--data-binary", batch, origin + "/art/boards/\(board)/operations",
                ], output: .data(limit: 1_000_000), error: .discarded)
            guard result.terminationStatus.isSuccess else { return true }
            let answer = String(decoding: result.standardOutput, as: UTF8.self)
            // A server of a cluster that was too slow to report refuses requests until it has reported again.
            if answer.hasSuffix("\n503") { return false }
            try #require(answer.hasSuffix("\n200"), "\(answer)")
            outcome = try JSONDecoder().decode(ArtOutcome.self, from: Data(answer.dropLast(4).utf8))
            return true
        }
        return outcome
    }

    func addDog(_ id: String, to board: String) async throws -> ArtOutcome? {
        try await send(
            #"{"op":"add","emoji":{"id":"\#(id)","text":"🐶","x":0,"y":0,"size":40,"z":1}}"#, as: "add-\(id)",
            to: board)
    }

    func state(of board: String) async throws -> ArtState {
        let answer = try await get("/art/boards/\(board)/state")
        try #require(answer.status == 200, "\(answer.text)")
        return try JSONDecoder().decode(ArtState.self, from: answer.body)
    }

    fileprivate func entries(of board: String) async throws -> ArtEntries {
        let answer = try await get("/art/boards/\(board)/entries?since=0")
        return try JSONDecoder().decode(ArtEntries.self, from: answer.body)
    }
}

extension ServerRuns {
    /// Boards on a running server.
    @Suite struct Boards {
        @Test func boardPersistsAcrossARestart() async throws {
            try await Workspace.with { workspace in
                let board = SharedValue("")
                let first = try await workspace.serve { server in
                    #expect(try await server.get("/").text.contains(#"href="/art/""#))
                    #expect(try await server.get("/art/").status == 200)
                    let id = try await server.makeBoard("Beach 🏖️")
                    board.withLock { $0 = id }
                    #expect(try await server.addDog("d1", to: id)?.revision == 1)
                    let page = try await server.get("/art/boards/\(id)")
                    #expect(page.status == 200)
                    let script = try #require(page.text.firstMatch(of: #/src="(/files/[0-9a-f]{16}/art/board\.js)"/#)).1
                    #expect(try await server.get(String(script)).type.hasPrefix("text/javascript"))
                }
                #expect(first.exitCode == 0 && first.errors == "", "\(first.errors)")
                let second = try await workspace.serve { server in
                    let id = board.withLock { $0 }
                    let state = try await server.state(of: id)
                    #expect(state.name == "Beach 🏖️" && state.revision == 1)
                    #expect(state.art.emojis.map(\.id) == ["d1"])
                    #expect(try await server.addDog("d2", to: id)?.revision == 2)
                }
                #expect(second.exitCode == 0, "\(second.errors)")
                try await workspace.expectIntactData()
            }
        }

        @Test func openBoardDoesNotDelayShutdown() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.serve { server in
                    let board = try await server.makeBoard()
                    let file = "\(workspace.root)/board-events"
                    async let page: Void = workspace.follow(
                        server.origin + "/art/boards/\(board)/events?since=0", into: file)
                    try await server.program.wait(until: "the page receives the board's name") {
                        (try? String(contentsOfFile: file, encoding: .utf8))?.contains("event: name") == true
                    }
                    try server.program.send(SIGTERM)
                    #expect(try await endsInTime(server.program))
                    try await page
                }
                #expect(outcome.exitCode == 0 && outcome.errors == "", "\(outcome.errors)")
            }
        }

        /// Kills the server while several clients draw.
        @Test(arguments: isSoak ? [1, 3, 5, 8, 13, 21, 34, 55, 89] : [5, 40])
        func acknowledgedOperationsSurviveAKill(count: Int) async throws {
            try await Workspace.with { workspace in
                let board = SharedValue("")
                let acknowledged = SharedValue([String: Int]())
                let killed = try await workspace.serve { server in
                    let id = try await server.makeBoard()
                    board.withLock { $0 = id }
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for name in ["a", "b", "c"] {
                            group.addTask {
                                for number in 0... {
                                    let emoji = "\(name)\(number)"
                                    guard let outcome = try await server.addDog(emoji, to: id) else { return }
                                    #expect(outcome.refused.isEmpty)
                                    acknowledged.withLock { $0[emoji] = outcome.revision }
                                }
                            }
                        }
                        try await server.program.wait(until: "\(count) operations are acknowledged") {
                            acknowledged.withLock { $0.count } >= count
                        }
                        try server.program.send(SIGKILL)
                        try await group.waitForAll()
                    }
                }
                #expect(killed.signal == SIGKILL)
                let next = try await workspace.serve { server in
                    let (id, revisions) = (board.withLock { $0 }, acknowledged.withLock { $0 })
                    let state = try await server.state(of: id)
                    let ids = Set(state.art.emojis.map(\.id))
                    #expect(ids.count == state.art.emojis.count)
                    #expect(ids.isSuperset(of: revisions.keys), "Lost: \(Set(revisions.keys).subtracting(ids))")
                    let log = try await server.entries(of: id)
                    #expect(log.entries.map(\.revision) == Array(1...log.revision))
                    #expect(state.revision == log.revision && ids.count == log.revision)
                    for (emoji, revision) in revisions {
                        #expect(log.entries[revision - 1].id == "add-\(emoji)")
                    }
                    // Resend operations, as a page does after a lost response: each operation is applied only once.
                    for name in ["a", "b", "c"] {
                        let last = revisions.keys.filter { $0.hasPrefix(name) }.count
                        for number in [last - 1, last] where number >= 0 {
                            let again = try await server.addDog("\(name)\(number)", to: id)
                            #expect(again?.refused == [])
                        }
                    }
                    let emojis = try await server.state(of: id).art.emojis.map(\.id)
                    #expect(Set(emojis).count == emojis.count)
                }
                #expect(next.exitCode == 0, "\(next.errors)")
                try await workspace.expectIntactData()
            }
        }

        @Test func killedDragEndsAtItsLastAcknowledgedStep() async throws {
            try await Workspace.with { workspace in
                let board = SharedValue("")
                let reached = SharedValue(0)
                let killed = try await workspace.serve { server in
                    let id = try await server.makeBoard()
                    board.withLock { $0 = id }
                    _ = try await server.addDog("d1", to: id)
                    async let drag: Void = {
                        for x in 1... {
                            let step = try await server.send(
                                #"{"op":"move","id":"d1","x":\#(x),"y":0}"#, as: "drag-\(x)", to: id)
                            guard step != nil else { return }
                            reached.withLock { $0 = x }
                        }
                    }()
                    try await server.program.wait(until: "ten steps of the drag are acknowledged") {
                        reached.withLock { $0 } >= 10
                    }
                    try server.program.send(SIGKILL)
                    try await drag
                }
                #expect(killed.signal == SIGKILL)
                try await workspace.serve { server in
                    let x = try #require(try await server.state(of: board.withLock { $0 }).art.emojis.first?.x)
                    // The last step may have been stored without an answer.
                    let last = Double(reached.withLock { $0 })
                    #expect(x == last || x == last + 1)
                }
            }
        }

        @Test func twoProcessesOnOneDatabaseSeeEachOthersOperations() async throws {
            try await Workspace.with { workspace in
                let first = try await workspace.serve { server in
                    let board = try await server.makeBoard()
                    // A server locks its data folder, so the second server uses a folder that links to the same files.
                    let second = "\(workspace.root)/second"
                    try workspace.makeFolder(second)
                    for name in ["meanwhile.sqlite", "blobs"] {
                        try FileManager.default.createSymbolicLink(
                            atPath: "\(second)/\(name)", withDestinationPath: "\(workspace.data)/\(name)")
                    }
                    let outcome = try await workspace.serve("--data", second) { other in
                        let file = "\(workspace.root)/board-events"
                        async let page: Void = workspace.follow(
                            other.origin + "/art/boards/\(board)/events?since=0", into: file)
                        func wait(until what: String) async throws {
                            try await other.program.wait(until: "the other server's page receives: \(what)") {
                                (try? String(contentsOfFile: file, encoding: .utf8))?.contains(what) == true
                            }
                        }
                        try await wait(until: "event: name")
                        #expect(try await server.addDog("d1", to: board)?.revision == 1)
                        try await wait(until: "add-d1")
                        #expect(try await other.addDog("d2", to: board)?.revision == 2)
                        #expect(try await server.addDog("d3", to: board)?.revision == 3)
                        try await wait(until: "add-d3")
                        // Both draw at the same time: each operation gets its own revision, and none is lost.
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            for (name, server) in [("a", server), ("b", other)] {
                                group.addTask {
                                    for number in 0..<15 { _ = try await server.addDog("\(name)\(number)", to: board) }
                                }
                            }
                            try await group.waitForAll()
                        }
                        for server in [server, other] {
                            try await eventually("it has the other server's last operation") {
                                try await server.state(of: board).revision == 33
                            }
                        }
                        let (first, second) = (try await server.state(of: board), try await other.state(of: board))
                        #expect(Set(first.art.emojis.map(\.id)) == Set(second.art.emojis.map(\.id)))
                        #expect(first.art.emojis.count == 33)
                        try other.program.send(SIGTERM)
                        try await page
                    }
                    #expect(outcome.exitCode == 0, "\(outcome.errors)")
                }
                #expect(first.exitCode == 0, "\(first.errors)")
                try await workspace.expectIntactData()
            }
        }

        /// Exports that together exceed the memory limit for buffered responses are complete even if clients read
        /// slowly.
        ///
        /// They also don't exhaust the server's memory.
        @Test func slowlyReadLargeExportsAreComplete() async throws {
            try await Workspace.with { workspace in
                try workspace.makeFile("exports.py", Self.exports)
                let outcome = try await workspace.serve { server in
                    let board = try await server.makeBoard()
                    let result = try await Subprocess.run(
                        .name("python3"), arguments: ["\(workspace.root)/exports.py", "\(server.port)", board],
                        output: .string(limit: 10_000), error: .string(limit: 100_000))
                    #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
                    #expect(result.standardOutput == "16 exports, each with its picture\n")
                    // The exports total 400 MB.
                    let memory = try server.peakMemory()
                    #expect(memory < 350_000_000, "\(memory) bytes")
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(workspace.names(in: workspace.data + "/incoming").isEmpty)
            }
        }

        /// Gives a board a picture of 19 MB, starts 16 exports, and reads a megabyte of each in turn, also while it
        /// waits for the next export, because the server ends a response of which nothing is read for a minute.
        ///
        /// Arguments: port and board.
        private static let exports = """
            import base64, http.client, json, os, socket, struct, sys, zlib
            port, board = int(sys.argv[1]), sys.argv[2]

            def chunk(kind, data):
                return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

            head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
            png = (b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"prVt", os.urandom(19_000_000))
                + chunk(b"IDAT", zlib.compress(bytes(2))) + chunk(b"IEND", b""))
            headers = {"Origin": f"http://127.0.0.1:{port}", "Accept": "application/json"}

            def send(path, body):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
                connection.request("POST", path, body, headers)
                response = connection.getresponse()
                answer = response.read()
                assert response.status in (200, 201), answer
                return json.loads(answer)

            picture = send(f"/art/boards/{board}/pictures", png)["picture"]
            operation = {"op": "background", "background": {"picture": picture}}
            answer = send(f"/art/boards/{board}/operations", json.dumps({"id": "a", "name": "n", "operations": [operation]}))
            assert not answer["refused"], answer
            responses, texts = [], []

            def read_parts():
                parts = [response.read(1_000_000) for response in responses]
                for number, part in enumerate(parts): texts[number] += part
                return any(parts)

            for _ in range(16):
                for _ in range(10):
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
                    connection.request("GET", f"/art/boards/{board}/export.json")
                    response = connection.getresponse()
                    # On a busy machine, the export may take longer than its limit of 30 s.
                    if response.status != 503: break
                    read_parts()
                assert response.status == 200, response.read()
                responses.append(response)
                texts.append(b"")
                read_parts()
            while read_parts(): pass
            for response, text in zip(responses, texts):
                assert len(text) == int(response.headers["Content-Length"]), f"{len(text)} bytes, {response.headers}"
                assert base64.b64encode(png[:3_000_000]) in text.replace(b"\\/", b"/")
            print(len(responses), "exports, each with its picture")
            """

        @Test(arguments: [("192.0.2.1", "failed"), ("127.0.0.0/8", "shown")])
        func backgroundIsFetchedOnlyFromAllowedAddresses(allowed: String, state: String) async throws {
            try await withSite { site, workspace in
                try await workspace.serve(environment: ["MEANWHILE_ALLOW": allowed]) { server in
                    let board = try await server.makeBoard()
                    let file = "\(workspace.root)/board-events"
                    async let page: Void = workspace.follow(
                        server.origin + "/art/boards/\(board)/events?since=0", into: file)
                    let address = site.address("/picture.png")
                    let set = try await server.send(
                        #"{"op":"background","background":{"address":"\#(address)"}}"#, as: "bg", to: board)
                    #expect(set == ArtOutcome(revision: 1, refused: []))
                    try await server.program.wait(until: "the picture is \(state)") {
                        (try? String(contentsOfFile: file, encoding: .utf8))?.contains(#""state":"\#(state)""#) == true
                    }
                    let picture = try await server.state(of: board).picture
                    #expect(picture.state == state)
                    #expect(site.requests.contains("/picture.png") == (state == "shown"))
                    if state == "failed" { #expect(picture.message?.contains("--allow 127.0.0.1") == true) }
                    try server.program.send(SIGTERM)
                    try await page
                }
            }
        }

        @Test func aBackgroundIsNotFetchedFromTheServerItself() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    let board = try await server.makeBoard()
                    let file = "\(workspace.root)/board-events"
                    async let page: Void = workspace.follow(
                        server.origin + "/art/boards/\(board)/events?since=0", into: file)
                    let address = "\(server.origin)/library/"
                    _ = try await server.send(
                        #"{"op":"background","background":{"address":"\#(address)"}}"#, as: "bg", to: board)
                    try await server.program.wait(until: "the picture has failed") {
                        (try? String(contentsOfFile: file, encoding: .utf8))?.contains(#""state":"failed""#) == true
                    }
                    let message = try await server.state(of: board).picture.message
                    #expect(message?.contains("this program's own port") == true, "\(message ?? "")")
                    try server.program.send(SIGTERM)
                    try await page
                }
            }
        }
    }
}
