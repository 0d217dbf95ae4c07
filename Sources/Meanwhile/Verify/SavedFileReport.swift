import Capture

/// The output of `meanwhile verify` for a file of a saved page: readable lines or one JSON object.
///
/// Its `version` changes when a field is removed or changes its meaning; new fields can be added at any time.
struct SavedFileReport: CommandReport {
    enum Outcome: String, Encodable, Sendable {
        case complete
        case partial
        case damaged
        case failed
    }

    var version = 1
    var outcome: Outcome
    var path: String?
    /// The file's format, such as `wacz`.
    var format: String?
    /// The faults of the file.
    var problems: [String]?
    /// The addresses that the page needs but the file doesn't contain.
    var missing: [String]?
    /// The share of pixels in which the page differs from the picture beside it.
    var difference: Double?
    var error: CommandFailure?

    init(_ path: String, _ check: SavedFileCheck) {
        self.outcome = !check.isSound ? .damaged : check.isComplete ? .complete : .partial
        self.path = path
        self.format = check.file.name
        self.problems = check.problems
        self.missing = check.missing
        self.difference = check.difference
    }

    init(_ failure: CommandFailure) {
        self.outcome = .failed
        self.error = failure
    }
}

extension SavedFileReport {
    var lines: [String] {
        guard let path else { return [] }
        let first =
            switch outcome {
            case .complete: VerifyWords.complete(path)
            case .partial: VerifyWords.partial(path)
            case .damaged, .failed: VerifyWords.damaged(path)
            }
        var lines = [first] + (problems ?? []) + (missing ?? []).map(VerifyWords.missing)
        if let difference {
            lines.append(
                difference <= SavedFileCheck.tolerance ? VerifyWords.samePicture : VerifyWords.differs(by: difference))
        }
        return lines
    }

    var exitCode: Int32 {
        switch outcome {
        case .complete: 0
        case .partial: 2
        case .damaged, .failed: 1
        }
    }
}
