import Foundation
import Futures
import Logging
import Persistence

/// Starts a backup when the newest one is older than the interval, or on request.
actor BackupSchedule {
    /// The state that the page shows.
    struct Status: Sendable {
        /// Whether a backup is running.
        var isRunning: Bool
        /// The running backup's progress; `nil` before its first report.
        var progress: Backup.Progress?
        /// The last attempt's error and its time; `nil` if that attempt succeeded.
        var failure: (message: String, date: Date)?
    }

    nonisolated let folder: BackupFolder
    /// The maximum age of the newest backup, in seconds.
    nonisolated let interval: TimeInterval
    private let database: AppDatabase
    private let progress = CurrentProgress()
    private var failure: (message: String, date: Date)?
    private var running: Task<Void, Never>?
    private var isEnded = false
    private let logger = Logger(label: "meanwhile.backup")

    /// The backoff after a failed attempt, in seconds.
    private static let backoff: TimeInterval = 3_600

    init(folder: BackupFolder, interval: TimeInterval, of database: AppDatabase) {
        self.folder = folder
        self.interval = interval
        self.database = database
    }

    var status: Status {
        Status(isRunning: running != nil, progress: progress.value, failure: failure)
    }

    /// Checks once a minute whether a backup is due.
    ///
    /// If the task is cancelled, cancels the running backup and returns when it has ended.
    func run() async {
        await beginIfDue()
        await Stopwatch(ContinuousClock()).tick(every: .seconds(60)) { await beginIfDue() }
        isEnded = true
        running?.cancel()
        await running?.value
    }

    /// Starts a backup, unless one is running.
    func begin() {
        guard running == nil, !isEnded else { return }
        // Owned by this actor; `run()` cancels it.
        running = Task {
            await makeBackup()
            running = nil
            progress.set(nil)
        }
    }

    private func beginIfDue() async {
        if let failure, Date().timeIntervalSince(failure.date) < Self.backoff { return }
        // Ignore backups dated in the future by a wrong clock: they must not suppress new ones until then.
        let newest = try? await folder.entries().first { $0.created <= Date() }
        if let newest, Date().timeIntervalSince(newest.created) < interval { return }
        begin()
    }

    private func makeBackup() async {
        do throws(StoreError) {
            let summary = try await folder.backUp(
                database, progress: { [progress] in progress.set($0) })
            failure = nil
            logger.notice(
                "Backup finished",
                metadata: [
                    "folder": "\(folder.path)", "files": "\(summary.fileCount)", "bytes": "\(summary.fileBytes)",
                ])
        } catch {
            if error.code == .cancelled { return }
            failure = (error.message, Date())
            logger.error("Backup failed", metadata: ["error": "\(error)"])
        }
    }
}

/// The running backup's progress, set from the disk threads and read by the actor.
private final class CurrentProgress: Sendable {
    private let current = Lock(Backup.Progress?.none)

    var value: Backup.Progress? { current.withLock { $0 } }

    func set(_ progress: Backup.Progress?) {
        current.withLock { $0 = progress }
    }
}
