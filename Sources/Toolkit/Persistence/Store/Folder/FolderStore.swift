import DurableFiles
public import Foundation
import SystemPackage

/// A store in a folder, with one file per key.
///
/// Any number of processes on one machine may share it. A write creates and syncs a new file, which atomically replaces the old
/// one; the old one remains as `NAME.previous`. A commit of several values uses a journal: if the process is killed, the next
/// operation of any process finishes the commit. A damaged file is set aside as `NAME.damaged-TIME`, with a note.
///
/// If a write fails with `inputOutput` because the folder could not be synced, the value may have been written: read it to find out.
public struct FolderStore: Sendable {
    /// The format of the files.
    public enum Style: Hashable, Sendable {
        /// `NAME.kept` consists of a header line with a checksum, and the payload, so that any damage is detected.
        case checked
        /// `NAME.json` is JSON that people can read and edit; the payload must be JSON.
        ///
        /// An unreadable file is set aside only if it wasn't modified in the last second.
        case plainJSON
    }

    private let files: FolderFiles
    private let queue: WriterQueue
    private let listeners: ChangeListeners<StoreKey>

    init(files: FolderFiles, lockTimeout: Duration = .seconds(10)) {
        self.files = files
        self.queue = WriterQueue(files: files, lockTimeout: lockTimeout)
        self.listeners = ChangeListeners<StoreKey> { ChangeWatch(stop: FolderWatch(files: files, listeners: $0).stop) }
    }
}

extension FolderStore {
    /// Opens the store in a folder, and creates the folder if it is missing, with access for its owner only.
    ///
    /// A folder that isn't writable can still be read.
    ///
    /// - Parameters:
    ///   - path: The folder's path, absolute or relative to the current folder.
    ///   - style: The format of the files; it must not change once the folder has a file.
    ///   - now: Returns the current time, for values that are set aside.
    /// - Returns: The store.
    /// - Throws: ``StoreError`` if the folder can't be created.
    public static func open(
        at path: String, style: Style = .checked, now: @escaping @Sendable () -> Date = { Date() }
    ) async throws(StoreError) -> FolderStore {
        try await DiskWork.run { () throws(StoreError) in
            let folder = try DataFolder.make(at: path)
            return FolderStore(files: FolderFiles(path: folder.path, style: style, disk: .real, now: now))
        }
    }
}

extension FolderStore: Store {
    /// Reads the record of a key.
    public func read(_ key: StoreKey) async throws(StoreError) -> StoredRecord? {
        let finding = try await DiskWork.run { [files] () throws(StoreError) -> FolderFiles.Finding? in
            try files.hasJournal ? nil : files.find(key)
        }
        switch finding {
        case .intact(let record, _): return record
        case .nothing: return nil
        case .damaged, nil:
            return try await queue.perform { (writer) throws(StoreError) in try writer.read(key) }
        }
    }

    /// The keys with a prefix, sorted.
    public func keys(beginningWith prefix: String) async throws(StoreError) -> [StoreKey] {
        let keys = try await DiskWork.run { [files] () throws(StoreError) -> [StoreKey]? in
            try files.hasJournal ? nil : files.keys(beginningWith: prefix)
        }
        if let keys { return keys }
        return try await queue.perform { (writer) throws(StoreError) in
            try writer.keys(beginningWith: prefix)
        }
    }

    /// Performs all writes durably, or none of them.
    public func commit(_ writes: [StoreWrite]) async throws(StoreError) -> CommitResult {
        try await queue.perform { (writer) throws(StoreError) in try writer.commit(writes) }
    }

    /// Moves a value's file to another name, `NAME.damaged-TIME`.
    public func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(StoreError) -> SetAsideRecord? {
        try await queue.perform { (writer) throws(StoreError) in
            try writer.setAside(key, revision: revision, reason: reason)
        }
    }

    /// The values that are set aside, oldest first.
    public func setAsideRecords() async throws(StoreError) -> [SetAsideRecord] {
        try await DiskWork.run { [files] () throws(StoreError) in try files.setAsideRecords() }
    }

    /// Reads a value that is set aside, with the bytes of the whole file.
    public func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent? {
        try await DiskWork.run { [files] () throws(StoreError) in try files.setAsideContent(of: record) }
    }

    /// Restores a value that is set aside.
    ///
    /// If the process ends meanwhile, the value may be both stored and set aside.
    @discardableResult
    public func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(StoreError) -> RestoredRecord {
        try await queue.perform { (writer) throws(StoreError) in
            try writer.restore(record, expecting: expectation, reason: reason)
        }
    }

    /// Deletes the file of a value that is set aside, and its note.
    @discardableResult
    public func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool {
        try await queue.perform { (writer) throws(StoreError) in try writer.removeSetAside(record) }
    }

    /// The keys whose files may have changed since the call, by this or another program on this machine.
    ///
    /// In a folder on a network file system, changes by other machines may not be reported.
    public func updates() -> Updates<Set<StoreKey>> {
        listeners.updates()
    }
}

/// Serialises the changes of one store on a thread that may block on disk access.
private actor WriterQueue {
    private let executor = DiskExecutor()
    private var writer: FolderWriter

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(files: FolderFiles, lockTimeout: Duration) {
        self.writer = FolderWriter(files: files, lockTimeout: lockTimeout)
    }

    func perform<Value: Sendable>(
        _ change: @Sendable (inout FolderWriter) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try change(&writer)
    }
}
