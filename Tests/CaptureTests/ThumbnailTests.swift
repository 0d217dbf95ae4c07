import FixtureSite
import Foundation
import Testing

@testable import Capture

/// Tests of the thumbnail of a page's first screen.
@Suite(.timeLimit(.minutes(20))) struct ThumbnailTests {
    private static func options(width: Int?, scale: Double = 1) -> CaptureOptions {
        var options = CaptureOptions.withLongTimeouts
        options.viewport.scale = scale
        options.thumbnailWidth = width
        return options
    }

    @Test func thumbnailIsMadeOnlyOnRequest() async throws {
        try await FixtureSite.run { site in
            #expect(try await sharedCapturer.capture(site.url("/plain"), formats: [.png]).thumbnail == nil)
            let alone = try await sharedCapturer.capture(
                site.url("/plain"), formats: [], options: Self.options(width: 320))
            #expect(alone.data.isEmpty)
            #expect(pictureSize(alone.thumbnail) ?? (0, 0) == (320, 200))
        }
    }

    @Test(arguments: [(1, 1.0), (320, 1), (333, 1), (320, 2), (1280, 1.5)])
    func thumbnailHasTheRequestedWidthAtAnyScale(width: Int, scale: Double) async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url("/vh"), formats: [], options: Self.options(width: width, scale: scale))
            let size = try #require(pictureSize(capture.thumbnail))
            #expect(size.width == width)
            #expect(abs(Double(size.height) - Double(width) * 800 / 1280) <= 1)
        }
    }

    @Test func thumbnailStaysWithinThePixelLimit() async throws {
        try await FixtureSite.run { site in
            var options = Self.options(width: .max)
            options.maximumPixels = 250_000
            let capture = try await sharedCapturer.capture(site.url("/plain"), formats: [], options: options)
            let size = try #require(pictureSize(capture.thumbnail))
            #expect((240_000...250_800).contains(size.width * size.height))
        }
    }

    @Test func thumbnailShowsTheFirstScreen() async throws {
        try await FixtureSite.run { site in
            // This page is as tall as the window, so its picture is its first screen.
            let capture = try await sharedCapturer.capture(
                site.url("/plain"), formats: [.png], options: Self.options(width: 1280))
            let pictures = (try #require(capture.thumbnail), try #require(capture.data[.png]))
            #expect(try await Checks.difference(pictures.0, pictures.1).different == 0)
        }
    }

    @Test func pageIsNotAffectedByTheThumbnail() async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url("/window"), formats: [.webArchive], options: Self.options(width: 200))
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            #expect(String(decoding: archive.mainResource.data, as: UTF8.self).contains("data-window=\"box\""))
        }
    }
}
