import BrowserDriver
import Capture
import EmojiArtModel
import FaultServer
import Foundation
import HTTPTypes
import Persistence
import RealPictures
import Testing
import VirtualTime

@testable import EmojiArtWeb

/// Export of boards to files, and import of files.
@Suite(.timeLimit(.minutes(10))) struct BoardFileTests {
    private static let plain: HTTPFields = [.contentType: "application/octet-stream"]

    /// Creates a board with two emoji and an uploaded background picture, and returns the picture's ID.
    private func makeBoard(on server: BoardServer, picture: Data = SamplePictures.svg) async throws -> String {
        try await server.createBoard()
        try await server.addDog("rex", x: -40)
        try await server.addDog("fido", x: 40)
        let answer = try await server.ask(.post, "/art/boards/beach/pictures", body: picture)
        let stored = try answer.json(StoredPictureJSON.self).picture
        _ = try await server.send(#"{"op":"background","background":{"picture":"\#(stored)"}}"#, as: "bg")
        return stored
    }

    private func importFile(
        _ data: Data, named name: String? = nil, on server: BoardServer, _ headers: HTTPFields = plain
    ) async throws -> BoardResponse {
        let query = name.map { "?name=\($0)" } ?? ""
        return try await server.ask(.post, "/art/import\(query)", headers, body: data)
    }

    private struct Imported: Decodable {
        let id: String
        let path: String
        let notes: [String]
    }

    @Test func jsonExportRoundTrips() async throws {
        try await BoardServer.run { server in
            let picture = try await makeBoard(on: server)
            let file = try await server.ask(.get, "/art/boards/beach/export.json")
            #expect(file.status == 200 && file.headers[.contentType] == "application/json")
            #expect(file.headers[.contentDisposition]?.hasPrefix("attachment; filename=\"Beach.json\"") == true)
            let imported: Imported = try await importFile(file.data, on: server).json()
            #expect(imported.notes.isEmpty && imported.path == "/art/boards/\(imported.id)")
            let (old, new) = (try await server.state(), try await server.state(imported.id))
            // Another board is named Beach.
            #expect(new.name == "Beach (2)" && new.art.emojis == old.art.emojis && old.art.emojis.count == 2)
            #expect(new.art.background == ["picture": picture])
            let shown = try await server.ask(.get, "/art/boards/\(imported.id)/picture/\(picture)")
            #expect(shown.data == SamplePictures.svg)
        }
    }

    @Test func exportKeepsRotationOrSaysThatItDoesNot() async throws {
        try await BoardServer.run { server in
            _ = try await makeBoard(on: server)
            _ = try await server.send(
                #"{"op":"rotate","id":"rex","angle":90},{"op":"flip","id":"rex","flipped":true}"#, as: "turn")
            let svg = String(decoding: try await server.ask(.get, "/art/boards/beach/export.svg").data, as: UTF8.self)
            #expect(svg.contains("rotate(90) scale(-1 1)"))
            let json = try await server.ask(.get, "/art/boards/beach/export.json")
            #expect(json.headers[.notes] == nil)
            let imported: Imported = try await importFile(json.data, on: server).json()
            let rex = try await server.state(imported.id).art.emojis.first { $0.id == "rex" }
            #expect(rex?.angle == 90 && rex?.isFlipped == true)
            let course = try await server.ask(.get, "/art/boards/beach/export.emojiart")
            #expect(course.headers[.notes]?.contains("upright") == true)
        }
    }

    @Test func courseExportContainsPictureAndWholeNumbers() async throws {
        try await BoardServer.run { server in
            _ = try await makeBoard(on: server)
            _ = try await server.send(#"{"op":"move","id":"rex","x":-40.4,"y":12.6}"#, as: "move")
            let file = try await server.ask(.get, "/art/boards/beach/export.emojiart")
            struct Course: Decodable {
                struct Element: Decodable {
                    struct Position: Decodable {
                        let x: Int
                        let y: Int
                    }

                    let string: String
                    let position: Position
                    let size: Int
                    let id: Int
                }

                let background: URL?
                let emojis: [Element]
                let uniqueEmojiId: Int
            }
            let course: Course = try file.json()
            #expect(course.emojis.map(\.string) == ["🐶", "🐶"] && course.uniqueEmojiId == 2)
            #expect(
                Set(course.emojis.map(\.position.x)) == [-40, 40] && Set(course.emojis.map(\.position.y)) == [13, 20])
            #expect(course.background?.absoluteString.hasPrefix("data:image/svg+xml;base64,") == true)
            let imported: Imported = try await importFile(file.data, named: "my%20beach.emojiart", on: server).json()
            let board = try await server.state(imported.id)
            #expect(board.name == "my beach" && board.art.emojis.count == 2)
            let picture = try #require(board.art.background?["picture"])
            let shown = try await server.ask(.get, "/art/boards/\(imported.id)/picture/\(picture)")
            #expect(shown.data == SamplePictures.svg)
        }
    }

    @Test func svgExportIsSelfContained() async throws {
        try await BoardServer.run { server in
            _ = try await makeBoard(on: server)
            let file = try await server.ask(.get, "/art/boards/beach/export.svg")
            #expect(file.status == 200 && file.headers[.contentType] == "image/svg+xml")
            #expect(file.headers[.contentSecurityPolicy]?.hasPrefix("sandbox; default-src 'none'") == true)
            #expect(file.text.contains(#"<image href="data:image/svg+xml;base64,"#))
            #expect(file.text.components(separatedBy: "🐶").count == 3)
            #expect(!file.text.contains("http://127") && file.text.contains("<title>Beach</title>"))
        }
    }

    @Test func svgHasTheMarginAndGroundOfTheForm() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await server.addDog("rex", x: 0)
            func svg(_ query: String) async throws -> String {
                let file = try await server.ask(.get, "/art/boards/beach/export/file?format=svg\(query)")
                #expect(file.headers[.contentDisposition]?.hasPrefix("attachment; filename=\"Beach.svg\"") == true)
                return file.text
            }
            #expect(try await svg("&margin=none").contains(#"viewBox="-20 -40 40 40""#))
            #expect(try await svg("&margin=small").contains(#"viewBox="-24 -44 48 48""#))
            #expect(try await svg("&margin=large").contains(#"viewBox="-24.8 -44.8 49.6 49.6""#))
            let white = ##"<rect x="-20" y="-40" width="40" height="40" fill="#fff"/>"##
            #expect(try await svg("&margin=none&ground=white").contains(white))
            #expect(try await !svg("&margin=none&ground=transparent").contains("<rect"))
            // Unknown values are replaced by the defaults.
            #expect(try await svg("&margin=huge&ground=red&scale=9") == (try await svg("")))
            #expect(try await server.ask(.get, "/art/boards/beach/export/file?format=exe").status == 404)
            #expect(try await server.ask(.get, "/art/boards/beach/export/file").status == 404)
        }
    }

    @Test func exportPageSuggestsAMarginForTheBoard() async throws {
        try await BoardServer.run { server in
            try await server.createBoard("plain")
            let plain = try await server.ask(.get, "/art/boards/plain/export", [.accept: "text/html"]).text
            #expect(plain.contains(#"action="/art/boards/plain/export/file""#))
            #expect(plain.contains(#"name="margin" value="small" checked"#))
            #expect(plain.contains(#"name="format" value="png" checked"#))
            let picture = Data(#"<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200"/>"#.utf8)
            _ = try await makeBoard(on: server, picture: picture)
            let covered = try await server.ask(.get, "/art/boards/beach/export", [.accept: "text/html"]).text
            #expect(covered.contains(#"name="margin" value="none" checked"#))
            // An emoji beyond the picture gets a margin.
            try await server.addDog("far", x: 400)
            let wider = try await server.ask(.get, "/art/boards/beach/export", [.accept: "text/html"]).text
            #expect(wider.contains(#"name="margin" value="small" checked"#))
            #expect(try await server.ask(.get, "/art/boards/nothing/export").status == 404)
        }
    }

    /// A browser of its own, with long time limits for a busy machine.
    private static func capturer() -> PageCapturer {
        var configuration = PageCapturer.Configuration()
        configuration.clock = ExtendingClock()
        return PageCapturer(configuration: configuration)
    }

    @Test func pngExportFailsWhenBackgroundCannotBeDecoded() async throws {
        let capturer = Self.capturer()
        do {
            try await BoardServer.run(capturer: capturer) { server in
                _ = try await makeBoard(on: server, picture: RealPictures.pngWithBadPixels(40, 30))
                let answer = try await server.ask(.get, "/art/boards/beach/export.png")
                #expect(
                    answer.status == 502 && answer.text.contains("can't be decoded"),
                    "\(answer.status) \(answer.text.prefix(500))")
                // The SVG export contains the picture as it was uploaded.
                let file = try await server.ask(.get, "/art/boards/beach/export.svg")
                #expect(file.status == 200 && file.text.contains("<image href=\"data:image/png;base64,"))
            }
        } catch {
            await capturer.close()
            throw error
        }
        await capturer.close()
    }

    @Test func pngExportShowsBackgroundAndEmoji() async throws {
        let capturer = Self.capturer()
        let green = Data(
            #"<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200"><rect width="400" height="200" fill="lime"/></svg>"#
                .utf8)
        do {
            try await BoardServer.run(capturer: capturer) { server in
                _ = try await makeBoard(on: server, picture: green)
                let file = try await server.ask(.get, "/art/boards/beach/export.png")
                #expect(file.status == 200 && file.headers[.contentType] == "image/png", "\(file.text.prefix(500))")
                try await BrowserTab.run { tab in
                    try await tab.open(try #require(URL(string: server.origin + "/art/")))
                    func seen(_ address: String) async throws -> [[Int]] {
                        try await tab.evaluate(
                            """
                            (async () => {
                            const answer = await fetch('/art/boards/beach/\(address)');
                            const image = await createImageBitmap(await answer.blob());
                            const canvas = new OffscreenCanvas(image.width, image.height);
                            const context = canvas.getContext('2d');
                            context.drawImage(image, 0, 0);
                            const at = (x, y) => Array.from(context.getImageData(x, y, 1, 1).data);
                            const middle = [image.width / 2, image.height / 2];
                            const emoji = at(middle[0] + image.width / 10, middle[1] - image.width / 20);
                            return [[image.width, image.height], at(4, 4), at(middle[0], image.height - 40), emoji];
                            })()
                            """, as: [[Int]].self)
                    }
                    let (white, lime) = ([255, 255, 255, 255], [0, 255, 0, 255])
                    // No frame surrounds a background: 400 by 200 points at twice the resolution.
                    let usual = try await seen("export.png")
                    #expect(usual.prefix(3) == [[800, 400], lime, lime])
                    #expect(usual[3] != lime && usual[3] != white)
                    // The small margin is a twenty-fifth of the longer side.
                    let small = try await seen("export/file?format=png&scale=1&margin=small&ground=white")
                    #expect(small.prefix(3) == [[432, 232], white, lime])
                    let transparent = try await seen("export/file?format=png&margin=large&ground=transparent")
                    #expect(transparent[0] == [992, 592])
                    #expect(transparent[1][3] == 0)
                }
            }
        } catch {
            await capturer.close()
            throw error
        }
        await capturer.close()
    }

    @Test func exportFetchesMissingBackground() async throws {
        let site = try await FaultServer.start([
            "/beach.png": { _, connection in
                try await connection.respond(200, [("Content-Type", "image/png")], SamplePictures.png)
            }
        ])
        try await BoardServer.run { server in
            let address = site.url("/beach.png").absoluteString
            try await server.createBoard("beach", art: try EmojiArt(background: .address(address), emojis: []))
            let file = try await server.ask(.get, "/art/boards/beach/export.json")
            #expect(
                file.text.contains(SamplePictures.png.base64EncodedString().prefix(20)) && file.text.contains(address))
        }
        await site.close()
    }

    @Test func svgAndPNGExportFailWhenBackgroundCannotBeFetched() async throws {
        try await BoardServer.run(allowing: []) { server in
            let address = "http://127.0.0.1:9/beach.png"
            try await server.createBoard("beach", art: try EmojiArt(background: .address(address), emojis: []))
            for format in ["svg", "png"] {
                let answer = try await server.ask(.get, "/art/boards/beach/export.\(format)")
                #expect(answer.status == 502 && answer.detail.contains("--allow"), "\(answer.detail)")
            }
            let json = try await server.ask(.get, "/art/boards/beach/export.json")
            #expect(json.status == 200 && json.text.contains(address))
        }
    }

    @Test func exportOfMissingBoardOrFormatIsNotFound() async throws {
        try await BoardServer.run { server in
            #expect(try await server.ask(.get, "/art/boards/nothing/export.json").status == 404)
            #expect(try await server.ask(.get, "/art/boards/a%20b/export.svg").status == 404)
            try await server.createBoard()
            #expect(try await server.ask(.get, "/art/boards/beach/export.exe").status == 404)
            // Without a browser, the export as PNG fails with a message.
            #expect(try await server.ask(.get, "/art/boards/beach/export.png").status == 500)
        }
    }

    @Test(arguments: [
        ("", 422, "empty"), ("{\"format\":\"meanwhile.emoji", 422, "cut off"), ("Dear diary", 422, "damaged"),
        (#"{"format":"meanwhile.emojiart","version":2,"art":{}}"#, 422, "version 2"),
        (#"{"hello":"world"}"#, 415, "not an emoji board"),
        (#"{"emojis":[{"string":"🐶","position":{"x":1e999,"y":2},"size":40,"id":1}]}"#, 422, "damaged"),
    ])
    func invalidImportIsRefusedAndCreatesNoBoard(text: String, status: Int, words: String) async throws {
        try await expectRefusal(of: text, status, words)
    }

    @Test func importOfMillionEmojiIsRefusedAndCreatesNoBoard() async throws {
        // Not an argument of the test above: arguments are written to the log.
        let text = "{\"emojis\":[" + String(repeating: "{},", count: 1_000_000) + "{}]}"
        try await expectRefusal(of: text, 422, "10000")
    }

    private func expectRefusal(of text: String, _ status: Int, _ words: String) async throws {
        try await BoardServer.run { server in
            let answer = try await importFile(Data(text.utf8), on: server)
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.detail.contains(words), "\(answer.detail)")
            #expect(try await server.store.count(of: .local) == 0)
        }
    }

    @Test func oversizedImportIsRefusedWithLimit() async throws {
        try await BoardServer.run { server in
            let answer = try await importFile(Data(count: BoardLimits.importBytes + 20_000), on: server)
            #expect(answer.status == 413 && answer.detail.contains("40 MB"))
        }
    }

    @Test func importFormRedirectsToBoardOrListsRepairs() async throws {
        try await BoardServer.run { server in
            let course = #"{"emojis":[{"string":"🐶","position":{"x":1,"y":2},"size":40,"id":1}],"uniqueEmojiId":1}"#
            let form: HTTPFields = [.contentType: "multipart/form-data; boundary=x", .accept: "text/html"]
            func body(_ file: String) -> Data {
                Data(
                    "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"Dog.emojiart\"\r\n\r\n\(file)\r\n--x--\r\n"
                        .utf8)
            }
            // Redirects are followed, as in a browser.
            let page = try await importFile(body(course), on: server, form)
            #expect(page.status == 200 && page.text.contains("Dog"), "\(page.text.prefix(300))")
            #expect(try await server.store.count(of: .local) == 1)
            let changed = try await importFile(
                body(course.replacing("\"size\":40", with: "\"size\":4000000")), on: server, form)
            #expect(changed.text.contains("moved or resized") && changed.text.contains("Open the board"))
            let nothing = try await importFile(Data("--x--\r\n".utf8), on: server, form)
            #expect(nothing.status == 400 && nothing.text.contains("Choose a file"))
            #expect(try await server.store.count(of: .local) == 2)
        }
    }

    @Test func boardOfFailedImportIsNotRestorable() async throws {
        try await BoardServer.run { server in
            var folder = server.folder
            folder.budget.bytes = 1
            let full = try await BoardServer.start(in: folder, allowing: [])
            let picture = SamplePictures.svg.base64EncodedString()
            let file = """
                {"format":"meanwhile.emojiart","version":1,"name":"x","art":{"background":null,"emojis":[]},
                "picture":{"type":"image/svg+xml","data":"\(picture)"}}
                """
            let refusal = try await importFile(Data(file.utf8), on: full)
            #expect(refusal.status == 507, "\(refusal.text)")
            #expect(try await full.store.count(of: .local) == 0)
            #expect(try await full.store.deleted(of: .local).isEmpty)
            try await full.stop()
        }
    }

    @Test func importedPictureWithScriptIsLeftOutWithNote() async throws {
        try await BoardServer.run { server in
            let script = SamplePictures.svgWithScript.base64EncodedString()
            let file = """
                {"format":"meanwhile.emojiart","version":1,"name":"x","art":{"background":null,"emojis":[]},
                "picture":{"type":"image/svg+xml","data":"\(script)"}}
                """
            let imported: Imported = try await importFile(Data(file.utf8), on: server).json()
            #expect(imported.notes.first?.contains("left out") == true)
            #expect(try await server.state(imported.id).picture.state == "none")
        }
    }
}
