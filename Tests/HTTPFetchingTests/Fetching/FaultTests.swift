import FaultServer
import Foundation
import HTTPTypes
import Loading
import Testing
import VirtualTime

@testable import HTTPFetching

/// Servers that are slow, wrong or silent: each fetch ends, and says what it was.
@Suite(.timeLimit(.minutes(2))) struct FaultTests {
    /// Lets time pass, whenever somebody waits for it, until a fetch has ended.
    private func passingTime(_ clock: ManualClock, _ fetch: @escaping @Sendable () async throws -> Void) async
        -> FetchError?
    {
        let outcome = Task { await failure(fetch) }
        let passing = Task {
            while !Task.isCancelled {
                if clock.sleeperCount > 0 { clock.advance(by: .seconds(1)) }
                await Task.yield()
            }
        }
        defer { passing.cancel() }
        return await outcome.value
    }

    @Test func noAnswerAtAll() async throws {
        let gate = Gate()
        let server = try await FaultServer.start(["/": { _, _ in try await gate.wait() }])
        let clock = ManualClock()
        let fetcher = try HTTPFetcher.local(limits: FetchLimits(firstByte: .seconds(7)), clock: clock)
        let url = server.url("/")
        let error = await passingTime(clock) { _ = try await fetcher.fetch(FetchRequest(url)) }
        #expect(error?.code == .timedOut && error?.limit == .firstByte && error?.retryAdvice == .retry(after: nil))
        #expect(error?.message.contains("7.0 s") == true)
        // It has hung up.
        await eventually { server.openConnectionCount == 1 }
        await server.close()
    }

    @Test func headersThatNeverEnd() async throws {
        let gate = Gate()
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Le")
                try await gate.wait()
            }
        ])
        let clock = ManualClock()
        let fetcher = try HTTPFetcher.local(limits: FetchLimits(firstByte: .seconds(7)), clock: clock)
        let url = server.url("/")
        let error = await passingTime(clock) { _ = try await fetcher.fetch(FetchRequest(url)) }
        #expect(error?.code == .timedOut && error?.limit == .firstByte)
        await server.close()
    }

    @Test func aBodyThatStops() async throws {
        let gate = Gate()
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.begin(200, [("Content-Length", "100")])
                try await connection.write("something")
                try await gate.wait()
            }
        ])
        let clock = ManualClock()
        let limits = FetchLimits(firstByte: .seconds(1_000), idle: .seconds(7), whole: .seconds(10_000))
        let fetcher = try HTTPFetcher.local(limits: limits, clock: clock)
        let url = server.url("/")
        let error = await passingTime(clock) { _ = try await fetcher.fetch(FetchRequest(url)) }
        #expect(error?.code == .timedOut && error?.limit == .idle)
        await server.close()
    }

    @Test func aBodyThatNeverEnds() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.begin(200, [("Transfer-Encoding", "chunked")])
                while true { try await connection.write("1\r\nx\r\n") }
            }
        ])
        let clock = ManualClock()
        let limits = FetchLimits(
            bytes: 1 << 30, firstByte: .seconds(10_000), idle: .seconds(10_000), whole: .seconds(9))
        let fetcher = try HTTPFetcher.local(limits: limits, clock: clock)
        let url = server.url("/")
        let error = await passingTime(clock) { _ = try await fetcher.fetch(FetchRequest(url)) }
        #expect(error?.code == .timedOut && error?.limit == .whole)
        await server.close()
    }

    @Test func aSlowBodyIsWaitedFor() async throws {
        let gate = Gate()
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.begin(200, [("Content-Length", "8")])
                try await connection.write("half")
                try await gate.wait()
                try await connection.write("full")
            }
        ])
        let fetcher = try HTTPFetcher.local()
        let progress = Collected<FetchProgress>()
        let url = server.url("/")
        let resource = Task { try await fetcher.fetch(FetchRequest(url)) { progress.add($0) } }
        await eventually { progress.elements.last == FetchProgress(received: 4, expected: 8) }
        gate.open()
        #expect(try await resource.value.data == Data("halffull".utf8))
        await server.close()
    }
}

