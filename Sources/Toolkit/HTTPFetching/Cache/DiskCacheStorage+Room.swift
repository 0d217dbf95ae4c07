import DurableFiles
import Foundation
import SystemPackage

extension DiskCacheStorage {
    /// What is known of one of its files.
    struct KeptFile {
        var path: String
        var bytes: Int
        /// When it was used last, in nanoseconds since 1970.
        var used: Int64
    }

    /// How long something is half written at the most: a process that was killed leaves it.
    private static let longestWrite: Int64 = 3_600_000_000_000

    /// How far apart two uses are that are told apart; a mark for each would be a write for each.
    static let usesApart: Int64 = 1_000_000_000

    /// Removes what was used least recently, until there is an eighth less than the bound, if there is more than that.
    ///
    /// What is half written counts, and goes when it is its turn: processes that are killed again and again leave as much as
    /// they like. If it is being written after all, it is not kept.
    ///
    /// - Parameter written: What it is made for, which goes last: by its time alone, which a disk counts in steps of some
    ///   milliseconds, it would be no newer than what was used just before it.
    /// - Returns: How many bytes there are then.
    /// - Throws: `FileError` if a file cannot be removed.
    func makeRoom(for written: Set<String>) throws(FileError) -> Int {
        let files = files() + halves()
        var bytes = files.reduce(0) { $0 + $1.bytes }
        guard bytes > bound else { return bytes }
        let others = files.filter { !written.contains($0.path) }.sorted { $0.used < $1.used }
        for file in others + files.filter({ written.contains($0.path) }) {
            if bytes <= bound - bound / 8 { break }
            try remove(file.path)
            bytes -= file.bytes
        }
        return bytes
    }

    /// All that is kept.
    func files() -> [KeptFile] {
        ["entries", "contents"].flatMap { kind in
            names(in: "\(path)/\(kind)").flatMap { kept(in: "\(path)/\(kind)/\($0)") }
        }
    }

    /// What is half written; if it was long ago, it is removed.
    private func halves() -> [KeptFile] {
        let left = Disk.now - Self.longestWrite
        return kept(in: temporaryPath).filter { $0.used >= left || (try? disk.removeFile($0.path)) != true }
    }

    private func kept(in folder: String) -> [KeptFile] {
        names(in: folder).compactMap { name in
            let path = "\(folder)/\(name)"
            return Disk.use(of: path).map { KeptFile(path: path, bytes: $0.bytes, used: $0.time) }
        }
    }

    private func names(in folder: String) -> [String] {
        (try? disk.list(folder)) ?? []
    }
}
