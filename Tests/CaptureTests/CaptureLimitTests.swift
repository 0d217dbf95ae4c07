import FaultServer
import FixtureSite
import Foundation
import Testing

@testable import Capture

/// Tests of pages that exceed the limits on loaded and reported data.
@Suite(.timeLimit(.minutes(20))) struct CaptureLimitTests {
    private static let html = [("Content-Type", "text/html; charset=utf-8")]

    /// Calls `body` with a server whose page `/` is the given one.
    private static func withPage(
        _ page: String, _ body: (FaultServer) async throws -> Void
    ) async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.respond(200, Self.html, page) }
        ])
        do {
            try await body(server)
        } catch {
            await server.close()
            throw error
        }
        await server.close()
    }

    private static func options(_ change: (inout CaptureOptions) -> Void) -> CaptureOptions {
        var options = CaptureOptions.withLongTimeouts
        change(&options)
        return options
    }

    private static func failure(
        _ url: URL, formats: Set<PageFormat>, options: CaptureOptions
    ) async -> CaptureError? {
        do throws(CaptureError) {
            _ = try await sharedCapturer.capture(url, formats: formats, options: options)
            return nil
        } catch {
            return error
        }
    }

    /// The responses are short, but the browser decodes each to 158 times its length.
    @Test func loadingStopsAtTheLimitOfDecodedBytes() async throws {
        let page = """
            <!DOCTYPE html><title>Zeros</title><h1>Zeros</h1><script>
            const load = (i) => fetch('/zeros/' + i).then((r) => r.text()).catch(() => {});
            onload = async () => {
                for (let i = 0; i < 6; i++) await load(i);
                // The browser learns of the limit later.
                while (await fetch('/more').then(() => true, () => false));
                for (let i = 6; i < 60; i++) await load(i);
            };
            </script>
            """
        try await Self.withPage(page) { server in
            let zeros = Gzip.bomb(4_000_000)
            for number in 0..<60 {
                server.setRoute("/zeros/\(number)") { _, connection in
                    try await connection.respond(
                        200, [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")], zeros)
                }
            }
            let options = Self.options { $0.limits.loadedBytes = 20_000_000 }
            let capture = try await sharedCapturer.capture(
                server.url("/"), formats: [.png, .webArchive], options: options)
            #expect(capture.title == "Zeros")
            #expect(capture.data[.png] != nil)
            #expect(capture.warnings.contains { $0.kind == .limited && $0.message.contains("20000000") })
            let loaded = capture.resources.compactMap(\.byteCount).reduce(0, +)
            #expect(loaded > 0 && loaded < 30_000_000)
            #expect(server.requests().count { $0.path.hasPrefix("/zeros") } <= 6)
        }
    }

    @Test func documentOverTheLimitOfDecodedBytesIsTooLarge() async throws {
        try await Self.withPage("") { server in
            server.setRoute("/") { _, connection in
                try await connection.respond(
                    200, Self.html + [("Content-Encoding", "gzip")], Gzip.bomb(100_000_000))
            }
            let error = await Self.failure(
                server.url("/"), formats: [.png], options: Self.options { $0.limits.loadedBytes = 5_000_000 })
            #expect(error?.code == .tooLarge)
            #expect(error?.message.contains("5000000") == true)
        }
    }

    /// The browser learns of the limit only after some requests over it, but sends none once it has blocked one.
    @Test func requestsOverTheLimitAreBlocked() async throws {
        // Without a response, the picture keeps the page from loading.
        let page = """
            <!DOCTYPE html><title>Many</title><h1>Many</h1><img id=picture src=/picture><script>
            for (let i = 0; i < 40; i++) fetch('/part?' + i).catch(() => {});
            const isBlocked = () => fetch('/more').then(() => false, () => true);
            (async () => {
                while (!await isBlocked());
                await Promise.allSettled([...Array(100).keys()].map((i) => fetch('/after?' + i)));
                document.title = "Blocked";
                picture.removeAttribute("src");
            })();
            </script>
            """
        try await Self.withPage(page) { server in
            let gate = Gate()
            server.setRoute("/picture") { _, _ in try await gate.wait() }
            let capture = try await sharedCapturer.capture(
                server.url("/"), formats: [.png, .webArchive], options: Self.options { $0.limits.requests = 20 })
            #expect(capture.title == "Blocked")
            #expect(capture.resources.count == 20)
            #expect(capture.warnings.contains { $0.kind == .limited && $0.message.contains("20 requests") })
            #expect(server.requests("/after").isEmpty)
        }
    }

    @Test func longTitleIsCutInTheBrowser() async throws {
        let page = #"<!DOCTYPE html><p>Text<script>document.title = "👩‍🚀 ".repeat(1e6)</script>"#
        try await Self.withPage(page) { server in
            let capture = try await sharedCapturer.capture(
                server.url("/"), formats: [], options: Self.options { $0.limits.titleLength = 1_000 })
            #expect(capture.title.unicodeScalars.count == 1_000)
            #expect(capture.title.hasPrefix("👩‍🚀 👩‍🚀"))
        }
    }

    @Test func pdfOverItsLimitIsTooLarge() async throws {
        try await Self.withPage("<!DOCTYPE html><title>PDF</title><p>Text") { server in
            let options = Self.options { $0.limits.pdfBytes = 1_000 }
            let error = await Self.failure(server.url("/"), formats: [.pdf], options: options)
            #expect(error?.code == .tooLarge)
            #expect(error?.message.contains("PDF") == true)
            let capture = try await sharedCapturer.capture(
                server.url("/"), formats: [.png, .pdf], options: options)
            #expect(Set(capture.data.keys) == [.png])
            #expect(capture.warnings.contains { $0.kind == .limited && $0.message.contains("PDF") })
        }
    }

    @Test func documentIsMeasuredBeforeItIsTransferred() async throws {
        let page = """
            <!DOCTYPE html><title>Long</title><p id=p>Text<script>p.dataset.long = '&'.repeat(300000)</script>
            """
        try await Self.withPage(page) { server in
            // The attribute has 300,000 characters, and five times as many as HTML.
            let options = Self.options { $0.limits.documentLength = 1_000_000 }
            let error = await Self.failure(server.url("/"), formats: [.webArchive], options: options)
            #expect(error?.code == .tooLarge)
            let capture = try await sharedCapturer.capture(
                server.url("/"), formats: [.png, .webArchive], options: options)
            #expect(Set(capture.data.keys) == [.png])
            #expect(capture.warnings.contains { $0.kind == .limited && $0.message.contains("1000000") })
            #expect(capture.resources.count { !$0.url.hasSuffix("/favicon.ico") } == 1)
        }
    }

    @Test func framesBeyondTheLimitAreLeftOut() async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url("/deep-frames"), formats: [.webArchive], options: Self.options { $0.limits.frames = 3 })
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            #expect(archive.allResources.count { $0.mediaType == "text/html" } <= 3)
            #expect(capture.warnings.contains { $0.kind == .limited && $0.message.contains("3 frames") })
        }
    }

    /// All bodies share the budget while they arrive.
    @Test func bodiesShareOneBudget() {
        var budget = BodyBudget(limit: 100)
        var answers = [
            budget.reserve(60, for: "a"), budget.reserve(41, for: "b"), budget.reserve(40, for: "b"),
            // The body is longer than reserved and exceeds the limit, so it is dropped.
            budget.adjust(50, for: "b"),
        ]
        #expect(answers == [true, false, true, false])
        #expect(budget.total == 60)
        // A body without a reservation is refused.
        answers = [budget.adjust(10, for: "a"), budget.adjust(1, for: "c")]
        #expect(answers == [true, false])
        #expect(budget.total == 10)
        answers = [budget.reserve(.max, for: "d"), budget.reserve(-1, for: "d")]
        #expect(answers == [false, false])
        budget.releaseAll(except: "x")
        #expect(budget.total == 0)
    }

    @Test func tooLongReplyFailsOnlyItsCommand() async throws {
        let browser = try FakeBrowser(messageLimit: 10_000)
        let connection = browser.connection
        let long = String(repeating: "x", count: 3_000_000)
        async let reply: DevTools.Browser.GetVersion.Reply = connection.send(DevTools.Browser.GetVersion())
        let command = try await browser.nextCommand()
        async let sent: Void = Self.say(browser, #"{"id":\#(command.id),"result":{"product":"\#(long)"}}"#)
        do {
            _ = try await reply
            Issue.record("a reply that is too long was delivered")
        } catch let error as DevToolsError {
            #expect(error.code == .overflow)
        }
        try await sent
        async let next: DevTools.Browser.GetVersion.Reply = connection.send(DevTools.Browser.GetVersion())
        let other = try await browser.nextCommand()
        try browser.send(#"{"id":\#(other.id),"result":{"product":"short"}}"#)
        let product = try await next.product
        #expect(product == "short")
    }

    @concurrent private static func say(_ browser: FakeBrowser, _ text: String) async throws {
        try browser.send(text)
    }
}
