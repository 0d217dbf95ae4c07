import Capture
import Foundation
import OfflineLibraryModel
import Testing

@testable import OfflineLibraryReading

/// Tests reading files with addresses.
@Suite(.timeLimit(.minutes(10))) struct AddressFileTests {
    private func read(_ text: String) throws -> AddressFile { try AddressFile(reading: Data(text.utf8)) }

    private func failure(_ data: Data) -> LibraryFileError? {
        do throws(LibraryFileError) {
            _ = try AddressFile(reading: data)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Bookmarks

    @Test func bookmarksOfABrowserHaveTitlesTimesTagsAndFolders() throws {
        let file = try read(
            """
            <!DOCTYPE NETSCAPE-Bookmark-file-1>
            <!-- This is an <A HREF="https://comment.example/">automatically generated</A> file. -->
            <META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
            <TITLE>Bookmarks</TITLE>
            <H1>Bookmarks Menu</H1>
            <DL><p>
                <DT><A HREF="https://top.example/?a=1&amp;b=2" ADD_DATE="1609459200" ICON="data:image/png;base64,AA==">Q&amp;A &#39;1&#x27;</A>
                <DD>A note with a < sign
                <DT><H3 ADD_DATE="1609459200">News</H3>
                <DL><p>
                    <DT><H3>Sub &lt;folder&gt;</H3>
                    <DL><p>
                        <DT><A HREF='https://deep.example/' TAGS="read later,swift" ADD_DATE="1609459200123456">Deep</A>
                    </DL><p>
                    <DT><A HREF="javascript:void(0)">A bookmarklet</A>
                </DL><p>
                <DT><A HREF=https://bare.example/path>No quotes</A>
            </DL><p>
            """)
        #expect(file.format == .bookmarks)
        #expect(
            file.addresses.map(\.address) == [
                "https://top.example/?a=1&b=2", "https://deep.example/", "javascript:void(0)",
                "https://bare.example/path",
            ])
        #expect(file.addresses.map(\.title) == ["Q&A '1'", "Deep", "A bookmarklet", "No quotes"])
        #expect(file.addresses.map(\.folders) == [[], ["News", "Sub <folder>"], ["News"], []])
        #expect(file.addresses.map(\.note) == ["A note with a < sign", "", "", ""])
        #expect(file.addresses[1].tags == ["read later", "swift"])
        let time = Date(timeIntervalSince1970: 1_609_459_200)
        #expect(file.addresses[0].addedAt == time)
        // Firefox writes microseconds in some versions.
        let microseconds = try #require(file.addresses[1].addedAt)
        #expect(abs(microseconds.timeIntervalSince(time)) < 1)
        #expect(file.addresses.map(\.place) == [1, 2, 3, 4])
    }

    @Test func noteFollowsItsBookmark() throws {
        let file = try read(
            """
            <!DOCTYPE NETSCAPE-Bookmark-file-1>
            <DL><p>
                <DT><H3>News</H3>
                <DD>The note of a folder
                <DL><p>
                    <DT><A HREF="https://a.example/">A</A>
                    <DD>Two lines &amp; <b>bold</b><br>
            of a note, 3 < 4
                    <DT><A HREF="https://b.example/">B</A>
                    <DT><A HREF="https://c.example/">C</A><DD>
                    <DD>A second one
                    <DT><A HREF="https://d.example/">D</A><DD>The last
                </DL><p>
            """)
        #expect(file.addresses.map(\.title) == ["A", "B", "C", "D"])
        #expect(
            file.addresses.map(\.note) == ["Two lines & bold\n\nof a note, 3 < 4", "", "", "The last"])
        #expect(file.addresses.allSatisfy { $0.folders == ["News"] })
    }

    @Test func longNoteIsCutOffVisibly() throws {
        let start = "<!DOCTYPE NETSCAPE-Bookmark-file-1><A HREF='https://a.example/'>A</A><DD>"
        let whole = String(repeating: "&#x1F600;", count: PageMarks.maximumNoteLength)
        let exact = try #require(try read(start + whole).addresses.first).note
        #expect(exact == String(repeating: "😀", count: PageMarks.maximumNoteLength))
        let cut = try #require(try read("\(start)\(whole)&#x1F600;").addresses.first).note
        #expect(cut.unicodeScalars.count == PageMarks.maximumNoteLength)
        #expect(cut.hasPrefix("😀") && cut.hasSuffix("😀… (cut off when imported)"))
    }

    @Test func pocketsHTMLHasTimesAndTags() throws {
        let file = try read(
            """
            <!DOCTYPE html>
            <html>
            <!--So long and thanks for all the fish-->
            <head><title>Pocket Export</title></head>
            <body><h1>Unread</h1><ul>
            <li><a href="https://a.example/" time_added="1500000000" tags="one,two">A title</a></li>
            </ul></body></html>
            """)
        #expect(file.format == .pocket)
        let address = try #require(file.addresses.first)
        #expect(address.tags == ["one", "two"] && address.title == "A title")
        #expect(address.addedAt == Date(timeIntervalSince1970: 1_500_000_000))
    }

    // MARK: Tables and lists

    @Test func pocketsTableHasQuotedTitlesAndTags() throws {
        let file = try read(
            "title,url,time_added,tags,status\r\n\"A, \"\"quoted\"\"\ntitle\",https://a.example/,1500000000,one|two,unread\r\n"
                + "B,https://b.example/,1500000001,,archive")
        #expect(file.format == .pocket)
        #expect(file.addresses.map(\.title) == ["A, \"quoted\"\ntitle", "B"])
        #expect(file.addresses.map(\.tags) == [["one", "two"], []])
        #expect(file.addresses.map(\.place) == [1, 2])
    }

    @Test func otherTablesAreReadByTheirColumns() throws {
        let file = try read(
            "\u{FEFF}id,title,note,excerpt,url,folder,tags,created\n"
                + "1,T,My note,Made by a machine,https://r.example/,Read later,\"a, b\",2024-01-02T03:04:05.678Z\n")
        #expect(file.format == .csv)
        let address = try #require(file.addresses.first)
        #expect(address.folders == ["Read later"] && address.tags == ["a", "b"])
        #expect(address.addedAt.map { Int($0.timeIntervalSince1970) } == 1_704_164_645)
        #expect(address.note == "My note")
        let instapaper = try read(
            "URL,Title,Selection,Folder,Timestamp,Tags\nhttps://i.example/,I,Selected,Unread,1700000000,\"[\"\"x\"\"]\""
        )
        #expect(instapaper.addresses.first?.tags == ["x"] && instapaper.addresses.first?.note == "Selected")
    }

    @Test func listHasOneAddressOnEachLine() throws {
        let file = try read("https://a.example/\r\n\r\n  b.example | A title | of two parts\nnot an address\n")
        #expect(file.format == .list)
        #expect(file.addresses.map(\.address) == ["https://a.example/", "b.example", "not an address"])
        #expect(file.addresses.map(\.title) == ["", "A title | of two parts", ""])
        #expect(file.addresses.map(\.place) == [1, 3, 4])
        let utf16 = try AddressFile(reading: try #require("https://ü.example/\n".data(using: .utf16)))
        #expect(utf16.addresses.map(\.address) == ["https://ü.example/"])
    }

    // MARK: Exports in JSON

    @Test func karakeepHasLinksWithListsAndLeavesOutTexts() throws {
        let file = try read(
            """
            {"bookmarks": [
              {"createdAt": 1700000000, "title": "A", "tags": ["x"], "lists": ["l2"],
               "content": {"type": "link", "url": "https://a.example/"}, "note": null, "archived": false},
              {"createdAt": 1700000001, "title": null, "tags": [], "content": {"type": "text", "text": "hi"}},
              {"createdAt": 1700000002, "title": null, "tags": [], "content": null},
              {"createdAt": 1700000003, "title": null, "tags": [], "content": {"type": "link", "url": "https://b.example/"},
               "note": "A note\\nof two lines"}
            ], "lists": [
              {"id": "l1", "name": "Outer", "parentId": "l2"}, {"id": "l2", "name": "Inner", "parentId": "l1"}
            ]}
            """)
        #expect(file.format == .karakeep)
        #expect(file.addresses.map(\.address) == ["https://a.example/", "https://b.example/"])
        #expect(file.addresses.map(\.place) == [1, 4])
        #expect(file.addresses.map(\.note) == ["", "A note\nof two lines"])
        // Lists that contain each other are cut off.
        #expect(file.addresses[0].folders == ["Outer", "Inner"])
        #expect(file.addresses[0].addedAt == Date(timeIntervalSince1970: 1_700_000_000))
    }

    @Test func linkwardenHasCollectionsAndTags() throws {
        let file = try read(
            """
            {"id": 1, "name": "me", "collections": [
              {"id": 7, "name": "Outer", "parentId": null, "links": []},
              {"id": 8, "name": "Inner", "parentId": 7, "links": [
                {"id": 1, "name": "A", "type": "url", "url": "https://a.example/", "tags": [{"id": 1, "name": "x"}],
                 "createdAt": "2024-01-02T03:04:05.000Z", "importDate": null, "description": "A note"},
                {"id": 2, "name": "An uploaded file", "type": "pdf", "url": null, "tags": []}
              ]}
            ], "pinnedLinks": []}
            """)
        #expect(file.format == .linkwarden)
        let address = try #require(file.addresses.first)
        #expect(file.addresses.count == 1 && address.folders == ["Outer", "Inner"] && address.tags == ["x"])
        #expect(address.addedAt == Date(timeIntervalSince1970: 1_704_164_645))
        #expect(address.note == "A note")
    }

    private static let omnivore = """
        [{"id": "1", "slug": "%@", "title": "A", "description": "About %@","url": "https://%@.example/", "state": "Active",
          "labels": ["x", {"name": "y"}], "savedAt": "2024-01-02T03:04:05.000Z"}]
        """

    @Test func omnivoresJSONHasLabels() throws {
        let file = try read(Self.omnivore.replacing("%@", with: "a"))
        #expect(file.format == .omnivore && file.addresses.first?.tags == ["x", "y"])
    }

    @Test func omnivoresZIPHasAllItsFilesInOrder() throws {
        let zip = StoredZIP.file([
            ("metadata_100_to_120.json", Self.omnivore.replacing("%@", with: "c")),
            ("content/a.html", "<p>not read</p>"), ("highlights/a.md", "> A highlight\n"),
            ("metadata_20_to_40.json", Self.omnivore.replacing("%@", with: "b")),
            ("metadata_0_to_20.json", Self.omnivore.replacing("%@", with: "a")),
        ])
        let file = try AddressFile(reading: zip)
        #expect(file.format == .omnivore)
        #expect(file.addresses.map(\.address) == ["a", "b", "c"].map { "https://\($0).example/" })
        #expect(file.addresses.map(\.place) == [1, 2, 3])
        #expect(file.addresses.map(\.note) == ["About a\n\n> A highlight", "About b", "About c"])
    }

    // MARK: Files that can't be imported

    @Test func fileOfAnUnknownKindIsRefused() {
        #expect(failure(Data()) == .empty)
        #expect(failure(Data(" \n".utf8)) == .empty)
        #expect(failure(Data("<html><a href='https://a.example'>a</a>".utf8)) == .unknownFormat)
        #expect(failure(Data([0x89, 0x50, 0x4E, 0x47, 0, 0xFF])) == .unknownFormat)
        #expect(failure(Data("{\"a\": 1}".utf8)) == .unknownFormat)
        #expect(failure(Data("[1, 2]".utf8)) == .unknownFormat)
        #expect(failure(Data("{\"bookmarks\": [".utf8)) == .damaged("it isn’t valid JSON"))
        #expect(failure(Data("[\(String(repeating: "[", count: 100_000))".utf8)) == .damaged("it isn’t valid JSON"))
        #expect(failure(Data("[]".utf8)) == .noAddresses)
        #expect(failure(Data("PK\u{3}\u{4}nonsense".utf8)) == .damaged("it isn’t a valid ZIP file"))
        #expect(failure(StoredZIP.file([("a.txt", "https://a.example")])) == .unknownFormat)
        #expect(failure(Data(count: ImportLimits.fileBytes + 1)) == .tooLarge)
    }

    @Test func fileWithTooManyAddressesIsRefused() throws {
        let line = "https://a.example/\n"
        let most = try read(String(repeating: line, count: ImportLimits.addresses))
        #expect(most.addresses.count == ImportLimits.addresses)
        #expect(failure(Data(String(repeating: line, count: ImportLimits.addresses + 1).utf8)) == .tooMany)
    }

    /// Each of these takes linear time; a quadratic reader would take hours.
    @Test(arguments: ["<", "<a ", "<a href=\"", "<!--", "<dl>", "<a href=&", "<h3>", "<a b=", "&amp;", "<a href='&lt"])
    func repeatedMarkupIsReadInLinearTime(text: String) throws {
        let start = "<!DOCTYPE NETSCAPE-Bookmark-file-1><a href='https://a.example/'>a</a>"
        let file = try? read(start + String(repeating: text, count: 200_000 / text.utf8.count))
        if let file { #expect(file.addresses.first?.address == "https://a.example/") }
    }

    @Test func textsAreShortenedAndImplausibleTimesLeftOut() throws {
        let long = String(repeating: "x", count: 100_000)
        let tags = (0..<200).map { "t\($0)" }.joined(separator: "|")
        let file = try read(
            "title,url,time_added,tags\n\(long),https://a.example/\(long),1e300,\(tags)|t0\nB,https://b.example/,-5,\n"
        )
        #expect(file.addresses.map(\.addedAt) == [nil, nil])
        #expect(file.addresses[0].title.count == 500 && file.addresses[0].tags.count == 50)
        #expect(file.addresses[0].address.count == 20_001)
        let json = try read(#"[{"url": "https://a.example/", "title": "a\u0000b", "labels": ["\u0000"]}]"#)
        #expect(json.addresses.first?.title == "ab" && json.addresses.first?.tags == [])
    }

    // MARK: Forms

    @Test func formHasAFileAndFormats() throws {
        let body = [
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"b.txt\"\r\n\r\nhttps://a.example/",
            "--x\r\nContent-Disposition: form-data; name=\"png\"\r\n\r\non",
            "--x\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\non", "--x--\r\n",
        ].joined(separator: "\r\n")
        let read = try ReadUpload(body: Data(body.utf8), boundary: "x")
        #expect(read.fileName == "b.txt" && read.formats == [.png])
        guard case .addresses(let file) = read.content else { throw CancellationError() }
        #expect(file.addresses.map(\.address) == ["https://a.example/"])
        #expect(throws: LibraryFileError.noFile) { try ReadUpload(body: Data(), boundary: "x") }
    }
}

/// ZIP files whose files aren't compressed.
enum StoredZIP {
    static func file(_ files: [(name: String, text: String)]) -> Data {
        var (data, directory) = (Data(), Data())
        for (name, text) in files {
            let (name, content) = (Data(name.utf8), Data(text.utf8))
            let offset = data.count
            let size = UInt32(content.count)
            // The version, flags, method, time, checksum, sizes, and the length of the name.
            let fields = numbers([(20, 2), (0, 2), (0, 2), (0, 4), (crc(content), 4), (size, 4), (size, 4)])
            let length = numbers([(UInt32(name.count), 2)])
            data.append(contentsOf: [0x50, 0x4B, 3, 4])
            data.append(fields)
            data.append(length)
            data.append(numbers([(0, 2)]))
            data.append(name)
            data.append(content)
            directory.append(contentsOf: [0x50, 0x4B, 1, 2, 20, 0])
            directory.append(fields)
            directory.append(length)
            directory.append(numbers([(0, 2), (0, 2), (0, 2), (0, 2), (0, 4), (UInt32(offset), 4)]))
            directory.append(name)
        }
        let (start, count) = (UInt32(data.count), UInt32(files.count))
        data.append(directory)
        data.append(contentsOf: [0x50, 0x4B, 5, 6])
        data.append(numbers([(0, 4), (count, 2), (count, 2), (UInt32(directory.count), 4), (start, 4), (0, 2)]))
        return data
    }

    /// Numbers in little-endian order, each with its size in bytes.
    private static func numbers(_ numbers: [(value: UInt32, bytes: Int)]) -> Data {
        var data = Data()
        for (value, bytes) in numbers {
            for index in 0..<bytes { data.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * index))) }
        }
        return data
    }

    private static func crc(_ data: Data) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in data {
            sum ^= UInt32(byte)
            for _ in 0..<8 {
                let shifted = sum >> 1
                sum = sum & 1 == 1 ? shifted ^ 0xEDB8_8320 : shifted
            }
        }
        return ~sum
    }
}
