import DurableFiles
public import Foundation
import SystemPackage

/// A damaged database that was moved out of use, with its log and blobs: see ``AppDatabase/setAside``.
public struct SetAsideFolder: Hashable, Sendable {
    /// The folder's name in the data folder; it contains the time.
    public var name: String
    /// The folder's path.
    public var path: String
    /// The size of each file in bytes, by its path in the folder.
    public var files: [String: Int64]

    /// The total size in bytes.
    public var bytes: Int64 { files.values.reduce(0, +) }
}

/// A value that a ``SQLiteStore`` has set aside.
public struct SetAsideValue: Hashable, Sendable {
    /// Its row number.
    public var id: Int64
    /// The owner of the store.
    public var owner: OwnerID
    /// The key in the store.
    public var key: String
    /// The name of its format.
    public var format: String
    /// Why the store set it aside.
    public var reason: String
    /// When the store set it aside.
    public var time: Date
    /// The payload's size in bytes.
    public var bytes: Int
}

extension AppDatabase {
    /// The values that the stores of all owners have set aside, newest first; at most 1,000.
    public func setAsideValues() async throws(StoreError) -> [SetAsideValue] {
        let database: any SQLDatabase = self
        return try await database.setAsideValues()
    }

    /// The payload of a value that was set aside; `nil` if there is no such row.
    public func setAsideBytes(of id: Int64) async throws(StoreError) -> Data? {
        let database: any SQLDatabase = self
        return try await database.setAsideBytes(of: id)
    }
}

extension SQLDatabase {
    /// The values that the stores of all owners have set aside, newest first; at most 1,000.
    package func setAsideValues() async throws(StoreError) -> [SetAsideValue] {
        try await readRows { connection in
            try connection.rows(
                """
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

    /// The payload of a value that was set aside; `nil` if there is no such row.
    package func setAsideBytes(of id: Int64) async throws(StoreError) -> Data? {
        try await readRows { connection in
            try connection.row("SELECT payload FROM stored_set_aside WHERE id = ?", [id]).map { row in
                try row.decode(Data?.self, atIndex: 0) ?? Data()
            }
        }
    }
}

extension DataFolder {
    /// The damaged databases that were set aside, newest first.
    public func setAsideFolders() async throws(StoreError) -> [SetAsideFolder] {
        try await DiskWork.run { () throws(StoreError) in
            Disk.names(in: path).filter { $0.hasPrefix("set-aside-") && Disk.isFolder(path(of: $0)) }.sorted(by: >).map
            {
                name in
                let folder = path(of: name)
                var files: [String: Int64] = [:]
                for file in Self.files(in: folder, depth: 3) {
                    files[file] = Disk.stamp(of: "\(folder)/\(file)").map { Int64($0.bytes) }
                }
                return SetAsideFolder(name: name, path: folder, files: files)
            }
        }
    }

    /// The paths of all regular files in a folder; symbolic links are not followed.
    private static func files(in folder: String, depth: Int) -> [String] {
        guard depth > 0 else { return [] }
        return Disk.names(in: folder).flatMap { name in
            let path = "\(folder)/\(name)"
            if Disk.isRegularFile(path) { return [name] }
            return Disk.isFolder(path) && !Disk.isLink(path)
                ? files(in: path, depth: depth - 1).map { "\(name)/\($0)" } : []
        }
    }
}

extension SetAsideFolder {
    /// A tar archive of all files, read chunk by chunk as the consumer requests them.
    ///
    /// - Returns: The chunks; the sequence throws if a file has become shorter.
    package func archive() -> AsyncThrowingStream<Data, any Error> {
        let reader = ArchiveReader(self)
        return AsyncThrowingStream {
            try await reader.next()
        }
    }

    /// The archive's size in bytes.
    package var archiveBytes: Int64 {
        let block = Int64(BackupEntry.blockSize)
        return files.values.reduce(2 * block) { $0 + block + $1 + Int64(BackupEntry.padding(after: $1)) }
    }
}

/// Reads a folder's files as a tar archive, chunk by chunk.
private actor ArchiveReader {
    private let executor = DiskExecutor()
    private let folder: SetAsideFolder
    private var names: ArraySlice<String>
    private var file: BackupFile?
    private var offset: Int64 = 0
    private var isEnded = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ folder: SetAsideFolder) {
        self.folder = folder
        self.names = folder.files.keys.sorted()[...]
    }

    func next() throws(StoreError) -> Data? {
        if let file {
            let size = folder.files[names.first ?? ""] ?? 0
            let wanted = Int(min(Int64(BackupFile.chunkSize), size - offset))
            var data = try file.read(wanted, at: offset)
            guard data.count == wanted else {
                throw StoreError(.corrupt, "\(file.path) has become shorter. Reload the page and try again.")
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
            file = try BackupFile("\(folder.path)/\(name)")
            offset = 0
        } else {
            names = names.dropFirst()
        }
        return Data(BackupEntry.header(of: name, size: size))
    }
}
