import FixtureSite
import Foundation
import Futures
import Testing
import VirtualTime

@testable import Capture

/// Tests of captures that must fail with a reason, or succeed with a warning, and leave the browser usable.
@Suite(.timeLimit(.minutes(20))) struct CaptureFaultTests {
    /// A capturer of its own for pages that keep a browser busy, with deadlines of less than five seconds.
    private static let capturerWithShortTimeouts = {
        var configuration = PageCapturer.Configuration.forFixtures
        configuration.clock = ExtendingClock(threshold: .seconds(5))
        return PageCapturer(configuration: configuration)
    }()

    /// The error of a capture that must fail.
    private func failure(
        _ url: URL, with capturer: PageCapturer = sharedCapturer, timeout: Duration = .seconds(60)
    ) async -> CaptureError? {
        var options = CaptureOptions()
        options.timeout = timeout
        do throws(CaptureError) {
            _ = try await capturer.capture(url, options: options)
            Issue.record("\(url) was captured")
            return nil
        } catch {
            #expect(!error.message.isEmpty)
            return error
        }
    }

    @Test(arguments: [
        "file:///etc/passwd", "javascript:alert(1)", "chrome://version", "about:blank", "data:text/html,x",
    ])
    func otherSchemesAreRefused(address: String) async throws {
        #expect(await failure(try #require(URL(string: address)))?.code == .unsupportedScheme)
    }

    @Test func incompleteAddressesAreRefused() async throws {
        #expect(await failure(try #require(URL(string: "example.org/page")))?.code == .invalidAddress)
        #expect(await failure(try #require(URL(string: "http:///page")))?.code == .invalidAddress)
    }

    @Test func unknownHostIsReported() async throws {
        let error = await failure(try #require(URL(string: "http://no-such-host.invalid/")))
        #expect(error?.code == .hostNotFound)
        #expect(error?.message.contains("no-such-host.invalid") == true)
    }

    @Test func refusedConnectionIsReported() async throws {
        try await FixtureSite.run { site in
            #expect(await failure(site.refusedURL("/"))?.code == .connectionRefused)
        }
    }

    @Test func invalidCertificateIsReported() async throws {
        try await FixtureSite.runSelfSignedTLS { port in
            let url = try #require(URL(string: "https://127.0.0.1:\(port)/"))
            #expect(await failure(url)?.code == .tlsFailure)
        }
    }

    @Test(arguments: [
        ("/redirect-loop", CaptureError.Code.tooManyRedirects), ("/client-redirect-loop", .tooManyRedirects),
        ("/download", .download), ("/binary", .download), ("/document.pdf", .download), ("/no-content", .noPage),
        ("/drop", .connectionFailed), ("/truncated", .connectionFailed),
    ])
    func responseWithoutAPageIsReported(path: String, code: CaptureError.Code) async throws {
        try await FixtureSite.run { site in
            #expect(await failure(site.url(path))?.code == code)
        }
    }

    @Test(arguments: [
        "/stall", "/stall-body", "/stall-image", "/stall-frame", "/spin", "/spin-before-load", "/frame-loop",
    ])
    func pageThatNeverFinishesFailsAtItsDeadline(path: String) async throws {
        try await FixtureSite.run { site in
            let error = await failure(site.url(path), with: Self.capturerWithShortTimeouts, timeout: .seconds(4))
            #expect(error?.code == .timedOut)
            #expect(error?.message.contains("4 s") == true)
        }
    }

    @Test func timeoutErrorNamesThePendingRequest() async throws {
        try await FixtureSite.run { site in
            let clock = ManualClock()
            var configuration = PageCapturer.Configuration.forFixtures
            configuration.clock = clock
            let capturer = PageCapturer(configuration: configuration)
            let pictureRequested = Promise<Void, Never>()
            let task = Task {
                defer { pictureRequested.resolve(()) }
                return try await capturer.capture(site.url("/stall-image"), formats: [.png]) { progress in
                    if case .loading(finished: 1..., started: 2..., _) = progress { pictureRequested.resolve(()) }
                }
            }
            await pictureRequested.future.value
            clock.advance(by: .seconds(60))
            await #expect {
                _ = try await task.value
            } throws: {
                let error = $0 as? CaptureError
                return error?.code == .timedOut && error?.exceededTimeout == CaptureOptions().timeout
                    && error?.message.contains("/stall/picture.png") == true
            }
            await capturer.close()
        }
    }

    @Test(arguments: [404, 500])
    func errorPagesAreCapturedWithAWarning(status: Int) async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(site.url("/status/\(status)"))
            #expect(capture.httpStatus == status)
            #expect(Set(capture.data.keys) == Set(PageFormat.allCases))
            #expect(capture.warnings.map(\.kind).contains(.httpStatus))
        }
    }

    @Test(arguments: ["/empty", "/blank"])
    func blankPagesAreCapturedWithAWarning(path: String) async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(site.url(path))
            #expect(Set(capture.data.keys) == Set(PageFormat.allCases))
            #expect(capture.warnings.map(\.kind) == [.blank])
        }
    }

    @Test(arguments: PageFormat.allCases)
    func missingResourcesAreReportedInEachFormat(format: PageFormat) async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(site.url("/missing-resources"), formats: [format])
            let warning = try #require(capture.warnings.first { $0.kind == .missingResources })
            let absent = site.url("/missing/absent.png").absoluteString
            #expect(warning.message.contains("\n\(absent): the server responded with status 404"))
            #expect(warning.message.contains("refused the connection") && !warning.message.contains("net::"))
            let missing = capture.resources.filter { $0.missing != nil }
            #expect(missing.contains { $0.missing?.contains("REFUSED") == true })
            let undecodable = missing.filter { $0.missing == "the browser couldn't decode it" }
            #expect(
                Set(undecodable.map(\.url))
                    == Set(
                        ["damaged.png", "damaged.png?svg"].map {
                            site.url("/missing/\($0)").absoluteString
                        }))
            #expect(capture.resources.contains { $0.status == 404 })
            #expect(capture.resources.contains { $0.status == 500 })
        }
    }

    @Test func tallPageIsCutWithAWarning() async throws {
        try await FixtureSite.run { site in
            var options = CaptureOptions()
            options.maximumPixels = 1280 * 5000
            let capture = try await sharedCapturer.capture(
                site.url("/tall?px=9000"), formats: [.png], options: options)
            #expect(capture.contentSize.height == 9000)
            #expect(capture.warnings.map(\.kind) == [.cut])
            let size = try #require(pictureSize(capture.data[.png]))
            #expect(size == (1280, 5000))
        }
    }

    @Test func cancelledCaptureEndsAtOnceAndTheBrowserStaysUsable() async throws {
        try await FixtureSite.run { site in
            for path in ["/stall", "/stall-image", "/spin"] {
                let task = Task { try await sharedCapturer.capture(site.url(path), formats: [.png]) }
                await site.waitForRequest(path)
                task.cancel()
                await #expect {
                    _ = try await task.value
                } throws: {
                    ($0 as? CaptureError)?.code == .cancelled
                }
            }
            let next = try await sharedCapturer.capture(site.url("/plain"), formats: [.png])
            #expect(next.data.count == 1)
        }
    }
}

/// The width and height in a PNG's first chunk; see https://www.w3.org/TR/png-3/#11IHDR.
func pictureSize(_ png: Data?) -> (width: Int, height: Int)? {
    guard let header = png?.prefix(24), header.count == 24 else { return nil }
    func number(at offset: Int) -> Int {
        header.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
    return (number(at: 16), number(at: 20))
}
