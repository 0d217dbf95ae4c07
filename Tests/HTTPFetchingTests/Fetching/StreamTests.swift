import FaultServer
import Foundation
import StoreTesting
import Testing

@testable import HTTPFetching

/// Streamed responses.
@Suite(.timeLimit(.minutes(10))) struct StreamTests {
    @Test func piecesAreDeliveredAsTheyArrive() async throws {
        let gate = Gate()
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.answer(302, [("Location", "/2")], "") },
            "/2": { _, connection in
                try await connection.begin(404, [("Content-Length", "6")])
                try await connection.write("one")
                try await gate.wait()
                try await connection.write("two")
            },
        ])
        let fetcher = try HTTPFetcher.local()
        let text = try await fetcher.stream(FetchRequest(server.url("/"))) { head, bytes in
            var text = "\(head.status) \(head.contentLength ?? 0) \(head.url.path)"
            for try await piece in bytes {
                text += " " + String(decoding: piece, as: UTF8.self)
                gate.open()
            }
            return text
        }
        #expect(text == "404 6 /2 one two")
        await server.close()
    }

    @Test func streamFailsAtItsByteLimit() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.begin(200, [("Transfer-Encoding", "chunked")])
                try await connection.write("7d0\r\n" + String(repeating: "x", count: 2_000) + "\r\n0\r\n\r\n")
            }
        ])
        let fetcher = try HTTPFetcher.local(limits: FetchLimits { $0.bytes = 1_000 })
        let error = await failure {
            try await fetcher.stream(FetchRequest(server.url("/"))) { _, bytes in for try await _ in bytes {} }
        }
        #expect(error?.code == .tooLarge)
        await server.close()
    }

    @Test func cancelledStreamEnds() async throws {
        let gate = Gate()
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.begin(200, [("Content-Length", "100")])
                try await connection.write("x")
                try await gate.wait()
            }
        ])
        let fetcher = try HTTPFetcher.local()
        let pieces = Collected<Data>()
        let url = server.url("/")
        let task = Task {
            await failure {
                try await fetcher.stream(FetchRequest(url)) { _, bytes in
                    for try await piece in bytes { pieces.add(piece) }
                }
            }
        }
        await eventually { pieces.elements.count == 1 }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        await server.close()
    }

    @Test func errorOfTheBodyIsRethrown() async throws {
        struct Enough: Error {}
        let server = try await FaultServer.start(["/": { _, connection in try await connection.answer(200, "x") }])
        let fetcher = try HTTPFetcher.local()
        await #expect(throws: Enough.self) {
            try await fetcher.stream(FetchRequest(server.url("/"))) { _, _ in throw Enough() }
        }
        await server.close()
    }
}
