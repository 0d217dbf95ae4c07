/// A model that events happen to, so that every order of them can be tried.
protocol EventDriven {
    associatedtype Event: CaseIterable

    /// What is wrong first.
    var problem: String? { get }

    func isPossible(_ event: Event) -> Bool
    mutating func happen(_ event: Event)
    /// Lets everything go well from here on.
    mutating func drain()
}

extension EventDriven {
    /// Tries every order of events up to a length.
    ///
    /// - Parameters:
    ///   - length: The most events.
    ///   - count: Raised by one for each order.
    /// - Returns: The first order after which something is wrong, and what.
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
            next.happen(event)
            if let problem = next.firstProblem(after: events + [event], within: length - 1, counting: &count) {
                return problem
            }
        }
        return nil
    }
}
