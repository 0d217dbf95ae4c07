public import Foundation
import Futures
public import Persistence

/// A cache's records and contents in memory: for tests, and for programs that keep nothing.
///
/// When there is more than its bound, what was used least recently goes first.
public final class MemoryCacheStorage: HTTPCacheStorage {
    fileprivate struct Entry: Sendable {
        var records: [CacheRecord]
        var lastUse: Int
    }

    fileprivate struct Stored: Sendable {
        var data: Data
        /// How many records are of this content.
        var references: Int
    }

    fileprivate struct State: Sendable {
        var entries: [String: Entry] = [:]
        var contents: [String: Stored] = [:]
        var bytes = 0
        var uses = 0
    }

    private let bound: Int
    private let state = Lock(State())

    /// Creates an empty one.
    ///
    /// - Parameter bound: How many bytes of content it may have.
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
    public func records(of key: String) throws(PersistenceError) -> [CacheRecord] {
        state.withLock { $0.entries[key]?.records ?? [] }
    }

    /// The content of a record, which has just been used.
    public func content(of record: CacheRecord, of key: String) throws(PersistenceError) -> Data? {
        state.withLock { state in
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return state.contents[record.body.digest]?.data
        }
    }

    /// Changes the records of an address.
    public func change(
        _ key: String, adding content: Data?, _ change: @Sendable (inout [CacheRecord]) -> Void
    ) throws(PersistenceError) {
        state.withLock { $0.change(key, adding: content, bound: bound, change) }
    }

    /// Drops everything.
    public func removeAll() throws(PersistenceError) {
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
        for record in new { retain(record, content) }
        for record in old { release(record) }
        // A record whose content nobody has brought would be of no use.
        let usable = new.filter { contents[$0.body.digest] != nil }
        uses += 1
        entries[key] = usable.isEmpty ? nil : .init(records: usable, lastUse: uses)
        while bytes > bound, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            for record in oldest.value.records { release(record) }
            entries[oldest.key] = nil
        }
    }

    private mutating func retain(_ record: CacheRecord, _ content: Data?) {
        let digest = record.body.digest
        if contents[digest] != nil {
            contents[digest]?.references += 1
        } else if let content, content.count == record.body.bytes {
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
