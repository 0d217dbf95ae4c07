import EmojiArtModel
import Foundation
import HTTPTypes
import Hummingbird
import Testing

@testable import EmojiArtWeb

/// Tests how pages identify the authors of changes.
@Suite(.timeLimit(.minutes(10))) struct BoardPersonTests {
    private func cookie(_ answer: BoardResponse) throws -> String {
        let set = try #require(answer.headers[.setCookie])
        return String(try #require(set.split(separator: ";").first))
    }

    @Test func cookieIsUnavailableToScriptsAndOtherSites() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            for path in ["/art/boards/beach", "/art/boards/beach/state"] {
                let answer = try await server.ask(.get, path)
                #expect(answer.status == 200)
                let parts = try #require(answer.headers[.setCookie]).split(separator: ";").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                #expect(parts[0].wholeMatch(of: /meanwhile-person=[0-9a-f]{32}/) != nil)
                #expect(Set(parts.dropFirst()) == ["HttpOnly", "SameSite=Strict", "Path=/art/", "Max-Age=31536000"])
            }
        }
    }

    @Test func cookieIsSecureAndBoundToHostBehindHTTPS() async throws {
        try await BoardServer.run(origin: URL(string: "https://pages.example.com")) { server in
            try await server.createBoard()
            let answer = try await server.ask(.get, "/art/boards/beach/state")
            let parts = try #require(answer.headers[.setCookie]).split(separator: ";").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            #expect(parts[0].wholeMatch(of: /__Host-meanwhile-person=[0-9a-f]{32}/) != nil)
            #expect(
                Set(parts.dropFirst()) == ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=31536000", "Secure"])
            let again = try await server.ask(.get, "/art/boards/beach/state", [.cookie: parts[0]])
            #expect(again.headers[.setCookie] == nil)
            // Another site of the domain, or one without TLS, could set this cookie.
            let planted = parts[0].replacing("__Host-", with: "")
            let foreign = try await server.ask(.get, "/art/boards/beach/state", [.cookie: planted])
            #expect(foreign.headers[.setCookie] != nil)
        }
    }

    @Test func cookieIsNotSecureBehindHTTPOrigin() async throws {
        try await BoardServer.run(origin: URL(string: "http://pages.example.com")) { server in
            try await server.createBoard()
            let cookie = try #require(try await server.ask(.get, "/art/boards/beach/state").headers[.setCookie])
            #expect(!cookie.contains("Secure"))
        }
    }

    @Test func cookieIdentifiesSamePersonAndIsNotReplaced() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            let first = try await server.ask(.get, "/art/boards/beach/state")
            let cookie = try cookie(first)
            let again = try await server.ask(.get, "/art/boards/beach/state", [.cookie: "theme=dark; \(cookie)"])
            #expect(again.headers[.setCookie] == nil)
            let me = try first.json(BoardStateJSON.self).me
            #expect(try again.json(BoardStateJSON.self).me == me)
            #expect(me.wholeMatch(of: /[0-9a-f]{16}/) != nil)
            #expect(!cookie.contains(me))
            #expect(try await server.addDog("d1", cookie: cookie).headers[.setCookie] == nil)
            let changes: EntriesJSON = try await server.ask(.get, "/art/boards/beach/entries?since=0").json()
            #expect(changes.entries?.map(\.author) == [me])
        }
    }

    @Test func cookiesDistinguishTwoPeople() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            // A client without a cookie gets one with the response, which identifies it from then on.
            let one = try await server.addDog("d1")
            let other = try await server.addDog("d2")
            let (first, second) = (try cookie(one), try cookie(other))
            #expect(first != second)
            try await server.addDog("d3", cookie: first)
            let changes: EntriesJSON = try await server.ask(.get, "/art/boards/beach/entries?since=0").json()
            let authors = try #require(changes.entries).map(\.author)
            #expect(authors.count == 3 && authors[0] == authors[2] && authors[0] != authors[1])
        }
    }

    @Test(arguments: [
        "", "meanwhile-person=", "meanwhile-person=x", "meanwhile-person=\(String(repeating: "A", count: 32))",
        "meanwhile-person=\(String(repeating: "a", count: 33))", "other=\(String(repeating: "a", count: 32))",
        "meanwhile-person=../../../etc/passwd-and-more",
    ])
    func invalidCookieIsReplaced(cookie: String) async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            let answer = try await server.ask(.get, "/art/boards/beach/state", [.cookie: cookie])
            #expect(answer.status == 200)
            #expect(answer.headers[.setCookie]?.hasPrefix("meanwhile-person=") == true)
        }
    }
}
