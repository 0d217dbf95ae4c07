import Crypto
import Digests
import Dispatch
public import DurableFiles
public import Foundation
import Futures
import SystemPackage

/// A cache's records and contents in a folder, which several processes may share.
///
/// `entries/ab/…` has one file for each address, named by the address's SHA-256; `contents/ab/…` one for each content, named
/// by the content's. Both are written beside their place and renamed, so that a process that is killed leaves a file whole or
/// not at all; a content is there before the record that names it. Nothing is synced: what the end of the machine may damage
/// is told by its checksum, dropped, and fetched again.
///
/// When there is more than the bound, the files that were used least recently go, records as well as contents: a record
/// without its content is none. Nobody counts references, and nobody waits for anybody.
public final class DiskCacheStorage: HTTPCacheStorage {
    private struct Known: Sendable {
        var stamp: FileStamp
        var records: [CacheRecord]
    }

    /// A content as that of an address; several may have the same.
    private struct Use: Hashable, Sendable {
        var key: String
        var digest: String
    }

    private struct State: Sendable {
        /// What was read of the entries' files; what has another stamp by now is read again.
        var known: [String: Known] = [:]
        /// How many bytes the files of those have.
        var knownBytes = 0
        /// When this process marked a content, and its record, as used.
        var marked: [Use: Int64] = [:]
        /// How many bytes there were when they were last counted; `nil` if they never were.
        var counted: Int?
        /// How many this process has written since.
        var added = 0

        mutating func forget(_ key: String) {
            guard let known = known.removeValue(forKey: key) else { return }
            knownBytes -= known.stamp.bytes
        }

        mutating func forgetAll() {
            known = [:]
            knownBytes = 0
        }
    }

    /// How many addresses' records are kept in memory.
    private static let mostKnown = 4_096
    /// How many bytes their files may have: a server can send many, and long, header fields.
    static let mostKnownBytes = 16 << 20

    let path: String
    let bound: Int
    let disk: Disk
    private let state = Lock(State())
    /// Changes of this process, one at a time.
    ///
    /// Those of other processes may undo one of these: then it is fetched again.
    private let changes = DispatchQueue(label: "meanwhile.httpcache.changes")

    /// Creates a storage; the folder is made when something is kept.
    ///
    /// - Parameters:
    ///   - path: The folder's absolute path.
    ///   - bound: How many bytes all files may have. While several processes write, there may be a sixteenth more for each.
    public convenience init(at path: String, bound: Int = 256 << 20) {
        self.init(at: path, bound: bound, disk: .real)
    }

    init(at path: String, bound: Int, disk: Disk) {
        self.path = path
        self.bound = bound
        self.disk = disk
    }

    /// It waits for its disk.
    public var waitsForDisk: Bool { true }
}

extension DiskCacheStorage {
    /// The records of an address.
    public func records(of key: String) throws(FileError) -> [CacheRecord] {
        let file = entryPath(key)
        do throws(Errno) {
            guard let stamp = try FileStamp(at: file) else {
                forget(key)
                return []
            }
            if let known = state.withLock({ $0.known[key] }), known.stamp == stamp { return known.records }
            let (data, read) = try disk.readStampedFile(file)
            guard let entry = CacheEntryFile(decoding: data), entry.key == key else {
                forget(key)
                try disk.removeFile(file)
                return []
            }
            remember(key, Known(stamp: read, records: entry.records))
            return entry.records
        } catch .noSuchFileOrDirectory {
            return []
        } catch {
            throw FileError(error, "could not be read", at: file)
        }
    }

    /// The content of a record, which has just been used.
    public func content(of record: CacheRecord, of key: String) throws(FileError) -> Data? {
        let file = contentPath(record.body.digest)
        do throws(Errno) {
            let data = try disk.readFile(file)
            guard data.count == record.body.bytes, XXH64.hash(data) == record.body.checksum else {
                try disk.removeFile(file)
                return nil
            }
            if isUseToBeMarked(Use(key: key, digest: record.body.digest)) {
                markUsed(file)
                markUsed(entryPath(key))
            }
            return data
        } catch .noSuchFileOrDirectory {
            return nil
        } catch {
            throw FileError(error, "could not be read", at: file)
        }
    }

