import DurableFiles
import Foundation
import StoreTesting
import Testing

@testable import Persistence

/// Tests the lock, the import and the damaged items of a store in user defaults.
@Suite(.timeLimit(.minutes(20))) struct UserDefaultsStoreTests {
    #if !canImport(Darwin)
        @Test func defaultLockIsInTheDataFolderOfTheAccount() async throws {
            let folder = try TemporaryFolder()
            await #expect(processExitsWith: .success) { [path = folder.path as String] in
                // Foundation writes the defaults to the configuration folder.
                for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME"] { setenv(name, path, 1) }
                try await UserDefaultsStore(suite: "meanwhile-tests-lock").put("a", "1")
                #expect(Disk.exists(path + "/meanwhile/defaults.lock"))
                #expect(openToOthers(below: path + "/meanwhile") == [])
            }
        }
    #endif

    @Test func writersThatWaitForTheLockBlockNoOtherTasks() async throws {
        let fixture = try StoreFixture(.defaults)
        let lock = try #require(try FileLock.acquired(at: fixture.path + ".lock"))
        // More writers than Swift has threads.
        let count = 2 * ProcessInfo.processInfo.activeProcessorCount
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                let store = try UserDefaultsStore(
                    suite: StoreKind.suite(at: fixture.path), lock: fixture.path + ".lock", lockTimeout: .seconds(7_200)
                )
                group.addTask {
                    start.yield()
                    try await store.put(StoreKey("\(number)"), "1")
                }
            }
            // Blocked threads would delay this beyond the test's time limit.
            var iterator = starts.makeAsyncIterator()
            for _ in 0..<count { _ = await iterator.next() }
            lock.release()
            try await group.waitForAll()
        }
        #expect(try await fixture.open().keys.count == count)
    }

    @Test(arguments: [("a b", 1), ("a\"b", 1), (String(repeating: "a", count: 900), 1), ("numbers", 0)])
    func adoptionWithAnInvalidFormatIsRefused(format: String, version: Int) async throws {
        let fixture = try StoreFixture(.defaults)
        let suite = StoreKind.suite(at: fixture.path)
        UserDefaults(suiteName: suite)?.set(Data("[1,2]".utf8), forKey: "Numbers")
        let store = try UserDefaultsStore(suite: suite, lock: fixture.path + ".lock")
        let error = await code {
            try await store.adopt(entry: "Numbers", as: "numbers", format: format, version: version)
        }
        #expect(error == .invalidName)
        // The value can still be adopted.
        #expect(try await store.adopt(entry: "Numbers", as: "numbers", format: "numbers", version: 1))
        #expect(try await store.numbers("numbers") == [1, 2])
    }

    @Test func itemThatIsNotDataIsSetAsideAndTheOthersRemain() async throws {
        let fixture = try StoreFixture(.defaults)
        let store = try await fixture.open()
        try await store.put("a", "1")
        try await store.put("b", "1")
        try await store.put("b", "2")
        let defaults = try #require(UserDefaults(suiteName: StoreKind.suite(at: fixture.path)))
        var items = try #require(defaults.dictionary(forKey: "meanwhile-store"))
        items["value/b"] = "by hand"
        defaults.set(items, forKey: "meanwhile-store")
        #expect(try await store.keys == ["a", "b"])
        #expect(try await store.text("b") == "1")
        let record = try #require(try await store.setAsideRecords().first)
        let content = try #require(try await store.setAsideContent(of: record))
        #expect(String(decoding: content.bytes, as: UTF8.self) == "by hand")
        #expect(try await store.text("a") == "1")
    }
}
