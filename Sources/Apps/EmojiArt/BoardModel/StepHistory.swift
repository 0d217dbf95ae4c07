/// The steps that a person can undo and redo on a page; each is stored as the operations that undo or redo it.
public struct StepHistory: Hashable, Sendable {
    /// How many steps are remembered.
    public static let length = 500

    /// A named step that can be undone or redone.
    public struct Step: Hashable, Sendable {
        /// What it is called, such as “Move 🐶”.
        public var name: BoardText
        /// The operations that undo it, or redo it.
        public var operations: [ArtOperation]
        /// The ids of the batches it was sent in.
        public var batches: [String]
    }

    private var undos: [Step] = []
    private var redos: [Step] = []

    /// An empty history.
    public init() {}
}

extension StepHistory {
    /// The steps that can be undone, the newest last.
    var undoSteps: [Step] { undos }
    /// The steps that can be redone, the next one last.
    var redoSteps: [Step] { redos }

    /// The names of the steps that can be undone, the newest first.
    public var undoNames: [BoardText] { undos.reversed().map { $0.name } }

    /// The names of the steps that can be redone, the next one first.
    public var redoNames: [BoardText] { redos.reversed().map { $0.name } }

    /// Notes a new step; undone steps can't be redone any more.
    mutating func push(_ step: Step) {
        redos = []
        pushUndo(step)
    }

    mutating func pushUndo(_ step: Step) {
        undos.append(step)
        if undos.count > Self.length { undos.removeFirst() }
    }

    mutating func pushRedo(_ step: Step) { redos.append(step) }

    mutating func popUndo() -> Step? { undos.popLast() }

    mutating func popRedo() -> Step? { redos.popLast() }

    /// Forgets operations that the server has refused: there is nothing to undo.
    mutating func forget(_ operations: [ArtOperation], ofBatches batches: [String]) {
        var refused: [OperationKey: Int] = [:]
        for operation in operations {
            let kind = operation.key.kind
            let kinds = kind == .add ? OperationKey.Kind.ofAddedEmoji : [kind]
            for kind in kinds { refused[OperationKey(kind, operation.emoji)] = 0 }
        }
        func remaining(_ steps: [Step]) -> [Step] {
            steps.compactMap { step in
                let isAffected = step.batches.contains { id in batches.contains { $0.isSame(as: id) } }
                guard isAffected else { return step }
                var step = step
                step.operations.removeAll { refused[$0.key] != nil }
                return step.operations.isEmpty ? nil : step
            }
        }
        undos = remaining(undos)
        redos = remaining(redos)
    }
}
