import BrowserDriver
import Foundation
import Testing

/// Tests selecting by taps, by rectangles and by the keyboard.
@Suite(.timeLimit(.minutes(20))) struct BoardSelectionTests {
    @Test func tapSelectsOneEmojiAndShiftTapAddsOne() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.tap(at: page.place(of: "cow"))
            #expect(try await page.selected == ["cow"])
            try await page.tab.tap(at: page.place(of: "pig"))
            #expect(try await page.selected == ["pig"])
            try await page.tab.tap(at: page.place(of: "dog"), holding: .shift)
            #expect(try await page.selected == ["dog", "pig"])
            // A second tap deselects it.
            try await page.tab.tap(at: page.place(of: "pig"))
            #expect(try await page.selected == ["dog"])
            try await page.tab.tap(at: page.corner)
            #expect(try await page.selected == [])
            #expect(try await page.undoNames == [])
        }
    }

    @Test func touchTapTogglesEmojiInSelection() async throws {
        try await BoardTab.run(width: 390, height: 844, isTouch: true) { _, page in
            for id in ["cow", "pig"] { try await page.tab.touchTap(at: page.place(of: id)) }
            #expect(try await page.selected == ["cow", "pig"])
            try await page.tab.touchTap(at: page.place(of: "cow"))
            #expect(try await page.selected == ["pig"])
            try await page.tab.touchTap(at: page.corner)
            #expect(try await page.selected == [])
        }
    }

    @Test(arguments: [BrowserTab.Instrument.mouse, .pen])
    func rectangleSelectsTouchedEmoji(instrument: BrowserTab.Instrument) async throws {
        try await BoardTab.run { _, page in
            let cow = try await page.place(of: "cow")
            let pig = try await page.place(of: "pig")
            let (start, end) = (cow.moved(-70, -70), pig.moved(10, 10))
            try await page.tab.beginDrag(from: start, to: end, with: instrument)
            try await page.wait(until: "board.selection.size === 2 && board.drawing.marquee !== null")
            try await page.tab.release(at: end, with: instrument)
            #expect(try await page.selected == ["cow", "pig"])
            // Screen readers hear the result, as they do after a key.
            try await page.wait(until: "document.getElementById('spoken').textContent === '2 emoji selected'")
            let dog = try await page.place(of: "dog")
            try await page.tab.drag(from: dog.moved(50, -50), to: dog, holding: .shift, with: instrument)
            #expect(try await page.selected == ["cow", "dog", "pig"])
            // A cancelled rectangle restores the selection.
            let corner = try await page.corner
            try await page.tab.beginDrag(from: corner, to: corner.moved(20, 20), with: instrument)
            try await page.wait(until: "board.selection.size === 0")
            try await page.tab.key("Escape")
            try await page.wait(until: "board.selection.size === 3 && board.drawing.marquee === null")
            try await page.tab.release(at: corner.moved(20, 20), with: instrument)
            #expect(try await page.selected == ["cow", "dog", "pig"])
        }
    }

    @Test func longPressDrawsSelectionRectangle() async throws {
        try await BoardTab.run(width: 390, height: 844, isTouch: true) { _, page in
            try await page.run("board.gestures.longPress = 50; return true;")
            let start = try await page.corner
            let view = try await page.view
            try await page.tab.touch(.begin, start)
            try await page.wait(until: "board.drawing.marquee !== null")
            let end = try await page.place(of: "dog").moved(10, 10)
            try await page.tab.touch(.move, start.moved(10, 10))
            try await page.tab.touch(.move, end)
            try await page.tab.touch(.end)
            #expect(try await page.selected == ["cow", "dog", "pig"])
            #expect(try await page.view == view)
        }
    }

    @Test func keysSelectAllAndNothing() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.tap(at: page.corner)
            try await page.tab.key("a", holding: .control)
            #expect(try await page.selected.count == BoardTab.farm.count)
            try await page.wait(until: "document.getElementById('chosen-count').textContent === '6 selected'")
            try await page.tab.key("Escape")
            #expect(try await page.selected == [])
            try await page.wait(until: "document.getElementById('chosen').hidden")
        }
    }

    @Test func selectionBarMovesOffHandles() async throws {
        try await BoardTab.run { _, page in
            let bar = "document.getElementById('chosen').getBoundingClientRect()"
            try await page.tab.tap(at: page.place(of: "pig"))
            try await page.wait(until: "\(bar).height > 0")
            // Move the view so that the upper left handle is in the middle of the bar.
            try await page.run(
                """
                const { left, top } = board.stage.getBoundingClientRect();
                const [corner] = board.drawing.corners();
                const { x, y, width, height } = \(bar);
                board.camera.moveBy(x + width / 2 - left - corner.x, y + height / 2 - top - corner.y);
                return true;
                """)
            try await page.wait(
                until: """
                    board.drawing.corners().every(({ x, y }) => {
                        const { left, top } = board.stage.getBoundingClientRect();
                        return document.elementFromPoint(left + x, top + y) === board.stage;
                    })
                    """)
            try await page.run("board.camera.moveBy(0, 200); return true;")
            try await page.wait(until: "\(bar).bottom < board.stage.getBoundingClientRect().top + 100")
        }
    }

    @Test func tabKeyMovesThroughEmojiAndOut() async throws {
        try await BoardTab.run { _, page in
            let spoken = "document.getElementById('spoken').textContent"
            try await page.tab.tab(to: "#stage")
            try await page.tab.press(.tab)
            try await page.wait(until: "\(spoken) === '🐄 cow, 1 of 6, at 200 left, 100 up, size 80'")
            try await page.tab.press(.tab)
            try await page.wait(until: "\(spoken).startsWith('🐖 pig, 2 of 6, at 100 up')")
            try await page.tab.press(.enter)
            #expect(try await page.selected == ["pig"])
            try await page.wait(until: "\(spoken).endsWith(', selected')")
            try await page.tab.key("Tab", holding: .shift)
            try await page.wait(until: "\(spoken).startsWith('🐄')")
            // Commands apply to the selection, or without one to the focused emoji.
            try await page.tab.key("Enter")
            #expect(try await page.selected == ["cow", "pig"])
            for _ in 0..<6 { try await page.tab.press(.tab) }
            #expect(try await page.run("return document.activeElement !== board.stage;"))
            // The focus can also leave from the first emoji.
            try await page.tab.tab(to: "#stage")
            try await page.tab.key("Escape")
            try await page.tab.press(.tab)
            #expect(try await page.run("return document.activeElement !== board.stage;"))
        }
    }

    @Test func emojiDeletedByAnotherPersonIsDeselected() async throws {
        try await BoardTab.run { server, page in
            try await page.tab.tap(at: page.place(of: "cow"))
            try await server.send(#"{"op":"delete","id":"cow"}"#, as: "b1", named: "Delete 🐄")
            try await page.wait(until: "board.selection.size === 0")
            #expect(try await page.emoji("cow") == nil)
        }
    }
}
