import Capture
import Foundation
import Loading
import OfflineLibraryReading
import Persistence
import StoreTesting
import Testing

@testable import OfflineLibraryModel

/// Exports of pages in open formats.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ExportTests {
    let fixture = LibraryFixture()
    var library: Library { fixture.library }

    /// Exports pages; returns the ZIP file's files, which libarchive reads.
    private func export(
        _ selection: ExportSelection = .all
    ) async throws -> (zip: Data, files: [String: Data], summary: LibraryExport.Summary) {
        var zip = Data()
        let summary = try await library.export(selection).write { zip.append($0) }
        #expect(summary.bytes == zip.count)
        return (zip, try ZipReader.files(in: zip, limit: 100_000_000), summary)
    }

    /// `pages.json`, which has one page on each line.
    private func lines(_ files: [String: Data]) throws -> [[String: Any]] {
        let json = try JSONSerialization.jsonObject(with: try #require(files["pages.json"])) as? [String: Any]
        #expect(json?["format"] as? String == "meanwhile-library" && json?["version"] as? Int == 1)
        return try #require(json?["pages"] as? [[String: Any]])
    }

    private func savePage(_ address: String, title: String) async throws -> SavedPage.ID {
        let (id, call) = try await fixture.startSaving(address)
        call.succeed(title: title)
        await library.waitForItem(id) { $0.state.isFound }
        return id
    }

    @Test func everyPageHasItsFilesAndAnEntryInEachList() async throws {
        let first = try await savePage("https://a.example/?a=1&b='2'", title: "A <b> & \"c\"")
        let marks = try PageMarks(
            isFavourite: true, tags: PageTag.tags(in: "Swift, to read"), note: "A <note>\nof mine")
        try await library.mark(first, marks)
        let (failed, call) = try await fixture.startSaving("https://failed.example/")
        call.fail(.connectionFailed, "No <connection>.")
        await library.waitForItem(failed) { if case .failed = $0.state { true } else { false } }
        let deleted = try await savePage("https://deleted.example/", title: "Deleted")
        try await library.delete(deleted)
        let (_, files, summary) = try await export()
        #expect(summary.pages == 2 && summary.files == 3 && summary.problems.isEmpty)
        let pages = try lines(files)
        #expect(pages.map { $0["state"] as? String } == ["failed", "saved"])
        #expect(pages[0]["failure"] as? String == "No <connection>." && pages[0]["folder"] == nil)
        let page = pages[1]
        #expect(page["address"] as? String == "https://a.example/?a=1&b='2'")
        #expect(page["title"] as? String == "A <b> & \"c\"" && page["note"] as? String == "A <note>\nof mine")
        #expect(page["tags"] as? [String] == ["Swift", "to read"] && page["isFavourite"] as? Bool == true)
        for file in try #require(page["files"] as? [[String: Any]]) {
            let path = try #require(file["path"] as? String)
            let data = try #require(files[path])
            #expect(file["bytes"] as? Int == data.count)
            #expect(file["sha256"] as? String == BlobStore.ID(of: data).description)
            #expect(path.hasPrefix("pages/") && path.contains(" A -b- & -c-/page."))
        }
        let index = String(decoding: try #require(files["index.html"]), as: UTF8.self)
        #expect(!index.contains("<script") && !index.contains("<b>") && !index.contains("<note>"))
        #expect(index.contains("A%20-b-%20%26%20-c-/page.png\""))
        #expect(index.contains("No &lt;connection&gt;."))
        #expect(!files.values.contains { String(decoding: $0, as: UTF8.self).contains("deleted.example") })
    }

    @Test func bookmarksAreImportedAgain() async throws {
        let id = try await savePage("https://a.example/?a=1&b='2'", title: "A <b> & \"c\"")
        let note = "A <note> & \"more\"\n\nof 3 < 4 lines</DL>" + String(repeating: "&\"", count: 4_000)
        try await library.mark(id, try PageMarks(isFavourite: false, tags: PageTag.tags(in: "a & b, c"), note: note))
        fixture.time.advance(by: 60)
        _ = try await savePage("https://b.example/", title: "")
        let (_, files, _) = try await export()
        for data in [try #require(files["bookmarks.html"])] {
            let read = try AddressFile(reading: data)
            #expect(read.addresses.map(\.address) == ["https://b.example/", "https://a.example/?a=1&b='2'"])
            #expect(read.addresses.map(\.title) == ["https://b.example/", "A <b> & \"c\""])
            #expect(read.addresses.map(\.tags) == [[], ["a & b", "c"]])
            #expect(read.addresses.map(\.note) == ["", note])
            let items = Array(library.newest)
            for (address, item) in zip2(read.addresses, items) {
                let time = try #require(address.addedAt)
                #expect(abs(time.timeIntervalSince(item.requestedAt)) < 1)
            }
        }
    }

    private func zip2<First, Second>(_ first: [First], _ second: [Second]) -> [(First, Second)] {
        Array(Swift.zip(first, second))
    }

    @Test func selectionAndSearchExportOnlyTheirPages() async throws {
        let first = try await savePage("https://a.example/", title: "First")
        let second = try await savePage("https://b.example/", title: "Second")
        #expect(try lines(try await export(.pages([first])).files).map { $0["title"] as? String } == ["First"])
        let query = LibraryQuery(words: SearchWords("second"))
        #expect(try lines(try await export(.found(query)).files).map { $0["title"] as? String } == ["Second"])
        try await library.delete(second)
        #expect(try await export(.found(query)).summary.pages == 0)
        #expect(
            await error { () throws(LibraryError) in _ = try await library.export(.pages([second])) } == .noSelection)
    }

    @Test func fileThatIsMissingIsReported() async throws {
        let id = try await savePage("https://a.example/", title: "A page")
        let export = try await library.export(.all)
        // Deleted after the export began.
        try await library.delete(id)
        var zip = Data()
        let summary = try await export.write { zip.append($0) }
        let files = try ZipReader.files(in: zip, limit: 1_000_000)
        #expect(summary.files == 0 && summary.problems.count == 3)
        #expect(
            summary.problems.allSatisfy {
                $0.hasSuffix("/page.png: \(LibraryWords.exportFileMissing)")
                    || $0.hasSuffix("/page.webarchive: \(LibraryWords.exportFileMissing)")
                    || $0.hasSuffix("/page.small.png: \(LibraryWords.exportFileMissing)")
            })
        #expect(files["errors.txt"] == Data(summary.problems.map { $0 + "\n" }.joined().utf8))
    }

    @Test func receiverThatStopsEndsTheExport() async throws {
        for name in ["a", "b", "c"] { _ = try await savePage("https://\(name).example/", title: name) }
        struct Gone: Error {}
        var count = 0
        let export = try await library.export(.all)
        await #expect(throws: Gone.self) {
            try await export.write { _ in
                count += 1
                if count == 2 { throw Gone() }
            }
        }
        #expect(count == 2)
    }
}

