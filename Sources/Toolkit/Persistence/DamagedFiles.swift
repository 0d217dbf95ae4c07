import DurableFiles
import Foundation
import SystemPackage

/// Sets a damaged database aside: moves it, its log and its blobs into a new folder, which is a complete data folder.
struct DamagedFiles {
    let folder: DataFolder
    let now: @Sendable () -> Date

    /// The files to move; the database is the last, so that it is still in place if the move is interrupted.
    static let names = [
        "blobs", "meanwhile.sqlite-wal", "meanwhile.sqlite-shm", "meanwhile.sqlite-journal", "meanwhile.sqlite",
    ]

    /// The suffix of the folder's name until all files are moved.
    private static let unfinished = ".part"
}

extension DamagedFiles {
    /// A file that exists only if the database has been written to; `nil` if there is none.
    var strayFile: String? {
        let log = folder.logPath
        if let file = Disk.stamp(of: log), file.bytes > 0 { return log }
        let blobs = Disk.names(in: folder.blobsPath).filter { !$0.hasPrefix(".") }
            .map { "\(folder.blobsPath)/\($0)" }
        return blobs.first { !Disk.names(in: $0).isEmpty }
    }

    /// Moves the files into a new folder and returns its path; throws if another process has the database open.
    ///
    /// `usageLock` is the lock that each process with the database open shares. It is held exclusively afterwards.
    func setAside(because reason: String, holding usageLock: FileLock) throws(StoreError) -> String {
        try lockExclusively(usageLock, because: reason)
        let path = freePath()
        return try settingAside(because: reason) { () throws(Errno) in
            try Disk.real.makeFolder(path + Self.unfinished)
            return try move(into: path)
        }
    }

    /// Finishes a move that a process didn't complete because it was killed.
    ///
    /// - Parameter usageLock: The lock that each process with the database open shares. It is held exclusively
    ///   afterwards if a move was finished.
    /// - Returns: The folder that contains the files now; `nil` if no move was interrupted.
    /// - Throws: ``StoreError``, for example if another process has the database open.
    func finish(holding usageLock: FileLock) throws(StoreError) -> String? {
        let reason = "it was being set aside when a process ended"
        let begun = Disk.names(in: folder.path).last { $0.hasPrefix("set-aside-") && $0.hasSuffix(Self.unfinished) }
        guard let begun else { return nil }
        try lockExclusively(usageLock, because: reason)
        return try settingAside(because: reason) { () throws(Errno) in
            try move(into: folder.path(of: String(begun.dropLast(Self.unfinished.count))))
        }
    }
}

extension DamagedFiles {
    private func lockExclusively(_ usageLock: FileLock, because reason: String) throws(StoreError) {
        guard try settingAside(because: reason, { () throws(Errno) in try usageLock.tryAcquire(.exclusive) }) else {
            throw StoreError(
                .corrupt,
                "\(folder.databasePath) is damaged (\(reason)), and another process has it open. Stop that process and "
                    + "start again: the file is then set aside, and a new one created.")
        }
    }

    private func move(into path: String) throws(Errno) -> String {
        let unfinished = path + Self.unfinished
        for item in Self.names where Disk.exists(folder.path(of: item)) {
            guard !Disk.exists("\(unfinished)/\(item)") else { throw .fileExists }
            try Disk.real.rename(folder.path(of: item), to: "\(unfinished)/\(item)")
        }
        try Disk.real.syncFolder(unfinished)
        try Disk.real.rename(unfinished, to: path)
        try Disk.real.syncFolder(folder.path)
        return path
    }

    private func freePath() -> String {
        let first = folder.path(of: "set-aside-\(now().inFileName)")
        var path = first
        var number = 1
        while Disk.exists(path) || Disk.exists(path + Self.unfinished) {
            number += 1
            path = "\(first)-\(number)"
        }
        return path
    }

    private func settingAside<Value>(
        because reason: String, _ calls: () throws(Errno) -> Value
    ) throws(StoreError) -> Value {
        try onDisk(
            "is damaged (\(reason)) and could not be set aside; nothing was overwritten", at: folder.databasePath, calls
        )
    }
}

extension Date {
    /// The time as a part of a file name: `2026-11-21T19-30-00Z`.
    var inFileName: String {
        formatted(Date.ISO8601FormatStyle(timeZone: .gmt)).replacing(":", with: "-")
    }
}
