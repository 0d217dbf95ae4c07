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

/// Missing permissions are reported, and lose no data.
///
/// The tests run as another account, because permissions don't apply to root.
@Suite(.timeLimit(.minutes(20))) struct StorePermissionTests {
    let folder: TemporaryFolder
    /// A folder that all accounts may write to.
    var path: String { folder.path + "/shared" }

    init() throws {
        self.folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try #require(chmod(path, 0o777) == 0)
    }

    @Test func writesFailAfterThePermissionIsLost() async {
        await #expect(processExitsWith: .success) { [path = path + "/values" as String] in
            OtherAccount.switchAccount()
            let store = try await FolderStore.open(at: path)
            try await store.put("a", "1")
            #expect(chmod(path, 0o500) == 0)
            let error = await error { try await store.put("a", "2") }
            #expect(error?.code == .notWritable)
            #expect(error?.message.contains("change the permissions") == true)
            let both = [StoreWrite("a", .text("2")), StoreWrite("b", .text("2"))]
            #expect(await code { _ = try await store.commit(both) } == .notWritable)
            #expect(await code { try await store.remove("a") } == .notWritable)
            #expect(try await store.text("a") == "1")
            #expect(try await store.keys == ["a"])
            #expect(chmod(path, 0o300) == 0)
            #expect(await code { _ = try await store.keys } == .notWritable)
            #expect(chmod(path, 0o700) == 0)
            try await store.put("a", "3")
            #expect(Disk.names(in: path) == [".lock", "a.kept", "a.kept.previous"])
            // A file without read permission is not treated as damaged.
            #expect(chmod(path + "/a.kept", 0) == 0)
            #expect(await code { _ = try await store.read("a") } == .notWritable)
            #expect(try await store.setAsideRecords() == [])
        }
    }

    @Test func readOnlyFolderIsReadButNotWritten() async {
        await #expect(processExitsWith: .success) { [path = path + "/values" as String] in
            OtherAccount.switchAccount()
            try await FolderStore.open(at: path).put("a", "1")
            #expect(chmod(path, 0o500) == 0)
            let store = try await FolderStore.open(at: path)
            #expect(try await store.text("a") == "1")
            #expect(await code { try await store.put("a", "2") } == .notWritable)
            #expect(await code { _ = try await FolderStore.open(at: path + "/new") } == .notWritable)
            #expect(try await store.text("a") == "1")
            #expect(chmod(path, 0o700) == 0)
            try await store.put("a", "2")
        }
    }

    @Test func databaseInAReadOnlyFolderCannotBeOpened() async {
        await #expect(processExitsWith: .success) { [path = path + "/values" as String] in
            OtherAccount.switchAccount()
            let opened = try await StoreKind.database.open(at: path)
            try await opened.put("a", "1")
            #expect(chmod(path, 0o500) == 0)
            #expect(await code { _ = try await StoreKind.database.open(at: path) } == .notWritable)
            #expect(chmod(path, 0o700) == 0)
            #expect(try await StoreKind.database.open(at: path).text("a") == "1")
            try await opened.put("a", "2")
        }
    }
}
