import Crypto
import DurableFiles
import Foundation
import SystemPackage

/// Changes the files of a ``FolderStore``, one process at a time: each change holds the folder's lock.
final class FolderWriter {
    /// What is known of a value's file, as long as it is that file.
    struct Known {
        var stamp: FileStamp
        var version: KeptVersion
    }

    let files: FolderFiles
    /// How long to wait while other processes write.
    let patience: Duration
    private var lock: FileLock?
    private var known: [StoreKey: Known] = [:]
    private var isSwept = false

    /// More are read again when they are written.
    private static let mostKnown = 4_096

    init(files: FolderFiles, patience: Duration = .seconds(10)) {
        self.files = files
        self.patience = patience
    }
}

extension FolderWriter {
    /// Writes all of it, or nothing.
    func commit(_ writes: [StoreWrite]) throws(PersistenceError) -> CommitResult {
        try StoreWrite.check(writes)
        return try locked { () throws(PersistenceError) -> CommitResult in
            var kept: [StoreKey: Known] = [:]
            var conflicts: [StoreKey: StoredRecord?] = [:]
            for write in writes {
                let known = try whatIsKept(write.key)
                kept[write.key] = known
                if try !write.isAllowed(over: known?.version) {
                    conflicts.updateValue(try mended(write.key).record, forKey: write.key)
                }
            }
            guard conflicts.isEmpty else { return .conflict(conflicts) }
            guard let write = writes.first else { return .committed([:]) }
            return .committed(
                try writes.count == 1 ? commitOne(write, over: kept[write.key]) : commitAll(writes, over: kept))
        }
    }

    /// Reads a value that was found damaged, or behind an unfinished transaction.
    func read(_ key: StoreKey) throws(PersistenceError) -> StoredRecord? {
        let (record, recovery) = try locked { () throws(PersistenceError) in try mended(key) }
        guard record == nil, let recovery else { return record }
        throw PersistenceError(
            .corrupt,
            "“\(key)” was damaged: \(recovery.reason). There is no older copy, and what is left of it is now "
                + "\(recovery.place). Restore it from a backup, or go on without.")
    }

    /// The names of the values, behind an unfinished transaction.
    func keys(beginningWith prefix: String) throws(PersistenceError) -> [StoreKey] {
        try locked { () throws(PersistenceError) in try files.keys(beginningWith: prefix) }
    }

    /// Moves a value away.
    func setAside(_ key: StoreKey, revision: Revision, reason: String) throws(PersistenceError) -> SetAsideRecord? {
        try locked { () throws(PersistenceError) -> SetAsideRecord? in
            guard try mended(key).record?.revision == revision else { return nil }
            return try setAside(key, because: reason)
        }
    }

    /// Stores a value that was set aside again.
    func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) throws(PersistenceError) -> RestoredRecord {
        try locked { () throws(PersistenceError) -> RestoredRecord in
            guard let found = try files.setAsideContent(of: record) else { throw .noLongerSetAside(record) }
            let write = StoreWrite(record.key, try found.content.get(), expecting: expectation)
            try StoreWrite.check([write])
            let kept = try whatIsKept(record.key)
            guard try write.isAllowed(over: kept?.version) else { throw .conflict(restoring: record) }
            // Each value has a file at every step: the stored one is copied first, the restored one is removed from where it was
            // last.
            let replaced = try kept.map { _ throws(PersistenceError) in
                try copyAside(files.names.file(record.key), of: record.key, because: reason)
            }
            let revisions: [StoreKey: Revision]
            do throws(PersistenceError) {
                revisions = try commitOne(write, over: kept)
            } catch {
                // Where only the last sync failed, the restored value may be stored already, and the copy is all there is.
                if let replaced, case .whole(let stored, _) = try? files.find(record.key),
                    stored.revision == kept?.version.revision
                {
                    _ = try? remove(setAside: replaced)
                }
                throw error
            }
            try remove(setAside: record)
            guard let revision = revisions[record.key] else { throw .conflict(restoring: record) }
            return RestoredRecord(revision: revision, replaced: replaced)
        }
    }

    /// Deletes a value that was set aside.
    func removeSetAside(_ record: SetAsideRecord) throws(PersistenceError) -> Bool {
        try locked { () throws(PersistenceError) -> Bool in
            guard try files.setAsideFile(of: record) != nil else { return false }
            try remove(setAside: record)
            return true
        }
    }
}

extension FolderWriter {
    /// Does something while no other process changes anything, after what one has left unfinished.
    private func locked<Value>(
        _ body: () throws(PersistenceError) -> Value
    ) throws(PersistenceError) -> Value {
        let lock = try takeLock()
        defer { lock.release() }
        if files.hasJournal { try finishTransaction() }
        if !isSwept {
            try sweep()
            isSwept = true
        }
        return try body()
    }

