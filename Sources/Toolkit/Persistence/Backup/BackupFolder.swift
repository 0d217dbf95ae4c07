public import Foundation
import SystemPackage

/// A folder of backups that are made one after another, for one data folder.
///
/// Each has its time in its name. Those for which newer ones stand are removed: what stays are the last three, the last
/// of each of the last seven days, of each of the last four weeks, and of each of the last twelve months that have one.
public struct BackupFolder: Sendable {
    /// One of the backups.
    public struct Entry: Hashable, Sendable {
        /// The file's name.
        public var name: String
        /// When it was begun.
        public var created: Date
        /// How long the file is, in bytes.
        public var bytes: Int64
    }

    /// The folder's absolute path.
    public let path: String

    /// Makes the folder if it is not there, so that only its owner may enter it.
    ///
    /// - Parameter path: Its path; one that is not absolute begins at the current folder.
    /// - Throws: ``PersistenceError``, if it cannot be made.
    public init(at path: String) throws(PersistenceError) {
        self.path = try DataFolder.make(at: path).path
    }
}

// MARK: - What is there

extension BackupFolder {
    private static let (prefix, suffix) = ("meanwhile-", ".tar")

    /// The backups that are whole, the newest first; other files are none of them.
    ///
    /// - Throws: ``PersistenceError``, if the folder cannot be read.
    public func entries() async throws(PersistenceError) -> [Entry] {
        try await DiskWork.run { () throws(PersistenceError) in try list() }
    }

    /// The path of a backup of that name; `nil` if there is none, whatever else there is.
    ///
    /// - Throws: ``PersistenceError``, if the folder cannot be read.
    public func path(of name: String) async throws(PersistenceError) -> String? {
        try await entries().contains { $0.name == name } ? "\(path)/\(name)" : nil
    }

    private func list() throws(PersistenceError) -> [Entry] {
        try names().compactMap { name in
            guard let created = Self.date(in: name), let file = Disk.file("\(path)/\(name)") else { return nil }
            return Entry(name: name, created: created, bytes: Int64(file.bytes))
        }.sorted { ($0.created, $0.name) > ($1.created, $1.name) }
    }

    private func names() throws(PersistenceError) -> [String] {
        do throws(Errno) {
            return try Disk.real.list(path)
        } catch {
            throw PersistenceError(error, "could not be read", at: path)
        }
    }

    private static func name(at date: Date) -> String { prefix + date.inFileName + suffix }

    /// The time in a backup's name; `nil` for any other name.
    private static func date(in name: String) -> Date? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let text = name.dropFirst(prefix.count).dropLast(suffix.count)
        guard let time = text.firstIndex(of: "T") else { return nil }
        let date = try? Date(
            text[..<time] + text[time...].replacing("-", with: ":"), strategy: Date.ISO8601FormatStyle(timeZone: .gmt))
        // There is one way to write each.
        return date.flatMap { Self.name(at: $0) == name ? $0 : nil }
    }
}

// MARK: - One more

extension BackupFolder {
    /// Makes a backup, goes on with one that was broken off, and removes those for which newer ones stand.
    ///
    /// - Parameters:
    ///   - database: What is copied, with its files.
    ///   - now: The time.
    ///   - progress: Told how far it is.
    /// - Returns: What the backup holds.
    /// - Throws: ``PersistenceError``, as ``Database/backUp(to:now:progress:)``: `inUse` if another process makes one here.
    public func backUp(
        _ database: Database, now: @escaping @Sendable () -> Date = { Date() },
        progress: @escaping Backup.Watcher = { _ in }
    ) async throws(PersistenceError) -> Backup.Summary {
        let lock = try await DiskWork.run { () throws(PersistenceError) in try takeAlone() }
        defer { lock.release() }
        var date = now()
        // Names tell whole seconds.
        while Disk.exists("\(path)/\(Self.name(at: date))") { date += 1 }
        let name = Self.name(at: date)
        try await DiskWork.run { () throws(PersistenceError) in try takeOver(as: name) }
        let summary = try await database.backUp(to: "\(path)/\(name)", now: now, progress: progress)
        try await DiskWork.run { () throws(PersistenceError) in try removeSuperseded() }
        return summary
    }

    private func takeAlone() throws(PersistenceError) -> FileLock {
        let place = "\(path)/.backup.lock"
        do throws(Errno) {
            let lock = try FileLock(at: place)
            if try lock.take(.exclusive) { return lock }
        } catch {
            throw PersistenceError(error, "could not be locked", at: place)
        }
        throw PersistenceError(.inUse, "Another process makes a backup in \(path). Wait until it is done.")
    }

    /// Gives what was broken off the new name, so that its blobs need not be read again.
    private func takeOver(as name: String) throws(PersistenceError) {
        let part = ".part"
        let begun = try names().filter { $0.hasSuffix(part) && Self.date(in: String($0.dropLast(part.count))) != nil }
        let copies = try names().filter { name in
            guard let end = name.range(of: "\(Self.suffix).database") else { return false }
            return Self.date(in: name[..<end.lowerBound] + Self.suffix) != nil
        }
        do throws(Errno) {
            for copy in copies { try Disk.real.removeFile("\(path)/\(copy)") }
            for old in begun.sorted().dropLast() { try Disk.real.removeFile("\(path)/\(old)") }
            guard let last = begun.max(), last != name + part else { return }
            try Disk.real.rename("\(path)/\(last)", to: "\(path)/\(name)\(part)")
        } catch {
            throw PersistenceError(error, "could not be changed", at: path)
        }
    }

    private func removeSuperseded() throws(PersistenceError) {
        let entries = try list()
        let kept = Self.kept(of: entries.map(\.created))
        for entry in entries where !kept.contains(entry.created) {
            do throws(Errno) {
                try Disk.real.removeFile("\(path)/\(entry.name)")
            } catch {
                throw PersistenceError(error, "could not be removed", at: "\(path)/\(entry.name)")
            }
        }
    }

    /// Which of several backups stay.
    static func kept(of dates: [Date]) -> Set<Date> {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        let newestFirst = dates.sorted(by: >)
        var kept = Set(newestFirst.prefix(3))
        let rules: [(Set<Calendar.Component>, Int)] = [
            ([.year, .month, .day], 7), ([.yearForWeekOfYear, .weekOfYear], 4), ([.year, .month], 12),
        ]
        for (components, count) in rules {
            var seen: Set<DateComponents> = []
            for date in newestFirst where seen.count < count {
                if seen.insert(calendar.dateComponents(components, from: date)).inserted { kept.insert(date) }
            }
        }
        return kept
    }
}
