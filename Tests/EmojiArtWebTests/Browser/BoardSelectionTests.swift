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
            // A tap on a selected emoji deselects it.
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

    @Test(arguments: [BrowserTab.PointerType.mouse, .pen])
    func rectangleSelectsTouchedEmoji(pointer: BrowserTab.PointerType) async throws {
        try await BoardTab.run { _, page in
            let cow = try await page.place(of: "cow")
            let pig = try await page.place(of: "pig")
            let (start, end) = (cow.moved(-70, -70), pig.moved(10, 10))
            try await page.tab.beginDrag(from: start, to: end, with: pointer)
            try await page.wait(until: "board.selection.size === 2 && board.drawing.marquee !== null")
            try await page.tab.release(at: end, with: pointer)
            #expect(try await page.selected == ["cow", "pig"])
            // Screen readers announce the result, as they do after a key press.
            try await page.wait(until: "document.getElementById('spoken').textContent === '2 emoji selected'")
            let dog = try await page.place(of: "dog")
            try await page.tab.drag(from: dog.moved(50, -50), to: dog, holding: .shift, with: pointer)
            #expect(try await page.selected == ["cow", "dog", "pig"])
            // A cancelled rectangle restores the selection.
            let corner = try await page.corner
            try await page.tab.beginDrag(from: corner, to: corner.moved(20, 20), with: pointer)
            try await page.wait(until: "board.selection.size === 0")
            try await page.tab.key("Escape")
            try await page.wait(until: "board.selection.size === 3 && board.drawing.marquee === null")
            try await page.tab.release(at: corner.moved(20, 20), with: pointer)
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

    private static let bar = "document.getElementById('chosen').getBoundingClientRect()"
    private static let handlesAreFree = """
        handles().length === 5 && handles().every(({ x, y }) => {
            const { left, top } = board.stage.getBoundingClientRect();
            return document.elementFromPoint(left + x, top + y) === board.stage;
        })
        """

    @Test func selectionBarIsBesideSelectionAndCoversNoHandle() async throws {
        try await BoardTab.run { _, page in
            let bar = Self.bar
            try await page.tab.tap(at: page.place(of: "pig"))
            let pig = try await page.place(of: "pig")
            try await page.wait(
                until: "\(bar).bottom < \(pig.y - 30) && \(bar).bottom > \(pig.y - 120) && \(Self.handlesAreFree)")
            // At the board's upper edge there is no room above the selection.
            try await page.run(
                """
                board.model.moveView(0, 60 - toStage(board.sync.art.emojis.get('pig')).y);
                return true;
                """)
            let moved = try await page.place(of: "pig")
            try await page.wait(
                until: "\(bar).top > \(moved.y + 30) && \(bar).top < \(moved.y + 120) && \(Self.handlesAreFree)")
            // A selection that is larger than the board has the bar inside it.
            try await page.run("board.model.zoomView(40, 640, 60); return true;")
            try await page.wait(
                until: """
                    \(bar).top >= board.stage.getBoundingClientRect().top
                        && \(bar).bottom <= board.stage.getBoundingClientRect().bottom
                    """)
        }
    }

    @Test func selectionBarAvoidsOtherEmojiAndIsHiddenDuringDrags() async throws {
        try await BoardTab.run { _, page in
            let pig = try await page.place(of: "pig")
            try await page.tab.tap(at: pig)
            try await page.wait(until: "\(Self.bar).height > 0 && \(Self.bar).bottom < \(pig.y)")
            // Another emoji at the bar's middle.
            try await page.run(
                """
                const { left, top, width, height } = \(Self.bar);
                const stage = board.stage.getBoundingClientRect();
                const middle = { x: left + width / 2 - stage.left, y: top + height / 2 - stage.top };
                return board.model.change('Move 🐶', [{ op: 'move', id: 'dog', ...toBoard(middle) }]);
                """)
            try await page.wait(until: "\(Self.bar).top > \(pig.y + 30)")
            try await page.tab.beginDrag(from: pig, to: pig.moved(30, 30))
            try await page.wait(until: "document.getElementById('chosen').hidden")
            try await page.tab.release(at: pig.moved(30, 30))
            try await page.wait(until: "!document.getElementById('chosen').hidden")
        }
    }

    @Test(arguments: [360, 820]) func controlsAreLargeEnoughForFingers(width: Int) async throws {
        try await BoardTab.run(width: width, height: 900, isTouch: true) { _, page in
            try await page.tab.touchTap(at: page.place(of: "pig"))
            try await page.run("board.paletteBar.toggleSearch(); board.toasts.show('Hello'); return true;")
            try await page.settle()
            let small = try await page.run(
                """
                return [...document.querySelectorAll('.board-page :is(button, a, input)')]
                    .filter((control) => control.checkVisibility() && !control.closest('.visually-hidden'))
                    .map((control) => ({ name: control.outerHTML.slice(0, 80), box: control.getBoundingClientRect() }))
                    .filter(({ box }) => Math.round(box.width) < 44 || Math.round(box.height) < 44)
                    .map(({ name, box }) => `${name}: ${box.width} × ${box.height}`);
                """, as: [String].self)
            #expect(small.isEmpty, "\(small)")
            // The header is not cut off, even with the status “Not saved”.
            let isWhole = try await page.run(
                """
                document.getElementById('saving').textContent = 'Not saved';
                return document.getElementById('board-menu').getBoundingClientRect().right <= innerWidth;
                """)
            #expect(isWhole)
        }
    }

    @Test func selectionBarAndUndoFitOnAPhone() async throws {
        try await BoardTab.run(width: 360, height: 640, isTouch: true) { _, page in
            try await page.tab.touchTap(at: page.place(of: "pig"))
            try await page.wait(
                until: """
                    \(Self.bar).width > 0 && \(Self.bar).left >= 0 && \(Self.bar).right <= innerWidth
                        && \(Self.handlesAreFree)
                    """)
            let sides = try await page.run(
                """
                return [...document.querySelectorAll('#chosen button')].filter((button) => button.checkVisibility())
                    .flatMap((button) => [button.offsetWidth, button.offsetHeight]);
                """, as: [Double].self)
            #expect(sides.count >= 10 && sides.min() ?? 0 >= 44)
            // The button, its result and the undo button are on one screen.
            try await page.tab.click("#chosen [data-command=rotate]")
            #expect(try await page.emoji("pig")?.angle == 15)
            try await page.tab.click("[data-bar=steps] [data-command=undo]")
            #expect(try await page.emoji("pig")?.angle == 0)
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
            // The Enter key adds the focused emoji to the selection.
            try await page.tab.key("Enter")
            #expect(try await page.selected == ["cow", "pig"])
            for _ in 0..<6 { try await page.tab.press(.tab) }
            #expect(try await page.run("return document.activeElement !== board.stage;"))
            // After Escape, the Tab key leaves the board, and doesn't go to the next emoji.
            try await page.tab.tab(to: "#stage")
            try await page.tab.key("Escape")
            // The selection's bar follows the board for the Tab key until the next frame hides it.
            try await page.wait(until: "!document.getElementById('chosen').checkVisibility()")
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
