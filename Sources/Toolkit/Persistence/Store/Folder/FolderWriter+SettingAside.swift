import DurableFiles
import Foundation
import SystemPackage

extension FolderWriter {
    func copyAside(_ key: StoreKey, because reason: String) throws(StoreError) -> SetAsideRecord {
        try copyAside(files.names.file(key), of: key, because: reason)
    }

    /// Replaces a value by its previous copy if that is intact, or removes the value.
    mutating func takePrevious(_ key: StoreKey) throws(StoreError) -> SetAsideRecord? {
        let path = files.path(of: files.names.file(key))
        // The copy replaces the file atomically, so that the value never disappears while there is a copy.
        let previous = FolderNames.previous(files.names.file(key))
        let canRestore: Bool
        var damaged: SetAsideRecord?
        switch try? files.find(file: previous, of: key) {
        case .intact, nil:
            // A copy that can't be read, for example because a newer program has written it, is restored unread.
            canRestore = true
        case .nothing:
            canRestore = false
        case .damaged(let reason):
            damaged = try moveAside(previous, of: key, because: "the previous copy: \(reason)")
            canRestore = false
        }
        try onDisk("could not be set aside", at: path) { () throws(Errno) in
            if canRestore {
                try files.disk.rename(files.path(of: previous), to: path)
            } else {
                try files.disk.removeFile(path)
            }
            try files.disk.syncFolder(files.path)
        }
        remember(key, nil)
        return damaged
    }

    /// Moves a file to the files that are set aside.
    func moveAside(
        _ file: String, of key: StoreKey, because reason: String
    ) throws(StoreError) -> SetAsideRecord {
        let record = try copyAside(file, of: key, because: reason)
        try onDisk("could not be set aside", at: files.path(of: file)) { () throws(Errno) in
            try files.disk.removeFile(files.path(of: file))
        }
        return record
    }

    /// Links a file to a second name that nothing overwrites, and writes a note beside it.
    func copyAside(
        _ file: String, of key: StoreKey, because reason: String
    ) throws(StoreError) -> SetAsideRecord {
        let time = files.now()
        let note = try SetAsideNote.format.content(of: SetAsideNote(key: key.name, reason: reason, time: time))
        let path = files.path(of: file)
        let failed = "could not be set aside (\(reason)); nothing was overwritten"
        return try onDisk(failed, at: path) { () throws(Errno) -> SetAsideRecord in
            var number = 1
            while true {
                let place = files.path(of: FolderNames.setAside(file, at: time.inFileName, number: number))
                do throws(Errno) {
                    try files.disk.link(path, to: place)
                } catch .fileExists {
                    number += 1
                    continue
                }
                do throws(Errno) {
                    try files.disk.writeNewFile(place + FolderNames.note, note.payload)
                    try files.disk.syncFolder(files.path)
                    return SetAsideRecord(key: key, place: place, reason: reason, time: time)
                } catch {
                    // The file itself is still in place. An existing note belongs to an earlier file, which no longer exists.
                    _ = try? files.disk.removeFile(place + FolderNames.note)
                    _ = try? files.disk.removeFile(place)
                    guard error == .fileExists else { throw error }
                }
            }
        }
    }

    /// Deletes a file that is set aside, its note first: a note without its file would be attributed to a later file.
    func remove(setAside record: SetAsideRecord) throws(StoreError) {
        try onDisk("could not be removed", at: record.place) { () throws(Errno) in
            try files.disk.removeFile(record.place + FolderNames.note)
            try files.disk.removeFile(record.place)
            try files.disk.syncFolder(files.path)
        }
    }
}

extension FolderFiles {
    /// The values that are set aside, oldest first.
    func setAsideRecords() throws(StoreError) -> [SetAsideRecord] {
        let files = try onDisk("could not be read", at: path) { () throws(Errno) in try disk.list(path) }
        let names = names
        return files.filter(names.isSetAside)
            .compactMap(setAsideRecord).sorted { ($0.time, $0.place) < ($1.time, $1.place) }
    }

    /// The name of a file that is set aside; `nil` if it no longer exists, or isn't such a file of this folder.
    func setAsideFile(of record: SetAsideRecord) throws(StoreError) -> String? {
        let file = record.place.split(separator: "/").last.map { String($0) } ?? ""
        guard names.isSetAside(file), Disk.exists(path(of: file)) else { return nil }
        var note: Data?
        do throws(Errno) {
            note = try disk.readFile(path(of: file) + FolderNames.note)
        } catch .noSuchFileOrDirectory {
            // The process was killed before it wrote the note. A note that can't be read at present is a different case.
        } catch {
            throw StoreError(error, "could not be read", at: path(of: file) + FolderNames.note)
        }
        return setAsideRecord(file, note: note)?.id == record.id ? file : nil
    }

    /// Reads a file that is set aside.
    func setAsideContent(of record: SetAsideRecord) throws(StoreError) -> SetAsideContent? {
        guard let file = try setAsideFile(of: record) else { return nil }
        do throws(Errno) {
            let (data, stamp) = try disk.readStampedFile(path(of: file))
            let reading = style == .checked ? Envelope.reading(data) : PlainFile.reading(data, stamp)
            return SetAsideContent(data, reading, of: record)
        } catch .noSuchFileOrDirectory {
            return nil
        } catch {
            throw StoreError(error, "could not be read", at: path(of: file))
        }
    }

    private func setAsideRecord(_ file: String) -> SetAsideRecord? {
        setAsideRecord(file, note: try? disk.readFile(path(of: file) + FolderNames.note))
    }

    private func setAsideRecord(_ file: String, note: Data?) -> SetAsideRecord? {
        let place = path(of: file)
        let note = note.flatMap { try? StoredJSON.decode(SetAsideNote.self, from: $0) }
        if let note, let key = try? StoreKey(note.key) {
            return SetAsideRecord(key: key, place: place, reason: note.reason, time: note.time)
        }
        // The process was killed before it wrote the note.
        guard let end = file.range(of: FolderNames.damaged, options: .backwards)?.lowerBound,
            let key = names.key(String(file[..<end])), let written = Disk.stamp(of: place)?.written
        else { return nil }
        return SetAsideRecord(key: key, place: place, reason: "the reason was not recorded", time: written)
    }
}
