/// The undo and redo stacks: named steps, one per gesture.
///
/// A step stores the operations that undo it, computed when it was performed. Other users may have changed the board
/// since: operations that can no longer be applied are reported, and the others are applied.
public struct UndoHistory: Hashable, Sendable {
    /// The default maximum number of steps.
    public static let length = 100

    /// A named step.
    public struct Step: Hashable, Sendable {
        /// The name, such as “Move 🐶”.
        public let name: String
        /// The operations that undo or redo the step.
        public let operations: [ArtOperation]
    }

    /// The outcome of undoing or redoing a step.
    public enum Outcome: Hashable, Sendable {
        /// There is no step.
        case nothing
        /// The operations to apply, and those that can no longer be applied.
        case step(Step, refused: [RefusedOperation])
        /// No operation of the step can be applied or has an effect; the step is dropped.
        case impossible(name: String, refused: [RefusedOperation])
    }

    private let length: Int
    /// The steps to undo, the oldest first.
    private var undos: [Step] = []
    /// The steps to redo, in the order in which they were undone.
    private var redos: [Step] = []

    /// Creates an empty history; beyond its length, the oldest step is dropped.
    public init(length: Int = Self.length) {
        self.length = max(length, 0)
    }
}

extension UndoHistory {
    /// The names of the steps that can be undone, the newest first.
    public var undoNames: [String] { undos.reversed().map(\.name) }

    /// The names of the steps that can be redone, in the order in which they would be redone.
    public var redoNames: [String] { redos.reversed().map(\.name) }

    /// Records a step with its inverse, and clears the redo stack.
    ///
    /// A step without an inverse had no effect, and is ignored.
    public mutating func performed(_ name: String, inverse: [ArtOperation]) {
        guard !inverse.isEmpty else { return }
        redos = []
        undos = Array((undos + [Step(name: name, operations: inverse)]).suffix(length))
    }

    /// Removes the newest step, and returns the operations that undo it on the current board.
    public mutating func undo(on art: EmojiArt) -> Outcome { take(\.undos, to: \.redos, on: art) }

    /// Removes the last undone step, and returns the operations that redo it on the current board.
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
