import Crypto
import Digests
import DurableFiles
import Foundation
import SystemPackage

/// The journal of a transaction over several values.
///
/// All new files are written under pending names and synced before the journal is written. The transaction is committed
/// once the journal has its final name: a process that finds it moves the files into place before it reads anything.
struct FolderJournal: Codable {
    /// The change of one file.
    struct Change: Codable {
        /// The file's name.
        var file: String
        /// The SHA-256 of the pending file; `nil` if the file is to be removed.
        var checksum: String?
        /// The revision to remove; `nil` if the file is to be written.
        var revision: String?
    }

    var changes: [Change]

    static let format = StoredFormat<FolderJournal>("meanwhile.journal")
}

extension FolderWriter {
    /// Writes several values in a transaction.
    mutating func commitAll(
        _ writes: [StoreWrite], over current: [StoreKey: CachedVersion]
    ) throws(StoreError) -> [StoreKey: Revision] {
        var written: [StoreKey: CachedVersion] = [:]
        var pending: [String] = []
        let journal = files.path(of: FolderNames.journal)
        do throws(StoreError) {
            var changes: [FolderJournal.Change] = []
            for write in writes {
                let file = files.names.file(write.key)
                guard let content = write.content else {
                    guard let known = current[write.key] else { continue }
                    changes.append(.init(file: file, revision: known.version.revision.description))
                    continue
                }
                pending.append(files.path(of: FolderNames.pending(file)))
                let (known, data) = try writePending(file, content, of: write.key, over: current[write.key])
                changes.append(.init(file: file, checksum: SHA256.hash(data: data).hexadecimal))
                written[write.key] = known
            }
            guard !changes.isEmpty else { return [:] }
            pending.append(files.path(of: FolderNames.pending(FolderNames.journal)))
            pending.append(journal)
            try begin(FolderJournal(changes: changes))
        } catch {
            // Remove the journal first: without it, the pending files have no effect. Sync its removal before removing
            // them: if a crash of the machine restored the journal, it would apply the files that are left.
            for path in pending.reversed() {
                _ = try? files.disk.removeFile(path)
                if path == journal { try? files.disk.syncFolder(files.path) }
            }
            try? files.disk.syncFolder(files.path)
            throw error
        }
        // The transaction is committed. If finishing it fails, the next operation finishes it before it reads anything.
        try? finishTransaction()
        for write in writes { remember(write.key, written[write.key]) }
        return written.mapValues(\.version.revision)
    }
}

extension FolderWriter {
    private func begin(_ journal: FolderJournal) throws(StoreError) {
        let content = try FolderJournal.format.content(of: journal)
        let data = Envelope.data(of: content, revision: Revision(UUID().uuidString))
        let path = files.path(of: FolderNames.journal)
        try onDisk("could not be written", at: path) { () throws(Errno) in
            let pending = files.path(of: FolderNames.pending(FolderNames.journal))
            _ = try writeOver(pending, data, modifiedAfter: 0)
            // Sync the folder first: a journal whose pending files are missing would be mistaken for a finished
            // transaction.
            try files.disk.syncFolder(files.path)
            try files.disk.rename(pending, to: path)
            try files.disk.syncFolder(files.path)
        }
    }

    /// Moves the files of an unfinished transaction into place, and removes its journal.
    mutating func finishTransaction() throws(StoreError) {
        let path = files.path(of: FolderNames.journal)
        let data: Data
        do throws(Errno) {
            data = try files.disk.readFile(path)
        } catch .noSuchFileOrDirectory {
            return
        } catch {
            throw StoreError(error, "could not be read", at: path)
        }
        guard let journal = try journal(in: data) else { return try setTransactionAside() }
        for change in journal.changes { try apply(change) }
        try onDisk("could not be finished", at: path) { () throws(Errno) in
            try files.disk.syncFolder(files.path)
            // If a crash of the machine restores the journal, it has no effect, because its pending files no longer
            // exist.
            try files.disk.removeFile(path)
        }
    }

    private func journal(in data: Data) throws(StoreError) -> FolderJournal? {
        switch Envelope.reading(data) {
        case .intact(let record):
            return try FolderJournal.format.value(of: record.content)
        case .damaged:
            return nil
        case .newer:
            throw StoreError(
                .newerVersion,
                "\(files.path) has an unfinished transaction of a newer version of this program. Nothing was changed. "
                    + "Start that version once to finish it.")
        }
    }

    private mutating func apply(_ change: FolderJournal.Change) throws(StoreError) {
        // A store of the other style may have written the journal.
        let style: FolderStore.Style = change.file.hasSuffix(".json") ? .plainJSON : .checked
        let files = FolderFiles(path: self.files.path, style: style, disk: self.files.disk, now: self.files.now)
        guard let key = files.names.key(change.file) else { return }
        let path = files.path(of: change.file)
        if let checksum = change.checksum {
            try onDisk("could not be moved into place", at: path) { () throws(Errno) in
                let pending = files.path(of: FolderNames.pending(change.file))
                // A file with another checksum belongs to a later write that was not finished.
                guard Disk.exists(pending),
                    SHA256.hash(data: try files.disk.readFile(pending)).hexadecimal == checksum
                else { return }
                try putInPlace(change.file, replacing: Disk.exists(path))
            }
        } else if case .intact(let record, _) = try files.find(file: change.file, of: key),
            record.revision.description == change.revision
        {
            try onDisk("could not be removed", at: path) { () throws(Errno) in try remove(change.file) }
        }
        remember(key, nil)
    }

    /// Sets aside an unreadable journal, and all pending files that may belong to it.
    private func setTransactionAside() throws(StoreError) {
        let reason = "the list of a transaction's changes was damaged before the transaction was finished"
        let waiting = try onDisk("could not be read", at: files.path) { () throws(Errno) in
            try files.disk.list(files.path).filter(FolderNames.isPending).sorted()
        }
        let ending = FolderNames.pending("")
        for file in waiting + [FolderNames.journal] {
            let key = files.names.key(String(file.dropLast(ending.count)))
            _ = try moveAside(file, of: key ?? "transaction", because: reason)
        }
    }
}
