import BrowserDriver
import EmojiArtModel
import FaultServer
import Foundation
import RealPictures
import Testing

@testable import EmojiArtWeb

/// Tests setting a background as a person does, and dropping items on a board.
@Suite(.timeLimit(.minutes(20))) struct BoardBackdropTests {
    private static let picture: FaultServer.Route = { _, connection in
        try await connection.respond(200, [("Content-Type", "image/svg+xml")], SamplePictures.svg)
    }

    private func run(
        _ emojis: [Emoji] = BoardTab.farm, _ body: (BoardServer, BoardTab, FaultServer) async throws -> Void
    ) async throws {
        let site = try await FaultServer.start(["/a.svg": Self.picture])
        do {
            try await BoardTab.run(emojis) { server, page in try await body(server, page, site) }
        } catch {
            await site.close()
            throw error
        }
        await site.close()
    }

    /// Types an address into the dialog.
    private func set(_ address: URL, on page: BoardTab) async throws {
        try await page.tab.key("b")
        try await page.wait(until: "document.getElementById('background-dialog').open")
        try await page.tab.type(address.absoluteString)
        try await page.tab.press(.enter)
        try await page.wait(until: "!document.getElementById('background-dialog').open")
    }

    @Test func newBackgroundIsShownTogetherWithEmoji() async throws {
        try await run { _, page, site in
            try await page.tab.tap(at: page.corner)
            try await set(site.url("/a.svg"), on: page)
            try await page.wait(until: "board.backdrop.shown?.width === 30 && !board.camera.animation")
            let isInView = try await page.run(
                """
                const [left, bottom, right, top] = board.model.content();
                const { width, height } = board.camera.size;
                const [upper, lower] = [{ x: left, y: top }, { x: right, y: bottom }]
                    .map((corner) => toStage(corner));
                return upper.x > 0 && lower.x < width && upper.y > 0 && lower.y < height;
                """)
            #expect(isInView)
        }
    }

    @Test func pictureOfTheAddressSetInTheDialogIsShownWhole() async throws {
        try await run([]) { _, page, site in
            try await page.tab.tap(at: page.corner)
            try await set(site.url("/a.svg"), on: page)
            try await page.wait(until: "board.backdrop.shown?.width === 30 && !board.camera.animation")
            #expect(try await page.undoNames == ["Set Background"])
            // As large as fits, up to the maximum zoom.
            #expect(try await page.view == .init(zoom: 4, pan: .init(x: 0, y: 0)))
            // The middle of 30 by 20 pixels is the board's origin.
            try await page.settle()
            #expect(try await page.isBlack(at: [(0, -9), (-14, 0), (14, 9), (-14, -9)]) == [true, true, true, true])
            #expect(
                try await page.isBlack(at: [(0, -11), (16, 0), (-16, 0), (0, 11)]) == [false, false, false, false])
            try await page.tab.key("b")
            try await page.tab.click("#background-remove")
            try await page.wait(until: "board.backdrop.shown === null")
            #expect(try await page.undoNames == ["Remove Background", "Set Background"])
            try await page.tab.key("z", holding: .control)
            try await page.wait(until: "board.backdrop.shown !== null")
        }
    }

    @Test func invalidAddressIsNotAccepted() async throws {
        try await run { _, page, _ in
            try await page.tab.tap(at: page.corner)
            try await page.tab.key("b")
            try await page.tab.type("a picture")
            try await page.tab.press(.enter)
            #expect(try await page.run("return document.getElementById('background-dialog').open;"))
            #expect(try await page.run("return document.getElementById('background-address').matches(':invalid');"))
            #expect(try await page.undoNames == [])
        }
    }

    @Test func failureShowsAlertAndRetryLoadsPicture() async throws {
        try await run { _, page, site in
            try await page.tab.tap(at: page.corner)
            try await set(site.url("/a.svg"), on: page)
            try await page.wait(until: "board.backdrop.shown !== null")
            let first = try await page.run("return board.backdrop.shown.url;", as: String.self)
            try await set(site.url("/b.svg"), on: page)
            try await page.wait(until: "document.getElementById('background-alert').open")
            let words = try await page.tab.text("#background-alert")
            #expect(words.hasPrefix("Set Background\n") && words.contains("Couldn't set background: "), "\(words)")
            // The earlier picture remains meanwhile.
            #expect(try await page.run("return board.backdrop.shown.url;", as: String.self) == first)
            try await page.tab.click("#background-alert [value=ok]")
            try await page.wait(until: "!document.getElementById('background-problem').hidden")
            site.setRoute("/b.svg", Self.picture)
            try await page.tab.click("#background-problem [data-retry]")
            try await page.wait(until: "board.sync.picture.state === 'shown'")
            try await page.wait(until: "document.getElementById('background-problem').hidden")
        }
    }

    @Test func removeButtonOfTheMessageRemovesAFailedBackground() async throws {
        try await run { _, page, site in
            try await page.tab.tap(at: page.corner)
            try await set(site.url("/missing.svg"), on: page)
            try await page.wait(until: "document.getElementById('background-alert').open")
            try await page.tab.click("#background-alert [value=ok]")
            try await page.tab.click("#background-problem-remove")
            try await page.wait(until: "document.getElementById('background-problem').hidden")
            #expect(try await page.run("return board.sync.art.background === null;"))
            #expect(try await page.run("return document.activeElement === board.stage;"))
        }
    }

    /// The server doesn't decode pictures, so each tab finds out by itself.
    @Test func aPictureThatTheBrowserCantDecodeFailsUntilARetrySucceeds() async throws {
        try await run { _, page, site in
            try await page.tab.tap(at: page.corner)
            try await set(site.url("/a.svg"), on: page)
            try await page.wait(until: "board.backdrop.shown?.width === 30")
            site.setRoute("/b.png") { _, connection in
                try await connection.respond(
                    200, [("Content-Type", "image/png")], RealPictures.pngWithBadPixels(40, 30))
            }
            try await set(site.url("/b.png"), on: page)
            for _ in 0..<2 {
                try await page.wait(until: "document.getElementById('background-alert').open")
                let words = try await page.tab.text("#background-alert")
                #expect(words.hasPrefix("Set Background\n") && words.contains("can't load or decode"), "\(words)")
                #expect(try await page.run("return board.backdrop.shown.width === 30;"), "the earlier picture stays")
                try await page.tab.click("#background-alert [data-retry]")
            }
            try await page.wait(until: "document.getElementById('background-alert').open")
            try await page.tab.click("#background-alert [value=ok]")
            // A page that is opened later shows the problem without an alert.
            try await page.run("globalThis.isOld = true; location.reload(); return true;")
            try await page.wait(
                until: "!globalThis.isOld && document.getElementById('background-problem')?.hidden === false")
            #expect(try await !page.tab.evaluate("document.getElementById('background-alert').open", as: Bool.self))
            site.setRoute("/b.png") { _, connection in
                try await connection.respond(200, [("Content-Type", "image/png")], RealPictures.png(40, 30))
            }
            try await page.tab.click("#background-problem [data-retry]")
            try await page.wait(until: "document.getElementById('background-problem').hidden")
            _ = try await page.tab.evaluate(
                """
                import('\(ArtPages.scripts)/board.js').then(async ({ board }) => {
                    window.board = await board;
                    return true;
                })
                """, as: Bool.self)
            try await page.wait(until: "board.backdrop.shown?.width === 40")
        }
    }

    @Test func aDroppedPictureThatTheBrowserCantDecodeFailsWithARetry() async throws {
        try await run { _, page, _ in
            let data = RealPictures.pngWithBadPixels(40, 30).base64EncodedString()
            try await page.tab.drop(["text/plain": "data:image/png;base64,\(data)"], at: page.corner)
            for _ in 0..<2 {
                try await page.wait(until: "document.getElementById('background-alert').open")
                #expect(try await page.tab.text("#background-alert").contains("can't load or decode"))
                try await page.tab.click("#background-alert [data-retry]")
            }
            try await page.wait(until: "document.getElementById('background-alert').open")
            try await page.tab.click("#background-alert [value=ok]")
            try await page.wait(until: "!document.getElementById('background-alert').open")
            try await page.tab.tap(at: page.corner)
            try await page.tab.key("b")
            try await page.wait(until: "document.getElementById('background-dialog').open")
            try await page.tab.click("#background-remove")
            try await page.wait(until: "document.getElementById('background-problem').hidden")
        }
    }

    @Test func everyFailedRetryShowsAlertAgain() async throws {
        try await run { _, page, site in
            try await page.tab.tap(at: page.corner)
            try await set(site.url("/none.svg"), on: page)
            for attempt in 1...8 {
                try await page.wait(until: "document.getElementById('background-alert').open")
                try await page.wait(until: "board.sync.picture.attempts === \(attempt)")
                try await page.tab.click("#background-alert [data-retry]")
            }
            try await page.wait(until: "document.getElementById('background-alert').open")
        }
    }

    @Test func settingSameAddressFetchesAgain() async throws {
        try await run { _, page, site in
            try await page.tab.tap(at: page.corner)
            try await set(site.url("/a.svg"), on: page)
            try await page.wait(until: "board.backdrop.shown?.width === 30")
            let larger = String(decoding: SamplePictures.svg, as: UTF8.self).replacing("30", with: "31")
            site.setRoute("/a.svg") { _, connection in
                try await connection.respond(200, [("Content-Type", "image/svg+xml")], Data(larger.utf8))
            }
            try await set(site.url("/a.svg"), on: page)
            try await page.wait(until: "board.backdrop.shown?.width === 31")
        }
    }

    /// A finished upload isn't applied once another background was chosen, and Retry sends a failed upload again.
    @Test func lastChosenBackgroundWins() async throws {
        try await run { _, page, site in
            try await page.run(
                """
                window.sent = [];
                board.sync.uploadPicture = () => new Promise((done, fail) => window.sent.push({ done, fail }));
                window.picture = new Blob(['<svg/>'], { type: 'image/svg+xml' });
                board.background.upload(window.picture);
                return true;
                """)
            try await page.wait(until: "!document.getElementById('progress').hidden && window.sent.length === 1")
            try await page.tab.tap(at: page.corner)
            try await set(site.url("/a.svg"), on: page)
            try await page.wait(until: "board.backdrop.shown?.width === 30")
            try await page.run("window.sent[0].done({ picture: '0'.repeat(64) }); return true;")
            try await page.settle()
            #expect(try await page.undoNames == ["Set Background"])
            try await page.run("board.background.upload(window.picture); return true;")
            try await page.run(
                """
                window.sent[1].fail(Object.assign(new Error("The server didn't respond."), { isTemporary: true }));
                return true;
                """)
            try await page.wait(until: "document.getElementById('background-alert').open")
            try await page.tab.click("#background-alert [data-retry]")
            try await page.wait(until: "window.sent.length === 3")
            #expect(try await page.undoNames == ["Set Background"])
        }
    }

    @Test func progressIsShownAtOrigin() async throws {
        try await run { _, page, site in
            let gate = Gate()
            site.setRoute("/slow.svg") { _, connection in
                try await connection.writeHead(
                    200, [("Content-Type", "image/svg+xml"), ("Content-Length", "\(SamplePictures.svg.count)")])
                try await connection.write(SamplePictures.svg.prefix(40))
                try await gate.wait()
                try await connection.write(SamplePictures.svg.dropFirst(40))
            }
            try await page.tab.tap(at: page.corner)
            try await set(site.url("/slow.svg"), on: page)
            try await page.wait(until: "Number(document.getElementById('progress').getAttribute('aria-valuenow')) > 0")
            try await page.run("board.model.moveView(33, 44); return true;")
            try await page.settle()
            let distance = try await page.run(
                """
                const box = document.getElementById('progress').getBoundingClientRect();
                const { left, top } = board.stage.getBoundingClientRect();
                const { x, y } = board.camera.origin;
                return Math.hypot(box.x + box.width / 2 - left - x, box.y + box.height / 2 - top - y);
                """, as: Double.self)
            #expect(distance < 1)
            gate.open()
            try await page.wait(until: "document.getElementById('progress').hidden && board.backdrop.shown !== null")
        }
    }

    @Test func backToContentIsHiddenWhileFirstBackgroundLoads() async throws {
        try await run([]) { _, page, site in
            let gate = Gate()
            site.setRoute("/slow.svg") { _, connection in
                try await gate.wait()
                try await connection.respond(200, [("Content-Type", "image/svg+xml")], SamplePictures.svg)
            }
            try await page.tab.tap(at: page.corner)
            try await set(site.url("/slow.svg"), on: page)
            try await page.wait(until: "document.getElementById('invitation').hidden")
            #expect(try await !page.isShown("#back-to-content"))
            gate.open()
            try await page.wait(until: "board.backdrop.shown !== null")
        }
    }

    @Test func droppedTextAddsItsEmojiAtPointer() async throws {
        try await run { _, page, _ in
            let corner = try await page.corner
            try await page.tab.drop(["text/plain": "a 🐶 and 👨‍👩‍👧 9"], at: corner)
            try await page.wait(until: "board.sync.art.emojis.size === 8")
            let chosen = try await page.run(
                """
                const { left, top } = board.stage.getBoundingClientRect();
                const at = toBoard({ x: \(corner.x) - left, y: \(corner.y) - top });
                return Array.from(board.selection.ids, (id) => board.sync.art.emojis.get(id))
                    .flatMap(({ x, y, size }) => [x - at.x, y - at.y, size * board.camera.zoom]);
                """, as: [Double].self)
            #expect(isNear(chosen[0], -chosen[3]) && isNear(chosen[1], 0))
            // They have the usual size of the board's emoji.
            let size = try await page.run("return board.model.newEmojiSize() * board.camera.zoom;", as: Double.self)
            #expect(size > 0 && isNear(chosen[2], size))
            #expect(try await page.undoNames == ["Add 2 emoji"])
            try await page.tab.drop(["text/plain": "nothing of the kind"], at: corner)
            try await page.wait(until: "document.getElementById('toasts').innerText.includes('no emoji')")
            #expect(try await page.count == 8)
        }
    }

    @Test func droppedPictureAddressBecomesBackground() async throws {
        try await run { _, page, site in
            let corner = try await page.corner
            let address = site.url("/a.svg").absoluteString
            let search = try #require(
                address.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let dropped: [[String: String]] = [
                ["text/uri-list": address],
                ["text/uri-list": "https://images.example/search?q=beach&imgurl=\(search)&w=30"],
                // For a link with a picture, the picture is used.
                ["text/uri-list": "https://pages.example/", "text/html": "<a><img alt='' src='\(address)'></a>"],
            ]
            for items in dropped {
                try await page.run(
                    "return board.model.change('None', [{ op: 'background', background: null }]) || true;")
                try await page.tab.drop(items, at: corner)
                try await page.wait(until: "board.sync.art.background?.address === '\(address)'")
                try await page.wait(until: "board.sync.picture.state === 'shown'")
            }
        }
    }

    @Test func droppedPictureIsStoredAndOtherFilesAreRefused() async throws {
        try await run { _, page, _ in
            let corner = try await page.corner
            let svg = "data:image/svg+xml;base64,\(SamplePictures.svg.base64EncodedString())"
            try await page.tab.drop(["text/plain": svg], at: corner)
            try await page.wait(
                until: "board.sync.art.background?.picture?.length === 64 && board.backdrop.shown !== null")
            let folder = FileManager.default.temporaryDirectory.appending(path: "board-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let files: [(String, Data, String)] = [
                ("notes.txt", Data("Hello".utf8), "“notes.txt” is not a picture."),
                ("large.png", SamplePictures.png(9, 9, padding: 20_000_000), "the limit is 20 MB"),
                ("bomb.png", RealPictures.pngHeader(60_000, 60_000), "Couldn't set background: "),
            ]
            for (name, data, words) in files {
                let file = folder.appending(path: name)
                try data.write(to: file)
                try await page.tab.drop(files: [file.path()], at: corner)
                try await page.wait(until: "document.getElementById('background-alert').open")
                let text = try await page.tab.text("#background-alert")
                #expect(text.contains(words), "\(text)")
                // A retry can't help here.
                #expect(try await !page.isShown("#background-alert [data-retry]"))
                try await page.tab.click("#background-alert [value=ok]")
                try await page.wait(until: "!document.getElementById('background-alert').open")
            }
            #expect(try await page.undoNames == ["Set Background"])
        }
    }
}

extension BoardTab {
    /// Whether the board's picture is black at the given points of the board.
    fileprivate func isBlack(at places: [(x: Double, y: Double)]) async throws -> [Bool] {
        try await run(
            """
            const paper = document.getElementById('paper');
            const ratio = paper.width / board.stage.clientWidth;
            return \(places.map { [$0.x, $0.y] }).map(([x, y]) => {
                const place = toStage({ x, y });
                const [red, green, blue, alpha] =
                    paper.getContext('2d').getImageData(place.x * ratio, place.y * ratio, 1, 1).data;
                return red + green + blue === 0 && alpha === 255;
            });
            """, as: [Bool].self)
    }
}
