import Futures
import Testing

/// A failure in the body of an exploration: a failed check, or an issue that the body has recorded.
struct Failure: Sendable {
    let message: String
    let location: SourceLocation?
    /// The file as XCTest needs it.
    let file: StaticString?
    /// The issue, if the body recorded one, as `#expect` does.
    let issue: Issue?

    init(message: String, report: IssueReport) {
        self.message = message
        self.location = report.location
        self.file = report.filePath
        self.issue = nil
    }

    init(_ issue: Issue) {
        self.message = issue.message
        self.location = issue.sourceLocation
        self.file = nil
        self.issue = issue
    }
}

extension Issue {
    /// What failed, and the comments.
    fileprivate var message: String {
        var texts = comments.map(\.rawValue)
        if case .unconditional = kind, !texts.isEmpty {
            // The comments say everything.
        } else {
            texts.insert("\(kind)", at: 0)
        }
        return texts.joined(separator: ": ")
    }
}

/// Makes issues that an explored body records failures of its schedule.
///
/// Swift Testing passes each issue to the handlers of the running test, which are task-local: issues of detached tasks
/// don't arrive here.
enum IssueCapture {
    private static let handler: IssueHandlingTrait = .compactMapIssues { issue in
        guard let host = scheduleHost else { return issue }
        if issue.isFailure { host.fail(Failure(issue)) }
        return nil
    }

    /// Returns a body whose issues fail its schedule; without a running test of Swift Testing, the body itself.
    static func capturing(_ body: @escaping ExplorationBody) -> ExplorationBody {
        guard let test = Test.current else { return body }
        let testCase = Test.Case.current
        return { try await handler.provideScope(for: test, testCase: testCase) { try await body() } }
    }

    /// Explores once with captured issues, for all schedules together.
    static func capturing(
        for test: Test, testCase: Test.Case?, _ explore: @escaping @Sendable () -> Exploration
    ) async throws -> Exploration {
        let exploration = Lock(Exploration())
        try await handler.provideScope(for: test, testCase: testCase) {
            let result = explore()
            exploration.withLock { $0 = result }
        }
        return exploration.withLock { $0 }
    }

    /// Records an issue that was captured in a schedule, with the report among its comments.
    static func record(_ issue: Issue, report: String) async {
        guard let test = Test.current, let location = issue.sourceLocation else { return }
        var captured = issue
        captured.comments.append(Comment(rawValue: report))
        // An issue can't be recorded as such: a handler replaces another one by it.
        let replacement: IssueHandlingTrait = .compactMapIssues { [captured] recorded in
            if case .apiMisused = captured.kind { return recorded }
            return recorded.isFailure ? captured : recorded
        }
        _ = try? await replacement.provideScope(for: test, testCase: Test.Case.current) {
            Issue.record(Comment(rawValue: report), sourceLocation: location)
        }
    }
}
