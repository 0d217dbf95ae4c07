import FixtureSite
import Foundation
import StoreTesting
import Testing

@testable import Capture

/// Tests of the empty page that is opened in advance for the next capture.
@Suite(.timeLimit(.minutes(20))) struct SparePageTests {
    private let capturer = PageCapturer(configuration: .forFixtures)

    /// Lists the browser contexts; each page has its own.
    private struct GetBrowserContexts: DevToolsCommand {
        static let method = "Target.getBrowserContexts"
        struct Reply: Decodable, Sendable {
            var browserContextIds: [String]
        }
    }

    /// Whether the spare page's context becomes the only one, once others have been closed.
    private func isAlone(_ page: BlankPage) async throws -> Bool {
        let browser = try #require(await capturer.pool.sharedBrowser)
        return try await eventually {
            try await browser.connection.send(GetBrowserContexts()).browserContextIds == [page.context]
        }
    }

    /// The spare page, once it is open.
    private func spare() async throws -> BlankPage {
        let spare = try #require(await capturer.pool.sparePage)
        #expect(spare.isBegun)
        return try #require(await spare.page())
    }

    @Test func sparePageIsOpenedDuringACaptureAndUsedByTheNext() async throws {
        try await FixtureSite.run { site in
            _ = try await capturer.capture(site.url("/"), formats: [.png])
            let first = try await spare()
            #expect(try await isAlone(first))
            _ = try await capturer.capture(site.url("/"), formats: [.png])
            let second = try await spare()
            #expect(second.context != first.context)
            #expect(try await isAlone(second))
        }
        await capturer.close()
    }

    @Test func sparePageIsClosedIfItsWindowDoesNotFit() async throws {
        try await FixtureSite.run { site in
            _ = try await capturer.capture(site.url("/"), formats: [.png])
            let first = try await spare()
            var options = CaptureOptions()
            options.viewport.width = 400
            let capture = try await capturer.capture(site.url("/"), formats: [.png], options: options)
            #expect(capture.contentSize.width == 400)
            let second = try await spare()
            #expect(second.window.width == 400)
            #expect(try await isAlone(second))
            #expect(first.context != second.context)
        }
        await capturer.close()
    }

    @Test func captureSucceedsIfTheSparePageIsGone() async throws {
        try await FixtureSite.run { site in
            _ = try await capturer.capture(site.url("/"), formats: [.png])
            let page = try await spare()
            let browser = try #require(await capturer.pool.sharedBrowser)
            _ = try await browser.connection.send(
                DevTools.Target.DisposeBrowserContext(browserContextId: page.context))
            let capture = try await capturer.capture(site.url("/"), formats: [.png])
            #expect(capture.data[.png] != nil)
            #expect(await capturer.pool.browsersStarted == 1)
        }
        await capturer.close()
    }

    @Test func noSparePageIsOpenedIfDisabled() async throws {
        var configuration = PageCapturer.Configuration.forFixtures
        configuration.keepsSparePage = false
        let capturer = PageCapturer(configuration: configuration)
        try await FixtureSite.run { site in
            _ = try await capturer.capture(site.url("/"), formats: [.png])
            #expect(await capturer.pool.sparePage == nil)
        }
        await capturer.close()
    }
}
