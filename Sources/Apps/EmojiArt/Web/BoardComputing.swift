import EmojiArtModel
import Foundation
import FuturesFoundation
import Hummingbird
import Site

// Computations that take more than a few milliseconds for a large board.

extension ArtPages {
    /// The number of emoji or operations from which a board is large.
    static let manyEmojis = 300
    /// The number of bytes from which a request is large.
    static let manyBytes = 32_000

    /// Runs a computation: on a worker thread if the board is large, otherwise on the caller's.
    ///
    /// Small computations therefore don't queue behind large ones. Throws a ``Problem`` if a worker thread takes too
    /// long.
    func compute<Value: Sendable, Failure: Error>(
        _ name: String, isLarge: Bool, _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws -> Value {
        guard isLarge else { return try work() }
        return try await threads.answer(name, work)
    }

    /// A JSON response that isn't cached.
    func json(_ name: String, _ value: some Encodable & Sendable, isLarge: Bool) async throws -> Response {
        let data = try await compute(name, isLarge: isLarge) { () throws(ArtJSONError) in try ArtJSON.data(value) }
        return .json(data: data)
    }
}

extension WorkerThreads {
    /// Runs work for a request; throws a ``Problem`` if it takes too long.
    func answer<Value: Sendable, Failure: Error>(
        _ name: String, _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws -> Value {
        let result: Result<Value, Failure>
        do throws(WorkError) {
            // The largest board and all palettes take a second.
            result = try await run(name, within: .seconds(30)) { _ in
                Result { () throws(Failure) in try work() }
            }
        } catch {
            throw Problem(.serviceUnavailable, title: ArtWords.busy, detail: error.message)
        }
        return try result.get()
    }
}

extension BoardChanges {
    /// Whether encoding the changes takes long.
    var areMany: Bool {
        switch self {
        case .entries(let entries): entries.reduce(0) { $0 + $1.batch.operations.count } > ArtPages.manyEmojis
        case .whole(let board): board.art.emojis.count > ArtPages.manyEmojis
        }
    }
}
