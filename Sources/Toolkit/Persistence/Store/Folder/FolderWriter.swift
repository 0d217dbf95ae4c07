import Crypto
import DurableFiles
import Foundation
import SystemPackage

/// Changes the files of a ``FolderStore``; each change holds the folder's lock, so that only one process writes at a time.
struct FolderWriter {
    /// The version of a value, which is valid as long as its file has this stamp.
    struct CachedVersion {
        var stamp: FileStamp
        var version: StoredVersion
    }

    let files: FolderFiles
    /// How long to wait while other processes write.
    let lockTimeout: Duration
    private var lock: FileLock?
    private var known: [StoreKey: CachedVersion] = [:]
    private var isSwept = false

    /// The maximum number of cached versions; a file without one is read before it is overwritten.
    private static let capacity = 4_096

    init(files: FolderFiles, lockTimeout: Duration = .seconds(10)) {
        self.files = files
        self.lockTimeout = lockTimeout
    }
}

extension FolderWriter: StoreEngine {
    /// Runs a change while no other process changes anything, after finishing an interrupted transaction.
    mutating func exclusively<Value>(
        _ body: (inout FolderWriter) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let lock = try takeLock()
        defer { lock.release() }
        if files.hasJournal { try finishTransaction() }
        if !isSwept {
            try sweep()
            isSwept = true
        }
        return try body(&self)
    }

    /// The keys with a prefix, after finishing an interrupted transaction.
    mutating func keys(beginningWith prefix: String) throws(StoreError) -> [StoreKey] {
        try exclusively { (writer) throws(StoreError) in try writer.files.keys(beginningWith: prefix) }
    }

    mutating func find(_ key: StoreKey) throws(StoreError) -> StoredFinding {
        switch try files.find(key) {
        case .nothing:
            known[key] = nil
            return .nothing
        case .intact(let record, let stamp):
            remember(key, CachedVersion(stamp: stamp, version: record.storedVersion))
            return .intact(record)
        case .damaged(let reason):
            return .damaged(reason)
        }
    }

    mutating func storedVersion(of key: StoreKey) throws(StoreError) -> StoredVersion? {
        try knownVersion(key)?.version
    }

    mutating func write(_ writes: [StoreWrite]) throws(StoreError) -> [StoreKey: Revision] {
        var current: [StoreKey: CachedVersion] = [:]
        for write in writes { current[write.key] = try knownVersion(write.key) }
        guard writes.count == 1, let write = writes.first else { return try commitAll(writes, over: current) }
        return try commitOne(write, over: current[write.key])
    }

    func setAsideContent(of record: SetAsideRecord) throws(StoreError) -> SetAsideContent? {
        try files.setAsideContent(of: record)
    }
}

extension FolderWriter {
    private mutating func takeLock() throws(StoreError) -> FileLock {
        let path = files.path(of: FolderNames.lock)
        let end = ContinuousClock.now + lockTimeout
        var pause = 0.000_05
        do throws(Errno) {
            while true {
                let lock: FileLock = if let lock = self.lock { lock } else { try FileLock(at: path) }
                self.lock = lock
                if try lock.tryAcquire(.exclusive) {
                    if lock.isFile(at: path) { return lock }
                    self.lock = nil
                    lock.release()
                    continue
                }
                if ContinuousClock.now >= end { break }
                Thread.sleep(until: Date.now + pause)
                pause = min(pause * 2, 0.005)
            }
        } catch {
            throw StoreError(error, "could not be locked, and nothing was written", at: path)
        }
        throw StoreError(
            .locked,
            "\(files.path) was locked by another process for more than \(lockTimeout.components.seconds) s. Nothing was "
                + "written. Try again when that process ends.")
    }

    /// Removes the pending files of a process that was killed.
    private func sweep() throws(StoreError) {
        try onDisk("could not be cleaned up", at: files.path) { () throws(Errno) in
            for file in try files.disk.list(files.path) where FolderNames.isPending(file) {
                try files.disk.removeFile(files.path(of: file))
            }
        }
    }

}

