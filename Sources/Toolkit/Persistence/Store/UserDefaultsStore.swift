import Digests
import DurableFiles
public import Foundation
import Futures
import SystemPackage

/// A store in the user's defaults, for small values of an app.
///
/// All values are one entry of the defaults, so that several change together.
///
/// On Apple platforms the system's own process writes the defaults: what is acknowledged survives the app's end, and that of
/// the machine only a moment later. Several processes may share a suite. **On Linux**, Foundation writes a property list in the
/// user's configuration folder, in place: only one process may use a suite, and a machine that stops while it is written can
/// lose all of it. Prefer ``FolderStore`` or ``SQLiteStore`` there. The code for Apple platforms is compiled there alone, and
/// was never run; all else passes the stores' conformance suite on Linux.
public actor UserDefaultsStore {
    private let defaults: UserDefaults
    private let entry: String
    private let lock: String
    private let now: @Sendable () -> Date
    private let listeners: ChangeListeners<StoreKey>

    private static let values = "value/"
    private static let previous = "previous/"
    private static let damaged = "damaged/"
    private static let notes = "note/"
    private static let adopted = "adopted/"

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - suite: The name of the defaults, an app group's for example; `nil` for the app's own.
    ///   - entry: Under which of them the values are; without a dot, at which observing would part it.
    ///   - lock: A file that all processes lock that write these defaults.
    ///   - now: The time, for what is set aside.
    /// - Throws: ``PersistenceError`` with the code `invalidName` if there can be no such suite.
    public init(
        suite: String? = nil, entry: String = "meanwhile-store",
        lock: String = NSTemporaryDirectory() + "meanwhile.store.lock",
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(PersistenceError) {
        guard let defaults = UserDefaults(suiteName: suite) else {
            throw PersistenceError(
                .invalidName, "There can be no defaults named “\(suite ?? "")”. Use another name.")
        }
        self.defaults = defaults
        self.entry = entry
        self.lock = lock
        self.now = now
        self.listeners = ChangeListeners<StoreKey> { listeners in
            let observer = DefaultsObserver(suite: suite, entry: entry) { [weak listeners] names in
                listeners?.report(Set(names.compactMap(Self.key)))
            }
            return observer.begin()
        }
    }
}

extension UserDefaultsStore: Store {
    /// Reads what is kept under a name.
    public func read(_ key: StoreKey) async throws(PersistenceError) -> StoredRecord? {
        switch try look(key, in: items) {
        case nil: return nil
        case .whole(let record): return record
        default: break
        }
        let (record, recovery) = try change { (items) throws(PersistenceError) in try mended(key, in: &items) }
        guard record == nil, let recovery else { return record }
        throw PersistenceError(
            .corrupt,
            "“\(key)” was damaged: \(recovery.reason). There is no older copy, and what is left of it is now "
                + "\(recovery.place) in the defaults. Restore it from a backup, or go on without.")
    }

    /// The names that begin so, in order.
    public func keys(beginningWith prefix: String) async throws(PersistenceError) -> [StoreKey] {
        items.keys.compactMap(Self.key).filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// Writes all of it, or nothing.
    public func commit(_ writes: [StoreWrite]) async throws(PersistenceError) -> CommitResult {
        try StoreWrite.check(writes)
        return try change { (items) throws(PersistenceError) -> CommitResult in
            var conflicts: [StoreKey: StoredRecord?] = [:]
            for write in writes {
                let record = try mended(write.key, in: &items).record
                if try !write.isAllowed(over: record?.keptVersion) {
                    conflicts.updateValue(record, forKey: write.key)
                }
            }
            guard conflicts.isEmpty else { return .conflict(conflicts) }
            var revisions: [StoreKey: Revision] = [:]
            for write in writes {
                guard let content = write.content else {
                    let name = Self.name(write.key)
                    items[Self.previous + name] = nil
                    items[Self.values + name] = nil
                    continue
                }
                revisions[write.key] = put(content, under: write.key, in: &items)
            }
            return .committed(revisions)
        }
    }

    /// Moves a value to another name within the entry.
    public func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(PersistenceError) -> SetAsideRecord? {
        try change { (items) throws(PersistenceError) -> SetAsideRecord? in
            guard try mended(key, in: &items).record?.revision == revision else { return nil }
            return try setAside(key, because: reason, in: &items)
        }
    }

    /// The values that are set aside, the oldest first.
    public func setAsideRecords() async throws(PersistenceError) -> [SetAsideRecord] {
        let items = items
        return items.keys.filter { $0.hasPrefix(Self.notes) }
            .compactMap { Self.setAsideRecord($0.dropFirst(Self.notes.count), in: items) }
            .sorted { ($0.time, $0.place) < ($1.time, $1.place) }
    }

    /// Reads a value that was set aside; its bytes are the item's.
    public func setAsideContent(of record: SetAsideRecord) async throws(PersistenceError) -> SetAsideContent? {
        Self.setAsideContent(of: record, in: items)
    }

    /// Stores a value that was set aside again, in one change of the entry.
    @discardableResult
    public func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(PersistenceError) -> RestoredRecord {
        try change { (items) throws(PersistenceError) -> RestoredRecord in
            guard let found = Self.setAsideContent(of: record, in: items) else { throw .noLongerSetAside(record) }
            let write = StoreWrite(record.key, try found.content.get(), expecting: expectation)
            try StoreWrite.check([write])
            let stored = try mended(record.key, in: &items).record
            guard try write.isAllowed(over: stored?.keptVersion) else { throw .conflict(restoring: record) }
            let replaced = try stored.map { _ throws(PersistenceError) in
                try copyAside(record.key, because: reason, in: &items)
            }
            let revision = put(try found.content.get(), under: record.key, in: &items)
            Self.forget(record, in: &items)
            return RestoredRecord(revision: revision, replaced: replaced)
        }
    }

    /// Deletes a value that was set aside.
    @discardableResult
    public func removeSetAside(_ record: SetAsideRecord) async throws(PersistenceError) -> Bool {
        try change { (items) throws(PersistenceError) -> Bool in
            guard Self.setAsideContent(of: record, in: items) != nil else { return false }
            Self.forget(record, in: &items)
            return true
        }
    }

    /// Keys that this or another program may have changed, from now on.
    ///
    /// On Linux, only the changes that a ``UserDefaultsStore`` of this process writes are told.
    public nonisolated func updates() -> Updates<Set<StoreKey>> {
        listeners.updates()
    }
}

extension UserDefaultsStore {
    /// Takes over a value that an app has stored by itself, as `Data` under a key of the same defaults.
    ///
    /// It is taken over once, and only if nothing is stored under the name. The app's own entry stays as it is.
    ///
    /// - Parameters:
    ///   - entry: The key that the app used, with `UserDefaults.set(_:forKey:)`.
    ///   - key: The name here.
    ///   - format: The name of the format that the data has, as in ``StoredFormat``.
    ///   - version: The version of that format.
    /// - Returns: Whether a value was taken over.
    /// - Throws: ``PersistenceError``: `locked`, or the error of a disk.
    @discardableResult
    public func adopt(
        entry: String, as key: StoreKey, format: String, version: Int
    ) async throws(PersistenceError) -> Bool {
        guard let payload = defaults.data(forKey: entry) else { return false }
        return try change { (items) throws(PersistenceError) -> Bool in
            let mark = Self.adopted + entry
            guard items[mark] == nil else { return false }
            items[mark] = Data()
            guard items[Self.values + Self.name(key)] == nil else { return false }
            let content = StoredContent(format: format, version: version, payload: payload)
            items[Self.values + Self.name(key)] = Envelope.data(of: content, revision: Revision(UUID().uuidString))
            return true
        }
    }

    private var items: [String: Data] {
        defaults.dictionary(forKey: entry) as? [String: Data] ?? [:]
    }

    private static func key(_ name: String) -> StoreKey? {
        guard name.hasPrefix(values) else { return nil }
        return name.dropFirst(values.count).removingPercentEncoding.flatMap { try? StoreKey($0) }
    }

    /// A key as ASCII: dictionaries take two spellings of a character, `ä` as one scalar and as two, for the same.
    private static func name(_ key: StoreKey) -> String {
        var name = ""
        for byte in key.name.utf8 {
            let scalar = Unicode.Scalar(byte)
            if "0"..."9" ~= scalar || "A"..."Z" ~= scalar || "a"..."z" ~= scalar {
                name.unicodeScalars.append(scalar)
            } else {
                name += "%" + CollectionOfOne(byte).hexadecimal
            }
        }
        return name
    }

    private func change<Value>(
        _ body: (inout [String: Data]) throws(PersistenceError) -> Value
    ) throws(PersistenceError) -> Value {
        let lock = try takeLock()
        defer { lock.release() }
        let before = items
        var items = before
        let value = try body(&items)
        if items != before {
            defaults.set(items, forKey: entry)
            defaults.synchronize()
            #if !canImport(Darwin)
                // Foundation on Linux posts it only when a whole domain is replaced or removed.
                NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: defaults)
            #endif
        }
        return value
    }

    private func takeLock() throws(PersistenceError) -> FileLock {
        let end = ContinuousClock.now + .seconds(10)
        do throws(Errno) {
            let file = try FileLock(at: lock)
            while ContinuousClock.now < end {
                if try file.take(.exclusive) { return file }
                Thread.sleep(forTimeInterval: 0.001)
            }
        } catch {
            throw PersistenceError(error, "could not be locked, and nothing was written", at: lock)
        }
        throw PersistenceError(
            .locked, "\(lock) was held by another process for too long. Try again when that has ended.")
    }

    private func look(
        _ key: StoreKey, in items: [String: Data]
    ) throws(PersistenceError) -> Envelope.Reading? {
        guard let data = items[Self.values + Self.name(key)] else { return nil }
        let reading = Envelope.reading(data)
        guard case .newer(let version) = reading else { return reading }
        throw PersistenceError(
            .newerVersion,
            "“\(key)” was written by a newer program: version \(version) of its form. It is left as it is: use the "
                + "newer program.")
    }

    private func mended(
        _ key: StoreKey, in items: inout [String: Data]
    ) throws(PersistenceError) -> (record: StoredRecord?, recovery: SetAsideRecord?) {
        var recovery: SetAsideRecord?
        while true {
            switch try look(key, in: items) {
            case nil, .newer:
                return (nil, recovery)
            case .whole(var record):
                record.recovery = recovery
                return (record, recovery)
            case .damaged(let reason):
                recovery = try setAside(key, because: reason, in: &items)
            }
        }
    }

    private func setAside(
        _ key: StoreKey, because reason: String, in items: inout [String: Data]
    ) throws(PersistenceError) -> SetAsideRecord {
        let record = try copyAside(key, because: reason, in: &items)
        items[Self.values + Self.name(key)] = items.removeValue(forKey: Self.previous + Self.name(key))
        return record
    }

    /// Stores a value; the one from before becomes the older copy.
    private func put(_ content: StoredContent, under key: StoreKey, in items: inout [String: Data]) -> Revision {
        let name = Self.name(key)
        let revision = Revision(UUID().uuidString)
        items[Self.previous + name] = items[Self.values + name]
        items[Self.values + name] = Envelope.data(of: content, revision: revision)
        return revision
    }
}

// MARK: - Values that are set aside

extension UserDefaultsStore {
    private func copyAside(
        _ key: StoreKey, because reason: String, in items: inout [String: Data]
    ) throws(PersistenceError) -> SetAsideRecord {
        let time = now()
        var number = 1
        var name = "\(time.inFileName)/\(Self.name(key))"
        while items[Self.damaged + name] != nil {
            number += 1
            name = "\(time.inFileName)-\(number)/\(Self.name(key))"
        }
        let note = SetAsideNote(key: key.name, reason: reason, time: time)
        items[Self.notes + name] = try SetAsideNote.format.content(of: note).payload
        items[Self.damaged + name] = items[Self.values + Self.name(key)]
        return SetAsideRecord(key: key, place: Self.damaged + name, reason: reason, time: time)
    }

    private static func setAsideRecord(_ name: some StringProtocol, in items: [String: Data]) -> SetAsideRecord? {
        guard let data = items[notes + name], let note = try? StoredJSON.decode(SetAsideNote.self, from: data),
            let key = try? StoreKey(note.key)
        else { return nil }
        return SetAsideRecord(key: key, place: damaged + name, reason: note.reason, time: note.time)
    }

    private static func setAsideContent(of record: SetAsideRecord, in items: [String: Data]) -> SetAsideContent? {
        guard record.place.hasPrefix(damaged), let data = items[record.place],
            setAsideRecord(record.place.dropFirst(damaged.count), in: items)?.id == record.id
        else { return nil }
        return SetAsideContent(data, Envelope.reading(data), of: record)
    }

    private static func forget(_ record: SetAsideRecord, in items: inout [String: Data]) {
        items[notes + record.place.dropFirst(damaged.count)] = nil
        items[record.place] = nil
    }
}

/// Reports which items of an entry have changed: at each notification of the defaults, and on Apple platforms of those of
/// other processes.
private final class DefaultsObserver: Sendable {
    private let suite: String?
    private let entry: String
    private let report: @Sendable ([String]) -> Void
    private let seen: Lock<Seen>

    private struct Seen {
        var items: [String: Data]
        /// The number of the comparison that read them.
        var comparison = 0
        var lastComparison = 0
    }

    init(suite: String?, entry: String, report: @escaping @Sendable ([String]) -> Void) {
        self.suite = suite
        self.entry = entry
        self.report = report
        self.seen = Lock(Seen(items: Self.items(suite: suite, entry: entry)))
    }

    private static func items(suite: String?, entry: String) -> [String: Data] {
        UserDefaults(suiteName: suite)?.dictionary(forKey: entry) as? [String: Data] ?? [:]
    }

    func begin() -> ChangeWatch {
        #if canImport(Darwin)
            let observer = KeyObserver(suite: suite, entry: entry) { self.compare() }
            return ChangeWatch { observer.stop() }
        #else
            // Unsafe: only passed back to the notification center, which any thread may do.
            nonisolated(unsafe) let observer = NotificationCenter.default.addObserver(
                forName: UserDefaults.didChangeNotification, object: nil, queue: nil
            ) { _ in self.compare() }
            return ChangeWatch { NotificationCenter.default.removeObserver(observer) }
        #endif
    }

    /// Reports what differs from the last time.
    ///
    /// The items are read outside the lock: the defaults may notify while they are read. So of two comparisons at once, the one
    /// that began later wins: it reads all that was written before its notification.
    private func compare() {
        let comparison = seen.withLock { seen in
            seen.lastComparison += 1
            return seen.lastComparison
        }
        let now = Self.items(suite: suite, entry: entry)
        let names = seen.withLock { seen -> Set<String> in
            guard comparison > seen.comparison else { return [] }
            let before = seen.items
            seen.items = now
            seen.comparison = comparison
            return Set(before.keys).union(now.keys).filter { before[$0] != now[$0] }
        }
        if !names.isEmpty { report(Array(names)) }
    }
}

#if canImport(Darwin)
    /// Observes one entry of the defaults, also changes by other processes.
    private final class KeyObserver: NSObject, Sendable {
        private let defaults: UserDefaults?
        private let entry: String
        private let changed: @Sendable () -> Void

        init(suite: String?, entry: String, changed: @escaping @Sendable () -> Void) {
            self.defaults = UserDefaults(suiteName: suite)
            self.entry = entry
            self.changed = changed
            super.init()
            defaults?.addObserver(self, forKeyPath: entry, options: [], context: nil)
        }

        func stop() {
            defaults?.removeObserver(self, forKeyPath: entry)
        }

        override func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            changed()
        }
    }
#endif
