import EmojiArtModel
import Foundation
import FuturesFoundation
import Hummingbird
import NIOCore
import Persistence
import Site

/// Takes what a request brings, up to a limit.
enum ArtUpload {
    /// All of it, in memory.
    ///
    /// A larger body ends it as soon as that is known: at once, if the request says how much it brings.
    ///
    /// - Throws: The problem if it is more than the limit, or what the connection does.
    static func data(of request: Request, upTo limit: Int, orElse problem: Problem) async throws -> Data {
        let told = request.headers[.contentLength].flatMap { Int($0) }
        if let told, told > limit { throw problem }
        var data = Data()
        // Not what was told: that may be anything.
        data.reserveCapacity(min(told ?? 0, 1 << 20))
        for try await piece in request.body {
            guard data.count + piece.readableBytes <= limit else { throw problem }
            data.append(contentsOf: piece.readableBytesView)
        }
        return data
    }

    /// All of it, in a file, unread.
    ///
    /// - Returns: What it brought; the file goes with the object.
    /// - Throws: The problem, what the connection does, or a `StoreError`.
    static func file(
        of request: Request, upTo limit: Int, orElse problem: Problem, in folder: String, leaving floor: FreeDiskFloor
    ) async throws -> IncomingFile {
        let told = request.headers[.contentLength].flatMap { Int($0) }
        if let told, told > limit { throw problem }
        do {
            let file = try IncomingFile(in: folder, leaving: floor)
            // All of it at once, where the request says how much: nothing is written then.
            if let told, let refusal = floor.refusal(at: folder, adding: told) {
                throw BoardStoreError.overBudget(refusal)
            }
            for try await piece in request.body {
                guard file.byteCount + piece.readableBytes <= limit else { throw problem }
                try file.append(Data(piece.readableBytesView))
            }
            return file
        } catch let error as StoreError {
            throw Self.error(error)
        }
    }

    /// Writes bytes to a file, which is removed with the object.
    ///
    /// - Throws: ``BoardStoreError`` if too little disk space would stay free, or a `StoreError`.
    static func file(of data: Data, in folder: String, leaving floor: FreeDiskFloor) async throws -> IncomingFile {
        do {
            return try await WorkerThreads.disk.runToEnd { _ in
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
