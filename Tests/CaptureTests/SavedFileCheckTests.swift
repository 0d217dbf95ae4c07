import FixtureSite
import Foundation
import Testing

@testable import Capture

/// Checks of saved pages' files.
@Suite(.timeLimit(.minutes(20))) struct SavedFileCheckTests {
    @Test func everyFormatOfACaptureIsComplete() async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(site.url("/recorded"), options: .withLongTimeouts)
            let picture = try #require(capture.data[.png])
            for (format, data) in capture.data {
                let check = try #require(
                    try await sharedCapturer.check(data, against: picture, options: .withLongTimeouts))
                #expect(check.file == .format(format))
                #expect(check.problems == [], "\(format)")
                #expect(
                    check.isComplete == [.png, .pdf].contains(format)
                        || check.missing.allSatisfy { $0.hasSuffix("absent.png") })
                if [.webArchive, .wacz].contains(format) {
                    #expect(try #require(check.difference) <= SavedFileCheck.tolerance, "\(format)")
                }
            }
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            let html = try await sharedCapturer.viewerCopy(of: archive, options: .withLongTimeouts)
            let check = try #require(try await sharedCapturer.check(html, against: nil, options: .withLongTimeouts))
            #expect(check.file == .html && check.isSound && check.missing == [])
            // Another page's picture is different.
            let other = try await sharedCapturer.capture(
                site.url("/tall?px=2000"), formats: [.png], options: .withLongTimeouts)
            let different = try await sharedCapturer.check(
                try #require(capture.data[.wacz]), against: other.data[.png], options: .withLongTimeouts)
            #expect(try #require(different?.difference) > SavedFileCheck.tolerance && different?.isComplete == false)
        }
    }

    @Test func missingPartsAreListed() async throws {
        let html = Data("<!doctype html><html><title>A</title><p>Text</p><img src=/a.png><img src=/b.png>".utf8)
        let page = Self.exchange("http://a.example/", "text/html", html)
        let wacz = try Self.wacz([page, Self.exchange("http://a.example/a.png", "image/png", Self.picture)])
        let check = try #require(try await sharedCapturer.check(wacz, options: .withLongTimeouts))
        #expect(check.isSound && !check.isComplete && check.missing == ["http://a.example/b.png"])
        let archive = WebArchive(
            mainResource: .init(
                data: html, url: "http://a.example/", mediaType: "text/html", textEncodingName: "UTF-8"),
            subresources: [.init(data: Self.picture, url: "http://a.example/a.png", mediaType: "image/png")])
        let archiveCheck = try #require(
            try await sharedCapturer.check(archive.propertyList(), options: .withLongTimeouts))
        #expect(archiveCheck.isSound && archiveCheck.missing == ["http://a.example/b.png"])
        let loading = try #require(
            try await sharedCapturer.check(
                Data("<html><p>Text</p><img src=http://b.example/c.png>".utf8), options: .withLongTimeouts))
        #expect(loading.isSound && loading.missing == ["http://b.example/c.png"])
        #expect(try await sharedCapturer.check(Data("no page".utf8)) == nil)
    }

    @Test func everyChangedByteOfAWACZFileIsFound() throws {
        let html = Data("<!doctype html><html><title>A</title><p>Text</p>".utf8)
        let wacz = try Self.wacz([Self.exchange("http://a.example/", "text/html", html)])
        let file = try WACZFile(wacz, isCancelled: { false })
        #expect(
            file.problems == [] && file.page == "http://a.example/" && file.items.map(\.url) == ["http://a.example/"])
        // Between the files, the ZIP file repeats what its end says.
        let files = try ZipReader.files(in: wacz, limit: 1 << 20)
        for path in ["archive/data.warc.gz", "indexes/index.cdx.gz"] {
            let stored = try #require(files[path])
            let range = try #require(wacz.range(of: stored))
            for position in stride(from: range.lowerBound, to: range.upperBound, by: 3) {
                var changed = wacz
                changed[position] ^= 0x55
                let problems = (try? WACZFile(changed, isCancelled: { false }))?.problems
                #expect(problems?.isEmpty != true, "byte \(position)")
            }
        }
        for end in stride(from: 0, to: wacz.count, by: 31) {
            let problems = (try? WACZFile(wacz.prefix(end), isCancelled: { false }))?.problems
            #expect(problems?.isEmpty != true, "\(end) bytes")
        }
    }

    @Test func hostileWACZFilesAreRefused() throws {
        // 64 MB that compress to 64 KB.
        let zeros = Data(count: 16 << 20)
        let bomb = try GzipMember.compress(Array(repeating: zeros, count: 4))
        #expect(throws: WACZError.failed("its content is too large")) {
            try Self.decompress(bomb, limit: 32 << 20, isCancelled: false)
        }
        #expect(throws: WACZError.cancelled) {
            try Self.decompress(bomb, limit: 1 << 30, isCancelled: true)
        }
        for lines in ["Content-Length: -1", "Content-Length: 99999999999999999999", "Content-Length: 5", ""] {
            #expect(WARCRecord(Data("WARC/1.1\r\n\(lines)\r\n\r\nabc\r\n\r\n".utf8)) == nil)
        }
        #expect(WARCRecord(Data("WARC/1.1\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n".utf8))?.block == Data("abc".utf8))
        let names = (0..<1_001).map { ZipWriter.Entry(path: "\($0)", data: Data(), isCompressed: false) }
        let zip = try ZipWriter.file(with: names, at: Date())
        #expect(throws: WACZError.failed("it has more than 1000 files")) { try ZipReader.files(in: zip, limit: 1) }
        let pair = try ZipWriter.file(
            with: [
                .init(path: "a", data: Data(count: 9), isCompressed: true),
                .init(path: "a", data: Data(), isCompressed: true),
            ],
            at: Date())
        #expect(throws: WACZError.failed("it has two files named a")) { try ZipReader.files(in: pair, limit: 9) }
        #expect(throws: WACZError.failed("its content is too large")) { try ZipReader.files(in: pair, limit: 8) }
    }

    @Test func zipMayHaveNamesInAnyScript() throws {
        let names = ["Alice’s account/Übersicht.html", "备份.html", "\u{1F4D6}"]
        let zip = try ZipWriter.file(
            with: names.map { .init(path: $0, data: Data($0.utf8), isCompressed: true) }, at: Date())
        let files = try ZipReader.files(in: zip, limit: 1_000)
        #expect(files == Dictionary(uniqueKeysWithValues: names.map { ($0, Data($0.utf8)) }))
    }

    @Test func fileThatIsListedVeryOftenIsHashedOnce() throws {
        func time(contentOf size: Int) throws -> Duration {
            let content = Data(count: size)
            let line = "{\"path\":\"archive/a\",\"hash\":\"\(WARCWriter.digest([content]))\",\"bytes\":\(size)}"
            let list = Array(repeating: line, count: 20_000).joined(separator: ",")
            let wacz = try ZipWriter.file(
                with: [
                    .init(path: "archive/a", data: content, isCompressed: true),
                    .init(path: "datapackage.json", data: Data("{\"resources\":[\(list)]}".utf8), isCompressed: true),
                ], at: Date())
            return try shortestProcessorTime {
                let file = try WACZFile(wacz, isCancelled: { false })
                #expect(file.problems.contains("archive/a is listed twice."))
            }
        }
        // Hashing it for each line would take many times as long.
        #expect(try time(contentOf: 1 << 20) < time(contentOf: 1) * 8)
    }

    @Test func everyChangedByteOfAPictureIsFound() {
        #expect(PNGCheck.problem(with: Self.picture) == nil)
        #expect(PNGCheck.size(of: Self.picture) == .init(width: 1, height: 1))
        for position in Self.picture.indices {
            var changed = Self.picture
            changed[position] ^= 0x55
            #expect(PNGCheck.problem(with: changed) != nil, "byte \(position)")
            #expect(PNGCheck.problem(with: Self.picture.prefix(position)) != nil, "\(position) bytes")
        }
    }

    @Test func damagedPDFsAreFound() {
        let pdf = "%PDF-1.4\n1 0 obj\n<</Type /Page>>\nendobj\nstartxref\n9\n%%EOF\n"
        #expect(PDFDocument.problem(with: Data(pdf.utf8)) == nil)
        for change in [
            ("%%EOF", ""), ("startxref\n9", "startxref\n9999999999999999999"), ("%PDF", "PDF"), ("/Page", "/X"),
        ] {
            #expect(PDFDocument.problem(with: Data(pdf.replacing(change.0, with: change.1).utf8)) != nil)
        }
    }

    private static func decompress(_ data: Data, limit: Int, isCancelled: Bool) throws(WACZError) {
        var rest = limit
        let ignore: (GzipReader.Member) -> Void = { _ in }
        try GzipReader.readMembers(of: data, limit: &rest, isCancelled: { isCancelled }, ignore)
    }

    /// A picture of one pixel.
    private static let picture =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
        ?? Data()

    private static func exchange(_ url: String, _ type: String, _ body: Data) -> RecordedExchange {
        let exchange = HTTPExchange(
            id: url, url: url, method: "GET", date: Date(timeIntervalSince1970: 1), fields: [], requestBody: .none,
            response: .init(
                status: 200, statusLine: "HTTP/1.1 200 OK", fields: [.init(name: "Content-Type", value: type)],
                mediaType: type), isRedirect: false)
        return RecordedExchange(exchange: exchange, content: .body(body))
    }

    private static func wacz(_ exchanges: [RecordedExchange]) throws -> Data {
        try WACZWriter.file(
            of: .init(url: "http://a.example/", title: "A", text: "Text", date: Date(timeIntervalSince1970: 1)),
            exchanges: exchanges)
    }
}
