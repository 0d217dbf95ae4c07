import Foundation
import HTTPTypes
import Testing

@testable import HTTPFetching

@Suite struct RedirectTrailTests {
    private func trail(
        _ url: String, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: Data? = nil, limit: Int = 20
    ) throws -> RedirectTrail {
        let url = try #require(URL(string: url))
        return try RedirectTrail(FetchRequest(url, method: method, headers: headers, body: body), limit: limit)
    }

    private func code(_ body: () throws -> Void) -> FetchError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? FetchError)?.code
        }
    }

    @Test(arguments: [
        ("http://a.example/x/y", "z", "http://a.example/x/z"),
        ("http://a.example/x/y", "/z?q#f", "http://a.example/z?q"),
        ("http://a.example/x", "//b.example/z", "http://b.example/z"),
        ("http://a.example/x", "https://b.example", "https://b.example"),
        ("https://a.example/x", "https://u:p@b.example/", "https://b.example/"),
    ])
    func locationsAreResolved(from: String, location: String, to: String) throws {
        var trail = try trail(from)
        #expect(try trail.follow(status: 302, headers: [.location: location]) == true)
        #expect(trail.hop.url.absoluteString == to)
    }

    @Test(arguments: [200, 204, 300, 304, 305, 306, 404, 503])
    func otherStatusesAreNotFollowed(status: Int) throws {
        var trail = try trail("http://a.example/")
        #expect(try trail.follow(status: status, headers: [.location: "/b"]) == false)
        #expect(try trail.follow(status: 302, headers: [:]) == false)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func methodsChangeAsBrowsersDo(status: Int) throws {
        let headers: HTTPFields = [.contentType: "text/plain", .accept: "a/b"]
        var post = try trail("http://a.example/", method: .post, headers: headers, body: Data("x".utf8))
        _ = try post.follow(status: status, headers: [.location: "/b"])
        let keepsMethod = status == 307 || status == 308
        #expect(post.hop.method == (keepsMethod ? .post : .get))
        #expect((post.hop.body == nil) == !keepsMethod)
        #expect((post.hop.headers[.contentType] == nil) == !keepsMethod)
        #expect(post.hop.headers[.accept] == "a/b")
        var put = try trail("http://a.example/", method: .put, body: Data())
        _ = try put.follow(status: status, headers: [.location: "/b"])
        #expect(put.hop.method == (status == 303 ? .get : .put))
        var head = try trail("http://a.example/", method: .head)
        _ = try head.follow(status: status, headers: [.location: "/b"])
        #expect(head.hop.method == .head)
    }

    @Test(arguments: [
        ("https://a.example/b", true), ("https://A.example:443/b", true), ("https://b.example/", false),
        ("https://a.example:444/", false), ("https://sub.a.example/", false),
    ])
    func credentialsStayWithTheirOrigin(location: String, keepsCredentials: Bool) throws {
        let headers: HTTPFields = [
            .authorization: "Bearer x", .cookie: "a=b", .proxyAuthorization: "c", .accept: "*/*",
        ]
        var trail = try trail("https://a.example/", headers: headers)
        _ = try trail.follow(status: 302, headers: [.location: location])
        #expect(trail.hop.headers.contains(.authorization) == keepsCredentials)
        #expect(trail.hop.headers.contains(.cookie) == keepsCredentials)
        #expect(trail.hop.headers.contains(.proxyAuthorization) == keepsCredentials)
        #expect(trail.hop.headers.contains(.accept))
    }

    @Test func credentialsDoNotReturnAfterLeavingTheirOrigin() throws {
        var trail = try trail("https://a.example/", headers: [.authorization: "x"])
        _ = try trail.follow(status: 302, headers: [.location: "https://b.example/"])
        _ = try trail.follow(status: 302, headers: [.location: "https://a.example/2"])
        #expect(!trail.hop.headers.contains(.authorization))
    }

    @Test func redirectFromHTTPSToHTTPIsRefused() throws {
        var trail = try trail("https://a.example/")
        #expect(
            code { _ = try trail.follow(status: 301, headers: [.location: "http://a.example/"]) } == .insecureRedirect)
        var plain = try self.trail("http://a.example/")
        #expect(try plain.follow(status: 301, headers: [.location: "http://b.example/"]) == true)
    }

    @Test(arguments: ["ftp://a.example/", "file:///etc/passwd", "javascript:alert(1)", "http://", "data:,x"])
    func redirectToAnotherSchemeIsRefused(location: String) throws {
        var trail = try trail("http://a.example/")
        #expect(code { _ = try trail.follow(status: 302, headers: [.location: location]) } == .invalidRequest)
        #expect(code { _ = try self.trail(location) } == .invalidRequest)
    }

    @Test func circularRedirectFails() throws {
        var trail = try trail("http://a.example/")
        _ = try trail.follow(status: 302, headers: [.location: "/b"])
        #expect(code { _ = try trail.follow(status: 302, headers: [.location: "/#x"]) } == .tooManyRedirects)
        var post = try self.trail("http://a.example/", method: .post)
        // Not a loop, because the POST becomes a GET.
        #expect(try post.follow(status: 303, headers: [.location: "/"]) == true)
    }

    @Test func redirectsAreLimited() throws {
        var trail = try trail("http://a.example/", limit: 3)
        for number in 1...3 { #expect(try trail.follow(status: 302, headers: [.location: "/\(number)"]) == true) }
        #expect(code { _ = try trail.follow(status: 302, headers: [.location: "/4"]) } == .tooManyRedirects)
        var none = try self.trail("http://a.example/", limit: 0)
        #expect(code { _ = try none.follow(status: 302, headers: [.location: "/4"]) } == .tooManyRedirects)
    }

    @Test func connectionHeadersAndFragmentsAreRemoved() throws {
        let host = try #require(HTTPField.Name("Host"))
        let trail = try trail(
            "http://a.example/#f", headers: [host: "evil.example", .contentLength: "5", .transferEncoding: "chunked"])
        #expect(trail.hop.headers.isEmpty)
        #expect(trail.hop.url.absoluteString == "http://a.example/")
        #expect(code { _ = try self.trail("http://user:secret@a.example/") } == .invalidRequest)
    }
}
