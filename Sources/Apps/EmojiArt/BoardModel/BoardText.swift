#if canImport(ModelJSON)
    public import ModelJSON
#endif

/// A text for people, such as a step's name or a message, without the words themselves.
///
/// The words are the app's: a page or a server inserts them.
public enum BoardText: Hashable, Sendable {
    /// A text in words, such as an emoji, or what a server has answered.
    case plain(String)
    /// A whole number.
    case number(Int)
    /// One of the app's texts, by its name, and the values of its tags.
    case word(BoardWord, [Value])
    /// Texts with commas between them.
    case list([BoardText])

    /// The value of a tag.
    public struct Value: Hashable, Sendable {
        /// The tag.
        public let tag: BoardTag
        /// What stands in its place.
        public let text: BoardText
    }
}

/// A tag in one of the app's texts, which a value replaces.
public enum BoardTag: String, Hashable, Sendable, CaseIterable {
    /// Each case has the name of a tag in the app's words.
    case angle, count, distance, done, emoji, limit, number, percent, position, reason, size, status, step
}

/// The name of one of the app's texts, which may contain tags.
public enum BoardWord: String, Hashable, Sendable, CaseIterable {
    /// Steps, and what is announced after them.
    case emojiCount, addStep, added, pasteStep, pasted, duplicateStep, duplicated, cutStep, cutDone, deleteStep
    /// More steps, and what is announced after them.
    case deleted, moveStep, resizeStep, resized, resizedTo, resizeAndRotateStep, rotateStep, rotated, rotatedTo
    /// More steps, and what is announced after them.
    case flipStep, flipped, lockStep, locked, unlockStep, unlocked, alreadyThere
    /// Steps that change the order, and what is announced after them.
    case bringForwardStep, broughtForward, sendBackwardStep, sentBackward, bringToFrontStep, broughtToFront
    /// More steps that change the order, and what is announced after them.
    case sendToBackStep, sentToBack
    /// Commands that are named as their steps.
    case alignLeft, alignCenter, alignRight, alignTop, alignMiddle, alignBottom
    /// More commands that are named as their steps.
    case distributeLeftToRight, distributeTopToBottom
    /// What is announced of the view and the selection.
    case showingEverything, showingSelection, showingNearest, zoomIs, nothingSelected, emojiSelected
    /// What is announced of an emoji.
    case placeAmong, atPosition, sizeIs, isRotated, isFlipped, isLocked, isSelected, isSelectedWithMore
    /// The place of an emoji.
    case toRight, toLeft, toTop, toBottom, theMiddle
    /// Why commands have no effect.
    case emojiIsLocked, emojiAreLocked
    /// Whether changes are saved.
    case savedLabel, savingLabel, boardDeleted, connectionLost, notStored, boardRestored
    /// Why changes weren't sent, and how many wait.
    case notSentYet, notSentWithStatus, oneChangeNotSaved, changesNotSaved, oneChangeOffline, changesOffline
    /// What was not done, in a message about a refused operation.
    case wasAdded, wasMoved, wasResized, wasDeleted, wasReordered, wasRotated, wasFlipped, wasLocked, wasUnlocked
    /// What was not done to a background.
    case wasSet
    /// Messages about refused operations, and their emoji.
    case theEmoji, emojiIsGone, emojiExists, boardIsFull, invalidAngle, outOfRange, invalidText, invalidAddress
    /// More messages about refusals.
    case pictureIsGone, wasUndone
    /// Messages about steps that couldn't be undone or redone.
    case notUndone, notRedone, partlyUndone, partlyRedone, stepWasChanged, oneEmojiDeleted, severalEmojiDeleted
}

extension BoardText {
    /// A word without tags.
    @inline(never)
    package static func of(_ word: BoardWord) -> BoardText { .word(word, []) }

    /// A word with one tag.
    @inline(never)
    package static func of(_ word: BoardWord, _ tag: BoardTag, _ text: BoardText) -> BoardText {
        .word(word, [Value(tag: tag, text: text)])
    }

    /// A word with two tags.
    package static func of(
        _ word: BoardWord, _ tag: BoardTag, _ text: BoardText, _ other: BoardTag, _ otherText: BoardText
    ) -> BoardText {
        .word(word, [Value(tag: tag, text: text), Value(tag: other, text: otherText)])
    }

    /// A word with the tag `emoji`, which stands for an emoji or a number of them.
    @inline(never)
    package static func of(_ word: BoardWord, emoji texts: [String]) -> BoardText {
        let count = BoardText.of(.emojiCount, .count, .number(texts.count))
        return .of(word, .emoji, texts.count == 1 ? .plain(texts[0]) : count)
    }

    /// Whether two texts are the same, by their bytes.
    func isSame(as other: BoardText) -> Bool { json.bytes.elementsEqual(other.json.bytes) }
}

// MARK: - JSON

extension BoardText {
    /// Reads a text from what ``json`` returns.
    public init(_ json: JSON) throws(BoardFormatError) {
        switch json {
        case .string(let text): self = .plain(text)
        case .array:
            self = .list(try json.list { json throws(BoardFormatError) in try BoardText(json) })
        case .object(let members):
            guard let name = json["word"]?.string, let word = BoardWord.named(name) else {
                throw BoardFormatError("It is not a word.", at: "word")
            }
            var values: [Value] = []
            for member in members {
                guard let tag = BoardTag.named(member.name) else { continue }
                values.append(Value(tag: tag, text: try BoardText(member.value)))
            }
            self = .word(word, values)
        case .null, .bool, .number:
            guard let number = json.integer else { throw BoardFormatError("It is not a text.") }
            self = .number(number)
        }
    }

    /// A string, a number, a list, or an object of a `word` and the values of its tags.
    public var json: JSON {
        switch self {
        case .plain(let text): .string(text)
        case .number(let number): .number(Double(number))
        case .word(let word, let values):
            .object(
                [JSON.Member("word", .string(word.rawValue))]
                    + values.map { JSON.Member($0.tag.rawValue, $0.text.json) })
        case .list(let texts): .array(texts.map { $0.json })
        }
    }
}
