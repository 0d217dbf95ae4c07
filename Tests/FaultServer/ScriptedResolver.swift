public import Egress
import Futures

/// Answers look-ups as a test says: each time with the next of its answers, and with the last for good.
///
/// So that a name leads elsewhere the second time that it is asked for.
public final class ScriptedResolver: NameResolver {
    private struct State: Sendable {
        var answers: [String: [[String]]]
        var count = 0
    }

    private let state: Lock<State>

    /// Creates a resolver.
    ///
    /// - Parameter answers: The addresses of each name, for each look-up.
    public init(_ answers: [String: [[String]]]) {
        self.state = Lock(State(answers: answers))
    }

    /// How many look-ups there were.
    public var count: Int { state.withLock { $0.count } }

    /// The next answer.
    public func addresses(of host: String) async throws -> [IPAddress] {
        let answer = state.withLock { state -> [String]? in
            state.count += 1
            guard let answers = state.answers[host], let next = answers.first else { return nil }
            if answers.count > 1 { state.answers[host]?.removeFirst() }
            return next
        }
        guard let answer else { throw EgressError(.nameNotFound, "The script has no \(host).") }
        return answer.compactMap { IPAddress($0) }
    }
}
