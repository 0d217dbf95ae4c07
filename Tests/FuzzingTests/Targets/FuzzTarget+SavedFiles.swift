import Foundation
import OfflineLibraryModel

@testable import Capture
@testable import OfflineLibraryReading

// What `meanwhile verify` and the import of pages read.

extension FuzzTarget {
    /// Files of saved pages: their sizes are within the limits, and what is read is a part of the file.
    static let savedFiles = FuzzTarget(
        "saved-files", maximumLength: 8_192,
        dictionary: [
            "PK\u{3}\u{4}", "WARC/1.1\r\n", "WARC-Type: response\r\n", "WARC-Type: revisit\r\n",
            "WARC-Type: resource\r\n",
            "WARC-Target-URI: http://a/\r\n", "WARC-Record-ID: a\r\n", "WARC-Refers-To: a\r\n", "Content-Length: ",
            "WARC-Block-Digest: sha256:", "WARC-Concurrent-To: a\r\n", "\r\n\r\n", "HTTP/1.1 200 OK\r\n", "IHDR",
            "IDAT",
            "IEND", "\"resources\":[", "\"path\":", "\"hash\":\"sha256:", "\"bytes\":", "\"mainPageUrl\":",
            "\"offset\":\"",
            "\"length\":\"", "\"filename\":\"data.warc.gz\"", "\"url\":\"http://a/\"", "-9223372036854775808", "<html>",
        ]
    ) { data in
        _ = SavedFile(data)
        if PNGCheck.problem(with: data) == nil {
            try require(PNGCheck.size(of: data) != nil, "a picture without a size is whole")
        }
        if let files = try? ZipReader.files(in: data, limit: 1 << 20, maximumFiles: 100) {
            try require(files.count <= 100, "too many files are read")
            try require(files.values.reduce(0) { $0 + $1.count } <= 1 << 20, "too much is read")
        }
        try checkMembers(of: data)
        try checkRecord(data)
        if let file = try? WACZFile(data, isCancelled: { false }) {
            try require(file.problems.count <= 100, "there are too many problems")
        }
        try checkArchive(of: data)
    }

    private static func checkMembers(of data: Data) throws {
        var (rest, length, bytes) = (1 << 20, 0, 0)
        func isCancelled() -> Bool { false }
        let isRead: Void? = try? GzipReader.readMembers(of: data, limit: &rest, isCancelled: isCancelled) { member in
            length += member.place.length
            bytes += member.content.count
        }
        try require(rest >= 0 && bytes <= (1 << 20) - rest, "more is read than allowed")
        if isRead != nil { try require(length == data.count, "the members aren't the whole file") }
    }

    private static func checkRecord(_ data: Data) throws {
        guard let record = WARCRecord(data) else { return }
        try require(data.suffix(record.block.count + 4).dropLast(4) == record.block, "the block isn't the record's end")
        if let response = record.response {
            try require((100...599).contains(response.status), "the status is \(response.status)")
            try require(response.body == record.payload || record.type == "revisit", "the body isn't the payload")
        }
    }

    /// Reads a valid ZIP file with valid compressed records, whose contents are lines of the input.
    private static func checkArchive(of data: Data) throws {
        var input = InputReader(data)
        var entries: [ZipWriter.Entry] = []
        for path in ["datapackage.json", "datapackage-digest.json", "pages/pages.jsonl", "indexes/index.cdx"] {
            let content = input.bytes()
            if !content.isEmpty { entries.append(ZipWriter.Entry(path: path, data: content, isCompressed: true)) }
        }
        var warc = Data()
        while !input.isAtEnd, warc.count < 100_000 {
            var record = input.bytes()
            // With a correct length, so that the record's other fields are read.
            if record.first.map({ $0 % 2 == 0 }) == true, let end = record.range(of: Data("\r\n\r\n".utf8)) {
                let block = record[end.upperBound...]
                record =
                    Data("WARC/1.1\r\nContent-Length: \(block.count)\r\n".utf8) + record[..<end.upperBound] + block
                    + Data("\r\n\r\n".utf8)
            }
            warc += try GzipMember.compress([record])
        }
        entries.append(ZipWriter.Entry(path: "archive/data.warc.gz", data: warc, isCompressed: false))
        let file = try WACZFile(
            try ZipWriter.file(with: entries, at: Date(timeIntervalSince1970: 0)), isCancelled: { false })
        try require(file.problems.count <= 100, "there are too many problems")
        for item in file.items {
            try require((100...599).contains(item.response.status), "the status is \(item.response.status)")
        }
    }

