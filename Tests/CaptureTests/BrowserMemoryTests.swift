import FaultServer
import FixtureSite
import Foundation
import Testing

@testable import Capture

/// Pages that take more memory than their browser may.
@Suite(.timeLimit(.minutes(20)), .serialized) struct BrowserMemoryTests {
    /// A page that allocates without end, slowly enough that a busy machine's sampling keeps up.
    private static let greedy = """
        <!DOCTYPE html><title>Greedy</title><p>Greedy<script>
        const kept = [];
        const more = () => { kept.push(new Uint8Array(16 << 20).fill(1)); setTimeout(more, 20); };
        more();
        </script><img src="/never">
        """

    private static func capturer(limit: Int?) -> PageCapturer {
        var configuration = PageCapturer.Configuration.forFixtures
        configuration.maximumBrowserMemory = limit
        return PageCapturer(configuration: configuration)
    }

    private static func withGreedyPage(_ body: (URL) async throws -> Void) async throws {
        let gate = Gate()
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.answer(200, [("Content-Type", "text/html")], Self.greedy)
            },
            "/never": { _, _ in try await gate.wait() },
        ])
        do {
            try await body(server.url("/"))
        } catch {
            await server.close()
            throw error
        }
        await server.close()
    }

    private static func failure(_ capturer: PageCapturer, _ url: URL) async -> CaptureError? {
        do throws(CaptureError) {
            _ = try await capturer.capture(url, formats: [.png], options: .patient)
            return nil
        } catch {
            return error
        }
    }

    @Test func aPageThatAllocatesWithoutEndFailsByName() async throws {
        let capturer = Self.capturer(limit: 1_500_000_000)
        try await FixtureSite.run { site in
            try await Self.withGreedyPage { url in
                async let failure = Self.failure(capturer, url)
                // Other browsers are not affected.
                async let other = sharedCapturer.capture(site.url("/plain"), formats: [.png], options: .patient)
                let error = await failure
                #expect(error?.code == .memory)
                #expect(error?.message.contains("memory") == true)
                let picture = try await other.data[.png]
                #expect(picture != nil)
                // It was alone, so it isn't tried again.
                #expect(await capturer.browsersStarted == 1)
                let next = try await capturer.capture(site.url("/plain"), formats: [.png], options: .patient)
                #expect(next.data[.png] != nil)
                #expect(await capturer.browsersStarted == 2)
            }
        }
        await capturer.close()
    }

    @Test func capturesBesideAGreedyPageAreBegunAnew() async throws {
        let capturer = Self.capturer(limit: 1_500_000_000)
        try await FixtureSite.run { site in
            try await Self.withGreedyPage { url in
                async let beside = capturer.capture(site.url("/stall-image"), formats: [.png], options: .patient)
                await site.waitForRequest("/stall/picture.png")
                async let failure = Self.failure(capturer, url)
                #expect(await eventually { site.requests.count { $0 == "/stall/picture.png" } == 2 })
                site.release("/stall/picture.png")
                let picture = try await beside.data[.png]
                #expect(picture != nil)
                let code = await failure?.code
                #expect(code == .memory)
                #expect(await capturer.currentBrowser?.isRunning != true)
            }
        }
        await capturer.close()
    }

    @Test func memoryOfABrowserIsCounted() async throws {
        let browser = try await ChromiumProcess.launch()
        let memory = BrowserMemory(group: browser.processID)
        let bytes = try #require(memory.bytes(above: 0))
        #expect(bytes > 20_000_000)
        #expect(memory.bytes(above: 1 << 40) == nil)
        await browser.terminate()
        #expect(memory.bytes(above: 0) == nil)
    }
}
