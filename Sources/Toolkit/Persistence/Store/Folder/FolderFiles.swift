import DurableFiles
import Foundation
import SystemPackage

/// The files of a ``FolderStore``; they can be read at any time, without a lock.
struct FolderFiles: Sendable {
    let path: String
    let style: FolderStore.Style
    let disk: Disk
    let now: @Sendable () -> Date

    /// The result of reading a file.
    enum Finding {
        case nothing
        case intact(StoredRecord, FileStamp)
        case damaged(String)
    }

    var names: FolderNames { FolderNames(ending: style == .checked ? ".kept" : ".json") }

    /// How long an editor may take to save a plain file, in seconds; a file modified more recently is not treated as damaged.
    private static let savingTime: TimeInterval = 1
}

extension FolderFiles {
    func path(of file: String) -> String { "\(path)/\(file)" }

    /// Whether there is an unfinished transaction.
    var hasJournal: Bool { Disk.exists(path(of: FolderNames.journal)) }

    /// The keys with a prefix, sorted.
    func keys(beginningWith prefix: String) throws(StoreError) -> [StoreKey] {
        let files = try onDisk("could not be read", at: path) { () throws(Errno) in try disk.list(path) }
        let names = names
        return files.compactMap(names.key).filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// Reads and verifies the file of a key.
    ///
    /// - Throws: ``StoreError``: `newerVersion` if the file's envelope has a newer version.
    func find(_ key: StoreKey) throws(StoreError) -> Finding {
        let file = names.file(key)
        var finding = try find(file: file, of: key)
        guard style == .plainJSON else { return finding }
        while case .damaged = finding, isBeingSaved(file) {
            Thread.sleep(until: Date.now + 0.02)
            finding = try find(file: file, of: key)
        }
        return finding
    }

    /// Reads and verifies a file.
    func find(file: String, of key: StoreKey) throws(StoreError) -> Finding {
        let data: Data
        let stamp: FileStamp
        do throws(Errno) {
            (data, stamp) = try disk.readStampedFile(path(of: file))
        } catch .noSuchFileOrDirectory {
            return .nothing
        } catch {
            throw StoreError(error, "could not be read", at: path(of: file))
        }
        let reading = style == .checked ? Envelope.reading(data) : PlainFile.reading(data, stamp)
        switch reading {
        case .intact(let record):
            return .intact(record, stamp)
        case .damaged(let reason):
            return .damaged(reason)
        case .newer(let version):
            throw StoreError(
                .newerVersion,
                "\(path(of: file)) was written by a newer version of this program (format \(version); this version "
                    + "reads \(Envelope.version)). It was not changed. Use the newer version.")
        }
    }

    /// Encodes content as the bytes of a file.
    func data(of content: StoredContent, for key: StoreKey, revision: Revision) throws(StoreError) -> Data {
        switch style {
        case .checked: Envelope.data(of: content, revision: revision)
        case .plainJSON: try PlainFile.data(of: content, for: key)
        }
    }

    /// Whether another program may still be writing the file.
    private func isBeingSaved(_ file: String) -> Bool {
        guard let written = Disk.stamp(of: path(of: file))?.written else { return false }
        let age = now().timeIntervalSince(written)
        return age >= 0 && age < Self.savingTime
    }
}
