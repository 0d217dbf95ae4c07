import FaultServer
import Foundation
import Futures
import HTTPTypes
import Loading
import StoreTesting
import Testing

@testable import HTTPFetching

/// Concurrent requests for the same resource.
@Suite(.timeLimit(.minutes(10))) struct SharedFetchTests {
    /// A server that sends its response in two halves, the second once the gate is open.
    private func halves(_ gate: Gate) async throws -> FaultServer {
        try await FaultServer.start([
            "/": { _, connection in
                try await connection.writeHead(200, [("Content-Length", "8")])
                try await connection.write("half")
                try await gate.wait()
                try await connection.write("full")
            }
        ])
    }

    @Test func tenThousandCallersShareOneTransfer() async throws {
        let gate = Gate()
        let server = try await halves(gate)
        let fetcher = try HTTPFetcher.local()
        let request = FetchRequest(server.url("/"))
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<10_000 { group.addTask { try await fetcher.fetch(request).data } }
            await eventually { fetcher.waiterCount(request) == 10_000 }
            gate.open()
            var count = 0
            for try await data in group where data == Data("halffull".utf8) { count += 1 }
            #expect(count == 10_000)
        }
        #expect(server.requests().count == 1 && server.connectionCount == 1)
        #expect(fetcher.flights.isIdle && fetcher.watchdog.count == 0)
        await server.close()
    }

    @Test func differentRequestsAreFetchedSeparately() async throws {
        let gate = Gate()
        let server = try await halves(gate)
        let fetcher = try HTTPFetcher.local()
        let url = server.url("/")
        let requests = [
            FetchRequest(url), FetchRequest(server.url("/?a")), FetchRequest(url, headers: [.acceptLanguage: "de"]),
            FetchRequest(url, expecting: .text), FetchRequest(url, method: .post), FetchRequest(server.url("/#same")),
        ]
        let tasks = requests.map { request in Task { try await fetcher.fetch(request).status } }
        await eventually { server.requests().count == 5 }
        gate.open()
        for task in tasks { #expect(try await task.value == 200) }
        #expect(server.requests().count == 5)
        await server.close()
    }

    @Test func lateCallerGetsTheCurrentProgress() async throws {
        let gate = Gate()
        let server = try await halves(gate)
        let fetcher = try HTTPFetcher.local()
        let request = FetchRequest(server.url("/"))
        let (first, second) = (Collected<FetchProgress>(), Collected<FetchProgress>())
        let one = Task { try await fetcher.fetch(request) { first.add($0) } }
        await eventually { first.elements == [FetchProgress(received: 4, expected: 8)] }
        let two = Task { try await fetcher.fetch(request) { second.add($0) } }
        await eventually { second.elements == [FetchProgress(received: 4, expected: 8)] }
        gate.open()
        _ = try await (one.value, two.value)
        await eventually { second.elements.last?.received == 8 && first.elements.last?.received == 8 }
        await server.close()
    }

    @Test func cancelledCallersDoNotCancelOthers() async throws {
        let gate = Gate()
        let server = try await halves(gate)
        let fetcher = try HTTPFetcher.local()
        let request = FetchRequest(server.url("/"))
        let tasks = (0..<10).map { _ in Task { await failure { _ = try await fetcher.fetch(request) } } }
        await eventually { fetcher.waiterCount(request) == 10 }
        for task in tasks.prefix(9) { task.cancel() }
        for task in tasks.prefix(9) { #expect(await task.value?.code == .cancelled) }
        #expect(fetcher.waiterCount(request) == 1)
        gate.open()
        #expect(await tasks[9].value == nil)
        await server.close()
    }

    @Test func transferEndsWhenItsLastCallerIsCancelled() async throws {
        let gate = Gate()
        let server = try await halves(gate)
        let fetcher = try HTTPFetcher.local()
        let request = FetchRequest(server.url("/"))
        let progress = Collected<FetchProgress>()
        let tasks = (0..<3).map { _ in
            Task { await failure { _ = try await fetcher.fetch(request) { progress.add($0) } } }
        }
        await eventually { fetcher.waiterCount(request) == 3 && progress.elements.count >= 3 }
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value?.code == .cancelled) }
        // The connection is closed a little later than the callers are told; until then, it could receive the rest of the
        // response, and be used again.
        await eventually {
            fetcher.flights.isIdle && fetcher.watchdog.count == 0 && server.openConnectionCount == 0
        }
        // A new caller starts a new transfer.
        gate.open()
        #expect(try await fetcher.fetch(request).status == 200)
        #expect(server.requests().count == 2)
        #expect(server.connectionCount == 2)
        await server.close()
    }

    @Test func alreadyCancelledTaskFailsWithCancelled() async throws {
        let server = try await FaultServer.start()
        let fetcher = try HTTPFetcher.local()
        let url = server.url("/")
        let gate = Gate()
        let task = Task {
            try? await gate.wait()
            return await failure { _ = try await fetcher.fetch(FetchRequest(url)) }
        }
        task.cancel()
        gate.open()
        #expect(await task.value?.code == .cancelled)
        await eventually { fetcher.flights.isIdle }
        await server.close()
    }

    @Test func failureReachesEveryCaller() async throws {
        let gate = Gate()
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await gate.wait()
                try await connection.respond(404, "")
            }
        ])
        let fetcher = try HTTPFetcher.local()
        let request = FetchRequest(server.url("/"))
        let tasks = (0..<100).map { _ in Task { await failure { _ = try await fetcher.fetch(request) } } }
        await eventually { fetcher.waiterCount(request) == 100 }
        gate.open()
        for task in tasks { #expect(await task.value?.status == 404) }
        #expect(server.requests().count == 1)
        await server.close()
    }

    /// Cancels callers at arbitrary moments on all threads: each call must finish, and nothing may stay registered.
    @Test func cancellationsAtAnyMomentLeaveNoTransfer() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.respond(200, Data(count: 20_000))
            }
        ])
        let fetcher = try HTTPFetcher.local()
        let requests = (0..<5).map { FetchRequest(server.url("/?\($0)")) }
        for round in 0..<40 {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let task = Task {
                            await failure { _ = try await fetcher.fetch(requests[number % 5]) }
                        }
                        for _ in 0..<(round * number % 97) { await Task.yield() }
                        if number % 3 > 0 { task.cancel() }
                        let code = await task.value?.code
                        #expect(code == nil || code == .cancelled)
                    }
                }
            }
        }
        await eventually { fetcher.flights.isIdle && fetcher.watchdog.count == 0 }
        await server.close()
    }
}
