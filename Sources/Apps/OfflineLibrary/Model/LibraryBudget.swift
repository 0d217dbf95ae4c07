public import Persistence

extension OwnerBudget.Item {
    /// The pages of a library, including deleted ones that can still be restored.
    ///
    /// A list of 10,000 pages still opens instantly.
    public static let pages = OwnerBudget.Item("library.pages", defaultLimit: 10_000)
    /// The pages waiting for capture or being captured; at a few seconds each, 500 take about an hour.
    public static let waitingCaptures = OwnerBudget.Item("library.waiting", defaultLimit: 500)
}

extension OwnerBudget {
    /// The refusal of another page; `nil` if it is within the budget.
    package func refusalOfPage(at count: Int) -> OverBudget? {
        guard count >= self[.pages] else { return nil }
        return OverBudget(.count, LibraryWords.libraryIsFull(at: count, suggestedLimit: self[.pages].doubled))
    }

    /// The refusal of another import; `nil` if there is room.
    package static func refusalOfImport(at count: Int) -> OverBudget? {
        guard count >= ImportLimits.imports else { return nil }
        return OverBudget(.count, LibraryWords.tooManyImports(count))
    }

    /// The refusal of another schedule; `nil` if there is room.
    package static func refusalOfSchedule(at count: Int) -> OverBudget? {
        guard count >= RecaptureSchedule.maximumCount else { return nil }
        return OverBudget(.count, LibraryWords.tooManySchedules(count))
    }

    /// The refusal of another capture; `nil` if it is within the budget.
    package func refusalOfCapture(at count: Int) -> OverBudget? {
        guard count >= self[.waitingCaptures] else { return nil }
        return OverBudget(.rate, LibraryWords.tooManyWaiting(count))
    }
}

extension LibraryError {
    /// The error as the failure of a capture.
    var captureFailure: CaptureFailure {
        if case .overBudget(let reason) = self { return CaptureFailure(code: OverBudget.code, message: reason.message) }
        return CaptureFailure(code: "storage", message: "\(self)")
    }
}
