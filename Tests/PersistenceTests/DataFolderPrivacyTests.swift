import DurableFiles
import Foundation
import StoreTesting
import Testing

@testable import Persistence

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Other accounts of the machine can't read stored data, or make the program write elsewhere.
@Suite(.timeLimit(.minutes(20))) struct DataFolderPrivacyTests {
    let folder: TemporaryFolder
    var data: String { folder.path + "/data" }

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func makeFolder(_ path: String, mode: mode_t) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(chmod(path, mode) == 0)
    }

    @Test func newFilesArePrivateToTheirOwnerUnderAnyMask() async throws {
        await #expect(processExitsWith: .success) { [data = data as String] in
            umask(0)
            let folder = try DataFolder.open(at: data)
            let lock = try folder.lock(for: "server")
            let database = try await AppDatabase.open(in: folder, migrations: [.notes])
            try await database.add(note: "private")
            let blobs = BlobStore(database: database)
            let staged = try await blobs.stage(Data("private".utf8))
            try await database.write { try blobs.add(staged, in: $0) }
            _ = try await blobs.stage(Data("waiting".utf8))
            #expect(Disk.exists("\(data)/meanwhile.sqlite-wal"))
            #expect(openToOthers(below: data) == [])
            withExtendedLifetime(lock) { database.close() }
        }
        #expect(openToOthers(below: data) == [])
    }

    @Test func openingRestrictsLooserPermissions() async throws {
        let first = try await folder.database()
        try await first.add(note: "private")
        _ = try await BlobStore(database: first).stage(Data("private".utf8))
        try folder.data.lock(for: "server").release()
        let files = ["meanwhile.sqlite", "meanwhile.sqlite-wal", "meanwhile.sqlite-shm", "server.lock"]
        for name in files { try #require(chmod("\(data)/\(name)", 0o644) == 0) }
        try #require(chmod("\(data)/blobs", 0o755) == 0)
        try #require(chmod(data, 0o755) == 0)
        let second = try await folder.database()
        try folder.data.lock(for: "server").release()
        #expect(permissions(data) == 0o700)
        #expect(permissions("\(data)/blobs") == 0o700)
        for name in files { #expect(permissions("\(data)/\(name)") == 0o600, "\(name)") }
        #expect(try await second.notes == ["private"])
        // The first connection still works, because its process has lost no lock.
        try await first.add(note: "more")
        #expect(try await second.notes == ["private", "more"])
    }

    @Test func setAsideDatabaseIsPrivateToItsOwner() async throws {
        try await folder.database().close()
        try Data("This is no database.\n".utf8).write(to: URL(filePath: folder.databaseFile))
        try #require(chmod(folder.databaseFile, 0o644) == 0)
        let database = try await folder.database()
        #expect(database.setAside != nil)
        #expect(openToOthers(below: data) == [])
    }

    @Test func permissionsOfAnEmptyFolderAreRestricted() throws {
        try makeFolder(data, mode: 0o755)
        #expect(try DataFolder.open(at: data).path == data)
        #expect(permissions(data) == 0o700)
    }

    /// A process was killed while it checked that the folder can be written to.
    @Test func folderWithTheFileOfAnInterruptedCheckCountsAsEmpty() throws {
        try makeFolder(data, mode: 0o755)
        try Data().write(to: URL(filePath: "\(data)/.writable"))
        #expect(try DataFolder.open(at: data).path == data)
        #expect(permissions(data) == 0o700)
        #expect(Disk.names(in: data) == [])
    }

    @Test(arguments: [mode_t(0o755), 0o777, 0o1777])
    func accessibleFolderWithOtherFilesIsRefusedUnchanged(mode: mode_t) async throws {
        try makeFolder(data, mode: mode)
        try Data("mine".utf8).write(to: URL(filePath: "\(data)/letter.txt"))
        let error = await error { _ = try DataFolder.open(at: data) }
        #expect(error?.code == .notWritable)
        #expect(error?.message.contains(data) == true)
        #expect(permissions(data) == Int(mode))
        #expect(Disk.names(in: data) == ["letter.txt"])
    }

    @Test func worldWritableFolderIsRefused() async throws {
        try makeFolder(data, mode: 0o1777)
        #expect(await code { _ = try DataFolder.open(at: data) } == .notWritable)
        #expect(permissions(data) == 0o1777)
    }

    @Test func aPrivateFolderMayHoldOtherFiles() throws {
        try makeFolder(data, mode: 0o700)
        try Data("mine".utf8).write(to: URL(filePath: "\(data)/letter.txt"))
        try #require(chmod("\(data)/letter.txt", 0o644) == 0)
        _ = try DataFolder.open(at: data)
        #expect(permissions("\(data)/letter.txt") == 0o644)
    }

    @Test func linkOfTheSameAccountIsFollowed() throws {
        try makeFolder(folder.path + "/disk", mode: 0o755)
        try FileManager.default.createSymbolicLink(atPath: data, withDestinationPath: folder.path + "/disk")
        #expect(try DataFolder.open(at: data).path == data)
        #expect(permissions(folder.path + "/disk") == 0o700)
    }

    @Test(.enabled(if: OtherAccount.isAvailable, "Only root can give a folder to another account."))
    func aFolderOfAnotherAccountIsRefused() async throws {
        try makeFolder(data, mode: 0o700)
        try OtherAccount.takeOwnership(data)
        let error = await error { _ = try DataFolder.open(at: data) }
        #expect(error?.code == .notWritable)
        #expect(error?.message.contains("belongs to the account nobody") == true, "\(error?.message ?? "")")
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: data)
        #expect(await code { _ = try DataFolder.open(at: link) } == .notWritable)
        #expect(Disk.names(in: data) == [])
    }

    @Test(.enabled(if: OtherAccount.isAvailable, "Only root can give a link to another account."))
    func aLinkOfAnotherAccountIsRefused() async throws {
        let target = folder.path + "/private"
        try makeFolder(target, mode: 0o755)
        try FileManager.default.createSymbolicLink(atPath: data, withDestinationPath: target)
        try OtherAccount.takeOwnership(data)
        #expect(await code { _ = try DataFolder.open(at: data) } == .notWritable)
        #expect(permissions(target) == 0o755)
        #expect(Disk.names(in: target) == [])
    }

    /// Another account may have created the database while the folder was accessible.
    @Test(.enabled(if: OtherAccount.isAvailable, "Only root can give a file to another account."))
    func aDatabaseOfAnotherAccountIsRefused() async throws {
        try await folder.database().close()
        try OtherAccount.takeOwnership(folder.databaseFile)
        let error = await error { _ = try await folder.database() }
        #expect(error?.code == .notWritable)
        #expect(error?.message.contains("belongs to the account nobody") == true, "\(error?.message ?? "")")
    }

    /// The holder's process ID is written to the lock file, so a link must not be followed.
    @Test func lockThatIsALinkIsRefusedAndItsTargetUnchanged() async throws {
        let target = folder.path + "/important"
        try Data("important".utf8).write(to: URL(filePath: target))
        let data = try folder.data
        try FileManager.default.createSymbolicLink(atPath: "\(data.path)/server.lock", withDestinationPath: target)
        #expect(await code { try data.lock(for: "server").release() } == .notAFolder)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "important")
    }

    @Test func aPipeInPlaceOfALockIsRefused() async throws {
        let data = try folder.data
        try #require(mkfifo("\(data.path)/server.lock", 0o600) == 0)
        #expect(await code { try data.lock(for: "server").release() } == .inputOutput)
    }

    @Test func pipeInPlaceOfAFileFailsTheReadWithoutBlocking() async throws {
        await #expect(processExitsWith: .success) { [path = folder.path + "/values" as String] in
            let store = try await FolderStore.open(at: path)
            try #require(mkfifo(path + "/a.kept", 0o600) == 0)
            // Ends this process if the read blocks, waiting for a writer.
            alarm(120)
            #expect(await code { _ = try await store.read("a") } == .inputOutput)
        }
    }
}