extension FaultTests {
    private func code(_ limits: FetchLimits = .standard, _ route: @escaping FaultServer.Route) async throws
        -> FetchError?
    {
        let server = try await FaultServer.start(["/": route])
        let fetcher = try HTTPFetcher.local(limits: limits)
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"))) }
        await server.close()
        return error
    }

    @Test func aBodyThatIsCutOff() async throws {
        let error = try await code { _, connection in
            try await connection.begin(200, [("Content-Length", "100")])
            try await connection.write("only this")
            try await connection.end()
        }
        #expect(error?.code == .cutOff && error?.retryAdvice == .retry(after: nil))
    }

    @Test func chunksThatAreCutOff() async throws {
        let error = try await code { _, connection in
            try await connection.begin(200, [("Transfer-Encoding", "chunked")])
            try await connection.write("5\r\nhello\r\n")
            try await connection.end()
        }
        #expect(error?.code == .cutOff)
    }

    @Test func chunksThatAreNone() async throws {
        let error = try await code { _, connection in
            try await connection.begin(200, [("Transfer-Encoding", "chunked")])
            try await connection.write("ZZZ\r\nthis is no chunk\r\n")
        }
        #expect(error?.code == .garbled && error?.retryAdvice == .retry(after: nil))
    }

    @Test func whatIsNoHTTP() async throws {
        let error = try await code { _, connection in try await connection.write("SSH-2.0-OpenSSH_9.2\r\n\r\n") }
        #expect(error?.code == .garbled)
    }

    @Test func aConnectionThatIsClosedWithoutAnAnswer() async throws {
        let server = try await FaultServer.start(["/": { _, connection in try await connection.end() }])
        let fetcher = try HTTPFetcher.local()
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"))) }
        #expect(error?.code == .cutOff)
        // Once more, and no more: it may have been kept open for too long.
        #expect(server.requests().count == 2)
        let post = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"), method: .post)) }
        #expect(post?.code == .cutOff && server.requests().count == 3)
        await server.close()
    }

    @Test func twoLengths() async throws {
        let error = try await code { _, connection in
            try await connection.begin(200, [("Content-Length", "5"), ("Content-Length", "6")])
            try await connection.write("hello")
        }
        #expect(error?.code == .garbled)
    }

    @Test func moreThanIsAllowedIsRefusedBeforeItComes() async throws {
        let gate = Gate()
        let error = try await code(FetchLimits(bytes: 1_000)) { _, connection in
            try await connection.begin(200, [("Content-Length", "1001")])
            try await gate.wait()
        }
        #expect(error?.code == .tooLarge && error?.limit == .bytes && error?.retryAdvice == .never)
    }

