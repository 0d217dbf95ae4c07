import EmojiArtModel
import Foundation
import FuturesFoundation
import Hummingbird
import Site

// What takes longer than a few milliseconds for a large board.

extension ArtPages {
    /// From how many emoji or operations on a board is large.
    static let manyEmojis = 300
    /// From how many bytes on a request is large.
    static let manyBytes = 32_000

    /// Does something with a board: off the threads of all tasks, if the board is large.
    ///
    /// What is small doesn't wait for a thread behind what is large. If it takes too long, a ``Problem`` is thrown.
    func computing<Value: Sendable, Failure: Error>(
        _ name: String, isLarge: Bool, _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws -> Value {
        guard isLarge else { return try work() }
        return try await threads.answer(name, work)
    }

    /// JSON that is not stored.
    func json(_ name: String, _ value: some Encodable & Sendable, isLarge: Bool) async throws -> Response {
        let data = try await computing(name, isLarge: isLarge) { () throws(ArtJSONError) in try ArtJSON.data(value) }
        return .json(data: data)
    }
}

extension WorkerThreads {
    /// Runs work for a request; if it takes too long, a ``Problem`` is thrown.
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
            throw Problem(.serviceUnavailable, title: "The server is busy", detail: error.message)
        }
        return try result.get()
    }
}

extension BoardChanges {
    /// Whether it takes long to write them as JSON.
    var areMany: Bool {
        switch self {
        case .entries(let entries): entries.reduce(0) { $0 + $1.batch.operations.count } > ArtPages.manyEmojis
        case .whole(let board): board.art.emojis.count > ArtPages.manyEmojis
        }
    }
}
