import FixtureSite
import Foundation
import StoreTesting
import Testing

@testable import Capture

/// Tests with real HTML by many authors: Debian's documentation packages.
@Suite(.timeLimit(.minutes(20))) struct DocumentationSiteTests {
    private static let folder = URL(filePath: "/usr/share/doc")

    /// One or two pages of each site; `script/soak` tests more.
    static let pages: [String] = {
        let selected = [
            "python3-doc/html/library/asyncio-task.html", "python3-doc/html/index.html",
            "sqlite3/lang_select.html", "sqlite3/syntaxdiagrams.html", "sqlite3/capi3ref.html",
            "apache2-doc/manual/en/index.html", "apache2-doc/manual/en/mod/core.html",
            "debian-handbook/html/en-US/index.html", "debian-handbook/html/en-US/sect.apt-get.html",
        ]
        guard isSoak else { return selected }
        let sites = [
            "python3-doc/html/library", "sqlite3", "apache2-doc/manual/en/mod", "debian-handbook/html/en-US",
        ]
        return selected
            + sites.flatMap { site in
                let names =
                    (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: site).path())) ?? []
                return names.filter { $0.hasSuffix(".html") }.sorted().prefix(25).map { "\(site)/\($0)" }
                    .filter { !selected.contains($0) }
            }
    }()

    @Test(arguments: pages)
    func realPageIsCapturedAndItsArchiveLooksTheSame(page: String) async throws {
        let file = Self.folder.appending(path: page)
        try #require(FileManager.default.fileExists(atPath: file.path()), "script/bootstrap installs it")
        try await FixtureSite.run(serving: Self.folder) { site in
            let capture = try await sharedCapturer.capture(site.url("/files/\(page)"), options: .withLongTimeouts)
            #expect(capture.httpStatus == 200)
            #expect(!capture.title.isEmpty)
            // SQLite's history is taller than a picture may be.
            let isCut = capture.warnings.contains { $0.kind == .cut }
            let tallest = CaptureOptions().maximumPixels / capture.contentSize.width
            #expect(isCut == (capture.contentSize.height > tallest))
            #expect(pictureSize(capture.data[.png])?.height == min(capture.contentSize.height, tallest))
            // The PDF has text, and one page, unless that would be too tall, as for SQLite's reference.
            let pdf = try #require(capture.data[.pdf])
            let isWhole = !capture.warnings.contains { $0.kind == .severalPages }
            #expect(isWhole == (Double(capture.contentSize.height) < PageTab.pdfHeightLimit))
            #expect((PDFDocument.pageCount(of: pdf) == 1) == isWhole)
            let text = try await Checks.poppler("pdftotext", pdf: pdf)
            #expect(text.count > 200)
            try await CaptureFixtureTests.expectSamePicture(capture)
        }
    }
}
