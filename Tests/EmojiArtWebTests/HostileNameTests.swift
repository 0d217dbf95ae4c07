import EmojiArtModel
import Foundation
import HTTPTypes
import ServedSite
import Testing

@testable import EmojiArtWeb

/// Names that become markup if escaping works by `Character`, on every page of EmojiArt that shows a name.
@Suite(.timeLimit(.minutes(10))) struct HostileNameTests {
    @Test func namesOnListAndPalettePagesAreEscaped() async throws {
        try await PagesServer.run { server in
            let name = HostileText.name
            for id in ["a", "b", "c", "d"] { try await server.createBoard(id, named: name, emojis: 1, text: name) }
            for id in ["b", "c"] { _ = try await server.post("/art/boards/\(id)/delete") }
            _ = try await server.post("/art/palettes/Main/8/rename", ["name": name])
            let query = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            for path in [
                "/art/", "/art/palettes", "/art/palettes?store=Main&palette=8",
                "/art/palettes?store=Main&palette=8&q=\(query)",
                "/art/palettes?store=\(query)&palette=8",
            ] {
                let page = try await server.get(path).text
                #expect(HostileText.injections(in: page).isEmpty, "\(path): \(HostileText.injections(in: page))")
                #expect(HostileText.isShown(in: page), "\(path)")
            }
            // Error messages contain the requested name.
            for answer in [
                try await server.post("/art/palettes/Main/8/to", ["store": name, "open": "palette=8&q=\(query)"]),
                try await server.post("/art/palettes/\(query)/8/rename", ["name": name]),
                try await server.post("/art/boards/\(query)/rename", ["name": name]),
                try await server.get("/art/\(query)"), try await server.get("/art/?page=\(query)"),
            ] {
                #expect(HostileText.injections(in: answer.text).isEmpty, "\(HostileText.injections(in: answer.text))")
            }
        }
    }

    @Test func nameOnBoardPageAndInSVGIsEscaped() async throws {
        try await BoardServer.run { server in
            try await server.createBoard(named: HostileText.name)
            for path in ["/art/boards/beach", "/art/boards/beach/export"] {
                let page = try await server.ask(.get, path, [.accept: "text/html"]).text
                #expect(HostileText.injections(in: page).isEmpty, "\(HostileText.injections(in: page))")
                #expect(HostileText.isShown(in: page), "\(path)")
            }
            let svg = try await server.ask(.get, "/art/boards/beach/export.svg").text
            #expect(HostileText.injections(in: svg).isEmpty)
        }
    }
}
