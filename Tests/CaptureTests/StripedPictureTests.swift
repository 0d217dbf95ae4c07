import FaultServer
import Foundation
import Testing

@testable import Capture

/// Tests of pictures that are made in stripes, compared with pictures of the same page as a whole.
@Suite(.timeLimit(.minutes(20))) struct StripedPictureTests {
    private static let html = [("Content-Type", "text/html; charset=utf-8")]

    /// A page of about 4,000 pixels.
    private static func page(_ content: String, style: String = "") -> String {
        let rows = (0..<40).map { "<div class=row style='background:hsl(\($0 * 9) 70% 70%)'>\($0)</div>" }
        return """
            <!DOCTYPE html><title>Tall</title>
            <style>body { margin: 0 } .row { height: 100px; font: 40px monospace } \(style)</style>
            \(content)\(rows.joined())
            """
    }

    private static let pages = [
        "plain": page(""),
        "fixed": page(
            "<p class=top>Top</p><p class=bottom>Bottom</p>",
            style: """
                p { position: fixed; margin: 0; width: 300px; height: 60px; background: #c00 }
                .top { top: 20px; right: 10px } .bottom { bottom: 30px; left: 40px }
                """),
        "sticky": page(
            "<p>Sticky</p>", style: "p { position: sticky; top: 0; margin: 0; height: 50px; background: #0c0 }"),
        "window": page("<p>As tall as the window</p>", style: "p { margin: 0; height: 100vh; background: #00c }"),
        "estimated": page(
            "<p>Shorter than estimated</p>",
            style: "p { content-visibility: auto; contain-intrinsic-size: auto 5000px; margin: 0 }"),
        "scrolling": page(
            "<script>addEventListener('scroll', () => document.body.style.opacity = scrollY > 0 ? 0.2 : 1)</script>"),
    ]

    @Test(arguments: pages.keys.sorted()) func stripesAreThePictureAsAWhole(name: String) async throws {
        let page = try #require(Self.pages[name])
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.respond(200, Self.html, page) }
        ])
        var options = CaptureOptions.withLongTimeouts
        let whole = try await sharedCapturer.capture(server.url("/"), formats: [.png], options: options)
        options.windowPixels = 1280 * 1100
        let striped = try await sharedCapturer.capture(server.url("/"), formats: [.png], options: options)
        await server.close()
        let (first, second) = (try #require(whole.data[.png]), try #require(striped.data[.png]))
        #expect(first != second)
        #expect(whole.contentSize.height < 7_000)
        #expect(try #require(pictureSize(second)) == (1280, whole.contentSize.height))
        #expect(striped.warnings.isEmpty)
        #expect(try await Checks.difference(first, second, tolerance: 0).different == 0)
    }

    /// A bar that moves sideways while the stripes are drawn is in one place in all of them.
    @Test func animationsStandStillInAllStripes() async throws {
        let page = """
            <!DOCTYPE html><title>Moving</title>
            <style>
            body { margin: 0 } p { height: 4000px; width: 50px; margin: 0; background: #c0c; animation: move 2s linear infinite }
            @keyframes move { to { transform: translateX(1000px) } }
            </style><p>
            """
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.respond(200, Self.html, page) }
        ])
        var options = CaptureOptions.withLongTimeouts
        options.windowPixels = 1280 * 1000
        let capture = try await sharedCapturer.capture(server.url("/"), formats: [.png], options: options)
        await server.close()
        let picture = try TestPicture(try #require(capture.data[.png]))
        #expect(picture.rows.count == 4000)
        #expect(Set(picture.rows).count == 1)
    }

    @Test func stripesOverTheLimitOfBytesAreCutOff() async throws {
        let page = Self.page("")
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.respond(200, Self.html, page) }
        ])
        var options = CaptureOptions.withLongTimeouts
        options.windowPixels = 1280 * 1000
        options.limits.pictureBytes = 1
        let capture = try await sharedCapturer.capture(server.url("/"), formats: [.png], options: options)
        await server.close()
        #expect(try #require(pictureSize(capture.data[.png])) == (1280, 1000))
        #expect(capture.warnings.map(\.kind) == [.cut])
    }
}
