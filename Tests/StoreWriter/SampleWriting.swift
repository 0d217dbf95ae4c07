#if DEBUG
    import DurableFiles
    import Foundation
    import GRDB

    @testable import HealthSamples
    @testable import Persistence

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// Saves and deletes samples, and records the acknowledged writes.
    ///
    /// It uses one thread, so that its system calls can be counted.
    struct SampleWriting {
        static let source = SampleSource(identifier: "app", name: "App")
        /// An hour before the tests' `noon`: 2026-03-14 11:00 UTC.
        private static let time = Date(timeIntervalSince1970: 1_773_486_000)

        private let store: SQLiteSampleStore
        private let queue: DatabaseQueue

        init(path: String) async throws {
            let folder = try DataFolder.open(at: path)
            let database = try await AppDatabase.open(in: folder, migrations: SQLiteSampleStore.migrations)
            self.store = try await SQLiteSampleStore.open(owner: "ann", in: database)
            self.queue = try DatabaseQueue(path: database.folder.databasePath)
        }

        private static func sample(_ name: String, _ number: Int) -> Sample {
            Sample(
                type: .dietaryCaffeine, quantity: Quantity(Double(number % 1_000), .milligram),
                start: time.addingTimeInterval(Double(-number)), source: source,
                sync: SyncIdentity(identifier: name, version: number))
        }

        /// For each number, saves one sample, two together and a temporary one, and deletes the temporary one.
        func write(_ numbers: ClosedRange<Int>, acknowledging path: String) throws {
            let acknowledged = try OpenFile(path, .appending)
            for number in numbers {
                try save([Self.sample("alone", number)])
                try acknowledged.append(Data("alone \(number)\n".utf8))
                try save([Self.sample("first", number), Self.sample("second", number)])
                try acknowledged.append(Data("both \(number)\n".utf8))
                try save([Self.sample("passing-\(number)", number)])
                try write { writer in _ = try writer.delete(.syncIdentifiers(["passing-\(number)"])) }
                try acknowledged.append(Data("deleted \(number)\n".utf8))
            }
        }

        private func save(_ samples: [Sample]) throws {
            try write { writer in _ = try writer.save(samples) }
        }

        private func write(_ body: (inout SampleWriter) throws -> Void) throws {
            try queue.inTransaction(.immediate) { connection in
                store.note(try store.write(by: Self.source, now: Self.time, in: SQLiteConnection(connection), body))
                return .commit
            }
        }
    }
#endif