    /// Pages in web archives, MHTML, HTML and ZIP files: each has a web address and a valid content.
    static let importedPages = FuzzTarget(
        "imported-pages", maximumLength: 8_192,
        dictionary: [
            "MIME-Version: 1.0\r\n", "Content-Type: multipart/related; boundary=\"b\"; start=\"<a>\"\r\n",
            "\r\n--b\r\n",
            "--b--", "Content-Type: text/html\r\n", "Content-ID: <a>\r\n", "Content-Location: http://a/\r\n",
            "Content-Transfer-Encoding: quoted-printable\r\n", "Content-Transfer-Encoding: base64\r\n", "\r\n\r\n",
            "Snapshot-Content-Location: http://a/\r\n", "cid:a", "=\r\n", "=3D",
            "Date: Sat, 28 Nov 2026 03:04:05 +0000",
            "<html>", "<link rel=\"canonical\" href=\"http://a/\">", "<img src=\"a.png\">", "<iframe src=\"b.html\">",
            "srcset=\"a.png 2x, b.png\"", "<style>@import 'a.css'; url(", "../", "%2F",
            "saved from url=(0018)http://a/",
            "SingleFile\n url: http://a/\n",
        ]
    ) { data in
        try checkPages(in: data)
        // The same as the pages of a valid ZIP file.
        var input = InputReader(data)
        var entries: [ZipWriter.Entry] = []
        for path in ["a.html", "b/b.html", "a_files/c.html", "a.css", "b/a.png"] where !input.isAtEnd {
            entries.append(ZipWriter.Entry(path: path, data: input.bytes(), isCompressed: true))
        }
        try checkPages(in: try ZipWriter.file(with: entries, at: Date(timeIntervalSince1970: 0)))
    }

    private static func checkPages(in data: Data) throws {
        let content: ReadUpload.Content
        do throws(LibraryFileError) {
            content = try ReadUpload.content(of: data, name: "file.html")
        } catch {
            return try require(!error.description.isEmpty, "an error has no message")
        }
        guard case .pages(let pages) = content else { return }
        try require(!pages.isEmpty && pages.count <= ImportLimits.pages, "there are \(pages.count) pages")
        for page in pages {
            try require(page.url.scheme.map { ["http", "https"].contains($0.lowercased()) } == true, "\(page.url)")
        }
        let bytes = Array(data)
        let fallback = PageURL.fallback("file.html")
        if let archive = (try? MHTMLFile(bytes, fallback: fallback))?.archive { try checkRoundTrip(of: archive) }
        guard data.starts(with: [0x50, 0x4B]), let zip = try? ZIPPages(data) else { return }
        for path in zip.paths { try checkRoundTrip(of: zip.archive(of: path)) }
    }

    private static func checkRoundTrip(of archive: WebArchive) throws {
        try require(
            (try? WebArchive(propertyList: try archive.propertyList())) == archive, "an archive isn't read back")
    }

    /// Bodies of requests: their queries are short, and have only characters of URLs.
    static let requestBodies = FuzzTarget(
        "request-bodies", maximumLength: 8_192,
        dictionary: [
            "multipart/form-data; boundary=", "boundary=\"", "application/json\n",
            "application/x-www-form-urlencoded\n",
            "text/plain\n", "\r\n--", "--\r\n", "\r\n\r\n",
            "Content-Disposition: form-data; name=\"a\"; filename=\"b\"",
            "{\"a\":", "[", "null", "1e308", "%C3%A9", "+", "\\\"", ";",
        ]
    ) { data in
        var input = InputReader(data)
        let type = input.line()
        let exchange = HTTPExchange(
            id: "1", url: "http://a.example/", method: "POST", date: Date(timeIntervalSince1970: 0),
            fields: [.init(name: "Content-Type", value: type)], requestBody: .data(input.remainder()),
            response: .init(status: 200, statusLine: "", fields: [], mediaType: ""), isRedirect: false)
        guard let query = RequestBodyQuery.query(of: exchange) else {
            throw BrokenInvariant(description: "a body has no query")
        }
        try require(query.unicodeScalars.count <= 4_096, "the query is too long")
        let isForm = type.lowercased().hasPrefix("multipart/")
        try require(
            !isForm || query.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a form's query has other characters")
    }
}
