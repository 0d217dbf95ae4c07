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

@Suite(.timeLimit(.minutes(20))) struct DataFolderTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test(arguments: [
        (["XDG_DATA_HOME": "/data", "HOME": "/home/me"], "/data/meanwhile"),
        (["XDG_DATA_HOME": "/data/", "HOME": "/home/me"], "/data/meanwhile"),
        (["XDG_DATA_HOME": "relative", "HOME": "/home/me"], "/home/me/.local/share/meanwhile"),
        (["XDG_DATA_HOME": "", "HOME": "/home/me"], "/home/me/.local/share/meanwhile"),
        (["HOME": "/home/me"], "/home/me/.local/share/meanwhile"),
        ([:], NSHomeDirectory() + "/.local/share/meanwhile"),
    ])
    func defaultPathFollowsTheEnvironment(environment: [String: String], path: String) {
        #expect(DataFolder.default(environment: environment) == path)
    }

    @Test func newFolderIsPrivateToItsOwner() throws {
        let data = try DataFolder.open(at: "\(folder.path)/some/where/data")
        #expect(data.path == "\(folder.path)/some/where/data")
        let attributes = try FileManager.default.attributesOfItem(atPath: data.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        #expect(Disk.names(in: data.path) == [])
        #expect(try DataFolder.open(at: data.path) == data)
    }

    @Test func pathIsMadeAbsolute() throws {
        #expect(try DataFolder.open(at: "\(folder.path)/other/../data/").path == "\(folder.path)/data")
        #expect(try DataFolder.make(at: ".").path == FileManager.default.currentDirectoryPath)
    }

    @Test func pathAtOrBelowAFileIsRefused() async throws {
        let file = "\(folder.path)/file"
        try Data("important".utf8).write(to: URL(filePath: file))
        for path in [file, "\(file)/data"] {
            let error = await error { _ = try DataFolder.open(at: path) }
            #expect(error?.code == .notAFolder)
            #expect(error?.message.contains(file) == true)
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "important")
    }

    @Test(arguments: ["", "a\0b"])
    func invalidPathIsRefused(path: String) async {
        #expect(await code { _ = try DataFolder.open(at: path) } == .invalidName)
    }

    @Test func aPathThatIsTooLongIsRefused() async {
        let path = "\(folder.path)/" + String(repeating: "a", count: 300)
        #expect(await code { _ = try DataFolder.open(at: path) } == .notAFolder)
    }

    @Test func unwritableFolderIsRefusedWithItsPath() async throws {
        let data = try folder.data.path
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: data)
        if OtherAccount.isAvailable { try OtherAccount.own(data) }
        // Permissions don't apply to root.
        await #expect(processExitsWith: .success) { [data = data as String] in
            OtherAccount.become()
            let error = await error { _ = try DataFolder.open(at: data) }
            #expect(error?.code == .notWritable)
            #expect(error?.message.contains(data) == true)
            #expect(await code { _ = try DataFolder.open(at: "\(data)/below") } == .notWritable)
        }
        #expect(Disk.names(in: data) == [])
    }
}

@Suite(.timeLimit(.minutes(20))) struct FolderLockTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test func secondHolderOfALockIsRefused() async throws {
        let data = try folder.data
        let lock = try data.lock(for: "server")
        let error = await error { _ = try data.lock(for: "server") }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains(data.path) == true)
        #expect(error?.message.contains("process \(getpid()) ") == true)
        let other = try data.lock(for: "import")
        lock.release()
        lock.release()
        let next = try data.lock(for: "server")
        next.release()
        other.release()
    }

    @Test func lockIsReleasedWithItsLastReference() throws {
        let data = try folder.data
        do {
            let lock = try data.lock(for: "server")
            withExtendedLifetime(lock) {}
        }
        try data.lock(for: "server").release()
    }

    @Test func errorNamesTheProcessThatHoldsTheLock() async throws {
        let data = try folder.data
        let lock = try data.lock(for: "server")
        await #expect(processExitsWith: .success) { [path = data.path as String, holder = Int(getpid()) as Int] in
            let data = try DataFolder.open(at: path)
            let error = await error { _ = try data.lock(for: "server") }
            #expect(error?.code == .inUse)
            #expect(error?.message.contains("process \(holder) ") == true)
        }
        lock.release()
    }

    @Test func lockIsFreeAfterItsProcessIsKilled() async throws {
        let data = try folder.data
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = data.path as String] in
            let lock = try DataFolder.open(at: path).lock(for: "server")
            withExtendedLifetime(lock) { _ = kill(getpid(), SIGKILL) }
        }
        try data.lock(for: "server").release()
    }

    @Test(arguments: ["", "../server", "a/b", "Server", ".opening", "ä", String(repeating: "a", count: 65)])
    func invalidPurposeIsRefused(purpose: String) async throws {
        let data = try folder.data
        #expect(await code { _ = try data.lock(for: purpose) } == .invalidName)
        #expect(Disk.names(in: data.path) == [])
    }
}
