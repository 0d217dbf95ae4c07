import DurableFiles
public import Foundation
import SystemPackage

/// A folder of successive backups of one data folder.
///
/// Each file name contains the backup's time. The retention policy keeps the last three backups. It also keeps the
/// last backup of each of the last seven days, four weeks and twelve months (in GMT) that have one. A successful
/// backup deletes the others.
public struct BackupFolder: Sendable {
    /// A backup file.
    public struct Entry: Hashable, Sendable {
        /// The file's name.
        public var name: String
        /// When the backup started.
        public var created: Date
        /// The file size in bytes.
        public var bytes: Int64
    }

    /// The folder's absolute path.
    public let path: String

    /// Creates the folder if it is missing, with access for its owner only; a relative path begins at the current folder.
    public init(at path: String) throws(StoreError) {
        self.path = try DataFolder.make(at: path).path
    }
}

// MARK: - Listing

extension BackupFolder {
    private static let (prefix, suffix) = ("meanwhile-", ".tar")

    /// The complete backups, newest first.
    ///
    /// Unfinished backups, other files and symbolic links are left out.
    ///
    /// - Throws: ``StoreError``, if the folder cannot be read.
    public func entries() async throws(StoreError) -> [Entry] {
        try await DiskWork.run { () throws(StoreError) in try list() }
    }

    /// The path of a complete backup; `nil` if the folder contains no backup of that name.
    ///
    /// - Throws: ``StoreError``, if the folder cannot be read.
    public func path(of name: String) async throws(StoreError) -> String? {
        try await entries().contains { $0.name == name } ? "\(path)/\(name)" : nil
    }

    private func list() throws(StoreError) -> [Entry] {
        try names().compactMap { name in
            let file = "\(path)/\(name)"
            // Another account could place a link here that leads to a file of this account.
            guard let created = Self.date(in: name), Disk.isRegularFile(file), let file = Disk.stamp(of: file) else {
                return nil
            }
            return Entry(name: name, created: created, bytes: Int64(file.bytes))
        }.sorted { ($0.created, $0.name) > ($1.created, $1.name) }
    }

    private func names() throws(StoreError) -> [String] {
        return try onDisk("could not be read", at: path) { () throws(Errno) in try Disk.real.list(path) }
    }

    private static func name(at date: Date) -> String { prefix + date.inFileName + suffix }

    /// The time in a backup's file name; `nil` for any other name.
    private static func date(in name: String) -> Date? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let text = name.dropFirst(prefix.count).dropLast(suffix.count)
        guard let time = text.firstIndex(of: "T") else { return nil }
        let date = try? Date(
            text[..<time] + text[time...].replacing("-", with: ":"), strategy: Date.ISO8601FormatStyle(timeZone: .gmt))
        // Accept only the spelling that `name(at:)` writes.
        return date.flatMap { Self.name(at: $0) == name ? $0 : nil }
    }
}

// MARK: - Backing up

extension BackupFolder {
    /// Creates a backup, or resumes an interrupted one, and deletes the backups that the retention policy does not keep.
    ///
    /// - Parameters:
    ///   - database: The database to copy, with its blobs.
    ///   - now: Returns the current time.
    ///   - progress: Called often, on any thread.
    /// - Returns: The backup's summary.
    /// - Throws: ``StoreError``, as ``AppDatabase/backUp(to:now:progress:)``: `inUse` if another process backs up to this folder.
    public func backUp(
        _ database: AppDatabase, now: @escaping @Sendable () -> Date = { Date() },
        progress: @escaping Backup.ProgressHandler = { _ in }
    ) async throws(StoreError) -> Backup.Summary {
        let lock = try await DiskWork.run { () throws(StoreError) in try lockExclusively() }
        defer { lock.release() }
        let start = now()
        let name = try await DiskWork.run { () throws(StoreError) in
            let name = freeName(from: start)
            try resume(as: name)
            return name
        }
        let summary = try await database.backUp(to: "\(path)/\(name)", now: now, progress: progress)
        try await DiskWork.run { () throws(StoreError) in try deleteExpired() }
        return summary
    }

    private func lockExclusively() throws(StoreError) -> FileLock {
        let place = "\(path)/.backup.lock"
        if let lock = try onDisk(
            "could not be locked", at: place, { () throws(Errno) in try FileLock.acquired(at: place) })
        {
            return lock
        }
        throw StoreError(.inUse, "Another process is backing up to \(path). Wait until it has finished.")
    }

    /// The first unused name at a time or after it: names have a resolution of one second.
    private func freeName(from start: Date) -> String {
        var date = start
        while Disk.exists("\(path)/\(Self.name(at: date))") { date += 1 }
        return Self.name(at: date)
    }

    /// Renames the newest interrupted backup, so that the next one continues it, and deletes older leftovers.
    private func resume(as name: String) throws(StoreError) {
        let part = ".part"
        let begun = try names().filter { $0.hasSuffix(part) && Self.date(in: String($0.dropLast(part.count))) != nil }
        let copies = try names().filter { name in
            guard let end = name.range(of: "\(Self.suffix).database") else { return false }
            return Self.date(in: name[..<end.lowerBound] + Self.suffix) != nil
        }
        try onDisk("could not be changed", at: path) { () throws(Errno) in
            for copy in copies { try Disk.real.removeFile("\(path)/\(copy)") }
            for old in begun.sorted().dropLast() { try Disk.real.removeFile("\(path)/\(old)") }
            guard let last = begun.max(), last != name + part else { return }
            try Disk.real.rename("\(path)/\(last)", to: "\(path)/\(name)\(part)")
        }
    }

    private func deleteExpired() throws(StoreError) {
        let entries = try list()
        let retained = Self.retained(of: entries.map(\.created))
        for entry in entries where !retained.contains(entry.created) {
            try onDisk("could not be removed", at: "\(path)/\(entry.name)") { () throws(Errno) in
                try Disk.real.removeFile("\(path)/\(entry.name)")
            }
        }
    }

    /// The dates of the backups that the retention policy keeps.
    static func retained(of dates: [Date]) -> Set<Date> {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        let newestFirst = dates.sorted(by: >)
        var retained = Set(newestFirst.prefix(3))
        let rules: [(Set<Calendar.Component>, Int)] = [
            ([.year, .month, .day], 7), ([.yearForWeekOfYear, .weekOfYear], 4), ([.year, .month], 12),
        ]
        for (components, count) in rules {
            var seen: Set<DateComponents> = []
            for date in newestFirst where seen.count < count {
                if seen.insert(calendar.dateComponents(components, from: date)).inserted { retained.insert(date) }
            }
        }
        return retained
    }
}
