import DurableFiles
import Foundation
import SystemPackage
import Testing

/// A temporary folder for one test, which is deleted with this object.
final class Folder: Sendable {
    let path = NSTemporaryDirectory() + "meanwhile-files-\(UUID().uuidString)"

    init() throws {
        try Disk.real.makeFolder(path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Files, their names and their locks.
@Suite struct DiskTests {
    let folder: Folder

    init() throws {
        self.folder = try Folder()
    }

    @Test func newFileIsReadBackAndPrivateToItsOwner() throws {
        let path = "\(folder.path)/a"
        let data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        let stamp = try Disk.real.writeNewFile(path, data)
        #expect(try Disk.real.readFile(path) == data)
        #expect(stamp.bytes == data.count && Disk.stamp(of: path) == stamp)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(throws: Errno.fileExists) { try Disk.real.writeNewFile(path, data) }
        #expect(try Disk.real.readFile(path) == data)
    }

    @Test func fileThatCannotBeSyncedIsRemoved() throws {
        let path = "\(folder.path)/a"
        let disk = Disk { step throws(Errno) in if case .sync = step { throw .ioError } }
        #expect(throws: Errno.ioError) { try disk.writeNewFile(path, Data("1".utf8)) }
        #expect(!Disk.exists(path))
    }

    @Test(arguments: [("a", "."), ("/a", "/"), ("b/c", "b"), ("/b/c", "/b")])
    func entryIsSyncedInTheFolderThatContainsIt(path: String, folder: String) {
        let disk = Disk { step throws(Errno) in
            throw step == .syncFolder(folder) ? Errno.ioError : Errno.noSuchFileOrDirectory
        }
        #expect(throws: Errno.ioError) { try disk.syncEntry(path) }
    }

    @Test func rangesAreReadAndAppendsFollowATruncation() throws {
        let path = "\(folder.path)/a"
        let file = try OpenFile(path, .new)
        try file.append(Data("0123456789".utf8))
        #expect(try file.read(3, at: 4) == Data("456".utf8))
        #expect(try file.read(3, at: 8) == Data("89".utf8))
        #expect(try file.read(3, at: 10).isEmpty)
        try file.truncate(to: 5)
        try file.append(Data("abc".utf8))
        #expect(try file.position() == 8)
        #expect(try Disk.real.readFile(path) == Data("01234abc".utf8))
    }

    @Test func filesAreLinkedRenamedAndRemoved() throws {
        let (first, second, third) = ("\(folder.path)/1", "\(folder.path)/2", "\(folder.path)/3")
        try Disk.real.writeNewFile(first, Data("1".utf8))
        try Disk.real.link(first, to: second)
        #expect(throws: Errno.fileExists) { try Disk.real.link(first, to: second) }
        try Disk.real.rename(first, to: third)
        #expect(Disk.names(in: folder.path) == ["2", "3"])
        #expect(try Disk.real.removeFile(second))
        #expect(try !Disk.real.removeFile(second))
        #expect(try !Disk.real.makeFolder(folder.path))
        #expect(throws: Errno.notDirectory) { try Disk.real.makeFolder(third) }
    }

    @Test(arguments: [true, false]) func movedFileReplacesNoOtherAndKeepsItsPermissions(hasLinks: Bool) throws {
        let disk = Disk { step throws(Errno) in if !hasLinks, case .link = step { throw .notSupported } }
        func permissions(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        let (file, taken, new) = ("\(folder.path)/1", "\(folder.path)/2", "\(folder.path)/3")
        try disk.writeNewFile(file, Data("1".utf8), isPrivate: false)
        try disk.writeNewFile(taken, Data("2".utf8))
        let before = try permissions(file)
        #expect(throws: Errno.fileExists) { try disk.move(file, toNew: taken) }
        #expect(try disk.readFile(taken) == Data("2".utf8))
        try disk.move(file, toNew: new)
        #expect(Disk.names(in: folder.path) == ["2", "3"])
        #expect(try disk.readFile(new) == Data("1".utf8))
        #expect(try permissions(new) == before)
    }

    @Test func symbolicLinkIsNotARegularFile() throws {
        let (file, link) = ("\(folder.path)/a", "\(folder.path)/b")
        try Disk.real.writeNewFile(file, Data())
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        #expect(Disk.isLink(link) && !Disk.isRegularFile(link) && Disk.isRegularFile(file))
        #expect(Disk.stamp(of: link) == Disk.stamp(of: file))
        #expect(throws: Errno.tooManySymbolicLinkLevels) { try FileLock(at: link) }
    }

    @Test func lockHasOneExclusiveOrSeveralSharedHolders() throws {
        let path = "\(folder.path)/lock"
        let (first, second) = (try FileLock(at: path), try FileLock(at: path))
        #expect(try first.tryAcquire(.shared) && second.tryAcquire(.shared))
        #expect(try !first.tryAcquire(.exclusive))
        second.release()
        #expect(try first.tryAcquire(.exclusive))
        first.write(note: "17\n")
        #expect(second.note == "17")
        #expect(try FileLock.acquired(at: path) == nil)
        first.release()
        #expect(second.note.isEmpty)
        #expect(try second.tryAcquire(.exclusive))
        second.write(note: "18\n")
        // The first lock no longer holds the file, so releasing it again must not erase the note.
        first.release()
        #expect(second.note == "18" && second.isFile(at: path))
        try Disk.real.removeFile(path)
        #expect(!second.isFile(at: path))
    }

    @Test(arguments: [
        (Errno.noSpace, FileError.Code.diskFull), (.permissionDenied, .notWritable), (.notDirectory, .notAFolder),
        (.noSuchFileOrDirectory, .missing), (.ioError, .inputOutput),
    ])
    func errorSaysWhatFailedAndWhatToDo(errno: Errno, code: FileError.Code) {
        let error = FileError(errno, "could not be written", at: "/data/a")
        #expect(error.code == code && error.cause as? Errno == errno)
        #expect(error.message.hasPrefix("/data/a could not be written. "))
        #expect("\(error)" == error.localizedDescription)
    }
}

/// File system events about changes in a folder.
@Suite(.timeLimit(.minutes(5))) struct FileEventsTests {
    @Test func changesInAFolderAreReported() async throws {
        let folder = try Folder()
        let (reports, report) = AsyncStream<Set<String>>.makeStream()
        let events = try #require(FileEvents(of: folder.path, on: .global()) { report.yield($0) })
        try Disk.real.writeNewFile("\(folder.path)/a", Data())
        try Disk.real.rename("\(folder.path)/a", to: "\(folder.path)/b")
        try Disk.real.removeFile("\(folder.path)/b")
        var names: Set<String> = []
        for await some in reports {
            names.formUnion(some)
            if names == ["a", "b"] { break }
        }
        events.stop()
        #expect(FileEvents(of: "\(folder.path)/missing", on: .global()) { _ in } == nil)
    }
}
