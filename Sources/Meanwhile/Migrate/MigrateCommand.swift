import ArgumentParser
import DurableFiles
import Foundation
import Futures
import Jobs
import OfflineLibraryStore
import Persistence
import UnixSignals

#if PostgreSQL
    import PostgreSQL
#endif

/// `meanwhile migrate`: moves all data to another database.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: MigrateWords.abstract, discussion: MigrateWords.discussion)

    @Option(help: MigrateWords.from)
    var from: MigrationPlace

    @Option(help: MigrateWords.to)
    var to: MigrationPlace?

    @Flag(help: MigrateWords.release)
    var release = false

    @OptionGroup var folderOptions: DataFolderOptions

    func validate() throws {
        if (to == nil) != release { throw ValidationError(MigrateWords.targetOrRelease) }
    }

    func run() async throws {
        let report = try await folderOptions.report { () -> MigrateReport in
            try await Self.untilInterrupted { [self] in try await perform() }
        } failure: { _ in
            nil
        }
        if report.problems?.isEmpty == false { throw ExitCode(2) }
    }
}

/// A database on the command line.
enum MigrationPlace: ExpressibleByArgument, Sendable {
    /// The path of a data folder.
    case folder(String)
    /// The address of a PostgreSQL database, which may contain a password.
    case server(String)

    init?(argument: String) {
        let prefix = "sqlite:"
        if argument.hasPrefix("postgres://") || argument.hasPrefix("postgresql://") {
            self = .server(argument)
        } else if argument.hasPrefix(prefix), argument.count > prefix.count {
            self = .folder(BackupCommand.absolute(String(argument.dropFirst(prefix.count))))
        } else {
            return nil
        }
    }

    /// The path of the data folder; `nil` for a server.
    var path: String? {
        if case .folder(let path) = self { path } else { nil }
    }
}

// MARK: - Moving

extension MigrateCommand {
    /// Cancels an operation at a signal, so that the source can be changed again when the program ends.
    private static func untilInterrupted(
        _ operation: @escaping @Sendable () async throws -> MigrateReport
    ) async throws -> MigrateReport {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        return try await withThrowingTaskGroup(of: MigrateReport?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                for await _ in signals { return nil }
                return nil
            }
            var isInterrupted = false
            do {
                while let result = try await group.next() {
                    if let report = result {
                        group.cancelAll()
                        return report
                    }
                    isInterrupted = true
                    group.cancelAll()
                }
            } catch {
                group.cancelAll()
                if isInterrupted { throw CommandFailure(code: "interrupted", message: MigrateWords.interrupted) }
                throw error
            }
            throw CommandFailure(code: "interrupted", message: MigrateWords.interrupted)
        }
    }

    private func perform() async throws -> MigrateReport {
        let source = try await OpenPlace(from, isTarget: false)
        defer { source.close() }
        guard let to else {
            let wasRefusing = try await DatabaseMove.allowChanges(in: source.database)
            return MigrateReport(released: source.database.name, wasRefusing: wasRefusing)
        }
        let oldFolder = try DataFolder.open(at: from.path ?? folderOptions.folderPath())
        let newPath = to.path ?? (from.path == nil ? nil : folderOptions.data)
        let newFolder = try newPath.map { try DataFolder.open(at: $0) } ?? oldFolder
        // The files of a bucket stay there.
        let isBucket = try folderOptions.storage.address(environment: ProcessInfo.processInfo.environment).blobs != nil
        // No server may run in the new folder.
        let server = to.path == nil ? nil : try newFolder.lock(for: "server")
        defer { server?.release() }
        let target = try await OpenPlace(to, isTarget: true)
        defer { target.close() }
        let line = Lock(StatusLine())
        defer { line.withLock { $0.clear() } }
        let start = ContinuousClock.now
        let move = DatabaseMove(
            from: source.database, to: target.database, indexes: [LibraryMigrations.searchIndex],
            seededTables: SQLiteJobQueue.seededTables, keys: LibraryMigrations.keys,
            files: isBucket ? nil : BlobFileMove(from: oldFolder, to: newFolder)
        ) { progress in
            line.withLock { line in
                if line.isDue() { line.show(MigrateWords.progress(progress)) }
            }
        }
        let summary = try await move.run()
        return MigrateReport(
            summary, from: source.database.name, to: target.database.name, files: newFolder.path,
            seconds: (ContinuousClock.now - start) / .seconds(1))
    }
}

/// An open database.
private struct OpenPlace {
    let database: any SQLDatabase
    private let end: @Sendable () -> Void

    func close() { end() }

    /// Opens a database with all tables.
    ///
    /// - Parameters:
    ///   - place: Where it is.
    ///   - isTarget: Whether it is the target of a move, and so may be new or incomplete.
    /// - Throws: ``StoreError`` or ``CommandFailure``.
    init(_ place: MigrationPlace, isTarget: Bool) async throws {
        switch place {
        case .folder(let path):
            guard isTarget || DataFolder.hasDatabase(at: path) else {
                throw CommandFailure(code: "missing", message: MigrateWords.noDatabase(in: path))
            }
            let database = try await AppDatabase.open(
                in: DataFolder.open(at: path), migrations: DatabaseSchema.migrations, opensUnfinishedMove: isTarget)
            self.database = database
            end = { database.close() }
            if let setAside = database.setAside {
                database.close()
                throw CommandFailure(code: "corrupt", message: CommandWords.damagedDatabase(setAside: setAside))
            }
        case .server(let address):
            #if PostgreSQL
                let database = try await PostgresDatabase.open(
                    PostgresAddress(address), migrations: DatabaseSchema.postgreSQLMigrations,
                    opensUnfinishedMove: isTarget)
                self.database = database
                end = { database.close() }
            #else
                throw CommandFailure(code: "unsupported", message: MigrateWords.noPostgreSQL)
            #endif
        }
    }
}
