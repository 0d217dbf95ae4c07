import BrowserDriver
import EmojiArtModel
import Foundation
import Testing

/// Tests the view of a board, and the layout of the page around it.
@Suite(.timeLimit(.minutes(20))) struct BoardViewTests {
    private typealias View = BoardTab.View

    @Test func theWheelMovesTheViewAndZoomsAtTheCursor() async throws {
        try await BoardTab.run { _, page in
            let before = try await page.view
            let dog = try await page.place(of: "dog")
            try await page.tab.wheel(at: dog, by: 30, 50)
            try await page.wait(until: "board.camera.pan.y !== \(before.pan.y)")
            let moved = try await page.view
            #expect(moved == View(zoom: before.zoom, pan: .init(x: before.pan.x - 30, y: before.pan.y - 50)))
            let place = try await page.place(of: "dog")
            for held in [BrowserTab.Modifiers.control, .meta] {
                let zoom = try await page.view.zoom
                try await page.tab.wheel(at: place, by: 0, -100, holding: held)
                try await page.wait(until: "board.camera.zoom > \(zoom)")
                let now = try await page.place(of: "dog")
                #expect(isNear(now.x, place.x) && isNear(now.y, place.y))
            }
        }
    }

    @Test func spaceMiddleButtonAndHandToolMoveView() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.tap(at: page.corner)
            func check(_ button: BrowserTab.Button = .left) async throws {
                let before = try await page.view
                let cow = try await page.place(of: "cow")
                try await page.tab.drag(from: cow, to: cow.moved(70, 20), button: button)
                let after = try await page.view
                #expect(isNear(after.pan.x, before.pan.x + 70) && isNear(after.pan.y, before.pan.y + 20))
            }
            try await page.tab.key(" ", isReleased: false)
            try await check()
            try await page.tab.releaseKey(" ")
            try await check(.middle)
            try await page.tab.key("h")
            try await check()
            try await page.tab.key("h")
            let (undone, selected) = (try await page.undoNames, try await page.selected)
            #expect(undone == [] && selected == [])
        }
    }

    @Test func oneFingerMovesTheView() async throws {
        try await BoardTab.run(width: 390, height: 844, isTouch: true) { _, page in
            let before = try await page.view
            let corner = try await page.corner
            try await page.tab.swipe(from: corner, to: corner.moved(50, 25))
            let after = try await page.view
            #expect(isNear(after.pan.x, before.pan.x + 50) && isNear(after.pan.y, before.pan.y + 25))
        }
    }

    @Test func doubleTapOnBackgroundFitsEverything() async throws {
        try await BoardTab.run { _, page in
            try await page.run("board.model.moveView(-200, 100); return true;")
            let corner = try await page.corner
            try await page.tab.doubleTap(at: corner)
            let box = try await page.run("return board.model.content();", as: [Double].self)
            let size = try await page.run(
                "const { width, height } = board.camera.size; return [width, height];", as: [Double].self)
            let rect = BoardRect(from: BoardPoint(x: box[0], y: box[1]), to: BoardPoint(x: box[2], y: box[3]))
            let expected = try #require(ArtView.fitting(rect, in: ViewSize(width: size[0], height: size[1])))
            try await page.wait(until: "!board.camera.animation && board.camera.zoom === \(expected.zoom)")
            let view = try await page.view
            #expect(isNear(view.pan.x, expected.pan.x) && isNear(view.pan.y, expected.pan.y))
        }
    }

    @Test func keysZoomViewAndFitSelection() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.tap(at: page.corner)
            try await page.tab.key("0")
            try await page.wait(until: "board.camera.zoom === 1")
            try await page.tab.key("+")
            #expect(isNear(try await page.view.zoom, 1.25, by: 0.001))
            try await page.wait(until: "document.querySelector('[data-command=actualSize]').textContent === '125 %'")
            try await page.tab.key("-")
            try await page.tab.key("-")
            #expect(isNear(try await page.view.zoom, 0.8, by: 0.001))
            try await page.tab.tap(at: page.place(of: "dog"))
            try await page.tab.key("2")
            try await page.wait(until: "board.camera.zoom === 4")
        }
    }

    @Test func backToContentButtonAppearsWhenContentIsOutOfView() async throws {
        try await BoardTab.run { _, page in
            #expect(try await !page.isShown("#back-to-content"))
            try await page.run("board.model.moveView(5000, 0); return true;")
            try await page.wait(until: "!document.getElementById('back-to-content').hidden")
            try await page.tab.click("#back-to-content")
            try await page.wait(until: "document.getElementById('back-to-content').hidden && !board.camera.animation")
            #expect(try await page.run("return board.model.isContentVisible();"))
        }
    }

    @Test func undoSurvivesReload() async throws {
        try await BoardTab.run { server, page in
            let x = try #require(try await page.emoji("cow")).x
            try await page.run("return board.model.change('Move 🐄', [{ op: 'move', id: 'cow', x: 7, y: 8 }]);")
            try await page.waitUntilSaved()
            let again = try await BoardTab(page.tab, of: server)
            #expect(try await again.undoNames == ["Move 🐄"])
            try await again.run("return board.run('undo');")
            #expect(try await again.emoji("cow")?.x == x)
        }
    }

    @Test func reloadedTabRestoresView() async throws {
        try await BoardTab.run { server, page in
            try await page.run("board.model.zoomView(2.5, 10, 10); return true;")
            let view = try await page.view
            let again = try await BoardTab(page.tab, of: server)
            #expect(try await again.view == view)
        }
    }

    @Test func idlePageDrawsNoFrames() async throws {
        try await BoardTab.run { _, page in
            // The stream of changes begins with the background's state, which is drawn.
            try await page.wait(until: "board.sync.presence !== null")
            try await page.wait(until: "!board.glyphs.isUnfinished")
            try await page.settle()
            let frames = try await page.run(
                """
                const before = board.drawing.frames;
                for (let frame = 0; frame < 30; frame += 1) await new Promise(requestAnimationFrame);
                return board.drawing.frames - before;
                """, as: Int.self)
            #expect(frames == 0)
        }
    }

    @Test(arguments: [(390, 844), (768, 1024), (1280, 800)], BrowserTab.Colours.allCases)
    func thePageFitsEveryWindowInBothColours(size: (Int, Int), colours: BrowserTab.Colours) async throws {
        try await BoardTab.run(width: size.0, height: size.1, colours: colours) { _, page in
            try await page.tab.key("a", holding: .control)
            try await page.settle()
            let hasNothingBeyond = """
                const page = document.documentElement;
                return page.scrollWidth <= page.clientWidth && page.scrollHeight <= page.clientHeight;
                """
            #expect(try await page.run(hasNothingBeyond))
            // Buttons are as large as a finger needs, and the bars don't overlap.
            let smallest = try await page.run(
                """
                const buttons = [...document.querySelectorAll('.tool, .palette-name, .palette-emoji')];
                const shown = buttons.filter((button) => button.checkVisibility());
                return Math.min(...shown.map((button) => button.getBoundingClientRect().height));
                """, as: Double.self)
            #expect(smallest >= 24)
            let bars = try await page.run(
                """
                const boxes = [...document.querySelectorAll('.over, .head, .palette')]
                    .filter((element) => element.checkVisibility()).map((element) => element.getBoundingClientRect());
                return boxes.flatMap((one, index) => boxes.slice(index + 1).filter((other) => one.left < other.right
                    && other.left < one.right && one.top < other.bottom && other.top < one.bottom)).length;
                """, as: Int.self)
            #expect(bars == 0)
            // The paper is light or dark according to the person's preference.
            let paper = try await page.run(
                """
                const { data } = document.getElementById('paper').getContext('2d').getImageData(3, 3, 1, 1);
                return data[0] + data[1] + data[2];
                """, as: Int.self)
            #expect((paper < 384) == (colours == .dark))
            for dialog in ["help", "background", "editPalette"] {
                try await page.run("return board.run('\(dialog)');")
                try await page.wait(until: "document.querySelector('dialog[open]')")
                #expect(try await page.run(hasNothingBeyond), "\(dialog)")
                let isInside = try await page.run(
                    """
                    const { left, right, top, bottom } = document.querySelector('dialog[open]').getBoundingClientRect();
                    document.querySelector('dialog[open]').close();
                    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
                    """)
                #expect(isInside, "\(dialog)")
            }
        }
    }

    @Test func emptyBoardShowsHintUntilFirstEmoji() async throws {
        try await BoardTab.run([]) { server, page in
            #expect(try await page.tab.text("#invitation").contains("Drag an emoji here"))
            try await server.addDog("d1")
            try await page.wait(until: "document.getElementById('invitation').hidden")
        }
    }
}
