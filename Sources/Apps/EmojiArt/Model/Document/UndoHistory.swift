/// What can be taken back, and done again: named steps, one a gesture.
///
/// A step is the operations that take it back, as they were found when it was made. Others may have changed the same
/// board since: what of a step can no longer be applied is told, and the rest is applied.
public struct UndoHistory: Hashable, Sendable {
    /// How many steps are remembered, by default.
    public static let length = 100
    /// What a menu of names says where there are none.
    public static let nothingToUndo = "Nothing to Undo"
    /// What a menu of names says where nothing was taken back.
    public static let nothingToRedo = "Nothing to Redo"

    /// A step under its name.
    public struct Step: Hashable, Sendable {
        /// What it is called, such as “Move 🐶”.
        public let name: String
        /// What takes it back, or does it again.
        public let operations: [ArtOperation]
    }

    /// What becomes of a step that is to be taken back, or done again.
    public enum Outcome: Hashable, Sendable {
        /// There is none.
        case nothing
        /// These operations do it; what else belonged to it cannot be done any more.
        case step(Step, refused: [RefusedOperation])
        /// Nothing of it can be done any more, or is left to be done; it is forgotten.
        case impossible(name: String, refused: [RefusedOperation])
    }

    private let length: Int
    /// The oldest first.
    private var undos: [Step] = []
    /// The one that was taken back first comes first.
    private var redos: [Step] = []

    /// A history in which nothing has happened; beyond its length, the oldest step goes first.
    public init(length: Int = Self.length) {
        self.length = max(length, 0)
    }
}

extension UndoHistory {
    /// What can be taken back, the newest first.
    public var undoNames: [String] { undos.reversed().map(\.name) }

    /// What can be done again, the first to be done first.
    public var redoNames: [String] { redos.reversed().map(\.name) }

    /// Remembers a step and what takes it back; what was taken back before it cannot be done again.
    ///
    /// Without an inverse nothing has happened.
    public mutating func performed(_ name: String, inverse: [ArtOperation]) {
        guard !inverse.isEmpty else { return }
        redos = []
        undos = Array((undos + [Step(name: name, operations: inverse)]).suffix(length))
    }

    /// Takes the newest step out, and says what takes it back on the board as it is now.
    public mutating func undo(on art: EmojiArt) -> Outcome { take(\.undos, to: \.redos, on: art) }

    /// Takes the step out that was taken back last, and says what does it again on the board as it is now.
    public mutating func redo(on art: EmojiArt) -> Outcome { take(\.redos, to: \.undos, on: art) }

    private mutating func take(
        _ source: WritableKeyPath<UndoHistory, [Step]>, to target: WritableKeyPath<UndoHistory, [Step]>,
        on art: EmojiArt
    ) -> Outcome {
        guard let step = self[keyPath: source].popLast() else { return .nothing }
        let plan = ArtPlan(step.operations, on: art)
        guard !plan.applied.isEmpty else { return .impossible(name: step.name, refused: plan.refused) }
        self[keyPath: target].append(Step(name: step.name, operations: plan.inverses.reversed()))
        return .step(Step(name: step.name, operations: plan.applied), refused: plan.refused)
    }
}