    @Test func moreThanIsAllowedIsRefusedAsItComes() async throws {
        let gate = Gate()
        let error = try await code(FetchLimits(bytes: 1_000)) { _, connection in
            try await connection.begin(200, [("Transfer-Encoding", "chunked")])
            try await connection.write("3e9\r\n" + String(repeating: "x", count: 1_001) + "\r\n")
            try await gate.wait()
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func asMuchAsIsAllowed() async throws {
        let error = try await code(FetchLimits(bytes: 1_000)) { _, connection in
            try await connection.answer(200, Data(count: 1_000))
        }
        #expect(error == nil)
    }

    @Test func aBombOfGzip() async throws {
        let bomb = Gzip.bomb(200_000_000)
        #expect(bomb.count < 2_000_000)
        let error = try await code(FetchLimits(bytes: 3_000_000)) { _, connection in
            try await connection.answer(200, [("Content-Encoding", "gzip")], bomb)
        }
        #expect(error?.code == .tooLarge && error?.limit == .bytes)
    }

    @Test func whatCannotBeDecompressed() async throws {
        let error = try await code { _, connection in
            try await connection.answer(200, [("Content-Encoding", "gzip")], "this is no gzip")
        }
        #expect(error?.code == .garbled)
    }

    @Test(arguments: [1, 40])
    func tooManyHeaderFields(lines: Int) async throws {
        let error = try await code(FetchLimits(headerBytes: 10_000)) { _, connection in
            let value = String(repeating: "x", count: 20_000 / lines)
            try await connection.answer(200, (0..<lines).map { ("X-\($0)", value) }, "")
        }
        #expect(error?.code == .tooLarge && error?.limit == .headerBytes)
    }

    @Test func nothingHasChangedThoughNobodyAsked() async throws {
        let error = try await code { _, connection in try await connection.answer(304, "") }
        #expect(error?.code == .garbled)
    }
}

/// What comes is not what it should be.
@Suite(.timeLimit(.minutes(2))) struct ExpectationTests {
    @Test func aPageIsNoPicture() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.answer(200, [("Content-Type", "image/png")], "<!DOCTYPE html><p>Not found</p>")
            },
            "/png": { _, connection in
                try await connection.answer(
                    200, [("Content-Type", "text/html")], Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
            },
            "/empty": { _, connection in try await connection.answer(200, "") },
        ])
        let fetcher = try HTTPFetcher.local()
        let error = await failure {
            _ = try await fetcher.fetch(FetchRequest(server.url("/"), expecting: .image))
        }
        #expect(error?.code == .unexpectedType && error?.sniffedType == .html && error?.retryAdvice == .never)
        #expect(error?.message.contains("not an image, but a page of HTML") == true)
        #expect(try await fetcher.fetch(FetchRequest(server.url("/png"), expecting: .image)).sniffedType == .png)
        let empty = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/empty"), expecting: .text)) }
        #expect(empty?.sniffedType == .nothing)
        await server.close()
    }

    @Test func itsFirstBytesAreEnoughToRefuseIt() async throws {
        let gate = Gate()
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.begin(200, [("Content-Length", "1000000")])
                try await connection.write("<html>" + String(repeating: " ", count: 2_000))
                try await gate.wait()
            }
        ])
        let fetcher = try HTTPFetcher.local()
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"), expecting: .pdf)) }
        #expect(error?.code == .unexpectedType)
        await server.close()
    }
}

