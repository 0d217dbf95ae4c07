import DurableFiles
import Foundation
import SystemPackage

/// An open file of a backup, or one that goes into it, by pieces.
final class BackupFile {
    /// How much is read at a time, in bytes.
    static let piece = 1 << 20

    let path: String
    let length: Int64
    private let file: OpenFile

    /// - Throws: ``StoreError``, if it cannot be opened or is not a regular file.
    init(_ path: String, _ mode: OpenFile.Mode = .reading) throws(StoreError) {
        self.path = path
        (file, length) = try onDisk("could not be opened", at: path) { () throws(Errno) in
            let file = try OpenFile(path, mode)
            return (file, Int64(try file.stamp().bytes))
        }
    }

    /// Reads so many bytes from a place on; fewer at the end of the file.
    func read(_ count: Int, at offset: Int64) throws(StoreError) -> Data {
        try onDisk("could not be read", at: path) { () throws(Errno) in try file.read(count, at: offset) }
    }

    /// Reads a part, piece by piece.
    ///
    /// - Returns: Whether the file has all of it.
    func read(
        from offset: Int64, count: Int64, _ take: (Data) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        var done: Int64 = 0
        while done < count {
            let wanted = Int(min(Int64(Self.piece), count - done))
            let data = try read(wanted, at: offset + done)
            guard data.count == wanted else { return false }
            try take(data)
            done += Int64(wanted)
        }
        return true
    }

    /// Writes at the file's end, or wherever ``truncate(to:)`` has put it.
    func write(_ data: Data) throws(StoreError) {
        try change { () throws(Errno) in try file.append(data) }
    }

    /// Where the next bytes are written.
    func position() throws(StoreError) -> Int64 {
        try change { () throws(Errno) in try file.position() }
    }

    /// Drops what is from a place on; what is written next stands there.
    func truncate(to offset: Int64) throws(StoreError) {
        try change { () throws(Errno) in try file.truncate(to: offset) }
    }

    /// Makes what was written durable.
    func sync() throws(StoreError) {
        try change { () throws(Errno) in try file.sync() }
    }

    private func change<Value>(_ calls: () throws(Errno) -> Value) throws(StoreError) -> Value {
        try onDisk("could not be written", at: path, calls)
    }
}
