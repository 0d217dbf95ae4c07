public import Foundation
import GRDB
import SystemPackage

/// A damaged database that was moved away with all that belongs to it: see ``Database/setAside``.
public struct SetAsideFolder: Hashable, Sendable {
    /// The folder's name within the data folder, which has the time in it.
    public var name: String
    /// The folder's path.
    public var path: String
    /// The files in it, by their paths within it, and how long they are, in bytes.
    public var files: [String: Int64]

    /// How long all files are together, in bytes.
    public var bytes: Int64 { files.values.reduce(0, +) }
}

/// A value that could not be read, as it was kept.
public struct SetAsideValue: Hashable, Sendable {
    /// Its number among those that were set aside.
    public var id: Int64
    /// Whose it was.
    public var owner: String
    /// The name that it was kept under.
    public var key: String
    /// The format that it was written in, such as `json`.
    public var format: String
    /// Why it could not be read.
    public var reason: String
    /// When that was noticed.
    public var time: Date
    /// How long it is, in bytes.
    public var bytes: Int
}

extension Database {
    /// All values that were set aside, of all owners, the newest first; at most 1,000.
    ///
    /// - Throws: ``PersistenceError``.
    public func setAsideValues() async throws(PersistenceError) -> [SetAsideValue] {
        try await read { connection in
            try Row.fetchAll(
                connection,
                sql: """
                    SELECT id, owner, key, format, reason, time, coalesce(length(payload), 0) FROM stored_set_aside
                    ORDER BY id DESC LIMIT 1000
                    """
            ).map { row in
                SetAsideValue(
                    id: try row.decode(atIndex: 0), owner: try row.decode(atIndex: 1), key: try row.decode(atIndex: 2),
                    format: try row.decode(atIndex: 3), reason: try row.decode(atIndex: 4),
                    time: Date(timeIntervalSince1970: try row.decode(atIndex: 5)), bytes: try row.decode(atIndex: 6))
            }
        }
    }

    /// The bytes of a value that was set aside; `nil` if there is none of that number.
    ///
    /// - Throws: ``PersistenceError``.
    public func setAsideBytes(of id: Int64) async throws(PersistenceError) -> Data? {
        try await read { connection in
            guard
                let row = try Row.fetchOne(
                    connection, sql: "SELECT coalesce(payload, x'') FROM stored_set_aside WHERE id = ?",
                    arguments: [id])
            else { return nil }
            return try row.decode(Data.self, atIndex: 0)
        }
    }
}

extension DataFolder {
    /// The databases that were set aside, the newest first.
    public func setAsideFolders() async throws(PersistenceError) -> [SetAsideFolder] {
        try await DiskWork.run { () throws(PersistenceError) in
            Disk.names(in: path).filter { $0.hasPrefix("set-aside-") && Disk.isFolder(path(of: $0)) }.sorted(by: >).map
            {
                name in
                let folder = path(of: name)
                var files: [String: Int64] = [:]
                for file in Self.files(in: folder, depth: 3) {
                    files[file] = Disk.file("\(folder)/\(file)").map { Int64($0.bytes) }
                }
                return SetAsideFolder(name: name, path: folder, files: files)
            }
        }
    }

    /// The paths of all files within a folder; blobs are in folders of folders.
    private static func files(in folder: String, depth: Int) -> [String] {
        guard depth > 0 else { return [] }
        return Disk.names(in: folder).flatMap { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            // What a link leads to was not set aside.
            guard let type = attributes?[.type] as? FileAttributeType, type == .typeDirectory else {
                return attributes?[.type] as? FileAttributeType == .typeRegular ? [name] : []
            }
            return files(in: "\(folder)/\(name)", depth: depth - 1).map { "\(name)/\($0)" }
        }
    }
}

extension SetAsideFolder {
    /// All files in one tar archive, piece by piece, as they are asked for.
    ///
    /// - Returns: The pieces; the sequence ends with an error if a file is not what it was.
    package func archive() -> AsyncThrowingStream<Data, any Error> {
        let reader = ArchiveReader(self)
        return AsyncThrowingStream {
            try await DiskWork.run { () throws(PersistenceError) in try reader.next() }
        }
    }

    /// The length of the archive in bytes.
    package var archiveBytes: Int64 {
        let block = Int64(BackupEntry.blockSize)
        return files.values.reduce(2 * block) { $0 + block + $1 + Int64(BackupEntry.padding(after: $1)) }
    }
}

/// Reads the pieces of an archive of a folder, one after another.
///
/// `@unchecked`: whoever reads asks for the next piece only when there is the one before, as a stream does.
private final class ArchiveReader: @unchecked Sendable {
    private let folder: SetAsideFolder
    private var names: ArraySlice<String>
    private var file: BackupFile?
    private var offset: Int64 = 0
    private var isEnded = false

    init(_ folder: SetAsideFolder) {
        self.folder = folder
        self.names = folder.files.keys.sorted()[...]
    }

    func next() throws(PersistenceError) -> Data? {
        if let file {
            let size = folder.files[names.first ?? ""] ?? 0
            let wanted = Int(min(Int64(BackupFile.piece), size - offset))
            var data = try file.read(wanted, at: offset)
            guard data.count == wanted else {
                throw PersistenceError(.corrupt, "\(file.path) is shorter than it was.")
            }
            offset += Int64(wanted)
            if offset == size {
                data += Data(count: BackupEntry.padding(after: size))
                names = names.dropFirst()
                self.file = nil
            }
            return data
        }
        guard let name = names.first else {
            defer { isEnded = true }
            return isEnded ? nil : Data(count: 2 * BackupEntry.blockSize)
        }
        let size = folder.files[name] ?? 0
        if size > 0 {
            file = try BackupFile("\(folder.path)/\(name)", O_RDONLY)
            offset = 0
        } else {
            names = names.dropFirst()
        }
        return Data(BackupEntry.header(of: name, size: size))
    }
}
