import Foundation
public import Persistence

extension OwnerBudget.Item {
    /// The pages of a library, including deleted ones that can still be restored.
    ///
    /// A list of 10,000 pages still opens instantly.
    public static let pages = OwnerBudget.Item("library.pages", usualLimit: 10_000)
    /// The pages waiting for capture or being captured; at a few seconds each, 500 take about an hour.
    public static let waitingCaptures = OwnerBudget.Item("library.waiting", usualLimit: 500)
}

extension OwnerBudget {
    /// The refusal of another page; `nil` if it is within the budget.
    package func refusalOfPage(at count: Int) -> OverBudget? {
        guard count >= self[.pages] else { return nil }
        return OverBudget(
            .count,
            "Your library has \(count.formatted()) pages, the most it can hold. Delete some and wait until they can no "
                + "longer be restored, or start Meanwhile with --max-pages \(self[.pages].doubled).")
    }

    /// The refusal of another capture; `nil` if it is within the budget.
    package func refusalOfCapture(at count: Int) -> OverBudget? {
        guard count >= self[.waitingCaptures] else { return nil }
        return OverBudget(
            .rate,
            "\(count.formatted()) pages are waiting to be captured, the most at one time. Try again when some are done, or "
                + "stop some.")
    }
}

extension LibraryError {
    /// The error as the failure of a capture.
    var captureFailure: CaptureFailure {
        if case .overBudget(let reason) = self { return CaptureFailure(code: OverBudget.code, message: reason.message) }
        return CaptureFailure(code: "storage", message: "\(self)")
    }
}
