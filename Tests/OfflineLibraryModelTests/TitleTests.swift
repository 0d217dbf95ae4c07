import Foundation
import OfflineLibraryModel
import Testing

/// A web page determines the length of its title.
@Suite struct TitleTests {
    private func stored(_ title: String) throws -> String {
        PageContent(
            title: title, url: try #require(URL(string: "http://a.example/")), httpStatus: 200, capturedAt: .now,
            warnings: [], sizes: [:]
        ).title
    }

    @Test func longTitleIsTruncated() throws {
        let title = try stored(String(repeating: "A ", count: 1_000_000))
        #expect(title.unicodeScalars.count <= 1_000)
        #expect(title.hasPrefix("A A A"))
        #expect(title.hasSuffix("A…"))
    }

    @Test func truncationKeepsWholeScalars() throws {
        let title = try stored(String(repeating: "👩‍🚀", count: 1_000))
        #expect(title.unicodeScalars.count <= 1_000)
        #expect(!title.contains("\u{FFFD}"))
    }

    @Test func whiteSpaceIsCollapsed() throws {
        #expect(try stored(" \n A\t title \u{00A0} of  three lines\n") == "A title of three lines")
        #expect(try stored(String(repeating: " ", count: 100_000)).isEmpty)
        #expect(try stored(String(repeating: "\n", count: 100_000) + "late") == "late")
    }
}
