import EmojiArtModel
import Foundation
import HTTPTypes
import Testing

@testable import EmojiArtWeb

/// Tests a board's page and its files.
@Suite(.timeLimit(.minutes(10))) struct BoardPageTests {
    @Test func pageContainsBoardAndItsScript() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await server.addDog("d1")
            let answer = try await server.ask(.get, "/art/boards/beach", [.accept: "text/html"])
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
            #expect(answer.text.contains("<title>Beach · EmojiArt · Meanwhile</title>"))
            #expect(answer.text.contains(#"src="\#(ArtPages.scripts)/board.js""#))
            #expect(answer.text.contains("d1"))
        }
    }

    @Test func boardNameIsEscapedInPage() async throws {
        try await BoardServer.run { server in
            try await server.createBoard(named: "</script><script>alert('&amp;')</script>")
            let answer = try await server.ask(.get, "/art/boards/beach", [.accept: "text/html"])
            #expect(answer.status == 200)
            #expect(!answer.text.contains("<script>alert"))
        }
    }

    @Test(arguments: ArtPages.files.keys.sorted())
    func everyFileOfThePagesIsServed(name: String) async throws {
        try await BoardServer.run { server in
            let answer = try await server.ask(.get, "\(ArtPages.scripts)/\(name)")
            #expect(answer.status == 200)
            let isScript = name.hasSuffix(".js")
            if isScript {
                // It contains the modules that it imports.
                #expect(!answer.text.isEmpty && !answer.text.contains("\nimport {"))
            } else {
                #expect(answer.data == Data(ArtPages.files[name] ?? []))
            }
            let type =
                switch name.split(separator: ".").last {
                case "js": "text/javascript; charset=utf-8"
                case "wasm": "application/wasm"
                default: "text/css; charset=utf-8"
                }
            #expect(answer.headers[.contentType] == type)
        }
    }

    @Test func moduleOfBoardsBeginsWithTheSignatureOfWebAssembly() {
        #expect(ArtPages.files["board.wasm"]?.starts(with: [0x00, 0x61, 0x73, 0x6D]) == true)
    }

    /// The existing and the served files must be the same: with a missing module the page wouldn't work.
    @Test func servedFilesMatchResourceFolder() throws {
        let resources = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/Apps/EmojiArt/Web/Resources")
        let names = try FileManager.default.contentsOfDirectory(atPath: resources.standardized.path())
        let resourceNames = names.filter { $0.hasSuffix(".js") || $0.hasSuffix(".css") }
        // The app makes the other three.
        #expect(Set(resourceNames + ["board.wasm", "model-words.js", "words.js"]) == Set(ArtPages.files.keys))
    }

    @Test func browserGetsProblemAsPage() async throws {
        try await BoardServer.run { server in
            let answer = try await server.ask(.get, "/art/boards/nobody", [.accept: "text/html"])
            #expect(answer.status == 404)
            #expect(answer.text.contains("Back to") || answer.text.contains("/art/"))
            #expect(answer.text.contains("Board not found") || answer.text.contains("was deleted"))
        }
    }

    static let pictures: [(BackgroundState, String)] = {
        guard let id = PictureID(String(repeating: "a", count: 64)) else { return [] }
        let picture = BackgroundPicture(id: id, type: "image/png", width: 3, height: 2)
        let shown = #"{"height":2,"url":"/art/boards/beach/picture/\#(id)","width":3}"#
        let address = "https://a.example/p.png"
        return [
            (.none, #"{"state":"none"}"#),
            (
                .fetching(address: address, fraction: nil, previous: nil),
                #"{"address":"\#(address)","fraction":null,"previous":null,"state":"fetching"}"#
            ),
            (
                .fetching(address: nil, fraction: 0.5, previous: picture),
                #"{"address":null,"fraction":0.5,"previous":\#(shown),"state":"fetching"}"#
            ),
            (
                .shown(address: address, picture: picture),
                #"{"address":"\#(address)","picture":\#(shown),"state":"shown"}"#
            ),
            (
                .failed(address: address, message: "No.", previous: picture),
                #"{"address":"\#(address)","attempts":2,"message":"No.","previous":\#(shown),"state":"failed"}"#
            ),
        ]
    }()

    @Test(arguments: pictures.indices)
    func pictureStateHasExpectedJSON(index: Int) throws {
        let (state, text) = Self.pictures[index]
        let board = try #require(BoardID("beach"))
        #expect(try ArtJSON.text(PictureJSON(background: state, board: board, attempts: 2)) == text)
    }
}
