import BrowserDriver
import EmojiArtModel
import Foundation
import Testing

/// Tests rotating, flipping, locking and aligning emoji, and copying them as a picture.
@Suite(.timeLimit(.minutes(20))) struct BoardArrangingTests {
    private static let spoken = "document.getElementById('spoken').textContent"

    // MARK: Rotating and flipping

    @Test func keysRotateAndFlipSelectedEmoji() async throws {
        try await BoardTab.run { server, page in
            let before = try await page.emoji("cow")
            try await page.tab.tap(at: page.place(of: "cow"))
            try await page.tab.key("r")
            try await page.wait(until: "\(Self.spoken) === 'Rotated to 15°'")
            #expect(try await page.emoji("cow")?.angle == 15)
            // Mirrored left to right, it leans to the other side.
            try await page.tab.key("H", holding: .shift)
            try await page.wait(until: "\(Self.spoken) === 'Flipped 🐄'")
            let flipped = try #require(try await page.emoji("cow"))
            #expect(flipped.isFlipped && flipped.angle == 345)
            try await page.tab.key("R", holding: .shift)
            #expect(try await page.emoji("cow")?.angle == 330)
            try await page.tab.key("V", holding: .shift)
            let flippedTwice = try #require(try await page.emoji("cow"))
            #expect(!flippedTwice.isFlipped && flippedTwice.angle == 210)
            #expect(try await page.undoNames == ["Flip 🐄", "Rotate 🐄", "Flip 🐄", "Rotate 🐄"])
            try await page.waitUntilSaved()
            let stored = try await server.state().art.emojis.first { $0.id == "cow" }
            #expect(stored == flippedTwice)
            for _ in 0..<4 { try await page.tab.key("z", holding: .control) }
            #expect(try await page.emoji("cow") == before)
        }
    }

    @Test func handleRotatesAroundMiddleAndSnaps() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.tap(at: page.place(of: "cow"))
            let before = try #require(try await page.emoji("cow"))
            let cow = try await page.place(of: "cow")
            // From above the emoji to its right, a little too far.
            try await page.tab.drag(from: page.rotationHandle, to: cow.moved(100, 2))
            let right = try #require(try await page.emoji("cow"))
            #expect(right.angle == 90 && right.x == before.x && right.y == before.y && right.size == before.size)
            #expect(try await page.undoNames == ["Rotate 🐄"])
            try await page.tab.key("z", holding: .control)
            try await page.tab.drag(from: page.rotationHandle, to: cow.moved(100, 30))
            #expect(isNear(try await page.emoji("cow")?.angle, 106.7))
            try await page.tab.key("z", holding: .control)
            // With Shift, in steps of 15°.
            try await page.tab.drag(from: page.rotationHandle, to: cow.moved(100, 30), holding: .shift)
            #expect(try await page.emoji("cow")?.angle == 105)
            try await page.tab.key("z", holding: .control)
            #expect(try await page.emoji("cow") == before)
            #expect(try await page.selected == ["cow"])
        }
    }

    @Test func selectionIsRotatedAsOne() async throws {
        try await BoardTab.run { _, page in
            try await page.run("board.model.select(['cow', 'pig']); return true;")
            for _ in 0..<6 { try await page.tab.key("r") }
            let cow = try #require(try await page.emoji("cow"))
            let pig = try #require(try await page.emoji("pig"))
            // A quarter turn clockwise around (-100, 100): what was on the left is at the top.
            #expect(cow.angle == 90 && isNear(cow.x, -100, by: 1e-6) && isNear(cow.y, 200, by: 1e-6))
            #expect(pig.angle == 90 && isNear(pig.x, -100, by: 1e-6) && isNear(pig.y, 0, by: 1e-6))
        }
    }

    @Test func twoFingersRotateSelection() async throws {
        try await BoardTab.run(width: 390, height: 844, isTouch: true) { _, page in
            let tree = try await page.place(of: "tree")
            let before = try #require(try await page.emoji("tree"))
            try await page.tab.touchTap(at: tree)
            func fingers(_ degrees: Double) -> (BrowserTab.Place, BrowserTab.Place) {
                let turn = degrees * .pi / 180
                return (
                    tree.moved(-50 * cos(turn), -50 * sin(turn)), tree.moved(50 * cos(turn), 50 * sin(turn))
                )
            }
            let (left, right) = fingers(0)
            try await page.tab.touch(.begin, left)
            try await page.tab.touch(.begin, left, right)
            for degrees in [20.0, 40, 60, 80, 90] {
                let (one, other) = fingers(degrees)
                try await page.tab.touch(.move, one, other)
            }
            try await page.tab.touch(.end, fingers(90).0)
            try await page.tab.touch(.end)
            let after = try #require(try await page.emoji("tree"))
            // The first 12° are ignored.
            #expect(isNear(after.angle, 78, by: 2) && isNear(after.size, before.size, by: 4))
            #expect(isNear(after.x, before.x) && isNear(after.y, before.y))
            #expect(try await page.undoNames == ["Resize and Rotate 🌳"])
        }
    }

    @Test func rotatedEmojiIsDrawnHitAndShownInOtherTabs() async throws {
        let square = try #require(EmojiID("square"))
        let emojis = [Emoji(id: square, text: "🟥", x: 0, y: 0, size: 100, z: 0)]
        try await BoardTab.run(emojis) { server, page in
            let other = try await BoardTab(try await page.tab.openInNewContext(), of: server)
            // Whether the square is drawn to the right of its upright shape.
            let isRotated = """
                (() => {
                    const { x, y } = toStage({ x: 66, y: 0 });
                    const ratio = Math.min(devicePixelRatio, 3);
                    const drawing = document.getElementById('front').getContext('2d');
                    return drawing.getImageData(x * ratio, y * ratio, 1, 1).data[3] > 0;
                })()
                """
            try await page.settle()
            #expect(try await page.run("return !\(isRotated);"))
            try await page.run(
                "return board.model.change('Rotate 🟥', [{ op: 'rotate', id: 'square', angle: 45 }]);")
            try await page.wait(until: isRotated)
            try await other.wait(until: isRotated)
            // The square is hit there, and no longer at a corner of its upright shape.
            try await page.tab.tap(at: page.place("toStage({ x: 48, y: 48 })"))
            #expect(try await page.selected.isEmpty)
            try await page.tab.tap(at: page.place("toStage({ x: 66, y: 0 })"))
            #expect(try await page.selected == ["square"])
        }
    }

    // MARK: Locking

    @Test func disabledButtonExplainsThatEmojiIsLocked() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.tap(at: page.place(of: "cow"))
            try await page.tab.key("l")
            // The page updates both buttons in one frame. Before that frame, it shows no selection, and "Rotate" is disabled.
            try await page.wait(
                until:
                    "document.querySelector('#chosen [data-command=lock] use').getAttribute('href') === '#icon-unlock'")
            #expect(
                try await page.run(
                    "return document.querySelector('#chosen [data-command=rotate]').ariaDisabled === 'true';"))
            try await page.tab.click("#chosen [data-command=rotate]")
            try await page.wait(
                until: "document.getElementById('toasts').innerText.includes('This emoji is locked.')")
            #expect(try await page.emoji("cow")?.angle == 0)
        }
    }

    @Test func lockedEmojiIsNeitherMovedNorSelectedWithOthersNorDeleted() async throws {
        try await BoardTab.run { server, page in
            let before = try #require(try await page.emoji("cow"))
            try await page.tab.tap(at: page.place(of: "cow"))
            try await page.tab.key("l")
            try await page.wait(until: "\(Self.spoken) === 'Locked 🐄'")
            #expect(try await page.run("return handles().length === 0;"))
            let explainsLock = "document.getElementById('toasts').innerText.includes('This emoji is locked.')"
            for key in ["Delete", "ArrowLeft", ">", "r", "]"] {
                try await page.tab.key(key)
                try await page.wait(until: explainsLock)
            }
            try await page.tab.key("x", holding: .control, command: "cut")
            let cow = try await page.place(of: "cow")
            try await page.tab.drag(from: cow, to: cow.moved(40, 10))
            let locked = try #require(try await page.emoji("cow"))
            #expect(locked.isLocked && locked.x == before.x && locked.size == before.size && locked.angle == 0)
            #expect(try await page.undoNames == ["Lock 🐄"])
            try await page.tab.key("a", holding: .control)
            #expect(try await page.selected == ["dog", "pig", "sunflower", "tractor", "tree"])
            // A tap selects it alone, to unlock it.
            try await page.tab.tap(at: cow)
            try await page.wait(
                until: "document.querySelector('#chosen [data-command=lock]').getAttribute('aria-label') === 'Unlock'")
            try await page.tab.click("#chosen [data-command=lock]")
            #expect(try await page.emoji("cow") == before)
            #expect(try await page.undoNames == ["Unlock 🐄", "Lock 🐄"])
            try await page.waitUntilSaved()
            let stored = try await server.state().art.emojis.first { $0.id == "cow" }
            #expect(stored == before)
        }
    }

    @Test func keyboardReachesAndUnlocksLockedEmoji() async throws {
        try await BoardTab.run { _, page in
            try await page.run("return board.model.change('Lock 🐄', [{ op: 'lock', id: 'cow', locked: true }]);")
            try await page.tab.tab(to: "#stage")
            try await page.tab.press(.tab)
            try await page.wait(until: "\(Self.spoken).endsWith('size 80, locked')")
            try await page.tab.key("l")
            #expect(try await page.emoji("cow")?.isLocked == false)
        }
    }

    // MARK: Aligning

    @Test func selectedEmojiAreAlignedAndDistributed() async throws {
        try await BoardTab.run { _, page in
            try await page.run("board.model.select(['cow', 'pig', 'dog']); return board.run('alignBottom');")
            let bottoms = try await page.run(
                "return board.model.outlines().map(([, y, , height]) => y + height);", as: [Double].self)
            #expect((bottoms.max() ?? 1) - (bottoms.min() ?? 0) < 1e-6)
            #expect(try await page.undoNames == ["Align Bottom"])
            // A second time, nothing changes.
            try await page.run("return board.run('alignBottom');")
            try await page.wait(until: "\(Self.spoken) === 'Already in that position'")
            #expect(try await page.undoNames == ["Align Bottom"])
            try await page.run("return board.run('distributeHorizontal');")
            let gaps = try await page.run(
                """
                const outlines = board.model.outlines();
                return [1, 2].map((index) => outlines[index][0] - outlines[index - 1][0] - outlines[index - 1][2]);
                """, as: [Double].self)
            #expect(isNear(gaps[0], gaps[1], by: 1e-6))
            try await page.run("return board.run('alignCenter');")
            let middles = try await page.run(
                """
                return Array.from(board.selection.ids, (id) => board.sync.art.emojis.get(id).x);
                """, as: [Double].self)
            #expect((middles.max() ?? 1) - (middles.min() ?? 0) < 1e-6)
        }
    }

    @Test func aligningIsOfferedForSeveralEmojiOnly() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.tap(at: page.place(of: "cow"), button: .right)
            #expect(try await !page.isShown("#menu [data-command=alignLeft]"))
            #expect(try await page.isShown("#menu [data-command=flipHorizontal]"))
            try await page.tab.key("Escape")
            try await page.tab.tap(at: page.place(of: "pig"), holding: .shift)
            try await page.tab.tap(at: page.place(of: "pig"), button: .right)
            #expect(try await page.isShown("#menu [data-command=alignLeft]"))
            #expect(try await !page.isShown("#menu [data-command=distributeHorizontal]"))
        }
    }

    // MARK: Copying as a picture

    @Test func selectedEmojiAreCopiedAsTransparentPNG() async throws {
        try await BoardTab.run { _, page in
            try await page.run(
                """
                navigator.clipboard.write = async ([item]) => (window.copied = await item.getType('image/png'));
                return true;
                """)
            try await page.tab.tap(at: page.place(of: "tree"))
            try await page.run("return board.run('copyPNG');")
            try await page.wait(until: "document.getElementById('toasts').innerText.includes('Copied as PNG')")
            let picture = try await page.run(
                """
                const bitmap = await createImageBitmap(window.copied);
                const drawing = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
                drawing.drawImage(bitmap, 0, 0);
                const { data } = drawing.getImageData(0, 0, bitmap.width, bitmap.height);
                const isInk = (index) => data[4 * index + 3] > 0;
                const count = bitmap.width * bitmap.height;
                const ink = Array.from({ length: count }, (_, index) => index).filter(isInk).length;
                return [bitmap.width, isInk(0) ? 1 : 0, ink / count];
                """, as: [Double].self)
            // Twice the size of 120 points, with a margin.
            #expect((240...400).contains(picture[0]) && picture[1] == 0 && picture[2] > 0.2)
        }
    }

    @Test func failedCopyOfBoardIsExplained() async throws {
        try await BoardTab.run { _, page in
            // No renderer of pictures is available here.
            try await page.tab.click("#board-menu")
            try await page.tab.click("#menu [data-command=copyPNG]")
            try await page.wait(until: "document.getElementById('alerts').innerText.includes('was not copied')")
        }
    }
}
