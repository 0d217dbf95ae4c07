/// A model that processes events, so that every order of events can be tested.
protocol EventDriven {
    associatedtype Event: CaseIterable

    /// The first violation.
    var problem: String? { get }

    func isPossible(_ event: Event) -> Bool
    mutating func handle(_ event: Event)
    /// Lets all operations succeed from now on.
    mutating func drain()
}

extension EventDriven {
    /// Tests every order of events up to a length.
    ///
    /// - Parameters:
    ///   - length: The maximum number of events.
    ///   - count: Incremented for each order.
    /// - Returns: The first violation, and the events before it.
    func firstProblem(within length: Int, counting count: inout Int) -> String? {
        firstProblem(after: [], within: length, counting: &count)
    }

    private func firstProblem(after events: [Event], within length: Int, counting count: inout Int) -> String? {
        count += 1
        var last = self
        last.drain()
        if let problem = last.problem { return "\(problem), after \(events)" }
        guard length > 0 else { return nil }
        for event in Event.allCases where isPossible(event) {
            var next = self
            next.handle(event)
            if let problem = next.firstProblem(after: events + [event], within: length - 1, counting: &count) {
                return problem
            }
        }
        return nil
    }
}
