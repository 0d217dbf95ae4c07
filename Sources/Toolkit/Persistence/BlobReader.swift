import DurableFiles
package import Foundation
import Futures
import SystemPackage

/// Reads a blob in pieces as if it were one file, from beginning to end, with one open file at a time.
package final class BlobReader: Sendable {
    /// The length in bytes.
    package let byteCount: Int
    private let pieces: [BlobPiece]
    /// The offset of each piece in the blob.
    private let offsets: [Int]
    private let opened = Lock<(path: String, file: OpenFile)?>(nil)

    /// Creates a reader; the files are opened when they are read.
    package init(_ pieces: [BlobPiece]) {
        self.pieces = pieces
        var (offsets, end) = ([Int](), 0)
        for piece in pieces {
            offsets.append(end)
            end += piece.bytes
        }
        (self.offsets, byteCount) = (offsets, end)
    }

    /// Whether all files exist and are long enough.
    package func isComplete() async -> Bool {
        let pieces = pieces
        return await DiskWork.run {
            var ends: [String: Int] = [:]
            for piece in pieces { ends[piece.path] = max(ends[piece.path] ?? 0, piece.start + piece.bytes) }
            return ends.allSatisfy { path, end in (Disk.stamp(of: path)?.bytes ?? -1) >= end }
        }
    }

    /// Reads a part of the content on a separate thread, as ``part(at:count:)`` does.
    package func load(at offset: Int, count: Int) async throws(StoreError) -> Data {
        try await DiskWork.run { () throws(StoreError) in try self.part(at: offset, count: count) }
    }

    /// A part of the content; shorter only at its end.
    ///
    /// Throws ``StoreError``: `missing` if a file was removed, and `corrupt` if it has become shorter.
    package func part(at offset: Int, count: Int) throws(StoreError) -> Data {
        var data = Data()
        // The last piece that begins at the offset or before.
        var (low, high) = (0, offsets.count)
        while low < high {
            let middle = (low + high) / 2
            if offsets[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        var index = low - 1
        while index >= 0, index < pieces.count, data.count < count {
            let (piece, within) = (pieces[index], offset + data.count - offsets[index])
            let wanted = min(count - data.count, piece.bytes - within)
            guard wanted > 0 else { break }
            let part = try read(piece.path, at: piece.start + within, wanted)
            guard part.count == wanted else {
                throw StoreError(
                    .corrupt, "\(piece.path) has become shorter. Restore it from a backup, or add its content again.")
            }
            data.append(part)
            index += 1
        }
        return data
    }

    /// The whole content.
    package func read() throws(StoreError) -> Data {
        try part(at: 0, count: byteCount)
    }

    private func read(_ path: String, at offset: Int, _ count: Int) throws(StoreError) -> Data {
        try onDisk("could not be read", at: path) { () throws(Errno) in
            if let opened = opened.withLock({ $0 }), opened.path == path {
                return try opened.file.read(count, at: Int64(offset))
            }
            let file = try OpenFile(path, .reading)
            opened.withLock { $0 = (path, file) }
            return try file.read(count, at: Int64(offset))
        }
    }
}
