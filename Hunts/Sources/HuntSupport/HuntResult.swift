import Interleaving

/// The result of exploring one property of a component.
struct HuntResult {
    let component: String
    let property: String
    /// One exploration or more, of which only the last can have failed.
    let explorations: [Exploration]
    let duration: Duration
    let expectation: Expectation

    /// The line that `Hunts/run` reads, with fields separated by tabs.
    ///
    /// The fields are the component, the property, the number of schedules, whether they were all within the bound, the
    /// seconds, and what was found, which is empty if all schedules passed.
    var line: String {
        let seconds = Int64((duration / .milliseconds(1)).rounded())
        return [
            "hunt", component, property, "\(explorations.map(\.schedules).reduce(0, +))",
            explorations.allSatisfy(\.isExhausted) ? "all" : "some",
            "\(seconds / 1000).\(String(1000 + seconds % 1000).dropFirst())", found,
        ].joined(separator: "\t")
    }

    private var outcome: Outcome { explorations.last?.outcome ?? .passed }

    private var found: String {
        guard outcome != .passed else { return problem == nil ? "" : "no longer found" }
        let summary = outcome.summary.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard problem == nil else { return "unexpected: \(summary)" }
        switch expectation {
        case .nothing: return summary
        case .bug(_, let report): return "bug ([report](reports/\(report).md))"
        case .known(_, let issue): return "known bug (\(issue))"
        case .documented(_, let explanation): return "documented (\(explanation))"
        }
    }

    private var report: String { explorations.last?.report ?? "" }

    /// How the result differs from the expectation; `nil` if it doesn't.
    var problem: String? {
        switch expectation {
        case .nothing: outcome == .passed ? nil : report
        case .bug(let text, _), .known(let text, _), .documented(let text, _):
            if outcome == .passed {
                "No schedule fails any more: the behaviour \"\(text)\" has changed, or it needs more schedules."
            } else if outcome.summary.contains(text) {
                nil
            } else {
                "Expected \"\(text)\", but: \(report)"
            }
        }
    }
}
