public import Testing

/// Runs an exploration whose body stops the process, in a process of its own, and prints the result for `Hunts/run`.
///
/// - Parameters:
///   - component: The row in the table.
///   - property: The property that holds under every schedule.
///   - report: The name of the bug's report.
///   - sourceLocation: Where an issue is recorded.
///   - run: Runs the process, and observes its standard error.
public func huntCrash(
    _ component: String, _ property: String, report: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ run: () async throws -> ExitTest.Result
) async rethrows {
    let clock = ContinuousClock()
    let start = clock.now
    let error = String(decoding: try await run().standardErrorContent, as: UTF8.self)
    let duration = clock.now - start
    guard let mark = error.firstRange(of: "crashed in schedule ") else {
        Issue.record("\(component): \(property)\nNo schedule crashed: \(error)", sourceLocation: sourceLocation)
        return
    }
    let schedules = Int(error[mark.upperBound...].prefix(while: \.isNumber)) ?? 0
    let reason = error.split(separator: "\n").first { $0.contains("Fatal error: ") }.map(String.init) ?? "crashed"
    let milliseconds = Int64((duration / .milliseconds(1)).rounded())
    let seconds = "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst())"
    let found = "bug: \(reason) (reports/\(report).md)"
    print(["hunt", component, property, "\(schedules)", "some", seconds, found].joined(separator: "\t"))
}
