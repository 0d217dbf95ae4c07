import EmojiArtModel
import Futures
import Persistence

/// A batch, with the board to apply it to.
struct BatchRequest: Sendable {
    let batch: OperationBatch
    let board: BoardID
    let owner: OwnerID
    let author: String
}

/// Combines concurrent batches into one transaction, so that they share one wait for the disk.
///
/// The first caller becomes the leader: it writes its batch with all that are waiting by then, and then passes the lead
/// to the next waiting caller.
final class BatchQueue: Sendable {
    typealias Outcome = Result<BatchOutcome, BoardStoreError>

    /// The result of waiting.
    private enum Turn: Sendable {
        /// The caller writes its batch and the waiting ones.
        case writeBatch
        /// The leader has written the caller's batch.
        case done(Outcome)
        /// The caller writes its batch by itself, because the shared transaction failed, possibly because of another
        /// batch.
        case writeAlone
    }

    private struct Waiting: Sendable {
        let request: BatchRequest
        let continuation: CheckedContinuation<Turn, Never>
    }

    private struct State {
        var waiting: [Waiting] = []
        var hasLeader = false
    }

    /// The maximum number of batches in a transaction.
    private static let maximumBatches = 64

    private let state = Lock(State())
    /// Writes batches in one transaction: returns an outcome for each, or throws an error for all and writes none.
    private let write: @Sendable ([BatchRequest]) async throws(BoardStoreError) -> [Outcome]

    /// - Parameter write: Writes batches in one transaction.
    init(write: @escaping @Sendable ([BatchRequest]) async throws(BoardStoreError) -> [Outcome]) {
        self.write = write
    }

    // Off the caller's actor, which may be busy: other callers wait for the leader.
    @concurrent
    func apply(_ request: BatchRequest) async throws(BoardStoreError) -> BatchOutcome {
        switch await turn(of: request) {
        case .writeBatch: return try await writeBatch(with: request).get()
        case .done(let outcome): return try outcome.get()
        case .writeAlone: return try await writeAlone(request).get()
        }
    }

    private func turn(of request: BatchRequest) async -> Turn {
        await withCheckedContinuation { continuation in
            let isLeader = state.withLock { state in
                guard state.hasLeader else {
                    state.hasLeader = true
                    return true
                }
                state.waiting.append(Waiting(request: request, continuation: continuation))
                return false
            }
            if isLeader { continuation.resume(returning: .writeBatch) }
        }
    }

    private func writeBatch(with request: BatchRequest) async -> Outcome {
        let others = state.withLock { state in
            defer { state.waiting.removeFirst(min(Self.maximumBatches - 1, state.waiting.count)) }
            return Array(state.waiting.prefix(Self.maximumBatches - 1))
        }
        let outcomes: [Outcome]?
        var own: Outcome?
        do throws(BoardStoreError) {
            outcomes = try await write([request] + others.map(\.request))
            own = outcomes?.first
        } catch {
            outcomes = nil
            if others.isEmpty { own = .failure(error) }
        }
        let next = state.withLock { state -> Waiting? in
            state.hasLeader = !state.waiting.isEmpty
            return state.hasLeader ? state.waiting.removeFirst() : nil
        }
        next?.continuation.resume(returning: .writeBatch)
        for (index, other) in others.enumerated() {
            other.continuation.resume(returning: outcomes.map { .done($0[index + 1]) } ?? .writeAlone)
        }
        if let own { return own }
        return await writeAlone(request)
    }

    private func writeAlone(_ request: BatchRequest) async -> Outcome {
        do throws(BoardStoreError) {
            return try await write([request]).first ?? .failure(.failed(ArtWords.nothingSaved))
        } catch {
            return .failure(error)
        }
    }
}