    /// Changes the records of an address.
    public func change(
        _ key: String, adding content: Data?, _ change: @Sendable (inout [CacheRecord]) -> Void
    ) throws(FileError) {
        let result = changes.sync { () -> Result<Void, FileError> in
            do throws(FileError) {
                return .success(try perform(key, content, change))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Drops everything that is in the folder.
    public func removeAll() throws(FileError) {
        for file in files() { try remove(file.path) }
        state.withLock { $0 = State(counted: 0) }
    }
}

extension DiskCacheStorage {
    private func perform(
        _ key: String, _ content: Data?, _ change: (inout [CacheRecord]) -> Void
    ) throws(FileError) {
        let old = try records(of: key)
        var new = old
        change(&new)
        if new == old, content == nil { return }
        let file = entryPath(key)
        // What has no room is not kept; what it takes the place of is out of date all the same.
        if new.isEmpty || content?.count ?? 0 > bound {
            forget(key)
            return try remove(file)
        }
        var bytes = 0
        var written: Set = [file]
        do throws(Errno) {
            if let content {
                let contentFile = contentPath(SHA256.hash(data: content).hexadecimal)
                bytes += try write(content, to: contentFile, replacing: false)
                written.insert(contentFile)
            }
            guard let entry = CacheEntryFile(key: key, records: new).encoded else { return }
            bytes += try write(entry, to: file, replacing: true)
            if let stamp = try FileStamp(at: file) { remember(key, Known(stamp: stamp, records: new)) }
        } catch {
            throw FileError(error, "could not be written", at: file)
        }
        try keepToBound(adding: bytes, with: written)
    }

    /// Writes a file beside its place, and renames it.
    ///
    /// - Returns: How many bytes; none if it is there already, and has just been used.
    private func write(_ data: Data, to file: String, replacing: Bool) throws(Errno) -> Int {
        if !replacing, let there = try? FileStamp(at: file), there.bytes == data.count {
            markUsed(file)
            return 0
        }
        let temporary = "\(temporaryPath)/\(UUID().uuidString)"
        do throws(Errno) {
            try disk.writeNewFile(temporary, data, isDurable: false)
        } catch .noSuchFileOrDirectory {
            try makeFolders(path)
            try makeFolders(temporaryPath)
            try disk.writeNewFile(temporary, data, isDurable: false)
        }
        do throws(Errno) {
            do throws(Errno) {
                try disk.rename(temporary, to: file)
            } catch .noSuchFileOrDirectory {
                try makeFolders(String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)]))
                try disk.rename(temporary, to: file)
            }
        } catch {
            _ = try? disk.removeFile(temporary)
            throw error
        }
        return data.count
    }

    private func makeFolders(_ folder: String) throws(Errno) {
        if Disk.isFolder(folder) { return }
        if let end = folder.lastIndex(of: "/"), end > folder.startIndex { try makeFolders(String(folder[..<end])) }
        try disk.makeFolder(folder)
    }

    func remove(_ file: String) throws(FileError) {
        do throws(Errno) {
            try disk.removeFile(file)
        } catch {
            throw FileError(error, "could not be removed", at: file)
        }
    }

    private func remember(_ key: String, _ known: Known) {
        state.withLock { state in
            state.forget(key)
            let bytes = state.knownBytes + known.stamp.bytes
            if state.known.count >= Self.mostKnown || bytes > Self.mostKnownBytes { state.forgetAll() }
            state.known[key] = known
            state.knownBytes += known.stamp.bytes
        }
    }

    private func markUsed(_ file: String) { Disk.markUsed(file, unlessWithin: Self.usesApart) }

    /// Whether a use is to be marked: this process has not done it for a second.
    ///
    /// What it asks the disk for that costs as much as the reading itself.
    private func isUseToBeMarked(_ use: Use) -> Bool {
        let now = Disk.now
        return state.withLock { state in
            if let marked = state.marked[use], 0..<Self.usesApart ~= now - marked { return false }
            if state.marked.count >= Self.mostKnown { state.marked.removeAll() }
            state.marked[use] = now
            return true
        }
    }

    private func forget(_ key: String) {
        state.withLock { $0.forget(key) }
    }

    /// How many bytes the files have whose records are kept in memory.
    var knownBytes: Int { state.withLock { $0.knownBytes } }
}

extension DiskCacheStorage {
    /// Where what is being written is.
    var temporaryPath: String { "\(path)/writing" }

    private func entryPath(_ key: String) -> String {
        let name = SHA256.hash(data: Data(key.utf8)).hexadecimal
        return "\(path)/entries/\(name.prefix(2))/\(name)"
    }

    private func contentPath(_ digest: String) -> String {
        "\(path)/contents/\(digest.prefix(2))/\(digest)"
    }

    /// Counts what was written, and makes room if there may be too much: of what has just been written last.
    private func keepToBound(adding bytes: Int, with written: Set<String>) throws(FileError) {
        let mustCount = state.withLock { state in
            state.added += bytes
            guard let counted = state.counted else { return true }
            // What other processes have written shows only when it is counted.
            return counted + state.added > bound || state.added > bound / 16
        }
        guard mustCount else { return }
        let count = try makeRoom(for: written)
        state.withLock { state in
            state.counted = count
            state.added = 0
        }
    }
}
