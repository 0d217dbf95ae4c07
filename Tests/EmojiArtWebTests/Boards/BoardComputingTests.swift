import Dispatch
import EmojiArtModel
import Foundation
import Futures
import FuturesFoundation
import HTTPTypes
import Loading
import Persistence
import Testing
import VirtualTime

@testable import EmojiArtWeb

/// Tests that long computations with large boards don't delay other requests.
@Suite(.timeLimit(.minutes(10))) struct BoardComputingTests {
    /// Threads that are all blocked until they are released.
    ///
    /// Their time limits are measured by a clock that only the test advances.
    private final class HeldThreads: Sendable {
        let clock = ManualClock()
        let threads: WorkerThreads
        private let semaphore = DispatchSemaphore(value: 0)

        init() {
            threads = WorkerThreads(limit: 2, clock: clock)
        }

        /// Returns once all threads are blocked.
        func hold() async {
            let held = (0..<2).map { _ in Promise<Void, Never>() }
            for promise in held {
                Task {
                    await threads.runUncancellable { [semaphore] _ in
                        promise.resolve(())
                        semaphore.wait()
                    }
                }
            }
            for promise in held { await promise.future.value }
        }

        func release() {
            for _ in 0..<2 { semaphore.signal() }
        }
    }

    private static func large() throws -> EmojiArt {
        try EmojiArt(
            background: .blank,
            emojis: (0..<1_000).map { number in
                Emoji(id: EmojiID(number), text: "🐶", x: Double(number), y: 0, size: 40, z: 1)
            })
    }

    @Test func otherRequestsAreAnsweredWhileLargeBoardsHoldAllThreads() async throws {
        let held = HeldThreads()
        try await BoardServer.run(threads: held.threads) { server in
            try await server.createBoard("large", art: try Self.large())
            try await server.createBoard("small")
            await held.hold()
            async let state = server.ask(.get, "/art/boards/large/state")
            async let drawing = server.ask(.get, "/art/boards/large/export.svg")
            async let file = server.ask(.get, "/art/boards/large/export.json")
            for number in 0..<5 {
                #expect(try await server.ask(.get, "/art/").status == 200)
                #expect(try await server.ask(.get, "/art/boards/small").status == 200)
                #expect(
                    try await server.send(BoardServer.dog("d\(number)"), as: "b\(number)", to: "small").status == 200)
                #expect(try await server.state("small").art.emojis.count == number + 1)
            }
            held.release()
            #expect(try await state.status == 200)
            #expect(try await drawing.text.contains("🐶"))
            #expect(try await file.status == 200)
        }
    }

    @Test func requestForALargeBoardIsRefusedAfterThirtySecondsWithoutAThread() async throws {
        let held = HeldThreads()
        try await BoardServer.run(threads: held.threads) { server in
            try await server.createBoard("large", art: try Self.large())
            await held.hold()
            async let state = server.ask(.get, "/art/boards/large/state")
            await held.clock.waitForSleepers(1)
            held.clock.advance(by: .seconds(30))
            #expect(try await state.status == 503)
            held.release()
            #expect(try await server.ask(.get, "/art/boards/large/state").status == 200)
        }
    }

    @Test func cancelledExportEndsWithItsError() async throws {
        let held = HeldThreads()
        try await BoardServer.run { server in
            let id = try await server.createBoard("large", art: try Self.large())
            var files = BoardFiles(
                store: server.store, owner: .local, fetching: NoFetching(), renderer: nil)
            files.threads = held.threads
            await held.hold()
            let export = Task { [files] () async -> String in
                do throws(BoardFileError) {
                    return "\(try await files.export(id, as: .svg).data.count) bytes"
                } catch {
                    return "\(error)"
                }
            }
            // The export reads the board first.
            while held.threads.waitingCount == 0 { await Task.yield() }
            export.cancel()
            #expect(await export.value == "Exporting the board was cancelled.")
            held.release()
        }
    }

    private struct NoFetching: BackgroundFetching {
        func fetch(
            _ address: String, limit: Int, progress: @escaping @Sendable (FetchProgress) -> Void
        ) async throws(BackgroundError) -> CheckedPicture {
            throw .missing
        }

        func check(_ stored: Data) async throws(PictureError) -> CheckedPicture { throw .script("none") }
    }
}
