import DurableFiles
import FaultServer
import Foundation
import Futures
import HTTPTypes
import Loading
import StoreTesting
import Testing

@testable import HTTPFetching

/// What is fetched, and what is served of what was fetched before, by a cache of either kind.
@Suite(.timeLimit(.minutes(10))) struct CachedFetchTests {
    let folder: TemporaryFolder
    let date = ManualDate()

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func fetcher(_ kind: StorageKind, faults: Collected<FileError> = Collected()) throws -> HTTPFetcher {
        let date = date
        let cache = HTTPCache(storage: kind.make(folder), now: { date.now }, reportFault: { faults.add($0) })
        return try HTTPFetcher.local(cache: cache)
    }

    private func get(_ fetcher: HTTPFetcher, _ url: URL, _ headers: HTTPFields = [:]) async throws -> FetchedResource {
        try await fetcher.fetch(FetchRequest(url, headers: headers))
    }

    @Test(arguments: StorageKind.allCases)
    func whatIsFreshIsNotAskedFor(kind: StorageKind) async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.answer(200, [("Cache-Control", "max-age=60"), ("X-A", "b")], "content")
            }
        ])
        let fetcher = try fetcher(kind)
        #expect(try await get(fetcher, server.url("/")).origin == .network)
        date.advance(by: 30)
        let second = try await get(fetcher, server.url("/"))
        #expect(second.origin == .cache && second.data == Data("content".utf8) && second.isFromCache)
        #expect(second.headers[.age] == "30" && second.headers.contains { $0.name.rawName == "X-A" })
        // Another fetcher finds it too, if it is kept anywhere.
        #expect(server.requests().count == 1)
        date.advance(by: 31)
        #expect(try await get(fetcher, server.url("/")).origin == .network)
        #expect(server.requests().count == 2)
        await server.close()
    }

    @Test func anotherFetcherFindsWhatIsOnDisk() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.answer(200, [("Cache-Control", "max-age=60")], "content")
            }
        ])
        _ = try await get(fetcher(.disk), server.url("/"))
        #expect(try await get(fetcher(.disk), server.url("/")).origin == .cache)
        await server.close()
    }

    @Test(arguments: StorageKind.allCases)
    func whatIsStaleIsAskedAbout(kind: StorageKind) async throws {
        let server = try await FaultServer.start()
        server.on("/") { request, connection in
            if request.headers["if-none-match"] == "\"a\"" {
                try await connection.answer(
                    304, [("ETag", "\"a\""), ("Cache-Control", "max-age=60"), ("X-New", "1")], "")
            } else {
                try await connection.answer(200, [("ETag", "\"a\""), ("Cache-Control", "max-age=1")], "content")
            }
        }
        let fetcher = try fetcher(kind)
        _ = try await get(fetcher, server.url("/"))
        date.advance(by: 10)
        let second = try await get(fetcher, server.url("/"))
        #expect(second.origin == .revalidated && second.data == Data("content".utf8) && second.status == 200)
        #expect(second.headers.contains { $0.name.rawName == "X-New" })
        date.advance(by: 50)
        #expect(try await get(fetcher, server.url("/")).origin == .cache)
        date.advance(by: 20)
        // A storm of them: each is asked about, and none brings the content again.
        for _ in 0..<20 {
            date.advance(by: 100)
            #expect(try await get(fetcher, server.url("/")).origin == .revalidated)
        }
        #expect(server.requests().count { $0.headers["if-none-match"] == nil } == 1)
        await server.close()
    }

    @Test(arguments: StorageKind.allCases)
    func whatSaysThatAnotherIsGoodIsAskedAnew(kind: StorageKind) async throws {
        let server = try await FaultServer.start()
        server.on("/") { request, connection in
            if request.headers["if-none-match"] != nil {
                try await connection.answer(304, [("ETag", "\"other\"")], "")
            } else {
                try await connection.answer(200, [("ETag", "\"a\""), ("Cache-Control", "max-age=1")], "content")
            }
        }
        let fetcher = try fetcher(kind)
        _ = try await get(fetcher, server.url("/"))
        date.advance(by: 10)
        #expect(try await get(fetcher, server.url("/")).origin == .network)
        #expect(server.requests().count == 3)
        await server.close()
    }

    @Test(arguments: StorageKind.allCases)
    func whatVariesIsKeptApart(kind: StorageKind) async throws {
        let server = try await FaultServer.start([
            "/": { request, connection in
                let headers = [("Vary", "Accept-Language"), ("Cache-Control", "max-age=60")]
                try await connection.answer(200, headers, "in \(request.headers["accept-language"] ?? "none")")
            }
        ])
        let fetcher = try fetcher(kind)
        for language in ["de", "fr", "de", "fr"] {
            let resource = try await get(fetcher, server.url("/"), [.acceptLanguage: language])
            #expect(resource.data == Data("in \(language)".utf8))
        }
        #expect(server.requests().count == 2)
        #expect(try await get(fetcher, server.url("/")).data == Data("in none".utf8))
        await server.close()
    }

    @Test(arguments: StorageKind.allCases)
    func whatMayNotBeKeptIsNot(kind: StorageKind) async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.answer(200, [("Cache-Control", "no-store, max-age=60")], "secret")
            }
        ])
        let fetcher = try fetcher(kind)
        for _ in 0..<2 { _ = try await get(fetcher, server.url("/")) }
        #expect(server.requests().count == 2)
        #expect(folder.files().isEmpty)
        await server.close()
    }

    @Test(arguments: StorageKind.allCases)
    func whatIsStaleIsServedWhileItIsAskedFor(kind: StorageKind) async throws {
        let gate = Gate()
        let server = try await FaultServer.start()
        server.on("/") { [weak server] _, connection in
            let number = server?.requests().count ?? 0
            if number > 1 { try await gate.wait() }
            let headers = [("Cache-Control", "max-age=10, stale-while-revalidate=60")]
            try await connection.answer(200, headers, "version \(number)")
        }
        let fetcher = try fetcher(kind)
        _ = try await get(fetcher, server.url("/"))
        date.advance(by: 20)
        // Nobody waits, and it is asked for once.
        for _ in 0..<5 {
            let resource = try await get(fetcher, server.url("/"))
            #expect(resource.origin == .staleWhileRevalidating && resource.data == Data("version 1".utf8))
        }
        gate.open()
        await eventually { fetcher.fetching.flights.isIdle }
        let fresh = try await get(fetcher, server.url("/"))
        #expect(fresh.origin == .cache && fresh.data == Data("version 2".utf8))
        #expect(server.requests().count == 2)
        await server.close()
    }

    @Test(arguments: StorageKind.allCases)
    func whatIsStaleIsServedAfterAnErrorWhereThatIsAllowed(kind: StorageKind) async throws {
        let server = try await FaultServer.start()
        let isBroken = Collected<Int>()
        func route(_ control: String) -> FaultServer.Route {
            { _, connection in
                switch isBroken.elements.last {
                case 503: try await connection.answer(503, "no")
                case 0: try await connection.end()
                default: try await connection.answer(200, [("Cache-Control", control)], "content")
                }
            }
        }
        server.on("/may", route("max-age=1, stale-if-error=60"))
        server.on("/not", route("max-age=1"))
        let fetcher = try fetcher(kind)
        for path in ["/may", "/not"] { _ = try await get(fetcher, server.url(path)) }
        date.advance(by: 10)
        for broken in [503, 0] {
            isBroken.add(broken)
            let resource = try await get(fetcher, server.url("/may"))
            guard case .staleAfterError(let reason) = resource.origin else {
                Issue.record("\(resource.origin)")
                continue
            }
            #expect(resource.data == Data("content".utf8) && !reason.isEmpty)
            let error = await failure { _ = try await get(fetcher, server.url("/not")) }
            #expect(error?.code == (broken == 503 ? .unavailable : .cutOff))
        }
        date.advance(by: 60)
        #expect(await failure { _ = try await get(fetcher, server.url("/may")) } != nil)
        await server.close()
    }

    @Test(arguments: StorageKind.allCases)
    func whatIsChangedIsDropped(kind: StorageKind) async throws {
        let server = try await FaultServer.start([
            "/": { request, connection in
                try await connection.answer(200, [("Cache-Control", "max-age=60")], request.method)
            }
        ])
        let fetcher = try fetcher(kind)
        _ = try await get(fetcher, server.url("/"))
        _ = try await fetcher.fetch(FetchRequest(server.url("/"), method: .post))
        #expect(try await get(fetcher, server.url("/")).origin == .network)
        #expect(server.requests().count == 3)
        await server.close()
    }

    @Test(arguments: StorageKind.allCases)
    func theCacheIsUsedAsAsked(kind: StorageKind) async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.answer(200, [("Cache-Control", "max-age=60")], "content")
            }
        ])
        let fetcher = try fetcher(kind)
        func get(_ use: FetchRequest.CacheUse) async throws -> FetchedResource {
            try await fetcher.fetch(FetchRequest(server.url("/"), cacheUse: use))
        }
        let none = await failure { _ = try await get(.onlyCached) }
        #expect(none?.code == .notCached && none?.retryAdvice == .never)
        #expect(try await get(.preferCached).origin == .network)
        date.advance(by: 100)
        #expect(try await get(.preferCached).origin == .stale)
        #expect(try await get(.onlyCached).origin == .stale)
        #expect(try await get(.ignored).origin == .network)
        #expect(try await get(.onlyCached).origin == .stale)
        #expect(try await get(.revalidate).origin == .network)
        #expect(try await get(.standard).origin == .cache)
        #expect(server.requests().count == 3)
        await server.close()
    }

    @Test(arguments: StorageKind.allCases)
    func redirectsAndFailuresAreKeptToo(kind: StorageKind) async throws {
        let server = try await FaultServer.start([
            "/moved": { _, connection in
                try await connection.answer(301, [("Location", "/here"), ("Cache-Control", "max-age=60")], "")
            },
            "/here": { _, connection in try await connection.answer(200, [("Cache-Control", "max-age=60")], "x") },
            "/none": { _, connection in try await connection.answer(404, [("Cache-Control", "max-age=60")], "no") },
        ])
        let fetcher = try fetcher(kind)
        for _ in 0..<3 {
            let resource = try await get(fetcher, server.url("/moved"))
            #expect(resource.url == server.url("/here"))
            #expect(await failure { _ = try await get(fetcher, server.url("/none")) }?.status == 404)
        }
        #expect(server.requests().count == 3)
        await server.close()
    }

    @Test(arguments: StorageKind.allCases)
    func partsAreNotServedAsTheWhole(kind: StorageKind) async throws {
        let server = try await FaultServer.start([
            "/": { request, connection in
                if request.headers["range"] != nil {
                    let headers = [
                        ("Content-Range", "bytes 0-3/8"), ("Cache-Control", "max-age=60"), ("ETag", "\"a\""),
                    ]
                    try await connection.answer(206, headers, "half")
                } else {
                    try await connection.answer(200, [("Cache-Control", "max-age=60"), ("ETag", "\"a\"")], "halffull")
                }
            }
        ])
        let fetcher = try fetcher(kind)
        let part = try await get(fetcher, server.url("/"), [.range: "bytes=0-3"])
        #expect(part.status == 206 && part.data == Data("half".utf8))
        #expect(try await get(fetcher, server.url("/")).data == Data("halffull".utf8))
        #expect(try await get(fetcher, server.url("/"), [.range: "bytes=0-3"]).data == Data("half".utf8))
        #expect(server.requests().count == 3)
        await server.close()
    }

    /// Half of a picture must not pass as the picture.
    @Test func aPartThatNobodyAskedForIsAnError() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.answer(206, [("Content-Range", "bytes 0-3/8")], "half") }
        ])
        let fetcher = try fetcher(.memory)
        #expect(await failure { _ = try await get(fetcher, server.url("/")) }?.code == .garbled)
        await server.close()
    }

    @Test(arguments: StorageKind.allCases)
    func whatIsCutOffIsNotKept(kind: StorageKind) async throws {
        let server = try await FaultServer.start()
        server.on("/") { [weak server] _, connection in
            if server?.requests().count == 1 {
                try await connection.begin(200, [("Cache-Control", "max-age=60"), ("Content-Length", "100")])
                try await connection.write("only this")
                try await connection.end()
            } else {
                try await connection.answer(200, [("Cache-Control", "max-age=60")], "all of it")
            }
        }
        let fetcher = try fetcher(kind)
        #expect(await failure { _ = try await get(fetcher, server.url("/")) }?.code == .cutOff)
        #expect(try await get(fetcher, server.url("/")).data == Data("all of it".utf8))
        await server.close()
    }

    @Test func whatHasChangedOnDiskIsFetchedAgain() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.answer(200, [("Cache-Control", "max-age=60"), ("ETag", "\"a\"")], "content")
            }
        ])
        let fetcher = try fetcher(.disk)
        _ = try await get(fetcher, server.url("/"))
        let file = try #require(folder.files("/cache/contents").first)
        try Data("cOntent".utf8).write(to: URL(filePath: file))
        let resource = try await get(fetcher, server.url("/"))
        #expect(resource.origin == .network && resource.data == Data("content".utf8))
        #expect(try await get(fetcher, server.url("/")).origin == .cache)
        #expect(server.requests().count == 2)
        await server.close()
    }

    @Test func aFolderThatCannotBeWrittenKeepsNothingFromBeingFetched() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.answer(200, [("Cache-Control", "max-age=60")], "content")
            }
        ])
        // A file is where the folder should be: not even root can write there.
        try Data().write(to: URL(filePath: folder.path + "/cache"))
        let faults = Collected<FileError>()
        let fetcher = try fetcher(.disk, faults: faults)
        for _ in 0..<3 { #expect(try await get(fetcher, server.url("/")).data == Data("content".utf8)) }
        #expect(server.requests().count == 3)
        // Told once, not each time.
        #expect(faults.elements.count == 1)
        #expect(fetcher.fetching.cache?.fault?.message.contains(folder.path) == true)
        try FileManager.default.removeItem(atPath: folder.path + "/cache")
        for _ in 0..<2 { _ = try await get(fetcher, server.url("/")) }
        #expect(server.requests().count == 4 && fetcher.fetching.cache?.fault == nil)
        await server.close()
    }

    @Test func whatIsServedMustBeWhatIsExpected() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.answer(200, [("Cache-Control", "max-age=60")], "just text")
            }
        ])
        let fetcher = try fetcher(.memory)
        _ = try await get(fetcher, server.url("/"))
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"), expecting: .image)) }
        #expect(error?.code == .unexpectedType && server.requests().count == 1)
        let limits = FetchLimits(bytes: 3)
        let large = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"), limits: limits)) }
        #expect(large?.code == .tooLarge)
        await server.close()
    }
}
