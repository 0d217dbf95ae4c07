import Capture
import Foundation
import OfflineLibraryModel
import Testing

@testable import OfflineLibraryReading

/// Tests reading saved pages: web archives, MHTML, HTML and folders.
@Suite(.timeLimit(.minutes(10))) struct SavedPageFileTests {
    private func read(_ data: Data, name: String = "a.html") throws -> [UploadedPage] {
        let head = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n"
        let read = try ReadUpload(
            body: Data(head.utf8) + data + Data("\r\n--x--\r\n".utf8), boundary: "x")
        guard case .pages(let pages) = read.content else { return [] }
        return pages
    }

    private func archive(_ page: UploadedPage) async throws -> WebArchive {
        #expect(page.source == .webArchive)
        return try WebArchive(propertyList: try await page.content())
    }

    private func text(_ resource: WebArchive.Resource?) -> String? {
        resource.map { String(decoding: $0.data, as: UTF8.self) }
    }

    // MARK: MHTML

    /// As Chromium writes it: style sheets and frames have identifiers, and the text is quoted-printable.
    private static let mhtml = """
        From: <Saved by Blink>
        Snapshot-Content-Location: https://page.example/a?b=1
        Subject: =?utf-8?Q?A=20page?=
        Date: Fri, 27 Nov 2026 20:00:00 -0000
        MIME-Version: 1.0
        Content-Type: multipart/related;
        \ttype="text/html";
        \tboundary="----Boundary--x----"


        ------Boundary--x----
        Content-Type: text/html
        Content-ID: <frame-1@mhtml.blink>
        Content-Transfer-Encoding: quoted-printable
        Content-Location: https://page.example/a?b=1

        <!DOCTYPE html><meta charset=3D"UTF-8"><link rel=3D"stylesheet" href=3D"cid:css-1@=
        mhtml.blink"><p>caf=C3=A9 cid:unknown=
        </p><img src=3D"https://page.example/i.png"><iframe src=3D"cid:frame-2@mhtml.blink"></iframe>
        ------Boundary--x----
        Content-Type: text/css
        Content-ID: <css-1@mhtml.blink>
        Content-Transfer-Encoding: binary
        Content-Location: cid:css-1@mhtml.blink

        p { color: red }
        ------Boundary--x----
        Content-Type: image/png
        Content-Transfer-Encoding: base64
        Content-Location: https://page.example/i.png

        aGVs
        bG8=
        ------Boundary--x----
        Content-Type: text/html; charset=windows-1252
        Content-ID: <frame-2@mhtml.blink>
        Content-Transfer-Encoding: quoted-printable
        Content-Location: https://frame.example/

        <p>A frame</p>
        ------Boundary--x------
        """

    @Test(arguments: ["\n", "\r\n"])
    func mhtmlBecomesAWebArchive(lineEnd: String) async throws {
        let message = Self.mhtml.replacing("\n", with: lineEnd)
        let page = try #require(try read(Data(message.utf8), name: "a.mhtml").first)
        #expect(page.url.absoluteString == "https://page.example/a?b=1")
        #expect(page.savedAt == Date(timeIntervalSince1970: 1_795_809_600))
        let archive = try await archive(page)
        #expect(archive.mainResource.url == "https://page.example/a?b=1")
        let html = try #require(text(archive.mainResource))
        #expect(html.contains("<p>café cid:unknown</p>"), "\(html)")
        #expect(html.contains("href=\"https://cid.invalid/css-1@mhtml.blink\""), "\(html)")
        #expect(html.contains("src=\"https://cid.invalid/frame-2@mhtml.blink\""), "\(html)")
        let resources = Dictionary(archive.subresources.map { ($0.url, $0) }) { first, _ in first }
        #expect(text(resources["https://cid.invalid/css-1@mhtml.blink"]) == "p { color: red }")
        #expect(text(resources["https://page.example/i.png"]) == "hello")
        let frames = archive.subframes.map(\.mainResource)
        #expect(frames.map(\.url) == ["https://frame.example/", "https://cid.invalid/frame-2@mhtml.blink"])
        #expect(frames.allSatisfy { $0.textEncodingName == "windows-1252" && text($0) == "<p>A frame</p>" })
    }

    @Test func mhtmlWithoutAPageIsRefused() {
        for body in ["", "--b\n\n--b--", "--b\nContent-Type: image/png\n\nx\n--b--", "no boundary"] {
            let message = "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n\(body)"
            #expect(throws: LibraryFileError.damaged("it isn’t a page in MHTML")) { try read(Data(message.utf8)) }
        }
    }

    /// Each of these takes linear time.
    @Test(arguments: ["--b\n", "--b\n\n", "cid:", "=", "=\n", "--b\nA:", "--b\n A\n"])
    func repeatedMIMEIsReadInLinearTime(text: String) throws {
        let head =
            "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n"
            + "--b\nContent-Type: text/html\nContent-ID: <i>\nContent-Transfer-Encoding: quoted-printable\n\n"
        let data = Data((head + String(repeating: text, count: 200_000 / text.utf8.count)).utf8)
        #expect(try read(data).count == 1)
    }

    // MARK: HTML

    @Test(arguments: [
        (
            "<!DOCTYPE html><html><!--\n Page saved with SingleFile \n url: https://a.example/x \n saved date: x\n-->",
            "https://a.example/x"
        ),
        ("<!-- saved from url=(0020)https://b.example/y -->\r\n<html><p>", "https://b.example/y"),
        ("<html><head><link rel=canonical href='https://c.example/?a&amp;b'>", "https://c.example/?a&b"),
        ("<html><meta property=\"og:url\" content=\"https://d.example/\">", "https://d.example/"),
        ("<html><link rel=canonical href='javascript:x'><p>A page", "http://file.invalid/my%20page.html"),
    ])
    func addressOfAnHTMLFileIsFound(html: String, address: String) async throws {
        let page = try #require(try read(Data(html.utf8), name: "my page.html").first)
        #expect(page.url.absoluteString == address)
        #expect(page.source == .html)
        #expect(try await page.content() == Data(html.utf8))
    }

    // MARK: Web archives

    @Test func webArchiveIsKeptAsItIs() async throws {
        let resource = WebArchive.Resource(
            data: Data("<p>A page</p>".utf8), url: "https://a.example/", mediaType: "text/html")
        let data = try WebArchive(mainResource: resource).propertyList()
        let page = try #require(try read(data, name: "a.webarchive").first)
        #expect(page.url.absoluteString == "https://a.example/" && page.source == .webArchive)
        #expect(try await page.content() == data)
        #expect(throws: LibraryFileError.damaged("it isn’t a valid web archive")) { try read(Data("bplist00x".utf8)) }
        var local = resource
        local.url = "file:///etc/passwd"
        let other = try WebArchive(mainResource: local).propertyList()
        #expect(throws: LibraryFileError.noPageAddress) { try read(other) }
    }

    // MARK: Folders

    @Test func eachPageOfAFolderHasTheFilesThatItRefersTo() async throws {
        let zip = StoredZIP.file([
            (
                "site/b.html",
                "<html><link rel=stylesheet href='css/style.css?v=1'><img src='img/a%20b.png' srcset='big.png 2x'>"
            ),
            ("site/css/style.css", "@import 'more.css'; p { background: url(../img/c.png) }"),
            ("site/css/more.css", "p { background: url(\"d.png\") }"), ("site/css/d.png", "d"),
            ("site/img/a b.png", "ab"), ("site/img/c.png", "c"), ("site/big.png", "big"), ("site/other.png", "no"),
            ("site/a.html", "<html><!-- saved from url=(0018)https://a.example/ --><iframe src='a_files/f.html'>"),
            ("site/a_files/f.html", "<html><img src='g.png'>"), ("site/a_files/g.png", "g"),
            ("../outside.png", "no"), ("__MACOSX/site/._a.html", "no"),
        ])
        let pages = try read(zip, name: "site.zip")
        #expect(pages.map(\.url.absoluteString) == ["https://a.example/", "http://file.invalid/site/b.html"])
        let first = try await archive(pages[0])
        #expect(first.subframes.map(\.mainResource.url) == ["https://a.example/a_files/f.html"])
        #expect(first.subresources.map(\.url) == ["https://a.example/a_files/g.png"])
        let second = try await archive(pages[1])
        #expect(
            Set(second.subresources.map(\.url)) == [
                "http://file.invalid/site/css/style.css?v=1", "http://file.invalid/site/css/more.css",
                "http://file.invalid/site/css/d.png", "http://file.invalid/site/img/a%20b.png",
                "http://file.invalid/site/img/c.png", "http://file.invalid/site/big.png",
            ])
    }

    @Test func folderWithTooManyPagesIsRefused() {
        let zip = StoredZIP.file((0...ImportLimits.pages).map { ("\($0).html", "<html>") })
        #expect(throws: LibraryFileError.tooManyPages) { try read(zip) }
    }
}
