import DurableFiles
public import Foundation
import SystemPackage

/// A store in a folder: a file for each name.
///
/// Any number of processes on one machine may share it. A write is a new file, synced, that takes the place of the old one,
/// which stays beside it as `NAME.previous`; several names are written together by way of a list that whoever comes next
/// finishes. What is damaged is set aside as `NAME.damaged-TIME`, with a note.
///
/// If a write fails with `inputOutput` after the disk refused to sync the folder, what it wrote may be there; read it.
public struct FolderStore: Sendable {
    /// How a value's file looks.
    public enum Style: Hashable, Sendable {
        /// A line that says what it is, with a checksum, and the payload: no changed bit is served. `NAME.kept`.
        case checked
        /// JSON that people open by hand, and may change. `NAME.json`; the payload must be JSON.
        ///
        /// A file that cannot be read is set aside only if nobody has saved it in the last second.
        case plainJSON
    }

    private let files: FolderFiles
    private let keeper: FolderKeeper
    private let listeners: ChangeListeners<StoreKey>

    init(files: FolderFiles, patience: Duration = .seconds(10)) {
        self.files = files
        self.keeper = FolderKeeper(files: files, patience: patience)
        self.listeners = ChangeListeners<StoreKey> { ChangeWatch(stop: FolderWatch(files: files, listeners: $0).stop) }
    }
}

extension FolderStore {
    /// Opens the store in a folder, and makes the folder if it is not there, so that only its owner may enter it.
    ///
    /// A folder that may not be written can be read.
    ///
    /// - Parameters:
    ///   - path: The folder's path; one that is not absolute begins at the current folder.
    ///   - style: How the files look, from the first one on.
    ///   - now: The time, for what is set aside.
    /// - Returns: The store.
    /// - Throws: ``StoreError`` if the folder cannot be made.
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
    /// Reads what is kept under a name.
    public func read(_ key: StoreKey) async throws(StoreError) -> StoredRecord? {
        let finding = try await DiskWork.run { [files] () throws(StoreError) -> FolderFiles.Finding? in
            try files.hasJournal ? nil : files.find(key)
        }
        switch finding {
        case .whole(let record, _): return record
        case .nothing: return nil
        case .damaged, nil:
            return try await keeper.perform { (writer) throws(StoreError) in try writer.read(key) }
        }
    }

    /// The names that begin so, in order.
    public func keys(beginningWith prefix: String) async throws(StoreError) -> [StoreKey] {
        let keys = try await DiskWork.run { [files] () throws(StoreError) -> [StoreKey]? in
            try files.hasJournal ? nil : files.keys(beginningWith: prefix)
        }
        if let keys { return keys }
        return try await keeper.perform { (writer) throws(StoreError) in
            try writer.keys(beginningWith: prefix)
        }
    }

    /// Writes all of it durably, or nothing.
    public func commit(_ writes: [StoreWrite]) async throws(StoreError) -> CommitResult {
        try await keeper.perform { (writer) throws(StoreError) in try writer.commit(writes) }
    }

    /// Moves a value's file away, under a name that says so.
    public func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(StoreError) -> SetAsideRecord? {
        try await keeper.perform { (writer) throws(StoreError) in
            try writer.setAside(key, revision: revision, reason: reason)
        }
    }

    /// The values that are set aside, the oldest first.
    public func setAsideRecords() async throws(StoreError) -> [SetAsideRecord] {
        try await DiskWork.run { [files] () throws(StoreError) in try files.setAsideRecords() }
    }

    /// Reads a value that was set aside; its bytes are the whole file's.
    public func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent? {
        try await DiskWork.run { [files] () throws(StoreError) in try files.setAsideContent(of: record) }
    }

    /// Stores a value that was set aside again.
    ///
    /// If the process ends meanwhile, the value may be both stored and set aside.
    @discardableResult
    public func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(StoreError) -> RestoredRecord {
        try await keeper.perform { (writer) throws(StoreError) in
            try writer.restore(record, expecting: expectation, reason: reason)
        }
    }

    /// Deletes the file of a value that was set aside, and its note.
    @discardableResult
    public func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool {
        try await keeper.perform { (writer) throws(StoreError) in try writer.removeSetAside(record) }
    }

    /// Names whose files this or another program on this machine may have changed, from now on.
    ///
    /// In a folder that other machines write, theirs may not be seen.
    public func updates() -> Updates<Set<StoreKey>> {
        listeners.updates()
    }
}

/// Runs the changes of one store one after another, on a thread that may wait for the disk.
private actor FolderKeeper {
    private let executor = DiskExecutor()
    private var writer: FolderWriter

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(files: FolderFiles, patience: Duration) {
        self.writer = FolderWriter(files: files, patience: patience)
    }

    func perform<Value: Sendable>(
        _ change: @Sendable (inout FolderWriter) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try change(&writer)
    }
}
