import EmojiArtModel
import EmojiArtReading
import Foundation
import Futures
import Loading

/// A fetcher with prepared responses, which arrive when the test says so.
final class FakeFetcher: Sendable {
    /// Holds one fetch.
    struct Gate: Sendable {
        fileprivate let arrival = Promise<Void, any Error>()
        fileprivate let opening = Promise<Void, BackgroundError>(valueOnAbandon: {})
        /// Whether the fetch ignores cancellation, so that its response is late.
        fileprivate let ignoresCancellation: Bool

        /// Waits until the fetch arrives, or the test's time limit cancels the task.
        func arrived() async { try? await arrival.future.value }

        /// Resumes the fetch.
        func open() { opening.resolve(()) }
    }

    private struct State: Sendable {
        var answers: [String: Result<Data, BackgroundError>] = [:]
        var gates: [String: [Gate]] = [:]
        var fetches: [String] = []
        var cancelled: [String] = []
        var reports: [FetchProgress] = []
        var checks = 0
    }

    private let state = Lock(State())
}

extension FakeFetcher {
    /// The fetched addresses, in order.
    var fetches: [String] { state.withLock { $0.fetches } }

    /// How many stored pictures were checked.
    var checks: Int { state.withLock { $0.checks } }

    /// The addresses whose fetches were cancelled while they waited.
    var cancelled: [String] { state.withLock { $0.cancelled } }

    /// Sets the data at an address.
    func set(_ address: String, _ data: Data) { state.withLock { $0.answers[address] = .success(data) } }

    /// Makes the fetches of an address fail.
    func fail(_ address: String, _ words: String = "There is nothing.", _ advice: RetryAdvice = .never) {
        state.withLock { $0.answers[address] = .failure(.fetch(words, advice)) }
    }

    /// Sets the progress that each fetch reports.
    func report(_ progress: FetchProgress...) { state.withLock { $0.reports = progress } }

    /// Makes the next fetch of an address wait.
    func hold(_ address: String, ignoresCancellation: Bool = false) -> Gate {
        let gate = Gate(ignoresCancellation: ignoresCancellation)
        state.withLock { $0.gates[address, default: []].append(gate) }
        return gate
    }
}

extension FakeFetcher: BackgroundFetching {
    func fetch(
        _ address: String, limit: Int, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> CheckedPicture {
        let (gate, reports) = state.withLock { state -> (Gate?, [FetchProgress]) in
            state.fetches.append(address)
            guard let gate = state.gates[address]?.first else { return (nil, state.reports) }
            state.gates[address]?.removeFirst()
            return (gate, state.reports)
        }
        for report in reports { progress(report) }
        if let gate {
            gate.arrival.resolve(())
            if gate.ignoresCancellation {
                try await gate.opening.future.value
            } else {
                do throws(BackgroundError) {
                    try await gate.opening.future.value(onCancel: .fetch("It was cancelled.", .never))
                } catch {
                    state.withLock { $0.cancelled.append(address) }
                    throw error
                }
            }
        } else {
            await Task.yield()
        }
        let answer = state.withLock { $0.answers[address] } ?? .failure(.fetch("There is nothing.", .never))
        return try CheckedPicture(fetched: try answer.get())
    }

    func check(_ stored: Data) async throws(PictureError) -> CheckedPicture {
        state.withLock { $0.checks += 1 }
        return try CheckedPicture(stored)
    }
}
