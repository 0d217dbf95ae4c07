import ArgumentParser
import CProcessControl
import Foundation
import Persistence
import Site

/// `meanwhile serve`: runs the apps on this machine.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the apps on this machine, for its own browsers.",
        discussion: """
            Each option may stand in the environment instead: MEANWHILE_PORT, MEANWHILE_DATA, MEANWHILE_ORIGIN,
            MEANWHILE_ALLOW, MEANWHILE_WORKERS, MEANWHILE_BROWSER_JOBS, MEANWHILE_OTHER_JOBS, MEANWHILE_LOG_LEVEL,
            MEANWHILE_CHROMIUM, MEANWHILE_BACKUP_FOLDER, MEANWHILE_BACKUP_HOURS, MEANWHILE_MAX_CONNECTIONS,
            MEANWHILE_OWNER_DISK, MEANWHILE_FREE_DISK, MEANWHILE_MAX_PAGES, MEANWHILE_MAX_BOARDS, MEANWHILE_MAX_DRINKS; the
            last five also limit the commands `art` and `coffee`. Ctrl-C ends it; what is unfinished goes on at the next
            start.
            """)

    @Option(help: "The port that it listens at; 0 for one that is free. (default: 8080)")
    var port: Int?

    @Option(help: "The folder that all is kept in. (default: meanwhile, in $XDG_DATA_HOME or ~/.local/share)")
    var data: String?

    @Option(help: "The public address, where a tunnel or proxy stands in front: https://pages.example.com")
    var origin: String?

    @Option(help: "Back up to this folder every day. Give each data folder its own.")
    var backupFolder: String?

    @Option(help: "Back up every so many hours. (default: 24)")
    var backupHours: Double?

    @Option(help: "How many workers to start. (default: 1)")
    var workers: Int?

    @OptionGroup var slots: JobSlots

    @Flag(help: "Start no worker: meanwhile worker runs elsewhere.")
    var noWorker = false

    @Option(
        help: """
            The connections that are open at the same time; a quarter of them for each address, unless --origin says that a \
            proxy is in front. Fewer if the system's limit of open files is low. (default: 1000)
            """)
    var maxConnections: Int?

    @OptionGroup(title: "Limits") var budget: BudgetOptions

    @OptionGroup var allowed: AllowedAddresses

    @Option(help: "Chromium's program.")
    var chromium: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: LogLevelName?

    func run() async throws {
        // Without this, 40 consecutive exports of 26 MB left the process with 580 MB.
        meanwhile_return_freed_memory()
        let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        try LogOutput.start(logLevel, environment: environment)
        // Validate all options before creating the folder, so that an invalid command line changes nothing.
        let port = try environment.number(of: "--port", port, in: 0...65_535) ?? 8080
        let origin = try chosenOrigin(environment)
        let policy = try allowed.policy(environment: environment)
        if data?.isEmpty == true { throw ValidationError("--data takes a folder's name.") }
        let backups = try chosenBackups(environment)
        let workers = try chosenWorkers(environment)
        let slots = try slots.counts(environment: environment)
        let budget = try OwnerBudget(budget, environment: environment)
        let limits = try chosenLimits(environment)
        do {
            var folder = try DataFolder.open(
                at: data ?? environment["MEANWHILE_DATA"] ?? DataFolder.default(environment: environment))
            folder.budget = budget
            let server = try await Server.open(
                port: port,
                folder: folder,
                origin: origin, chromium: chromium ?? environment["MEANWHILE_CHROMIUM"], addressPolicy: policy,
                logLevel: logLevel, workers: workers, slots: slots, backups: backups, limits: limits)
            try await server.run()
        } catch let error as StoreError {
            throw Refusal(error.message)
        } catch let error as SiteError {
            throw Refusal("\(error)")
        }
    }

    private func chosenWorkers(_ environment: [String: String]) throws -> Int {
        if noWorker {
            guard workers == nil else { throw ValidationError("Give --workers or --no-worker.") }
            return 0
        }
        return try environment.number(of: "--workers", workers, in: 0...16) ?? 1
    }

    private func chosenLimits(_ environment: [String: String]) throws -> SiteLimits {
        var limits = SiteLimits()
        if let count = try environment.number(of: "--max-connections", maxConnections, in: 8...100_000) {
            (limits.maximumConnections, limits.maximumConnectionsPerAddress) = (count, count / 4)
        }
        return limits
    }

    private func chosenBackups(_ environment: [String: String]) throws -> BackupSettings? {
        if backupFolder?.isEmpty == true { throw ValidationError("--backup-folder takes a folder's name.") }
        guard let folder = backupFolder ?? environment["MEANWHILE_BACKUP_FOLDER"] else {
            if backupHours != nil { throw ValidationError("--backup-hours needs a --backup-folder.") }
            return nil
        }
        // The longest interval is a year.
        let hours = try environment.number(of: "--backup-hours", backupHours, in: 0.1...8_784) ?? 24
        return BackupSettings(folder: folder, interval: hours * 3_600)
    }

    private func chosenOrigin(_ environment: [String: String]) throws -> URL? {
        let form = "an address such as https://pages.example.com, with nothing after it"
        return try environment.value(of: "--origin", origin, takes: form) { text in
            URL(string: text).flatMap { $0.isOrigin ? $0 : nil }
        }
    }
}

/// The options of scheduled backups.
struct BackupSettings: Sendable {
    var folder: String
    /// The maximum age of the newest backup, in seconds.
    var interval: TimeInterval
}

extension URL {
    /// Whether the URL consists of a scheme and a host only, with an optional port.
    fileprivate var isOrigin: Bool {
        guard let scheme = scheme?.lowercased(), ["http", "https"].contains(scheme) else { return false }
        return host()?.isEmpty == false && ["", "/"].contains(path()) && query() == nil && fragment() == nil
            && user() == nil
    }
}

/// An error whose description is shown to the user as it is.
struct Refusal: LocalizedError, CustomStringConvertible {
    let description: String
    var errorDescription: String? { description }

    init(_ description: String) {
        self.description = description
    }
}
