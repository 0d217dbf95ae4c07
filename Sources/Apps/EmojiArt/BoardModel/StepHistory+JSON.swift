#if canImport(ModelJSON)
    public import ModelJSON
#endif

// A history as a browser stores it, so that it outlives a reload and a restart.

extension StepHistory {
    /// The maximum size of a stored history in bytes; the oldest steps are left out.
    public static let storedBytes = 200_000

    /// The newest steps, within a limit of bytes.
    public func json(limit: Int = Self.storedBytes) -> JSON {
        var rest = limit
        // Steps to redo are added first: otherwise, those to undo could take up the whole limit.
        let redone = Self.newest(redoSteps, within: &rest)
        let undone = Self.newest(undoSteps, within: &rest)
        return .object([JSON.Member("undo", .array(undone)), JSON.Member("redo", .array(redone))])
    }

    /// Reads a stored history; the steps of an unreadable one are lost.
    public init(_ json: JSON) throws(BoardFormatError) {
        self.init()
        let object = try ObjectReader(json)
        for step in try object.list("undo", { json throws(BoardFormatError) in try Step(json) }) { pushUndo(step) }
        for step in try object.list("redo", { json throws(BoardFormatError) in try Step(json) }) { pushRedo(step) }
    }

    private static func newest(_ steps: [Step], within rest: inout Int) -> [JSON] {
        var newest: [JSON] = []
        for step in steps.reversed() {
            let json = step.json
            rest -= json.bytes.count + 1
            if rest < 0 { break }
            newest.append(json)
        }
        return newest.reversed()
    }
}

extension StepHistory.Step {
    var json: JSON {
        .object([
            JSON.Member("name", name.json), JSON.Member("operations", .array(operations.map { $0.json })),
            JSON.Member("batches", .array(batches.map { .string($0) })),
        ])
    }

    init(_ json: JSON) throws(BoardFormatError) {
        let object = try ObjectReader(json)
        name = try object.value("name") { json throws(BoardFormatError) in try BoardText(json) }
        operations = try object.list("operations") { json throws(BoardFormatError) in try ArtOperation(json) }
        batches = try object.list("batches") { json throws(BoardFormatError) in
            guard let id = json.string else { throw BoardFormatError("It is not a text.") }
            return id
        }
    }
}
