import BrowserDriver
import Testing

/// Uses a browser without other tests, because all tabs share the clipboard.
@Suite(.serialized, .timeLimit(.minutes(20))) struct BoardClipboardTests {
    @Test func emojiAreCopiedCutPastedAndDuplicated() async throws {
        try await BoardTab.run(of: .clipboard) { _, page in
            try await page.tab.allowClipboard()
            try await page.tab.tap(at: page.place(of: "tree"))
            try await page.tab.key("c", holding: .control, command: "copy")
            #expect(try await page.run("return navigator.clipboard.readText();", as: String.self) == "🌳")
            try await page.tab.key("v", holding: .control, command: "paste")
            try await page.wait(until: "board.sync.art.emojis.size === 7")
            let pasted = try #require(try await page.selected.first)
            #expect(try await page.emoji(pasted)?.size == 120)
            try await page.tab.key("x", holding: .control, command: "cut")
            #expect(try await page.count == 6)
            try await page.tab.key("v", holding: .control, command: "paste")
            try await page.wait(until: "board.sync.art.emojis.size === 7")
            try await page.tab.key("d", holding: .control)
            #expect(try await page.count == 8)
            #expect(try await page.undoNames == ["Duplicate 🌳", "Paste 🌳", "Cut 🌳", "Paste 🌳"])
            // Emoji that are pasted after the originals were deleted keep their distances.
            try await page.run("board.model.select(['cow', 'pig']); return true;")
            try await page.tab.key("c", holding: .control, command: "copy")
            try await page.tab.key("a", holding: .control)
            try await page.tab.key("Delete")
            #expect(try await page.count == 0)
            try await page.tab.key("v", holding: .control, command: "paste")
            try await page.wait(until: "board.sync.art.emojis.size === 2")
            let places = try await page.run(
                "return board.sync.art.ordered().map(({ x }) => x);", as: [Double].self)
            #expect(isNear(places[1] - places[0], 200))
        }
    }

    @Test func copiesKeepRotation() async throws {
        try await BoardTab.run(of: .clipboard) { _, page in
            try await page.tab.allowClipboard()
            try await page.tab.tap(at: page.place(of: "cow"))
            try await page.tab.key("r")
            try await page.tab.key("H", holding: .shift)
            try await page.tab.key("d", holding: .control)
            let second = try #require(try await page.selected.first)
            let duplicate = try await page.emoji(second)
            #expect(duplicate?.angle == 345 && duplicate?.isFlipped == true)
            try await page.tab.key("c", holding: .control, command: "copy")
            try await page.tab.key("v", holding: .control, command: "paste")
            try await page.wait(until: "board.sync.art.emojis.size === 8")
            let third = try #require(try await page.selected.first)
            let pasted = try await page.emoji(third)
            #expect(pasted?.angle == 345 && pasted?.isFlipped == true)
        }
    }
}