    private func takeLock() throws(PersistenceError) -> FileLock {
        let path = files.path(of: FolderNames.lock)
        let end = ContinuousClock.now + patience
        var pause = 0.000_05
        do throws(Errno) {
            while true {
                let lock: FileLock = if let lock = self.lock { lock } else { try FileLock(at: path) }
                self.lock = lock
                if try lock.take(.exclusive) {
                    if lock.isFile(at: path) { return lock }
                    self.lock = nil
                    lock.release()
                    continue
                }
                if ContinuousClock.now >= end { break }
                Thread.sleep(forTimeInterval: pause)
                pause = min(pause * 2, 0.005)
            }
        } catch {
            throw PersistenceError(error, "could not be locked, and nothing was written", at: path)
        }
        throw PersistenceError(
            .locked,
            "\(files.path) was kept busy by another process for longer than \(patience.components.seconds) s. Try again "
                + "when that has ended. Nothing was written.")
    }

    /// Removes what was being written when a process ended.
    private func sweep() throws(PersistenceError) {
        try onDisk("could not be cleaned up", at: files.path) { () throws(Errno) in
            for file in try files.disk.list(files.path) where FolderNames.isPending(file) {
                try files.disk.removeFile(files.path(of: file))
            }
        }
    }

}

extension FolderWriter {
    /// What is to be known of a value before it is overwritten; it is read only if somebody else has written it.
    private func whatIsKept(_ key: StoreKey) throws(PersistenceError) -> Known? {
        let path = files.path(of: files.names.file(key))
        let stamp = try onDisk("could not be read", at: path) { () throws(Errno) in try FileStamp(at: path) }
        guard let stamp else {
            known[key] = nil
            return nil
        }
        if let known = known[key], known.stamp == stamp { return known }
        _ = try mended(key)
        return known[key]
    }

    /// Reads a value; what is damaged is set aside, and the copy from before takes its place.
    private func mended(
        _ key: StoreKey
    ) throws(PersistenceError) -> (record: StoredRecord?, recovery: SetAsideRecord?) {
        var recovery: SetAsideRecord?
        while true {
            switch try files.find(key) {
            case .nothing:
                known[key] = nil
                return (nil, recovery)
            case .whole(var record, let stamp):
                remember(key, Known(stamp: stamp, version: record.keptVersion))
                record.recovery = recovery
                return (record, recovery)
            case .damaged(let reason):
                // It ends: what comes in its place has been read and is whole.
                recovery = try setAside(key, because: reason)
            }
        }
    }

    func remember(_ key: StoreKey, _ value: Known?) {
        if known.count >= Self.mostKnown { known = [:] }
        known[key] = value
    }
}

extension FolderWriter {
    /// A write of one value needs no journal: its file takes the place of the one before in one step.
    private func commitOne(
        _ write: StoreWrite, over kept: Known?
    ) throws(PersistenceError) -> [StoreKey: Revision] {
        let file = files.names.file(write.key)
        guard let content = write.content else {
            try onDisk("could not be removed", at: files.path(of: file)) { () throws(Errno) in
                try remove(file)
                if kept != nil { try files.disk.syncFolder(files.path) }
            }
            remember(write.key, nil)
            return [:]
        }
        let written = try writePending(file, content, of: write.key, over: kept).known
        do throws(PersistenceError) {
            try onDisk("could not be written", at: files.path(of: file)) { () throws(Errno) in
                try putInPlace(file, replacing: kept != nil)
                try files.disk.syncFolder(files.path)
            }
        } catch {
            _ = try? files.disk.removeFile(files.path(of: FolderNames.pending(file)))
            throw error
        }
        remember(write.key, written)
        return [write.key: written.version.revision]
    }

    /// Writes content beside its place, durably but for the name.
    func writePending(
        _ file: String, _ content: StoredContent, of key: StoreKey, over kept: Known?
    ) throws(PersistenceError) -> (known: Known, data: Data) {
        let revision = Revision(UUID().uuidString)
        let data = try files.data(of: content, for: key, revision: revision)
        let path = files.path(of: FolderNames.pending(file))
        let stamp = try onDisk("could not be written", at: path) { () throws(Errno) in
            try writeOver(path, data, modifiedAfter: kept?.stamp.modified ?? 0)
        }
        let version = KeptVersion(
            revision: files.style == .checked ? revision : PlainFile.revision(data, stamp), format: content.format,
            version: content.version)
        return (Known(stamp: stamp, version: version), data)
    }

    /// Writes a file where a process that was killed may have left one.
    func writeOver(_ path: String, _ data: Data, modifiedAfter earlier: Int64) throws(Errno) -> FileStamp {
        do throws(Errno) {
            return try files.disk.writeNewFile(path, data, modifiedAfter: earlier)
        } catch .fileExists {
            try files.disk.removeFile(path)
            return try files.disk.writeNewFile(path, data, modifiedAfter: earlier)
        }
    }

    /// Gives a file that was written its name; the one that had it becomes the copy from before.
    func putInPlace(_ file: String, replacing isThere: Bool) throws(Errno) {
        let path = files.path(of: file)
        let previous = files.path(of: FolderNames.previous(file))
        try files.disk.removeFile(previous)
        if isThere { try files.disk.link(path, to: previous) }
        try files.disk.rename(files.path(of: FolderNames.pending(file)), to: path)
    }

    /// Removes a value, the copy from before first: without its file it must not come back.
    func remove(_ file: String) throws(Errno) {
        try files.disk.removeFile(files.path(of: FolderNames.previous(file)))
        try files.disk.removeFile(files.path(of: file))
    }
}
