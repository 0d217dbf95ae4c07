import EmojiArtModel
import Foundation
import FuturesFoundation
import Hummingbird
import NIOCore
import Persistence
import Site

/// Receives request bodies up to a limit.
enum ArtUpload {
    /// Receives a body in memory.
    ///
    /// A body over the limit is refused as soon as that is known: at once, if the request has a content length.
    ///
    /// - Throws: The problem if the body exceeds the limit, or the connection's error.
    static func data(of request: Request, upTo limit: Int, orElse problem: Problem) async throws -> Data {
        var data = Data()
        // Not the whole content length, which can be any number.
        data.reserveCapacity(min(request.declaredLength ?? 0, 1 << 20))
        try await request.receive(upTo: limit, orElse: problem) { data.append(contentsOf: $0.readableBytesView) }
        return data
    }

    /// Receives a body in a file, without parsing it.
    ///
    /// - Returns: The file, which is deleted with the object.
    /// - Throws: The problem, ``BoardStoreError`` for too little disk space, the connection's error, or a `StoreError`.
    static func file(
        of request: Request, upTo limit: Int, orElse problem: Problem, in folder: String, leaving floor: FreeDiskFloor
    ) async throws -> IncomingFile {
        do {
            let file = try IncomingFile(in: folder, leaving: floor)
            try await request.receive(
                upTo: limit, orElse: problem,
                // Checks the whole content length before anything is written.
                expecting: { if let refusal = floor.refusal(at: folder, adding: $0) { throw StoreError(refusal) } },
                { try file.append(Data($0.readableBytesView)) })
            return file
        } catch let error as StoreError {
            throw Self.error(error)
        }
    }

    /// Writes bytes to a file, which is deleted with the object.
    ///
    /// - Throws: ``BoardStoreError`` if too little disk space would stay free, or a `StoreError`.
    static func file(of data: Data, in folder: String, leaving floor: FreeDiskFloor) async throws -> IncomingFile {
        do {
            return try await WorkerThreads.disk.runUncancellable { _ in
                Result {
                    let file = try IncomingFile(in: folder, leaving: floor)
                    try file.append(data)
                    return file
                }
            }.get()
        } catch let error as StoreError {
            throw Self.error(error)
        }
    }

    private static func error(_ error: StoreError) -> any Error {
        error.overBudget.map { BoardStoreError.overBudget($0) } ?? error
    }
}
