public import DurableFiles
public import Foundation
import Futures
import HTTPTypes
import Loading

/// A cache's records and contents in memory: for tests, and for programs that keep nothing.
///
/// When there is more than its bound, what was used least recently goes first.
public final class MemoryCacheStorage: HTTPCacheStorage {
    fileprivate struct Entry: Sendable {
        var records: [CacheRecord]
        /// How many bytes it has without its contents.
        var bytes: Int
    }

    fileprivate struct Stored: Sendable {
        var data: Data
        /// How many records are of this content.
        var references: Int
    }

    fileprivate struct State: Sendable {
        var entries = LRUCache<String, Entry>()
        var contents: [String: Stored] = [:]
        /// Those of contents.
        var bytes = 0
        /// Those of all else: answers without content, of which there can be any number, have such alone.
        var recordBytes = 0
    }

    private let bound: Int
    private let state = Lock(State())

    /// Creates an empty one.
    ///
    /// - Parameter bound: How many bytes it may have, of contents and of what is known of them.
    public init(bound: Int = 32 << 20) {
        self.bound = bound
    }

    /// Nothing waits.
    public var waitsForDisk: Bool { false }

    /// How many bytes of content there are.
    public var bytes: Int { state.withLock { $0.bytes } }
}

extension MemoryCacheStorage {
    /// The records of an address.
    public func records(of key: String) throws(FileError) -> [CacheRecord] {
        state.withLock { $0.entries[key]?.records ?? [] }
    }

    /// The content of a record, which has just been used.
    public func content(of record: CacheRecord, of key: String) throws(FileError) -> Data? {
        state.withLock { state in
            _ = state.entries.use(key)
            return state.contents[record.body.digest]?.data
        }
    }

    /// Changes the records of an address.
    public func change(
        _ key: String, adding content: Data?, _ change: @Sendable (inout [CacheRecord]) -> Void
    ) throws(FileError) {
        state.withLock { $0.change(key, adding: content, bound: bound, change) }
    }

    /// Drops everything.
    public func removeAll() throws(FileError) {
        state.withLock { $0 = State() }
    }
}

extension MemoryCacheStorage.State {
    mutating func change(
        _ key: String, adding content: Data?, bound: Int, _ change: (inout [CacheRecord]) -> Void
    ) {
        let old = entries[key]?.records ?? []
        var new = old
        change(&new)
        for record in new { retain(record, content, bound: bound) }
        for record in old { release(record) }
        // A record whose content nobody has brought would be of no use.
        let usable = new.filter { contents[$0.body.digest] != nil }
        recordBytes -= entries.remove(key)?.bytes ?? 0
        if !usable.isEmpty {
            let entry = MemoryCacheStorage.Entry(records: usable, bytes: Self.bytes(of: usable, key))
            entries.set(entry, for: key)
            recordBytes += entry.bytes
        }
        if bytes + recordBytes > bound { makeRoom(bound: bound) }
    }

    /// Drops what was used least recently, until there is an eighth less than the bound: not for each change anew.
    private mutating func makeRoom(bound: Int) {
        while bytes + recordBytes > bound - bound / 8, let (_, entry) = entries.removeLeastRecentlyUsed() {
            for record in entry.records { release(record) }
            recordBytes -= entry.bytes
        }
    }

    /// About as many bytes as records take.
    private static func bytes(of records: [CacheRecord], _ key: String) -> Int {
        records.reduce(key.utf8.count) { sum, record in
            let varying = record.varying.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
            let fields = record.headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 32 }
            return sum + varying + fields + 256
        }
    }

    private mutating func retain(_ record: CacheRecord, _ content: Data?, bound: Int) {
        let digest = record.body.digest
        if contents[digest] != nil {
            contents[digest]?.references += 1
        } else if let content, content.count == record.body.bytes, content.count <= bound {
            contents[digest] = .init(data: content, references: 1)
            bytes += content.count
        }
    }

    private mutating func release(_ record: CacheRecord) {
        let digest = record.body.digest
        guard let stored = contents[digest] else { return }
        contents[digest]?.references -= 1
        guard stored.references == 1 else { return }
        contents[digest] = nil
        bytes -= stored.data.count
    }
}
