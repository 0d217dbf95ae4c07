import BrowserDriver
import EmojiArtModel
import Foundation
import Testing

/// Tests gestures that move and resize emoji, and undo.
@Suite(.timeLimit(.minutes(20))) struct BoardGestureTests {
    @Test func unselectedEmojiIsDraggedAlone() async throws {
        try await BoardTab.run { server, page in
            try await page.tab.tap(at: page.place(of: "cow"))
            let pig = try await page.place(of: "pig")
            try await page.tab.drag(from: pig, to: pig.moved(60, 40))
            let zoom = try await page.view.zoom
            let moved = try #require(try await page.emoji("pig"))
            #expect(isNear(moved.x, 60 / zoom) && isNear(moved.y, 100 - 40 / zoom))
            #expect(try await page.selected == ["cow"])
            #expect(try await page.emoji("cow")?.x == -200)
            #expect(try await page.undoNames == ["Move 🐖"])
            try await page.waitUntilSaved()
            let stored = try await server.state().art.emojis.first { $0.id == "pig" }
            #expect(stored == moved)
        }
    }

    @Test func draggingOneEmojiMovesWholeSelection() async throws {
        try await BoardTab.run { _, page in
            for id in ["cow", "pig"] { try await page.tab.tap(at: page.place(of: id), holding: .shift) }
            let cow = try await page.place(of: "cow")
            try await page.tab.drag(from: cow, to: cow.moved(-30, -30))
            let zoom = try await page.view.zoom
            #expect(isNear(try await page.emoji("cow")?.x, -200 - 30 / zoom))
            #expect(isNear(try await page.emoji("pig")?.y, 100 + 30 / zoom))
            #expect(try await page.undoNames == ["Move 2 emoji"])
            try await page.tab.key("z", holding: .control)
            #expect(try await page.emoji("cow")?.x == -200)
            try await page.tab.key("Z", holding: [.control, .shift])
            #expect(isNear(try await page.emoji("cow")?.x, -200 - 30 / zoom))
        }
    }

    @Test func escapeCancelsDrag() async throws {
        try await BoardTab.run { _, page in
            let before = try await page.emoji("dog")
            let dog = try await page.place(of: "dog")
            try await page.tab.beginDrag(from: dog, to: dog.moved(80, 0))
            try await page.wait(until: "board.sync.art.emojis.get('dog').x > 210")
            try await page.tab.key("Escape")
            #expect(try await page.emoji("dog") == before)
            try await page.tab.release(at: dog.moved(80, 0))
            #expect(try await page.emoji("dog") == before)
            #expect(try await page.undoNames == [])
            #expect(try await page.selected == [])
        }
    }

    @Test func cancelledTouchGestureChangesNothing() async throws {
        try await BoardTab.run(width: 390, height: 844, isTouch: true) { _, page in
            let before = try await page.emoji("dog")
            let dog = try await page.place(of: "dog")
            func begin() async throws {
                try await page.tab.touch(.begin, dog)
                try await page.tab.touch(.move, dog.moved(-20, 0))
                try await page.tab.touch(.move, dog.moved(-40, 0))
                try await page.wait(until: "board.sync.art.emojis.get('dog').x < 190")
            }
            try await begin()
            try await page.tab.touch(.cancel)
            try await page.wait(until: "board.sync.art.emojis.get('dog').x === 200")
            // A second finger cancels too: two fingers are another gesture.
            try await begin()
            try await page.tab.touch(.begin, dog.moved(-40, 0), dog.moved(-40, 150))
            try await page.wait(until: "board.sync.art.emojis.get('dog').x === 200")
            try await page.tab.touch(.end)
            #expect(try await page.emoji("dog") == before)
            #expect(try await page.undoNames == [])
        }
    }

    @Test func cornerHandleResizesAroundOppositeCorner() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.tap(at: page.place(of: "cow"))
            let before = try #require(try await page.emoji("cow"))
            let handle = try await page.handles[3]
            let oppositeHandle = try await page.handles[0]
            try await page.tab.drag(from: handle, to: handle.moved(40, 40))
            let after = try #require(try await page.emoji("cow"))
            #expect(after.size > before.size * 1.2)
            let handles = try await page.handles
            #expect(isNear(handles[0].x, oppositeHandle.x, by: 1.5) && isNear(handles[0].y, oppositeHandle.y, by: 1.5))
            #expect(isNear(handles[3].x, handle.x + 40, by: 1.5))
            #expect(try await page.undoNames == ["Resize 🐄"])
            try await page.tab.key("z", holding: .control)
            #expect(try await page.emoji("cow") == before)
            // With Alt the middle stays in place.
            try await page.tab.drag(from: handle, to: handle.moved(40, 40), holding: .alt)
            let around = try #require(try await page.emoji("cow"))
            #expect(isNear(around.x, before.x) && isNear(around.y, before.y) && around.size > after.size)
            // The size has a minimum.
            try await page.tab.drag(from: try await page.handles[3], to: oppositeHandle.moved(-200, -200))
            #expect(try #require(try await page.emoji("cow")).size >= 0.1)
        }
    }

    @Test func selectionIsResizedAsOne() async throws {
        try await BoardTab.run { _, page in
            for id in ["cow", "pig"] { try await page.tab.tap(at: page.place(of: id), holding: .shift) }
            let handle = try await page.handles[3]
            try await page.tab.drag(from: handle, to: handle.moved(100, 60))
            let cow = try #require(try await page.emoji("cow"))
            let pig = try #require(try await page.emoji("pig"))
            let factor = cow.size / 80
            #expect(factor > 1.1)
            #expect(isNear(pig.size, 60 * factor, by: 0.01))
            #expect(isNear(pig.x - cow.x, 200 * factor, by: 0.1))
        }
    }

    @Test func pinchResizesSelectionOrElseZoomsView() async throws {
        try await BoardTab.run(width: 390, height: 844, isTouch: true) { _, page in
            let tree = try await page.place(of: "tree")
            try await page.tab.touchTap(at: tree)
            let view = try await page.view
            try await page.tab.pinch(at: tree, from: 60, to: 120)
            let larger = try #require(try await page.emoji("tree"))
            #expect(isNear(larger.size, 240, by: 8) && isNear(larger.x, -200) && isNear(larger.y, -100))
            #expect(try await page.view == view)
            #expect(try await page.undoNames == ["Resize 🌳"])
            try await page.tab.touchTap(at: page.corner)
            let middle = try await page.place(of: "pig")
            try await page.tab.pinch(at: middle, from: 80, to: 160)
            let zoomedView = try await page.view
            #expect(isNear(zoomedView.zoom / view.zoom, 2, by: 0.1))
            // The point between the fingers stays in place.
            let now = try await page.place(of: "pig")
            #expect(isNear(now.x, middle.x, by: 2) && isNear(now.y, middle.y, by: 2))
            #expect(try await page.undoNames == ["Resize 🌳"])
        }
    }

    @Test func arrowKeysMoveByOneOrTenInOneStep() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.tap(at: page.place(of: "dog"))
            // The test itself fires the timer that completes the step, because a slow machine can take longer than the
            // timer between two keys.
            try await page.run(
                """
                const { setTimeout, clearTimeout } = window;
                window.pause = null;
                window.setTimeout = (work, time, ...more) =>
                    time === 600 ? ((window.pause = work), -1) : setTimeout(work, time, ...more);
                window.clearTimeout = (timer) => (timer === -1 ? (window.pause = null) : clearTimeout(timer));
                return true;
                """)
            for _ in 0..<3 { try await page.tab.key("ArrowRight") }
            try await page.tab.key("ArrowUp", holding: .shift)
            let dog = try #require(try await page.emoji("dog"))
            #expect(dog.x == 203 && dog.y == 110)
            #expect(try await page.undoNames == [])
            try await page.run("window.pause(); return true;")
            #expect(try await page.undoNames == ["Move 🐶"])
            try await page.tab.key("z", holding: .control)
            #expect(try await page.emoji("dog")?.x == 200)
            // Any later command, including undo, completes the step.
            try await page.tab.key("ArrowLeft")
            try await page.tab.key("z", holding: .control)
            #expect(try await page.emoji("dog")?.x == 200)
            #expect(try await page.undoNames == [])
        }
    }

    @Test func aDragIsSeenInAnotherBrowserBeforeItEnds() async throws {
        try await BoardTab.run { server, page in
            let other = try await BoardTab(try await page.tab.openInNewContext(), of: server)
            let cow = try await page.place(of: "cow")
            try await page.tab.beginDrag(from: cow, to: cow.moved(90, 0))
            try await other.wait(until: "board.sync.art.emojis.get('cow').x > -150")
            try await page.tab.release(at: cow.moved(90, 0))
        }
    }

    @Test func serverRestartDuringDragLosesNothing() async throws {
        try await BoardServer.runRestartable { server, restart in
            try await server.createBoard(art: try EmojiArt(background: .blank, emojis: BoardTab.farm))
            try await BrowserTab.run { tab in
                let page = try await BoardTab(tab, of: server)
                let cow = try await page.place(of: "cow")
                try await tab.beginDrag(from: cow, to: cow.moved(60, 0))
                try await eventually("the server has a part of the drag") {
                    try await server.state().art.emojis.contains { $0.id == "cow" && $0.x > -200 }
                }
                try await server.stop()
                for step in 1...5 { try await tab.moveDragged(to: cow.moved(60 + 10 * Double(step), 30)) }
                try await page.wait(until: "board.sync.status === 'offline'")
                let next = try await restart()
                try await tab.release(at: cow.moved(110, 30))
                try await page.waitUntilSaved()
                let (shown, stored) = (
                    try await page.emoji("cow"), try await next.state().art.emojis.first { $0.id == "cow" }
                )
                #expect(shown?.x == stored?.x && shown?.y == stored?.y)
                #expect(isNear(stored?.x, -90) && isNear(stored?.y, 70))
                #expect(try await page.undoNames == ["Move 🐄"])
                try await next.stop()
            }
        }
    }

    @Test func tapOnHandleSelectsOtherEmojiBelowIt() async throws {
        try await BoardTab.run(width: 390, height: 844, isTouch: true) { _, page in
            try await page.tab.touchTap(at: page.place(of: "cow"))
            // Moves the pig's middle to a corner of the cow's frame, and then to the rotation handle.
            for handle in ["handles()[1]", "handles()[4]"] {
                try await page.run(
                    """
                    const { x, y } = toBoard(\(handle));
                    return board.model.change('Move 🐖', [{ op: 'move', id: 'pig', x, y }]);
                    """)
                try await page.tab.touchTap(at: page.place(of: "pig"))
                #expect(try await page.selected == ["cow", "pig"])
                try await page.run("board.model.select(['cow']); return true;")
                // On the selected emoji's own handle, a tap keeps the selection.
                try await page.tab.touchTap(at: page.handles[2])
                #expect(try await page.selected == ["cow"])
            }
        }
    }

    @Test func smallSelectedEmojiCanBeDraggedByFinger() async throws {
        let dog = try #require(EmojiID("dog"))
        let emojis = [Emoji(id: dog, text: "🐶", x: 0, y: 0, size: 20, z: 0)]
        try await BoardTab.run(emojis, width: 390, height: 844, isTouch: true) { _, page in
            try await page.run("return board.run('actualSize');")
            try await page.waitForView()
            let place = try await page.place(of: "dog")
            try await page.tab.touchTap(at: place)
            #expect(try await page.selected == ["dog"])
            try await page.tab.swipe(from: place, to: place.moved(80, 40))
            let moved = try #require(try await page.emoji("dog"))
            #expect(isNear(moved.x, 80) && isNear(moved.y, -40) && moved.size == 20)
            try await page.tab.touchTap(at: try await page.place(of: "dog"))
            #expect(try await page.selected == [])
        }
    }
}