/// The names of exported folders.
@Suite struct ExportNameTests {
    private static let date = Date(timeIntervalSince1970: 1_764_000_000)

    private func names(_ titles: String...) -> [String] {
        var names = ExportNames()
        return titles.map { names.name(of: $0, at: Self.date) }
    }

    @Test func namesThatFileSystemsDoNotDistinguishDiffer() {
        #expect(
            names("Title", "TITLE", "title (2)", "title", "Stra\u{DF}e", "STRASSE", "\u{E9}", "e\u{301}") == [
                "2025-11-24 Title", "2025-11-24 TITLE (2)", "2025-11-24 title (2) (2)", "2025-11-24 title (3)",
                "2025-11-24 Stra\u{DF}e", "2025-11-24 STRASSE (2)", "2025-11-24 \u{E9}", "2025-11-24 \u{E9} (2)",
            ])
    }

    @Test(arguments: [
        ("", "page"), (" . ", "page"), ("\u{202E}\u{200B}", "page"), ("../../etc/passwd", "-..-etc-passwd"),
        ("C:\\a|b?c*\"<d>\"", "C--a-b-c---d--"), ("a\u{0}b\r\nc\u{85}d", "a b c d"), ("a. . .", "a"),
        ("\u{202E}gnp.exe", "gnp.exe"), ("a/\u{301}b", "a-\u{301}b"),
    ])
    func titleBecomesASafeName(title: String, name: String) {
        #expect(
            ExportNames.clean(title).unicodeScalars.elementsEqual(
                name.precomposedStringWithCanonicalMapping.unicodeScalars))
    }

    @Test func everyScalarGivesANameThatIsSafe() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let name = ExportNames.clean("a\(Character(scalar))b")
            #expect(
                name.unicodeScalars.allSatisfy { !"/\\:*?\"<>|\u{0}\n\r".unicodeScalars.contains($0) && $0.value >= 32 }
                    && !name.isEmpty, "U+\(String(value, radix: 16))")
        }
    }

    @Test func longTitlesAreCutOffBetweenCharacters() {
        let names = names(
            String(repeating: "👩‍👩‍👧", count: 100), "a" + String(repeating: "\u{301}", count: 1_000),
            String(repeating: "x", count: 1_000_000))
        for name in names { #expect(name.utf8.count <= 200 && name.count <= 100) }
        #expect(names[1] == "2025-11-24 page")
    }
}
