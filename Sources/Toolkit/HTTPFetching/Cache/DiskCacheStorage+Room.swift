import Foundation
import Persistence
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension DiskCacheStorage {
    /// What is known of one of its files.
    struct KeptFile {
        var path: String
        var bytes: Int
        /// When it was used last, in nanoseconds since 1970.
        var used: Int64
    }

    /// How long something is half written at the most: a process that was killed leaves it.
    private static let longestWrite: Int64 = 3_600_000_000_000

    /// How far apart two uses are that are told apart; a mark for each would be a write for each.
    static let usesApart: Int64 = 1_000_000_000

    /// Removes what was used least recently, until there is an eighth less than the bound, if there is more than that.
    ///
    /// What is half written counts, and goes when it is its turn: processes that are killed again and again leave as much as
    /// they like. If it is being written after all, it is not kept.
    ///
    /// - Parameter written: What it is made for, which goes last: by its time alone, which a disk counts in steps of some
    ///   milliseconds, it would be no newer than what was used just before it.
    /// - Returns: How many bytes there are then.
    /// - Throws: `PersistenceError` if a file cannot be removed.
    func makeRoom(for written: Set<String>) throws(PersistenceError) -> Int {
        let files = files() + halves()
        var bytes = files.reduce(0) { $0 + $1.bytes }
        guard bytes > bound else { return bytes }
        let others = files.filter { !written.contains($0.path) }.sorted { $0.used < $1.used }
        for file in others + files.filter({ written.contains($0.path) }) {
            if bytes <= bound - bound / 8 { break }
            try remove(file.path)
            bytes -= file.bytes
        }
        return bytes
    }

    /// All that is kept.
    func files() -> [KeptFile] {
        ["entries", "contents"].flatMap { kind in
            names(in: "\(path)/\(kind)").flatMap { kept(in: "\(path)/\(kind)/\($0)") }
        }
    }

    /// What is half written; if it was long ago, it is removed.
    private func halves() -> [KeptFile] {
        let left = Self.now() - Self.longestWrite
        return kept(in: temporaryPath).filter { $0.used >= left || unlink($0.path) != 0 }
    }

    private func kept(in folder: String) -> [KeptFile] {
        names(in: folder).compactMap { name in
            var status = stat()
            guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            return KeptFile(path: "\(folder)/\(name)", bytes: Int(status.st_size), used: status.lastUse)
        }
    }

    private func names(in folder: String) -> [String] {
        (try? disk.list(folder)) ?? []
    }

    /// Notes that a file has been used: in its time of access, which nobody else sets, whatever the disk is mounted with.
    ///
    /// The time at which it was written stays, because it tells one file from another of the same name. That this cannot be
    /// done makes it look older than it is, and nothing worse.
    static func markUsed(_ file: String) {
        var status = stat()
        guard stat(file, &status) == 0, status.lastUse < now() - usesApart else { return }
        var times = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &times.0)
        times.1.tv_nsec = omit
        _ = withUnsafePointer(to: &times) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { utimensat(AT_FDCWD, file, $0, 0) }
        }
    }

    /// `UTIME_OMIT`, a macro that is not imported: this time stays what it is.
    private static var omit: Int {
        #if canImport(Darwin)
            -2
        #else
            (1 << 30) - 2
        #endif
    }

    static func now() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return FileStamp.nanoseconds(seconds: Int64(now.tv_sec), and: Int64(now.tv_nsec))
    }
}

extension stat {
    /// When it was used last, in nanoseconds since 1970.
    fileprivate var lastUse: Int64 {
        #if canImport(Darwin)
            let time = st_atimespec
        #else
            let time = st_atim
        #endif
        return FileStamp.nanoseconds(seconds: Int64(time.tv_sec), and: Int64(time.tv_nsec))
    }
}
