import Crypto
import DurableFiles
import Foundation
import Futures
import SystemPackage

/// The limits of the copies of blobs on one machine.
package struct BlobCacheLimits: Sendable {
    /// The size of all copies in bytes, above which the least recently used ones are removed.
    package var byteCount: Int64
    /// How long after its last use a copy isn't removed, so that a reader with its path can open it.
    package var useWindow: Duration
    /// How often a sweep lists all objects, to find those without a row.
    package var listingInterval: Duration

    /// Sets the limits; the defaults are 8 GiB, ten minutes and six hours.
    package init(
        byteCount: Int64 = 8 << 30, useWindow: Duration = .seconds(600), listingInterval: Duration = .seconds(21_600)
    ) {
        (self.byteCount, self.useWindow, self.listingInterval) = (byteCount, useWindow, listingInterval)
    }
}

/// The copies of blobs on this machine, if their contents are in a ``BlobObjects`` store.
///
/// Several processes may share the folder. Each one knows what it has added, and looks at the whole folder from time to
/// time. The modification time of a file is that of its last use.
final class BlobCache: Sendable {
    let objects: any BlobObjects
    private let folder: DataFolder
    let limits: BlobCacheLimits
    private let now: @Sendable () -> Date
    private let downloads = SingleFlight<BlobStore.ID, Void, Never, StoreError>(
        onCancel: StoreError(.cancelled, "The task was cancelled before the blob was copied."))
    private let state = Lock(State())

    private struct State {
        /// Whether the objects are known to belong to this database.
        var isClaimed = false
        /// What was added since the folder was looked at; `nil` if it never was.
        var added: Int64?
        var isRemoving = false
        /// When a sweep began to list all objects.
        var listedAt: Date?
    }

    init(
        _ objects: any BlobObjects, folder: DataFolder, limits: BlobCacheLimits, now: @escaping @Sendable () -> Date
    ) {
        (self.objects, self.folder, self.limits, self.now) = (objects, folder, limits, now)
    }
}

extension BlobCache {
    /// Copies an object into its file, and verifies it; concurrent calls for the same object share one copy.
    func download(_ id: BlobStore.ID, byteCount: Int, to path: String) async throws(StoreError) {
        _ = try await downloads.run(id) { () throws(StoreError) in
            try await self.copy(id, byteCount: byteCount, to: path)
        }
    }

    /// How many callers wait for the copy of an object.
    func waiterCount(_ id: BlobStore.ID) -> Int { downloads.waiterCount(id) }

    private func copy(_ id: BlobStore.ID, byteCount: Int, to path: String) async throws(StoreError) {
        let staged = "\(folder.stagedPath)/\(UUID().uuidString)"
        try await DiskWork.run { [folder] () throws(StoreError) in
            if let refusal = folder.refusal(adding: byteCount) { throw StoreError(refusal) }
            try onDisk("could not be created", at: staged) { () throws(Errno) in
                try Disk.real.makeFolder(folder.blobsPath)
                try Disk.real.makeFolder(folder.stagedPath)
            }
        }
        do throws(StoreError) {
            try await objects.get(id, byteCount: byteCount, into: staged)
            try await DiskWork.run { [self] () throws(StoreError) in try put(staged, id, at: path) }
        } catch {
            await DiskWork.run { _ = try? Disk.real.removeFile(staged) }
            guard error.code == .missing else { throw error }
            throw StoreError(
                .missing,
                "Blob \(id) is missing from \(objects). Restore it from a backup, or add its content again.",
                cause: error)
        }
        await makeRoom(adding: byteCount)
    }

    /// Verifies a staged file, and makes it durable at its path.
    private func put(_ staged: String, _ id: BlobStore.ID, at path: String) throws(StoreError) {
        let found = try onDisk("could not be read", at: staged) { () throws(Errno) in
            let file = try OpenFile(staged, .updating)
            var (hash, offset) = (BlobHash(), Int64(0))
            while case let part = try file.read(1 << 20, at: offset), !part.isEmpty {
                hash.add(part)
                offset += Int64(part.count)
            }
            try file.setModified(to: Self.nanoseconds(now()))
            try file.sync()
            return hash.id
        }
        guard found == id else {
            throw StoreError(
                .corrupt,
                "Blob \(id) has changed in \(objects) since it was stored. Restore it from a backup, or add its "
                    + "content again.")
        }
        let parent = String(path.dropLast(id.description.count + 1))
        try onDisk("could not be stored", at: path) { () throws(Errno) in
            if try Disk.real.makeFolder(parent) { try Disk.real.syncFolder(folder.blobsPath) }
            try Disk.real.rename(staged, to: path)
            try Disk.real.syncFolder(parent)
        }
    }
}

