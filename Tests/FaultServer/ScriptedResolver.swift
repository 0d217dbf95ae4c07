public import Egress
import Futures

/// A resolver with scripted answers: each look-up of a name returns the next one, and the last one repeats.
///
/// It simulates a name whose addresses change between look-ups.
public final class ScriptedResolver: NameResolver {
    private struct State: Sendable {
        var answers: [String: [[String]]]
        var count = 0
    }

    private let state: Lock<State>

    /// Creates a resolver.
    ///
    /// - Parameter answers: For each name, the addresses of each look-up.
    public init(_ answers: [String: [[String]]]) {
        self.state = Lock(State(answers: answers))
    }

    /// The number of look-ups so far.
    public var count: Int { state.withLock { $0.count } }

    /// Returns the next scripted answer.
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
