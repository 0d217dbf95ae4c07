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

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - suite: The name of the defaults, an app group's for example; `nil` for the app's own.
    ///   - entry: Under which of them the values are; without a dot, at which observing would part it.
    ///   - lock: A file that all processes lock that write these defaults.
    ///   - now: The time, for what is set aside.
    /// - Throws: ``StoreError`` with the code `invalidName` if there can be no such suite.
    public init(
        suite: String? = nil, entry: String = "meanwhile-store",
        lock: String = NSTemporaryDirectory() + "meanwhile.store.lock",
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) {
        guard let defaults = UserDefaults(suiteName: suite) else {
            throw StoreError(
                .invalidName, "There can be no defaults named “\(suite ?? "")”. Use another name.")
        }
        self.defaults = defaults
        self.entry = entry
        self.lock = lock
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
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            let taken = try onDisk("could not be locked, and nothing was written", at: lock) { () throws(Errno) in
                try FileLock.taken(at: lock)
            }
            if let taken { return taken }
            Thread.sleep(forTimeInterval: 0.001)
        }
        throw StoreError(
            .locked, "\(lock) was held by another process for too long. Try again when that has ended.")
    }
}

extension UserDefaultsStore: Store {
    /// Reads what is kept under a name.
    public func read(_ key: StoreKey) async throws(StoreError) -> StoredRecord? {
        switch try items.find(key) {
        case .nothing: nil
        case .whole(let record): record
        case .damaged: try change { (items) throws(StoreError) in try items.repaired(key) }.orThrow()
        }
    }

    /// The names that begin so, in order.
    public func keys(beginningWith prefix: String) async throws(StoreError) -> [StoreKey] {
        items.keys(beginningWith: prefix)
    }

    /// Writes all of it, or nothing.
    public func commit(_ writes: [StoreWrite]) async throws(StoreError) -> CommitResult {
        try change { (items) throws(StoreError) in try items.commit(writes) }
    }

    /// Moves a value to another name within the entry.
    public func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(StoreError) -> SetAsideRecord? {
        try change { (items) throws(StoreError) in try items.setAside(key, revision: revision, reason: reason) }
    }

    /// The values that are set aside, the oldest first.
    public func setAsideRecords() async throws(StoreError) -> [SetAsideRecord] {
        items.setAsideRecords()
    }

    /// Reads a value that was set aside; its bytes are the item's.
    public func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent? {
        items.setAsideContent(of: record)
    }

    /// Stores a value that was set aside again, in one change of the entry.
    @discardableResult
    public func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(StoreError) -> RestoredRecord {
        try change { (items) throws(StoreError) in
            try items.restore(record, expecting: expectation, reason: reason)
        }
    }

    /// Deletes a value that was set aside.
    @discardableResult
    public func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool {
        try change { (items) throws(StoreError) in try items.removeSetAside(record) }
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
    /// - Throws: ``StoreError``: `locked`, or the error of a disk.
    @discardableResult
    public func adopt(
        entry: String, as key: StoreKey, format: String, version: Int
    ) async throws(StoreError) -> Bool {
        guard let payload = defaults.data(forKey: entry) else { return false }
        let content = StoredContent(format: format, version: version, payload: payload)
        return try change { (items) throws(StoreError) in items.adopt(content, as: key, from: entry) }
    }
}

extension UserDefaults {
    /// The items of a store's entry.
    fileprivate func items(of entry: String) -> [String: Data] {
        dictionary(forKey: entry) as? [String: Data] ?? [:]
    }
}

/// Reports which items of an entry have changed: at each notification of the defaults, and on Apple platforms of those of
/// other processes.
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

    /// Reports what differs from the last time.
    ///
    /// The items are read outside the lock: the defaults may notify while they are read. So of two comparisons at once, the one
    /// that began later wins: it reads all that was written before its notification.
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
