import FixtureSite
import Foundation
import Testing

@testable import Capture

/// A shared browser for the tests that don't harm it.
let sharedCapturer = PageCapturer(configuration: .forFixtures)

/// Captures of the fixture site, in real Chromium.
@Suite(.timeLimit(.minutes(20))) struct CaptureFixtureTests {
    @Test func oneLoadGivesEveryFormat() async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(site.url("/plain?once"), options: .withLongTimeouts)
            #expect(Set(capture.data.keys) == Set(PageFormat.allCases))
            #expect(capture.data[.png]?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
            #expect(capture.data[.pdf]?.starts(with: Data("%PDF-".utf8)) == true)
            #expect(capture.data[.webArchive]?.starts(with: Data("bplist00".utf8)) == true)
            #expect(capture.httpStatus == 200)
            #expect(capture.readiness == .atRest)
            #expect(capture.warnings.isEmpty)
            #expect(site.requests.count { $0 == "/plain?once" } == 1)
        }
    }

    @Test func archiveOfTheRichPageRendersLikeThePage() async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url("/"), formats: [.png, .webArchive], options: .withLongTimeouts)
            try await Self.expectSamePicture(capture)
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            let html = String(decoding: archive.mainResource.data, as: UTF8.self)
            #expect(html.hasPrefix("<!DOCTYPE html>"))
            #expect(!html.contains("<noscript"))
            #expect(html.contains("Юникод"))
            #expect(html.contains("shadowrootmode=\"open\""))
            #expect(archive.mainResource.frameName == "")
            let hosts = Set(archive.subframes.flatMap(\.allResources).compactMap { URL(string: $0.url)?.host() })
            #expect(hosts.isSuperset(of: ["127.0.0.1", "localhost"]))
            #expect(archive.subframes.contains { $0.mainResource.frameName?.isEmpty == false })
            for ending in [".css", ".png", ".svg", ".ttf"] {
                #expect(archive.subresources.contains { $0.url.contains(ending) }, "nothing ends in \(ending)")
            }
        }
    }

    @Test func crossSiteFramesBelowTheWindowAreDrawn() async throws {
        try await FixtureSite.run { site in
            let small = try await sharedCapturer.capture(site.url("/"), formats: [.png], options: .withLongTimeouts)
            var options = CaptureOptions.withLongTimeouts
            options.viewport.height = small.contentSize.height
            let large = try await sharedCapturer.capture(site.url("/"), formats: [.png], options: options)
            let pictures = (try #require(small.data[.png]), try #require(large.data[.png]))
            #expect(try await Checks.difference(pictures.0, pictures.1).different <= 0.001)
        }
    }

    @Test(arguments: [
        "/redirected-resources", "/csp", "/latin1", "/latin1-meta", "/utf16", "/xhtml", "/quirks", "/print",
    ])
    func archiveRendersLikeThePage(path: String) async throws {
        try await FixtureSite.run { site in
            try await Self.expectSamePicture(
                try await sharedCapturer.capture(
                    site.url(path), formats: [.png, .webArchive], options: .withLongTimeouts))
        }
    }

    @Test func archivedFramesReachedByRedirectsKeepTheirBases() async throws {
        try await FixtureSite.run { site in
            try await Self.expectSamePicture(
                try await sharedCapturer.capture(
                    site.url("/redirected-frames"), formats: [.png, .webArchive], options: .withLongTimeouts))
        }
    }

    @Test func nestedCrossSiteFramesAreArchived() async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url("/deep-frames"), formats: [.png, .webArchive], options: .withLongTimeouts)
            try await Self.expectSamePicture(capture)
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            var depth = 0
            var level: WebArchive? = archive
            while let current = level {
                depth += 1
                level = current.subframes.first
            }
            #expect(depth == 7)
        }
    }

    @Test func lazyPicturesAreLoaded() async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url("/lazy"), formats: [.png, .webArchive], options: .withLongTimeouts)
            let requested = Set(site.requests.filter { $0.hasPrefix("/image/") })
            #expect(requested.isSuperset(of: (1...60).map { "/image/\($0).png" }))
            try await Self.expectSamePicture(capture)
        }
    }

    @Test func lateContentIsArchived() async throws {
        try await FixtureSite.run { site in
            let capture = try await PageRestTests.patientCapturer.capture(
                site.url("/late"), formats: [.webArchive], options: .withLongTimeouts)
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            #expect(archive.subresources.count { $0.url.contains("/image/8") } == 3)
        }
    }

    @Test func mediaRequestedInRangesIsArchivedCompletely() async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url("/partial-media"), formats: [.webArchive], options: .withLongTimeouts)
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            let expected = try await download(site.url("/media/tone.wav"))
            let archived = archive.subresources.first { $0.url.hasSuffix("/media/tone.wav") }
            #expect(archived?.data == expected)
        }
    }

    @Test func capturesDoNotShareCookies() async throws {
        try await FixtureSite.run { site in
            _ = try await sharedCapturer.capture(site.url("/cookies"), formats: [.png], options: .withLongTimeouts)
            let second = try await sharedCapturer.capture(
                site.url("/cookies"), formats: [.pdf], options: .withLongTimeouts)
            let text = try await Checks.poppler("pdftotext", pdf: try #require(second.data[.pdf]))
            let first = try await sharedCapturer.capture(
                site.otherSiteURL("/cookies"), formats: [.pdf], options: .withLongTimeouts)
            let other = try await Checks.poppler("pdftotext", pdf: try #require(first.data[.pdf]))
            #expect(text == other)
        }
    }

    @Test(arguments: [
        "/alert", "/alerts", "/confirm", "/prompt", "/beforeunload", "/print-on-load", "/popup", "/permission",
    ])
    func dialogsAndPopupsDoNotBlockACapture(path: String) async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url(path), formats: [.png, .pdf, .webArchive], options: .withLongTimeouts)
            #expect(Set(capture.data.keys) == [.png, .pdf, .webArchive])
        }
    }

    @Test(arguments: ["/events", "/polling"])
    func pagesWithEndlessRequestsAreReadyBeforeTheSettleLimit(path: String) async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(site.url(path), formats: [.png], options: .withLongTimeouts)
            #expect(capture.readiness != .settleLimit)
        }
    }

    @Test func redirectingPageIsCapturedAtItsDestination() async throws {
        try await FixtureSite.run { site in
            for path in ["/client-redirect", "/meta-refresh", "/redirect-to?url=/plain"] {
                let capture = try await sharedCapturer.capture(
                    site.url(path), formats: [.webArchive], options: .withLongTimeouts)
                #expect(capture.url.path() == "/plain")
                let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
                #expect(archive.mainResource.url == site.url("/plain").absoluteString)
                #expect(!capture.resources.contains { $0.url.hasSuffix(path) } || path.hasPrefix("/redirect-to"))
            }
        }
    }

    @Test func serviceWorkersDoNotAnswerForThePage() async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url("/service-worker"), formats: [.png, .webArchive], options: .withLongTimeouts)
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            let expected = try await download(site.url("/image/130.png"))
            #expect(archive.subresources.first { $0.url.hasSuffix("/image/130.png") }?.data == expected)
        }
    }

    @Test(arguments: [
        ("/picture.png", "image/png"), ("/data.json", "application/json"), ("/drawing.svg", "image/svg+xml"),
    ])
    func contentThatIsNotHTMLIsArchivedUnchanged(path: String, mediaType: String) async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(site.url(path), options: .withLongTimeouts)
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            let expected = try await download(site.url(path))
            #expect(archive.mainResource.data == expected)
            #expect(archive.mainResource.mediaType == mediaType)
        }
    }

    /// Expects that an archive passes all checks, and renders to the same picture as the live page.
    static func expectSamePicture(_ capture: PageCapture) async throws {
        let data = try #require(capture.data[.webArchive])
        let archive = try WebArchive(propertyList: data)
        let checked = try await Checks.archive(data)
        #expect(checked.ok)
        let again = try await sharedCapturer.render(archive, options: .withLongTimeouts)
        // The browser asks for icons by itself, at any time.
        let unanswered = again.unanswered.filter { !$0.hasSuffix("/favicon.ico") && !$0.hasSuffix("/icon.png") }
        #expect(unanswered.isEmpty, "unanswered requests: \(unanswered)")
        let difference = try await Checks.difference(try #require(capture.data[.png]), again.png)
        #expect(difference.different <= 0.005)
    }
}

extension CaptureOptions {
    /// Options for tests that don't depend on a capture's duration, on a machine that may be busy.
    static let withLongTimeouts = {
        var options = CaptureOptions()
        options.timeout = .seconds(600)
        options.settleLimit = .seconds(120)
        return options
    }()
}
