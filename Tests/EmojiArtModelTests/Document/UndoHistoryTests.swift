import Testing

@testable import EmojiArtModel

/// Tests that named steps are undone and redone in order, as far as other people's changes allow.
@Suite struct UndoHistoryTests {
    /// A board with the steps of one person.
    private struct Person {
        var art = EmojiArt()
        var history: UndoHistory

        init(length: Int = UndoHistory.length) { history = UndoHistory(length: length) }

        mutating func perform(_ name: String, _ operations: ArtOperation...) {
            history.performed(name, inverse: art.inverse(of: operations))
            art.apply(.test(name, operations))
        }

        mutating func undo() -> UndoHistory.Outcome { apply(history.undo(on: art)) }
        mutating func redo() -> UndoHistory.Outcome { apply(history.redo(on: art)) }

        private mutating func apply(_ outcome: UndoHistory.Outcome) -> UndoHistory.Outcome {
            if case .step(let step, refused: _) = outcome { art.apply(.test(step.name, step.operations)) }
            return outcome
        }
    }

    private static func refused(_ outcome: UndoHistory.Outcome) -> [OperationRefusal]? {
        switch outcome {
        case .nothing: nil
        case .step(_, let refused), .impossible(_, let refused): refused.map(\.reason)
        }
    }

    private static func isImpossible(_ outcome: UndoHistory.Outcome) -> Bool {
        if case .impossible = outcome { true } else { false }
    }

    @Test func stepsHaveNamesAndAreUndoneAndRedoneInOrder() {
        var person = Person()
        #expect(person.undo() == .nothing && person.redo() == .nothing)
        #expect(person.history.undoNames == [])
        person.perform("Add 🐶", .dog(1))
        let added = person.art
        person.perform("Move 🐶", .move(1, 5), .move(1, 7))
        let moved = person.art
        person.perform("Set Background", .background(at: "https://example.org"))
        let drawn = person.art
        #expect(person.history.undoNames == ["Set Background", "Move 🐶", "Add 🐶"])
        _ = person.undo()
        #expect(person.art == moved && person.history.redoNames == ["Set Background"])
        _ = person.undo()
        #expect(person.art == added && person.history.redoNames == ["Move 🐶", "Set Background"])
        _ = person.undo()
        #expect(person.art == EmojiArt() && person.history.undoNames == [])
        #expect(person.undo() == .nothing)
        _ = (person.redo(), person.redo())
        #expect(person.art == moved && person.history.undoNames == ["Move 🐶", "Add 🐶"])
        _ = person.redo()
        #expect(person.art == drawn && person.history.redoNames == [])
        #expect(person.redo() == .nothing)
    }

    @Test func newStepClearsRedo() {
        var person = Person()
        person.perform("Add 🐶", .dog(1))
        _ = person.undo()
        person.perform("Add 🐶", .dog(2))
        #expect(person.history.redoNames == [])
        #expect(person.redo() == .nothing)
    }

    @Test func stepWithoutEffectIsNotRecorded() {
        var person = Person()
        person.perform("Delete 🐶", .delete(EmojiID(1)))
        person.perform("Move 🐶", .move(1, 5))
        #expect(person.history.undoNames == [])
    }

    @Test func oldestStepIsDroppedAtLimit() {
        var person = Person(length: 3)
        for number in 1...5 { person.perform("Add \(number)", .dog(number)) }
        #expect(person.history.undoNames == ["Add 5", "Add 4", "Add 3"])
        for _ in 0..<3 { _ = person.undo() }
        #expect(person.undo() == .nothing)
        #expect(person.art == .test(.dog(1), .dog(2)) && person.history.redoNames.count == 3)
        for _ in 0..<3 { _ = person.redo() }
        #expect(person.history.undoNames.count == 3)
        var none = Person(length: 0)
        none.perform("Add 🐶", .dog(1))
        #expect(none.undo() == .nothing)
    }

    @Test func impossibleStepIsReportedAndDropped() {
        var person = Person()
        person.perform("Add 🐶", .dog(1))
        person.perform("Move 🐶", .move(1, 5))
        // Another person deletes the dog.
        person.art.apply(.test("other", [.delete(EmojiID(1))]))
        let moved = person.undo()
        #expect(Self.isImpossible(moved) && Self.refused(moved) == [.gone])
        // Undoing an addition deletes the emoji, which is already deleted.
        let added = person.undo()
        #expect(added == .impossible(name: "Add 🐶", refused: []))
        #expect(person.undo() == .nothing && person.redo() == .nothing)
        #expect(person.art == EmojiArt())
    }

    @Test func partlyImpossibleStepIsUndoneAndRefusalsAreReported() {
        var person = Person()
        person.perform("Add 🐶", .dog(1), .dog(2))
        person.perform("Move 🐶", .move(1, 5), .move(2, 5))
        person.art.apply(.test("other", [.delete(EmojiID(1))]))
        let outcome = person.undo()
        #expect(!Self.isImpossible(outcome) && Self.refused(outcome) == [.gone])
        #expect(person.art.x(2) == 0)
        // A redo repeats only what the undo reverted.
        _ = person.redo()
        #expect(person.art.x(2) == 5 && person.art.x(1) == nil)
    }

    @Test func undoKeepsOtherPeoplesChanges() {
        var person = Person()
        person.perform("Add 🐶", .dog(1))
        person.art.apply(.test("other", [.dog(2), .resize(EmojiID(1), size: 99)]))
        person.perform("Move 🐶", .move(1, 5))
        _ = person.undo()
        #expect(person.art.x(1) == 0 && person.art.emoji(EmojiID(1))?.size == 99 && person.art.x(2) == 0)
        // An emoji that is added again has the state that it had when it was deleted, with the other person's change.
        _ = person.undo()
        _ = person.redo()
        #expect(person.art.emoji(EmojiID(1))?.size == 99)
    }
}
