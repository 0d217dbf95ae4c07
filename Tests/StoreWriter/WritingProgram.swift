// This program uses `@testable` imports, so only a debug build can compile it; tests are built for debugging.
#if DEBUG
    import DurableFiles
    import Foundation
    import GRDB

    @testable import Persistence

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// A program that writes to a store, for tests that kill it or run it on a full disk.
    ///
    ///     StoreWriter write folder|database PATH FIRST LAST ACKNOWLEDGED
    ///     StoreWriter fill folder|database PATH
    ///     StoreWriter samples PATH FIRST LAST ACKNOWLEDGED
    ///     StoreWriter boards PATH COUNT ACKNOWLEDGED
    @main struct WritingProgram {
        static func main() async throws {
            let arguments = CommandLine.arguments.dropFirst()
            switch arguments.first {
            case "write":
                let arguments = Array(arguments.dropFirst())
                guard arguments.count == 5, let first = Int(arguments[2]), let last = Int(arguments[3]) else {
                    exit(64)
                }
                let acknowledged = try OpenFile(arguments[4], .appending)
                try write(try commit(arguments[0], arguments[1]), first...last, acknowledged)
            case "fill":
                let arguments = Array(arguments.dropFirst())
                guard arguments.count == 2 else { exit(64) }
                try await DiskFilling(kind: arguments[0], path: arguments[1]).run()
            case "samples":
                let arguments = Array(arguments.dropFirst())
                guard arguments.count == 4, let first = Int(arguments[1]), let last = Int(arguments[2]) else {
                    exit(64)
                }
                try await SampleWriting(path: arguments[0]).write(first...last, acknowledging: arguments[3])
            case "boards":
                let arguments = Array(arguments.dropFirst())
                guard arguments.count == 3, let count = Int(arguments[1]) else { exit(64) }
                try await BoardWriting(path: arguments[0]).write(count, acknowledging: arguments[2])
            default:
                exit(64)
            }
        }
    }

    extension WritingProgram {
        typealias Commit = ([StoreWrite]) throws -> CommitResult

        /// Returns a closure that commits on this thread, so that system calls can be counted.
        private static func commit(_ kind: String, _ path: String) throws -> Commit {
            if kind == "folder" {
                var writer = FolderWriter(files: FolderFiles(path: path, style: .checked, disk: .real, now: { Date() }))
                return { try writer.commit($0) }
            }
            let database = try DatabaseOpening(folder: DataFolder.open(at: path), migrations: []).open()
            let store = SQLiteStore(database: database, owner: "sam")
            let queue = try DatabaseQueue(path: database.folder.databasePath)
            return { writes in
                var results: [CommitResult] = []
                try queue.inTransaction(.immediate) { connection in
                    results = [try store.commit(writes, in: connection)]
                    return .commit
                }
                return results[0]
            }
        }

        /// For each number, writes one key, then two together, and records the acknowledged commits.
        private static func write(_ commit: Commit, _ numbers: ClosedRange<Int>, _ acknowledged: OpenFile) throws {
            for number in numbers {
                guard case .committed = try commit([StoreWrite("alone", content(number))]) else { exit(1) }
                try acknowledged.append(Data("alone \(number)\n".utf8))
                let both = ["first", "second"].map { (key: StoreKey) in StoreWrite(key, content(number)) }
                guard case .committed = try commit(both) else { exit(1) }
                try acknowledged.append(Data("both \(number)\n".utf8))
            }
        }

        /// Content that contains its number, and is long enough for a partial write to be detected.
        private static func content(_ number: Int) -> StoredContent {
            let text = repeatElement("\(number) ", count: 2_000).joined()
            return StoredContent(format: "number", version: 1, payload: Data(text.utf8))
        }
    }

    /// Fills a small disk, and checks the values afterwards.
    private struct DiskFilling {
        var kind: String
        var path: String

        func run() async throws {
            let store: any Store
            if kind == "folder" {
                store = try await FolderStore.open(at: path)
            } else {
                let database = try await AppDatabase.open(in: DataFolder.open(at: path), migrations: [])
                store = SQLiteStore(database: database, owner: "sam")
            }
            let ballast = "\(path)/ballast"
            try Disk.real.writeNewFile(ballast, Data(count: 300_000))
            var written: [StoreKey: StoredContent] = [:]
            var failure: StoreError?
            var number = 0
            while failure == nil, number < 10_000 {
                number += 1
                let payload = Data(repeating: UInt8(number % 251), count: 30_000)
                let content = StoredContent(format: "fill", version: 1, payload: payload)
                let names = number % 3 == 0 ? ["a\(number)", "b\(number)"] : ["a\(number % 4)"]
                let keys = try names.map { try StoreKey($0) }
                do throws(StoreError) {
                    _ = try await store.commit(keys.map { StoreWrite($0, content) })
                    for key in keys { written[key] = content }
                } catch {
                    failure = error
                }
            }
            try check(failure?.code == .diskFull, "the failure was \(String(describing: failure))")
            try await checkValues(written, in: store)
            try Disk.real.removeFile(ballast)
            let after = StoredContent(format: "fill", version: 1, payload: Data(count: 1_000))
            _ = try await store.commit([StoreWrite("after", after)])
            written["after"] = after
            try await checkValues(written, in: store)
            print("filled after \(number) writes")
        }

        private func checkValues(_ written: [StoreKey: StoredContent], in store: any Store) async throws {
            let keys = try await store.keys(beginningWith: "")
            try check(keys == written.keys.sorted(), "there are \(keys), and \(written.keys.sorted()) were written")
            for (key, content) in written {
                let record = try await store.read(key)
                try check(record?.content == content && record?.recovery == nil, "\(key) is not what was written")
            }
            let aside = try await store.setAsideRecords()
            try check(aside.isEmpty, "set aside: \(aside)")
        }

        private func check(_ condition: Bool, _ message: String) throws {
            if condition { return }
            try FileHandle.standardError.write(contentsOf: Data("StoreWriter: \(message)\n".utf8))
            exit(1)
        }
    }
#else
    @main struct WritingProgram {
        static func main() {
            print("StoreWriter: build it for debugging.")
        }
    }
#endif
