import Foundation

/// Values as items of a dictionary, each an ``Envelope``; ``MemoryStore`` and ``UserDefaultsStore`` are built on it.
struct StoredItems: Equatable {
    private static let values = "value/"
    private static let previous = "previous/"
    private static let damaged = "damaged/"
    private static let notes = "note/"
    private static let adopted = "adopted/"

    var items: [String: Data] = [:]
    /// The time of the current change.
    var now = Date.distantPast

    /// The keys with a prefix, sorted.
    func keys(beginningWith prefix: String) -> [StoreKey] {
        items.keys.compactMap(Self.key).filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// The key of an item that contains a value; `nil` for items of another kind.
    static func key(_ item: String) -> StoreKey? {
        guard item.hasPrefix(values) else { return nil }
        return item.dropFirst(values.count).removingPercentEncoding.flatMap { try? StoreKey($0) }
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)

    /// A key as ASCII, because dictionaries treat two Unicode spellings of a character (`ä` as one scalar or two) as equal.
    private static func name(_ key: StoreKey) -> String { key.escaped(keeping: plain) }

    /// Imports a value from an entry outside the store, once, and only if its key has no value.
    mutating func adopt(_ content: StoredContent, as key: StoreKey, from entry: String) -> Bool {
        guard items.updateValue(Data(), forKey: Self.adopted + entry) == nil,
            items[Self.values + Self.name(key)] == nil
        else { return false }
        put(content, under: key)
        return true
    }

    @discardableResult
    private mutating func put(_ content: StoredContent, under key: StoreKey) -> Revision {
        let name = Self.name(key)
        let revision = Revision(UUID().uuidString)
        items[Self.previous + name] = items[Self.values + name]
        items[Self.values + name] = Envelope.data(of: content, revision: revision)
        return revision
    }
}

extension StoredItems: StoreEngine {
    func find(_ key: StoreKey) throws(StoreError) -> StoredFinding {
        guard let data = items[Self.values + Self.name(key)] else { return .nothing }
        switch Envelope.reading(data) {
        case .intact(let record):
            return .intact(record)
        case .damaged(let reason):
            return .damaged(reason)
        case .newer(let version):
            throw StoreError(
                .newerVersion,
                "“\(key)” was written by a newer version of this program, in format \(version). It was not changed. "
                    + "Use the newer version.")
        }
    }

    mutating func write(_ writes: [StoreWrite]) -> [StoreKey: Revision] {
        var revisions: [StoreKey: Revision] = [:]
        for write in writes {
            if let content = write.content {
                revisions[write.key] = put(content, under: write.key)
            } else {
                items[Self.previous + Self.name(write.key)] = nil
                items[Self.values + Self.name(write.key)] = nil
            }
        }
        return revisions
    }

    mutating func takePrevious(_ key: StoreKey) -> SetAsideRecord? {
        items[Self.values + Self.name(key)] = items.removeValue(forKey: Self.previous + Self.name(key))
        return nil
    }
}

// MARK: - Values that are set aside

extension StoredItems {
    mutating func copyAside(_ key: StoreKey, because reason: String) throws(StoreError) -> SetAsideRecord {
        var number = 1
        var name = "\(now.inFileName)/\(Self.name(key))"
        while items[Self.damaged + name] != nil {
            number += 1
            name = "\(now.inFileName)-\(number)/\(Self.name(key))"
        }
        let note = SetAsideNote(key: key.name, reason: reason, time: now)
        items[Self.notes + name] = try SetAsideNote.format.content(of: note).payload
        items[Self.damaged + name] = items[Self.values + Self.name(key)]
        return SetAsideRecord(key: key, place: Self.damaged + name, reason: reason, time: now)
    }

    /// The values that are set aside, oldest first.
    func setAsideRecords() -> [SetAsideRecord] {
        items.keys.filter { $0.hasPrefix(Self.damaged) }.compactMap(setAsideRecord)
            .sorted { ($0.time, $0.place.count, $0.place) < ($1.time, $1.place.count, $1.place) }
    }

    func setAsideContent(of record: SetAsideRecord) -> SetAsideContent? {
        guard let data = items[record.place], setAsideRecord(record.place)?.id == record.id else { return nil }
        return SetAsideContent(data, Envelope.reading(data), of: record)
    }

    mutating func remove(setAside record: SetAsideRecord) {
        items[Self.note(at: record.place)] = nil
        items[record.place] = nil
    }

    private static func note(at place: String) -> String { notes + place.dropFirst(damaged.count) }

    private func setAsideRecord(_ place: String) -> SetAsideRecord? {
        guard place.hasPrefix(Self.damaged), let data = items[Self.note(at: place)],
            let note = try? StoredJSON.decode(SetAsideNote.self, from: data), let key = try? StoreKey(note.key)
        else { return nil }
        return SetAsideRecord(key: key, place: place, reason: note.reason, time: note.time)
    }
}

/// The metadata that is written beside a value that is set aside.
struct SetAsideNote: Codable {
    var key: String
    var reason: String
    var time: Date

    static let format = StoredFormat<SetAsideNote>("meanwhile.note")
}
