import FaultServer
import Foundation
import Testing
import VirtualTime

@testable import Capture

/// Tests of when a page is ready to be rendered.
@Suite(.timeLimit(.minutes(20))) struct PageRestTests {
    private static let html = [("Content-Type", "text/html; charset=utf-8")]

    /// Gives pages of a busy machine more time for their changes.
    static let patientCapturer: PageCapturer = {
        var configuration = PageCapturer.Configuration.forFixtures
        configuration.clock = SlowClock()
        return PageCapturer(configuration: configuration)
    }()

    /// The document that an archive of a page has for it.
    private static func archived(
        _ content: String, frame: String = "", by capturer: PageCapturer = sharedCapturer
    ) async throws -> (capture: PageCapture, text: String) {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.respond(200, html, "<!DOCTYPE html><title>Page</title><p>Early</p>\(content)")
            },
            "/frame": { _, connection in try await connection.respond(200, html, "<!DOCTYPE html>\(frame)") },
            "/events": { _, connection in
                try await connection.respond(200, [("Content-Type", "text/event-stream")], "data: 1\n\n")
            },
        ])
        let capture = try await capturer.capture(
            server.url("/"), formats: [.webArchive], options: .withLongTimeouts)
        await server.close()
        return (capture, String(decoding: try #require(capture.data[.webArchive]), as: UTF8.self))
    }

    /// A page on which nothing is due is ready although no time passes.
    @Test(arguments: [
        "", "<script>document.body.append('Script')</script>", "<script>setTimeout(() => {}, 3_600_000)</script>",
        "<script>setInterval(() => {}, 3_600_000)</script>", "<script>clearTimeout(setTimeout(() => {}, 300))</script>",
        "<canvas></canvas><script>document.querySelector('canvas').getContext('2d').fillRect(0, 0, 9, 9)</script>",
        "<x-element></x-element>", "<iframe src='/frame'></iframe>",
    ])
    func pageOnWhichNothingIsDueIsReadyAtOnce(content: String) async throws {
        var configuration = PageCapturer.Configuration.forFixtures
        configuration.clock = ManualClock()
        let capturer = PageCapturer(configuration: configuration)
        let (capture, text) = try await Self.archived(content, frame: "<p>Frame", by: capturer)
        await capturer.close()
        #expect(capture.readiness == .atRest)
        #expect(text.contains("Early"))
    }

    /// Takes a browser a moment to read.
    private static let bytes = "new Blob([new Uint8Array(1 << 20)])"

    /// What a script changes within half a second after the page has loaded is kept.
    @Test(arguments: [
        "setTimeout(late, 300)",
        "setTimeout(() => fetch('/?La' + 'te'), 250)",
        "setTimeout(() => setTimeout(late, 150), 150)",
        "let n = 0; setInterval(() => ++n == 3 && late(), 100)",
        "let n = 0; (function next() { ++n < 12 ? requestAnimationFrame(next) : late() })()",
        "crypto.subtle.digest('SHA-256', new Uint8Array(1 << 26)).then(late)",
        "fetch(URL.createObjectURL(\(bytes))).then((response) => response.arrayBuffer()).then(late)",
        """
        const request = new XMLHttpRequest()
        request.open('GET', URL.createObjectURL(\(bytes)))
        request.onload = late
        request.send()
        """,
        "document.querySelector('p').attachShadow({ mode: 'open' }); setTimeout(late, 300)",
        "document.open(); document.write('<body>Written'); document.close(); setTimeout(late, 300)",
        """
        document.body.animate([{ opacity: 0.9 }, { opacity: 1 }], { duration: 300, iterations: Infinity })
        setTimeout(late, 300)
        """,
    ])
    func lateChangeIsKept(script: String) async throws {
        // Nothing notices that this element changes, so pages with it can't be watched.
        let content = """
            <x-element></x-element><script>function late() { document.body.append('La' + 'te') }
            (async () => {
            \(script)
            })()</script>
            """
        #expect(try await Self.archived(content, by: Self.patientCapturer).text.contains("Late"))
    }

    /// What can change a page at any time lets it rest for half a second, if it can't be watched meanwhile.
    @Test(arguments: [
        "<script>new Worker(URL.createObjectURL(new Blob([''])))</script>",
        "<script>new EventSource('/events')</script>", "<script>indexedDB.open('a')</script>",
        "<script>document.body.animate([{ opacity: 0 }], { duration: 1e6, iterations: Infinity })</script>",
        "<script>new Response(new ReadableStream()).text()</script>",
        "<script>new ReadableStream().getReader()</script>",
        "<video></video>", "<meta http-equiv=Refresh content=9000>",
    ])
    func pageThatMayChangeRests(content: String) async throws {
        #expect(try await Self.archived("<canvas></canvas>\(content)").capture.readiness == .almostIdle)
    }

    /// A late change of a frame is kept, too, whether it is on the page's own site or on another one.
    @Test(arguments: ["/frame", "http://localhost:PORT/frame"])
    func lateChangeOfAFrameIsKept(address: String) async throws {
        let frame = "<p>Frame<script>setTimeout(() => document.body.append('La' + 'te'), 300)</script>"
        let content = """
            <script>
            const frame = document.createElement("iframe")
            frame.src = "\(address)".replace("PORT", location.port)
            document.body.append(frame)
            </script>
            """
        #expect(try await Self.archived(content, frame: frame, by: Self.patientCapturer).text.contains("Late"))
    }
}

/// A clock that takes ten seconds for one.
struct SlowClock: Clock {
    private let start = ContinuousClock.now

    var now: ContinuousClock.Instant { start + start.duration(to: .now) / 10 }
    var minimumResolution: Duration { .milliseconds(1) }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: start + start.duration(to: deadline) * 10, tolerance: tolerance)
    }
}