/// Transfers that break, and go on where they broke.
@Suite(.timeLimit(.minutes(2))) struct ResumingTests {
    private static let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) })

    /// Sends some of the content each time, and says what a range is to be.
    private static func breaking(
        every count: Int, tag: @escaping @Sendable (Int) -> String = { _ in "\"a\"" },
        range: @escaping @Sendable (Int) -> String = { "bytes \($0)-99999/100000" }
    ) -> FaultServer.Route {
        { request, connection in
            let asked = request.headers["range"].flatMap { Int($0.dropFirst(6).dropLast()) }
            let start = request.headers["if-range"] == tag(asked ?? 0) ? asked ?? 0 : 0
            let rest = content[start...]
            var headers = [("ETag", tag(start)), ("Content-Length", "\(rest.count)")]
            if start > 0 { headers.append(("Content-Range", range(start))) }
            try await connection.begin(start > 0 ? 206 : 200, headers)
            try await connection.write(Data(rest.prefix(count)))
            if rest.count > count { try await connection.end() }
        }
    }

    @Test(arguments: [false, true])
    func whatBrokeGoesOn(toFile: Bool) async throws {
        let folder = try TestFolder()
        let server = try await FaultServer.start(["/": Self.breaking(every: 30_000)])
        let fetcher = try HTTPFetcher.local()
        let destination = toFile ? FetchRequest.Destination.file(folder.path + "/out") : .memory
        let resource = try await fetcher.fetch(FetchRequest(server.url("/"), destination: destination))
        let content = toFile ? FileManager.default.contents(atPath: folder.path + "/out") : resource.data
        #expect(content == Self.content && resource.status == 200)
        #expect(
            server.requests().map { $0.headers["range"] } == [nil, "bytes=30000-", "bytes=60000-", "bytes=90000-"])
        #expect(server.requests().dropFirst().allSatisfy { $0.headers["if-range"] == "\"a\"" })
        #expect(server.requests().dropFirst().allSatisfy { $0.headers["accept-encoding"] == "identity" })
        await server.close()
    }

    @Test func thereIsAnEnd() async throws {
        let server = try await FaultServer.start(["/": Self.breaking(every: 10_000)])
        let fetcher = try HTTPFetcher.local(limits: FetchLimits(resumptions: 2))
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"))) }
        #expect(error?.code == .cutOff && server.requests().count == 3)
        await server.close()
    }

    @Test func anotherContentBeginsAnew() async throws {
        // It changes while it is fetched: what came of the first is of no use.
        let server = try await FaultServer.start()
        server.on("/") { [weak server] request, connection in
            let isFirst = server?.requests().count == 1
            try await connection.begin(200, [("ETag", isFirst ? "\"a\"" : "\"b\""), ("Content-Length", "100000")])
            try await connection.write(isFirst ? Data(repeating: 1, count: 50_000) : Self.content)
            if isFirst { try await connection.end() }
        }
        let resource = try await HTTPFetcher.local().fetch(FetchRequest(server.url("/")))
        #expect(resource.data == Self.content && resource.headers[.eTag] == "\"b\"")
        #expect(server.requests().count == 2)
        await server.close()
    }

    @Test(arguments: ["bytes 0-99999/100000", "bytes 30001-99999/100000", "nonsense"])
    func aWrongRangeIsAskedForAnew(range: String) async throws {
        let server = try await FaultServer.start()
        server.on("/") { [weak server] request, connection in
            switch server?.requests().count {
            case 1: try await Self.breaking(every: 30_000)(request, connection)
            case 2: try await Self.breaking(every: 100_000, range: { _ in range })(request, connection)
            default: try await connection.answer(200, Self.content)
            }
        }
        let resource = try await HTTPFetcher.local().fetch(FetchRequest(server.url("/")))
        #expect(resource.data == Self.content)
        #expect(server.requests().map { $0.headers["range"] } == [nil, "bytes=30000-", nil])
        await server.close()
    }

    @Test func withoutAValidatorItStaysBroken() async throws {
        let server = try await FaultServer.start(["/": Self.breaking(every: 30_000, tag: { _ in "W/\"a\"" })])
        let error = await failure { _ = try await HTTPFetcher.local().fetch(FetchRequest(server.url("/"))) }
        #expect(error?.code == .cutOff && server.requests().count == 1)
        await server.close()
    }
}

/// What is handed on as it arrives.
@Suite(.timeLimit(.minutes(2))) struct StreamTests {
    @Test func piecesComeAsTheyAreSent() async throws {
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

    @Test func limitsHoldToo() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.begin(200, [("Transfer-Encoding", "chunked")])
                try await connection.write("7d0\r\n" + String(repeating: "x", count: 2_000) + "\r\n0\r\n\r\n")
            }
        ])
        let fetcher = try HTTPFetcher.local(limits: FetchLimits(bytes: 1_000))
        let error = await failure {
            try await fetcher.stream(FetchRequest(server.url("/"))) { _, bytes in for try await _ in bytes {} }
        }
        #expect(error?.code == .tooLarge)
        await server.close()
    }

    @Test func whoIsCancelledHangsUp() async throws {
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

    @Test func whatTheBodyThrowsIsThrown() async throws {
        struct Enough: Error {}
        let server = try await FaultServer.start(["/": { _, connection in try await connection.answer(200, "x") }])
        let fetcher = try HTTPFetcher.local()
        await #expect(throws: Enough.self) {
            try await fetcher.stream(FetchRequest(server.url("/"))) { _, _ in throw Enough() }
        }
        await server.close()
    }
}
