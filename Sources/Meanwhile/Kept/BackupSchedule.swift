import Foundation
import Futures
import Logging
import Persistence

/// Makes a backup whenever the newest one is old enough, or when somebody asks for one.
actor BackupSchedule {
    /// What it is doing.
    struct Status: Sendable {
        /// Whether a backup is being made.
        var isRunning: Bool
        /// How far that is; `nil` if it has just begun.
        var progress: Backup.Progress?
        /// Why the last attempt came to nothing, and when that was; `nil` if it did not.
        var failure: (message: String, date: Date)?
    }

    nonisolated let folder: BackupFolder
    /// How old the newest one may become, in seconds.
    nonisolated let interval: TimeInterval
    private let database: Database
    private let progress = CurrentProgress()
    private var failure: (message: String, date: Date)?
    private var running: Task<Void, Never>?
    private var isEnded = false
    private let logger = Logger(label: "meanwhile.backup")

    /// How long it waits after one that came to nothing, in seconds.
    private static let pauseAfterFailure: TimeInterval = 3_600

    init(folder: BackupFolder, interval: TimeInterval, of database: Database) {
        self.folder = folder
        self.interval = interval
        self.database = database
    }

    var status: Status {
        Status(isRunning: running != nil, progress: progress.value, failure: failure)
    }

    /// Looks every minute whether one is due; ends when the task is cancelled, and then gives up the one that it makes.
    func run() async {
        await beginIfDue()
        await Stopwatch(ContinuousClock()).tick(every: .seconds(60)) { await beginIfDue() }
        isEnded = true
        running?.cancel()
        await running?.value
    }

    /// Begins to make one, unless that goes on already.
    func begin() {
        guard running == nil, !isEnded else { return }
        // Owned by this actor; `run()` ends it.
        running = Task {
            await make()
            running = nil
            progress.set(nil)
        }
    }

    private func beginIfDue() async {
        if let failure, Date().timeIntervalSince(failure.date) < Self.pauseAfterFailure { return }
        // One from the future, by a clock that was wrong, stands for none.
        let newest = try? await folder.entries().first { $0.created <= Date() }
        if let newest, Date().timeIntervalSince(newest.created) < interval { return }
        begin()
    }

    private func make() async {
        do throws(PersistenceError) {
            let summary = try await folder.backUp(
                database, progress: { [progress] in progress.set($0) })
            failure = nil
            logger.notice(
                "A backup was made",
                metadata: [
                    "folder": "\(folder.path)", "files": "\(summary.fileCount)", "bytes": "\(summary.fileBytes)",
                ])
        } catch {
            if error.code == .cancelled { return }
            failure = (error.message, Date())
            logger.error("No backup could be made", metadata: ["error": "\(error)"])
        }
    }
}

/// How far the backup is that is being made, as the threads tell it that make it.
private final class CurrentProgress: Sendable {
    private let current = Lock(Backup.Progress?.none)

    var value: Backup.Progress? { current.withLock { $0 } }

    func set(_ progress: Backup.Progress?) {
        current.withLock { $0 = progress }
    }
}
