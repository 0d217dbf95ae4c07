import FaultServer
import FixtureSite
import Foundation
import StoreTesting
import Testing
import VirtualTime

@testable import Capture

/// Tests of pages that exceed their browser's memory limit, and of the measurement of its memory.
@Suite(.timeLimit(.minutes(20)), .serialized) struct BrowserMemoryTests {
    /// A page that allocates 2.4 GB: more than the limit, and less than the renderer's own one, at which it crashes.
    ///
    /// However late the watchdog measures on a busy machine, it finds that.
    private static let greedy = """
        <!DOCTYPE html><title>Greedy</title><p>Greedy<script>
        const kept = [];
        const more = () => { kept.push(new Uint8Array(16 << 20).fill(1)); if (kept.length < 150) setTimeout(more, 20); };
        more();
        </script><img src="/never">
        """

    /// A page that allocates without end and without a pause: gigabytes between two samples.
    private static let fast = """
        <!DOCTYPE html><title>Fast</title><p>Fast<script>
        const kept = [];
        for (;;) kept.push(new Uint8Array(64 << 20).fill(1));
        </script>
        """

    private static let limit = 1_500_000_000

    /// How a browser's memory limit is enforced.
    enum Enforcement: CaseIterable {
        case cgroup, watchdog
    }

    private static func capturer(_ enforcement: Enforcement) throws -> PageCapturer {
        if enforcement == .cgroup, !CgroupAccess.isAvailable { try Test.cancel("\(CgroupAccess.reason)") }
        var configuration = PageCapturer.Configuration.forFixtures
        configuration.maximumBrowserMemory = limit
        configuration.usesCgroup = enforcement == .cgroup
        return PageCapturer(configuration: configuration)
    }

    private static func withGreedyPage(_ page: String = greedy, _ body: (URL) async throws -> Void) async throws {
        let gate = Gate()
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.respond(200, [("Content-Type", "text/html")], page)
            },
            "/frame": { _, connection in
                try await connection.respond(200, [("Content-Type", "text/html")], Self.fast)
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
            _ = try await capturer.capture(url, formats: [.png], options: .withLongTimeouts)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: Enforcement.allCases)
    func pageThatExceedsTheLimitFailsWithAMemoryError(enforcement: Enforcement) async throws {
        let capturer = try Self.capturer(enforcement)
        try await FixtureSite.run { site in
            try await Self.withGreedyPage { url in
                async let failure = Self.failure(capturer, url)
                // Other browsers are not affected.
                async let other = sharedCapturer.capture(
                    site.url("/plain"), formats: [.png], options: .withLongTimeouts)
                let error = await failure
                #expect(error?.code == .memory)
                #expect(error?.message.contains("memory") == true)
                let picture = try await other.data[.png]
                #expect(picture != nil)
                // The capture was the browser's only one, so it isn't retried.
                #expect(await capturer.pool.browsersStarted == 1)
                let next = try await capturer.capture(site.url("/plain"), formats: [.png], options: .withLongTimeouts)
                #expect(next.data[.png] != nil)
                #expect(await capturer.pool.browsersStarted == 2)
                let cgroup = await capturer.pool.sharedBrowser?.memoryWatch.cgroup
                #expect((cgroup != nil) == (enforcement == .cgroup))
            }
        }
        await capturer.close()
    }

    @Test(arguments: Enforcement.allCases)
    func capturesBesideAPageOverTheLimitAreRestarted(enforcement: Enforcement) async throws {
        let capturer = try Self.capturer(enforcement)
        try await FixtureSite.run { site in
            try await Self.withGreedyPage { url in
                async let beside = capturer.capture(
                    site.url("/stall-image"), formats: [.png], options: .withLongTimeouts)
                await site.waitForRequest("/stall/picture.png")
                async let failure = Self.failure(capturer, url)
                #expect(await eventually { site.requests.count { $0 == "/stall/picture.png" } == 2 })
                site.release("/stall/picture.png")
                let picture = try await beside.data[.png]
                #expect(picture != nil)
                let code = await failure?.code
                #expect(code == .memory)
                #expect(await capturer.pool.sharedBrowser?.isRunning != true)
            }
        }
        await capturer.close()
    }

    @Test(.enabled(if: CgroupAccess.isAvailable, Comment(rawValue: CgroupAccess.reason)))
    func fastAllocationStaysWithinTheLimitOfTheCgroup() async throws {
        let capturer = try Self.capturer(.cgroup)
        try await Self.withGreedyPage(Self.fast) { url in
            await capturer.warmUp()
            let browser = try #require(await capturer.pool.sharedBrowser)
            let cgroup = try #require(browser.memoryWatch.cgroup)
            let code = await Self.failure(capturer, url)?.code
            #expect(code == .memory)
            // The kernel has measured the peak.
            #expect((Self.limit / 2...Self.limit).contains(cgroup.kills.peak), "\(cgroup.kills)")
            #expect(cgroup.kills.count > 0)
            #expect(await eventually { !FileManager.default.fileExists(atPath: cgroup.folder) })
        }
        await capturer.close()
    }

    /// Chromium shows an empty frame in place of one whose process was killed, and continues.
    @Test(.enabled(if: CgroupAccess.isAvailable, Comment(rawValue: CgroupAccess.reason)))
    func killedFrameFailsItsPage() async throws {
        let capturer = try Self.capturer(.cgroup)
        let page = """
            <!DOCTYPE html><title>Around</title><p>Around<script>
            const frame = document.createElement("iframe");
            frame.src = `http://localhost:${location.port}/frame`;
            document.body.append(frame);
            </script>
            """
        try await Self.withGreedyPage(page) { url in
            let code = await Self.failure(capturer, url)?.code
            #expect(code == .memory)
        }
        await capturer.close()
    }

    @Test func memoryOfABrowserIsMeasured() async throws {
        var configuration = ChromiumProcess.Configuration()
        configuration.clock = ExtendingClock()
        let browser = try await ChromiumProcess.launch(configuration)
        let memory = BrowserMemory(group: browser.processID)
        let bytes = try #require(memory.bytes(above: 0))
        #expect(bytes > 20_000_000)
        #expect(memory.bytes(above: 1 << 40) == nil)
        await browser.terminate()
        #expect(memory.bytes(above: 0) == nil)
    }
}