extension FolderWriter {
    /// The stored version, to compare before a value is overwritten; `nil` if the value doesn't exist.
    ///
    /// The file is read only if another writer has changed it.
    private mutating func knownVersion(_ key: StoreKey) throws(StoreError) -> CachedVersion? {
        let path = files.path(of: files.names.file(key))
        let stamp = try onDisk("could not be read", at: path) { () throws(Errno) in try FileStamp(at: path) }
        guard let stamp else {
            known[key] = nil
            return nil
        }
        if let known = known[key], known.stamp == stamp { return known }
        _ = try repaired(key)
        return known[key]
    }

    mutating func remember(_ key: StoreKey, _ value: CachedVersion?) {
        if known.count >= Self.capacity { known = [:] }
        known[key] = value
    }
}

extension FolderWriter {
    /// Writes one value, without a journal, because its file atomically replaces the old one.
    private mutating func commitOne(
        _ write: StoreWrite, over current: CachedVersion?
    ) throws(StoreError) -> [StoreKey: Revision] {
        let file = files.names.file(write.key)
        guard let content = write.content else {
            try onDisk("could not be removed", at: files.path(of: file)) { () throws(Errno) in
                try remove(file)
                if current != nil { try files.disk.syncFolder(files.path) }
            }
            remember(write.key, nil)
            return [:]
        }
        let written = try writePending(file, content, of: write.key, over: current).known
        do throws(StoreError) {
            try onDisk("could not be written", at: files.path(of: file)) { () throws(Errno) in
                try putInPlace(file, replacing: current != nil)
                try files.disk.syncFolder(files.path)
            }
        } catch {
            _ = try? files.disk.removeFile(files.path(of: FolderNames.pending(file)))
            throw error
        }
        remember(write.key, written)
        return [write.key: written.version.revision]
    }

    /// Writes content to a pending file, and syncs the file but not its folder.
    func writePending(
        _ file: String, _ content: StoredContent, of key: StoreKey, over current: CachedVersion?
    ) throws(StoreError) -> (known: CachedVersion, data: Data) {
        let revision = Revision(UUID().uuidString)
        let data = try files.data(of: content, for: key, revision: revision)
        let path = files.path(of: FolderNames.pending(file))
        let stamp = try onDisk("could not be written", at: path) { () throws(Errno) in
            try writeOver(path, data, modifiedAfter: current?.stamp.modified ?? 0)
        }
        let version = StoredVersion(
            revision: files.style == .checked ? revision : PlainFile.revision(data, stamp), format: content.format,
            version: content.version)
        return (CachedVersion(stamp: stamp, version: version), data)
    }

    /// Writes a file, and replaces one that a killed process may have left.
    func writeOver(_ path: String, _ data: Data, modifiedAfter earlier: Int64) throws(Errno) -> FileStamp {
        do throws(Errno) {
            return try files.disk.writeNewFile(path, data, modifiedAfter: earlier)
        } catch .fileExists {
            try files.disk.removeFile(path)
            return try files.disk.writeNewFile(path, data, modifiedAfter: earlier)
        }
    }

    /// Moves a pending file into place; the file that it replaces becomes the previous copy.
    func putInPlace(_ file: String, replacing exists: Bool) throws(Errno) {
        let path = files.path(of: file)
        let previous = files.path(of: FolderNames.previous(file))
        try files.disk.removeFile(previous)
        if exists { try files.disk.link(path, to: previous) }
        try files.disk.rename(files.path(of: FolderNames.pending(file)), to: path)
    }

    /// Removes the previous copy of a value and then the value, so that the copy never takes the value's place.
    func remove(_ file: String) throws(Errno) {
        try files.disk.removeFile(files.path(of: FolderNames.previous(file)))
        try files.disk.removeFile(files.path(of: file))
    }
}
