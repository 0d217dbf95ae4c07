import Foundation
import ModelJSON
import Testing

@testable import EmojiArtModel

/// Tests the texts for people that the model makes, and the words that are inserted into them.
@Suite struct BoardTextTests {
    @Test(arguments: BoardWord.allCases)
    func wordIsAmongTheAppsWords(word: BoardWord) {
        #expect(ArtWords.scripts[word.rawValue] != nil)
    }

    @Test func valuesAreInsertedForTags() {
        #expect(BoardText.of(.moveStep, emoji: ["🐶"]).words == "Move 🐶")
        #expect(BoardText.of(.moveStep, emoji: ["🐶", "🐱"]).words == "Move 2 emoji")
        #expect(BoardText.of(.isSelected).words == "selected")
        #expect(BoardText.list([.number(3), .of(.isLocked)]).words == "3, locked")
        // A text of an emoji may look like a tag.
        let text = BoardText.of(.outOfRange, .emoji, .plain("{{done}}"), .done, .of(.wasMoved))
        #expect(text.words.hasPrefix("{{done}} was not moved: "))
    }

    private static let texts: [BoardText] = [
        .plain("Set Background"), .plain(""), .number(7), .of(.isSelected), .of(.moveStep, emoji: ["🐶", "🐱"]),
        .of(.wasUndone, .step, .of(.addStep, emoji: ["🐶"]), .reason, .plain("“Why”")), .list([.number(0), .list([])]),
    ]

    @Test(arguments: texts)
    func textIsReadAsItIsWritten(text: BoardText) throws {
        #expect(try BoardText(JSON(text.json.bytes)) == text)
    }

    @Test(arguments: [#"{"word":"moveStep2"}"#, "{}", "null", "true", "1.5", #"[{"word":1}]"#])
    func textInAnotherFormatIsRefused(json: String) throws {
        let value = try JSON(Array(json.utf8))
        #expect(throws: BoardFormatError.self) { try BoardText(value) }
    }

    /// The number of waiting changes, the reason, whether the browser has stored them, and the status in words.
    @Test(arguments: [
        (0, "", true, "Saved"), (1, "", true, "Saving…"),
        (1, "", false, "Saving… This browser can't store the changes: if you close the tab, they may be lost."),
        (1, "No.", true, "Offline: one change is waiting to be sent. No."),
        (2, "No.", true, "Offline: 2 changes are waiting to be sent. No."),
    ])
    func saveStatusHasSentences(waiting: Int, reason: String, isStored: Bool, words: String) {
        let failure = reason.isEmpty ? nil : BoardSaveStatus.Failure(message: .plain(reason), isStuck: false)
        let status = BoardSaveStatus(
            waiting: waiting, failure: failure, isDeleted: false, isDisconnected: false, isStored: isStored)
        #expect(status.sentences.map(\.words).joined(separator: " ") == words)
    }
}
