import DurableFiles
public import Foundation
import Futures
import SystemPackage

/// A store in `UserDefaults`, for small values of an app.
///
/// All values are stored in one entry of the defaults, so that several can change atomically.
///
/// On Apple platforms, a system process writes the defaults: a committed value survives the end of the app at once, but a crash
/// of the machine only after a moment. Several processes may share a suite. **On Linux**, Foundation writes a property list in
/// the user's configuration folder, in place: only one process may use a suite, and a crash of the machine during a write can
/// lose all of it. Prefer ``FolderStore`` or ``SQLiteStore`` there. The code for Apple platforms compiles only there, and has
/// never been run; the rest passes the stores' conformance suite on Linux.
public actor UserDefaultsStore {
    private let suite: String?
    private let defaults: UserDefaults
    private let entry: String
    private let lock: String?
    private let lockTimeout: Duration
    private let now: @Sendable () -> Date
    private let listeners: ChangeListeners<StoreKey>
    private let executor = DiskExecutor()

    /// Runs the store on a thread that may block, as it does while another process writes.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - suite: The name of the defaults' suite, such as an app group's; `nil` for the app's own.
    ///   - entry: The entry that contains the values. It must not contain a dot, which key-value observing treats as a separator.
    ///   - lock: The path of a lock file, which must be the same for all processes that write these defaults. If it is `nil`,
    ///     the file is in the container of the app group `suite` or, if there is none, in the app's temporary folder; on Linux,
    ///     in ``DataFolder/default(environment:)``.
    ///   - now: Returns the current time, for values that are set aside.
    /// - Throws: ``StoreError`` with the code `invalidName` if the suite's name is invalid.
    public init(
        suite: String? = nil, entry: String = "meanwhile-store", lock: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) {
        try self.init(suite: suite, entry: entry, lock: lock, lockTimeout: .seconds(10), now: now)
    }

    /// Opens the store, for tests of writers that wait.
    init(
        suite: String?, entry: String = "meanwhile-store", lock: String?, lockTimeout: Duration,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) {
        guard let defaults = UserDefaults(suiteName: suite) else {
            throw StoreError(
                .invalidName, "“\(suite ?? "")” is not a valid name for defaults. Use another name.")
        }
        self.suite = suite
        self.defaults = defaults
        self.entry = entry
        self.lock = lock
        self.lockTimeout = lockTimeout
        self.now = now
        self.listeners = ChangeListeners<StoreKey> { listeners in
            DefaultsObserver(suite: suite, entry: entry) { [weak listeners] names in
                listeners?.report(Set(names.compactMap(StoredItems.key)))
            }.begin()
        }
    }

    private var items: StoredItems { StoredItems(items: defaults.items(of: entry), now: now()) }

    private func change<Value>(
        _ body: (inout StoredItems) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let lock = try takeLock()
        defer { lock.release() }
        let before = items
        var items = before
        let value = try body(&items)
        if items != before {
            defaults.set(items.items, forKey: entry)
            defaults.synchronize()
            #if !canImport(Darwin)
                // Foundation on Linux posts it only when a whole domain is replaced or removed.
                NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: defaults)
            #endif
        }
        return value
    }

    private func takeLock() throws(StoreError) -> FileLock {
        let lock: String = if let lock = self.lock { lock } else { try Self.defaultLock(of: suite) }
        let end = ContinuousClock.now + lockTimeout
        while true {
            let taken = try onDisk("could not be locked, and nothing was written", at: lock) { () throws(Errno) in
                try FileLock.acquired(at: lock)
            }
            if let taken { return taken }
            if ContinuousClock.now >= end { break }
            Thread.sleep(until: Date.now + 0.001)
        }
        throw StoreError(
            .locked, "\(lock) was locked by another process for too long. Try again when that process ends.")
    }

    /// The path of a lock file that other accounts can't create, and that the processes of an app group share.
    private static func defaultLock(of suite: String?) throws(StoreError) -> String {
        #if canImport(Darwin)
            let container = suite.flatMap {
                FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: $0)?.path(percentEncoded: false)
            }
            // macOS returns a path for any name.
            let folder = container.flatMap { Disk.isFolder($0) ? $0 : nil } ?? NSTemporaryDirectory()
            return "\(folder)/meanwhile.store.lock"
        #else
            return try DataFolder.make(at: DataFolder.default()).path(of: "defaults.lock")
        #endif
    }
}

extension UserDefaultsStore: Store {
    /// Reads the record of a key.
    public func read(_ key: StoreKey) async throws(StoreError) -> StoredRecord? {
        switch try items.find(key) {
        case .nothing: nil
        case .intact(let record): record
        case .damaged: try change { (items) throws(StoreError) in try items.repaired(key) }.orThrow()
        }
    }

