import Egress
import Foundation
import SystemPackage
import Testing

@testable import Capture

@Suite struct ChromiumExecutableTests {
    @Test func missingBrowserErrorSaysHowToInstallOne() {
        #expect {
            try ChromiumExecutable.find(chosen: nil, paths: ["/nonexistent/chromium"])
        } throws: {
            let error = $0 as? CaptureError
            return error?.code == .browserNotFound && error?.message.contains("apt-get install chromium") == true
        }
    }

    @Test func missingChosenBrowserIsRefused() {
        #expect {
            try ChromiumExecutable.find(chosen: "/nonexistent/chromium")
        } throws: {
            ($0 as? CaptureError)?.message.contains("/nonexistent/chromium") == true
        }
    }

    @Test func folderIsNotABrowser() {
        #expect {
            try ChromiumExecutable.find(chosen: "/usr/lib")
        } throws: {
            let error = $0 as? CaptureError
            return error?.code == .browserNotFound && error?.message.hasPrefix("/usr/lib is a folder.") == true
        }
    }

    @Test func firstExistingBrowserIsFound() throws {
        let paths = ["/nonexistent", "/usr/lib", "/bin/sh", "/bin/true"]
        #expect(try ChromiumExecutable.find(chosen: nil, paths: paths) == "/bin/sh")
    }
}

@Suite struct DevToolsCommandTests {
    @Test func commandNamesFollowTheProtocol() {
        #expect(DevTools.Page.Navigate.method == "Page.navigate" && DevTools.IO.Read.method == "IO.read")
        #expect(DevTools.Page.PrintToPDF.method == "Page.printToPDF")
        #expect(DevTools.Network.SetBlockedURLs.method == "Network.setBlockedURLs")
        #expect(DevTools.Runtime.Evaluate<[String: [Int]]>.method == "Runtime.evaluate")
    }
}

@Suite struct PDFDocumentTests {
    @Test(arguments: [
        ("", 0), ("/Type /Page", 1), ("/Type /Pages", 0), ("<</Type /Page\n/a>> <</Type /Page>> /Type /Pages", 2),
    ])
    func pagesAreCounted(text: String, count: Int) {
        #expect(PDFDocument.pageCount(of: Data(text.utf8)) == count)
    }
}

@Suite struct CaptureErrorTests {
    private let url = URL(filePath: "/")

    @Test(arguments: [
        ("net::ERR_NAME_NOT_RESOLVED", CaptureError.Code.hostNotFound),
        ("net::ERR_CONNECTION_REFUSED", .connectionRefused),
        ("net::ERR_CERT_DATE_INVALID", .tlsFailure),
        ("net::ERR_SSL_PROTOCOL_ERROR", .tlsFailure),
        ("net::ERR_TOO_MANY_REDIRECTS", .tooManyRedirects),
        ("net::ERR_EMPTY_RESPONSE", .connectionFailed),
        ("net::ERR_BLOCKED_BY_CLIENT", .blocked),
        ("net::ERR_UNSAFE_PORT", .blocked),
        ("net::ERR_SOMETHING_NEW", .connectionFailed),
    ])
    func networkErrorsAreDistinguished(name: String, code: CaptureError.Code) throws {
        let error = CaptureError(netError: name, url: try #require(URL(string: "https://example.org:81/x")))
        #expect(error.code == code)
        #expect(error.message.contains("example.org"))
        #expect(error.message.contains(String(name.dropFirst(5))))
    }

    @Test(arguments: [
        (EgressError.Code.unreachable, "(ERR_ADDRESS_UNREACHABLE)"), (.connectionFailed, "(ERR_EMPTY_RESPONSE)"),
        (.invalidResponse, "(ERR_INVALID_HTTP_RESPONSE)"), (.interfacesUnknown, "The proxy's own reason."),
        (.limitExceeded, "The proxy's own reason."),
    ])
    func failuresOfTheProxyAreDistinguished(code: EgressError.Code, ending: String) throws {
        let url = try #require(URL(string: "https://example.org/"))
        let error = CaptureError(EgressError(code, "The proxy's own reason."), url: url)
        #expect(error.code == .connectionFailed && error.message.hasSuffix(ending))
        #expect((error.cause as? EgressError)?.code == code)
    }

    @Test func failedConnectionIsReportedAsAnUnreachableHost() throws {
        let url = try #require(URL(string: "https://example.org/"))
        let texts = ["ERR_CONNECTION_FAILED", "ERR_ADDRESS_UNREACHABLE"].map { name in
            CaptureError(netError: name, url: url).message.replacing(name, with: "")
        }
        #expect(texts[0] == texts[1])
    }
}

@Suite struct ResourceLogTests {
    @Test func redirectKeepsTheRequestedAddress() {
        var log = ResourceLog()
        log.requested("1", url: "a", kind: "Image", frame: "F", session: "S")
        log.requested("1", url: "b", kind: "Image", frame: "F", session: "S")
        log.answered("1", url: "b", status: 200, mediaType: "image/png")
        #expect(log["1"]?.url == "a")
        #expect(log["1"]?.finalURL == "b")
    }

    @Test func redirectedStyleSheetImportsItsFinalAddress() {
        var log = ResourceLog()
        log.requested("1", url: "http://a/s.css", kind: "Stylesheet", frame: "F", session: "S")
        log.answered("1", url: "http://b/t/s.css", status: 200, mediaType: "text/css")
        let items = log.entries.map { CollectedBodies.Item(entry: $0, body: .text(Data("p{}".utf8))) }
        let resources = CollectedBodies(items, limit: 100).resources(ofFrame: "F")
        #expect(resources.map(\.url) == ["http://a/s.css", "http://b/t/s.css"])
        #expect(String(decoding: resources[0].data, as: UTF8.self) == #"@import url("http://b/t/s.css");"#)
        #expect(String(decoding: resources[1].data, as: UTF8.self) == "p{}")
    }

    /// A URL's query may contain an unencoded backslash, but in a style sheet it begins an escape.
    @Test func backslashInTheImportedAddressIsEscaped() {
        var log = ResourceLog()
        log.requested("1", url: "http://a/s.css", kind: "Stylesheet", frame: "F", session: "S")
        log.answered("1", url: #"http://a/t.css?a\b"#, status: 200, mediaType: "text/css")
        let items = log.entries.map { CollectedBodies.Item(entry: $0, body: .text(Data("p{}".utf8))) }
        let resources = CollectedBodies(items, limit: 100).resources(ofFrame: "F")
        #expect(resources.map(\.url) == ["http://a/s.css", #"http://a/t.css?a\b"#])
        #expect(String(decoding: resources[0].data, as: UTF8.self) == #"@import url("http://a/t.css?a\\b");"#)
    }

    @Test func resourceOverTheLimitIsListedAsMissing() {
        var log = ResourceLog()
        for id in ["1", "2", "3"] { log.requested(id, url: id, kind: "Image", frame: "F", session: "S") }
        let items = log.entries.map { CollectedBodies.Item(entry: $0, body: .bytes(Data(count: 40))) }
        let collected = CollectedBodies(items, limit: 100)
        #expect(collected.resources(ofFrame: "F").map(\.url) == ["1", "2"])
        #expect(collected.manifest.map(\.byteCount) == [40, 40, nil])
        #expect(collected.manifest[2].missing?.contains("100 bytes") == true)
    }
}