extension BlobCache {
    /// Records that files are being used.
    ///
    /// - Returns: The paths of those that don't exist.
    @discardableResult
    func use(_ paths: [String]) async -> [String] {
        await DiskWork.run { [now] in
            let time = Self.nanoseconds(now())
            return paths.filter { path in
                // The reader reports other errors.
                do throws(Errno) { try Disk.real.setModified(path, to: time) } catch { return !Disk.exists(path) }
                return false
            }
        }
    }

    fileprivate static func nanoseconds(_ date: Date) -> Int64 {
        Int64(exactly: (date.timeIntervalSince1970 * 1_000_000_000).rounded()) ?? .max
    }

    /// Whether the objects are known to belong to this database; files may then be removed, because their objects remain.
    var isClaimed: Bool {
        get { state.withLock(\.isClaimed) }
        set { state.withLock { $0.isClaimed = newValue } }
    }

    /// Whether it's time to list all objects; if so, the next time is an interval later.
    func beginListing() -> Bool {
        let time = now()
        return state.withLock { state in
            if let last = state.listedAt, time.timeIntervalSince(last) < limits.listingInterval / .seconds(1) {
                return false
            }
            state.listedAt = time
            return true
        }
    }
}

// MARK: - The size

extension BlobCache {
    private struct Copy: Sendable {
        var id: BlobStore.ID
        var path: String
        var stamp: FileStamp
    }

    /// Removes the least recently used files if all files together are too large; errors are left to the next call.
    ///
    /// A file is removed only if its object exists: the folder may contain blobs from before the store of objects was
    /// used. A reader that has opened a removed file can read it to its end.
    ///
    /// - Parameter bytes: The size of files that were added.
    func makeRoom(adding bytes: Int) async {
        guard isClaimed else { return }
        let begins = state.withLock { state in
            let isFirst = state.added == nil
            state.added = (state.added ?? 0) + Int64(bytes)
            // Looking at all files takes time: the limit may be exceeded by a hundredth.
            guard !state.isRemoving, isFirst || state.added ?? 0 > limits.byteCount / 100 else { return false }
            state.isRemoving = true
            state.added = 0
            return true
        }
        guard begins else { return }
        let copies = await DiskWork.run { [folder] in Self.copies(in: folder) }
        var total = copies.reduce(0) { $0 + Int64($1.stamp.bytes) }
        let isTooLarge = total > limits.byteCount
        let latest = Self.nanoseconds(now().addingTimeInterval(-(limits.useWindow / .seconds(1))))
        for copy in copies.sorted(by: { $0.stamp.modified < $1.stamp.modified }) where isTooLarge {
            // More than needed, so that this isn't repeated for each new file.
            guard total > limits.byteCount / 10 * 9, copy.stamp.modified <= latest else { break }
            do throws(StoreError) {
                guard try await objects.contains(copy.id, byteCount: copy.stamp.bytes) else { continue }
            } catch {
                break
            }
            let isRemoved = await DiskWork.run {
                // It may have been used in the meantime.
                guard Disk.stamp(of: copy.path) == copy.stamp else { return false }
                return (try? Disk.real.removeFile(copy.path)) ?? false
            }
            if isRemoved { total -= Int64(copy.stamp.bytes) }
        }
        state.withLock { $0.isRemoving = false }
    }

    private static func copies(in folder: DataFolder) -> [Copy] {
        let blobs = folder.blobsPath
        return Disk.names(in: blobs).filter { $0.utf8.count == 2 }.flatMap { name in
            Disk.names(in: "\(blobs)/\(name)").compactMap { file in
                let path = "\(blobs)/\(name)/\(file)"
                guard file.hasPrefix(name), let id = BlobStore.ID(file), let stamp = Disk.stamp(of: path) else {
                    return nil
                }
                return Copy(id: id, path: path, stamp: stamp)
            }
        }
    }
}