    /// The keys with a prefix, sorted.
    public func keys(beginningWith prefix: String) async throws(StoreError) -> [StoreKey] {
        items.keys(beginningWith: prefix)
    }

    /// Performs all writes, or none.
    public func commit(_ writes: [StoreWrite]) async throws(StoreError) -> CommitResult {
        try change { (items) throws(StoreError) in try items.commit(writes) }
    }

    /// Moves a value to another name within the entry.
    public func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(StoreError) -> SetAsideRecord? {
        try change { (items) throws(StoreError) in try items.setAside(key, revision: revision, reason: reason) }
    }

    /// The values that are set aside, oldest first.
    public func setAsideRecords() async throws(StoreError) -> [SetAsideRecord] {
        items.setAsideRecords()
    }

    /// Reads a value that is set aside; its bytes are those of the item.
    public func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent? {
        items.setAsideContent(of: record)
    }

    /// Restores a value that is set aside, in one change of the entry.
    @discardableResult
    public func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(StoreError) -> RestoredRecord {
        try change { (items) throws(StoreError) in
            try items.restore(record, expecting: expectation, reason: reason)
        }
    }

    /// Deletes a value that is set aside.
    @discardableResult
    public func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool {
        try change { (items) throws(StoreError) in try items.removeSetAside(record) }
    }

    /// The keys that this or another program may have changed, from now on.
    ///
    /// On Linux, only changes that a ``UserDefaultsStore`` of this process writes are reported.
    public nonisolated func updates() -> Updates<Set<StoreKey>> {
        listeners.updates()
    }
}

extension UserDefaultsStore {
    /// Imports a value that an app has stored by itself, as `Data` under a key of the same defaults.
    ///
    /// The value is imported once, and only if nothing is stored under `key`. The app's own entry is not changed.
    ///
    /// - Parameters:
    ///   - entry: The key that the app passed to `UserDefaults.set(_:forKey:)`.
    ///   - key: The key in this store.
    ///   - format: The name of the data's format, as in ``StoredFormat``.
    ///   - version: The version of that format.
    /// - Returns: Whether a value was imported.
    /// - Throws: ``StoreError``: `invalidName` if the format can't be stored, `locked`, or a file error.
    @discardableResult
    public func adopt(
        entry: String, as key: StoreKey, format: String, version: Int
    ) async throws(StoreError) -> Bool {
        guard let payload = defaults.data(forKey: entry) else { return false }
        let content = StoredContent(format: format, version: version, payload: payload)
        try StoreWrite.check([StoreWrite(key, content)])
        return try change { (items) throws(StoreError) in items.adopt(content, as: key, from: entry) }
    }
}

extension UserDefaults {
    /// The items of a store's entry; one that isn't data becomes data that is reported as damaged.
    fileprivate func items(of entry: String) -> [String: Data] {
        (dictionary(forKey: entry) ?? [:]).mapValues { value in
            // On Linux, the description of a string in a dictionary is `Optional("…")`.
            value as? Data ?? Data((value as? String ?? "\(value)").utf8)
        }
    }
}

/// Reports which items of an entry have changed, including changes by other processes on Apple platforms.
private final class DefaultsObserver: Sendable {
    private struct Seen {
        var items: [String: Data]
        /// The number of the comparison that read them.
        var comparison = 0
        var lastComparison = 0
    }

    private let suite: String?
    private let entry: String
    private let report: @Sendable (Set<String>) -> Void
    private let seen: Lock<Seen>

    init(suite: String?, entry: String, report: @escaping @Sendable (Set<String>) -> Void) {
        self.suite = suite
        self.entry = entry
        self.report = report
        self.seen = Lock(Seen(items: UserDefaults(suiteName: suite)?.items(of: entry) ?? [:]))
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

    /// Reports the items that differ from those of the last comparison.
    ///
    /// The items are read outside the lock, because reading the defaults may post a notification. If two comparisons run at once,
    /// the later one wins: it reads everything that was written before its notification.
    private func compare() {
        let comparison = seen.withLock { seen in
            seen.lastComparison += 1
            return seen.lastComparison
        }
        let now = UserDefaults(suiteName: suite)?.items(of: entry) ?? [:]
        let names = seen.withLock { seen -> Set<String> in
            guard comparison > seen.comparison else { return [] }
            let before = seen.items
            seen.items = now
            seen.comparison = comparison
            return Set(before.keys).union(now.keys).filter { before[$0] != now[$0] }
        }
        report(names)
    }
}

#if canImport(Darwin)
    /// Observes one entry of the defaults, including changes by other processes.
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
