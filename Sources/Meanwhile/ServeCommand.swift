import ArgumentParser
import CProcessControl
import Capture
import Egress
import Foundation
import Persistence
import Site

/// `meanwhile serve`: runs the apps on this machine.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: CommandWords.serveAbstract, discussion: CommandWords.serveDiscussion)

    @Option(help: CommandWords.port)
    var port: Int?

    @Option(help: CommandWords.dataFolder)
    var data: String?

    @OptionGroup var storage: StorageOptions

    @Option(help: CommandWords.peerAddress)
    var peerAddress: String?

    @Option(help: CommandWords.publicAddress)
    var origin: String?

    @Option(help: CommandWords.listen)
    var listen: String?

    @Flag(help: CommandWords.trustProxy)
    var trustProxy = false

    @Option(help: CommandWords.certificate, completion: .file())
    var certificate: String?

    @Option(help: CommandWords.key, completion: .file())
    var key: String?

    @Option(name: .customLong("proxy"), help: CommandWords.proxy)
    var proxies: [String] = []

    @Option(help: CommandWords.backupFolder)
    var backupFolder: String?

    @Option(help: CommandWords.backupHours)
    var backupHours: Double?

    @Option(help: CommandWords.workers)
    var workers: Int?

    @OptionGroup var slots: JobSlots

    @Option(help: CommandWords.captureTimeout)
    var captureTimeout: Double?

    @Flag(help: CommandWords.noWorker)
    var noWorker = false

    @Option(help: CommandWords.maxConnections)
    var maxConnections: Int?

    @OptionGroup(title: CommandWords.openID) var openID: OpenIDOptions

    @OptionGroup(title: CommandWords.limits) var budget: BudgetOptions

    @OptionGroup var allowed: AllowedAddresses

    @Option(help: CommandWords.chromium)
    var chromium: String?

    @Option(help: CommandWords.metricsPort)
    var metricsPort: Int?

    @OptionGroup var log: LogOptions

    func run() async throws {
        // Without this, 40 consecutive exports of 26 MB left the process with 580 MB.
        meanwhile_return_freed_memory()
        let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        try LogOutput.start(log.logLevel, log.logFormat, environment: environment)
        // Validate all options before creating the folder, so that an invalid command line changes nothing.
        let port = try environment.number(of: "--port", port, in: 0...65_535) ?? 8080
        let origin = try chosenOrigin(environment)
        let host = try chosenHost(environment)
        let policy = try allowed.policy(environment: environment)
        if data?.isEmpty == true { throw ValidationError(CommandWords.noDataFolder) }
        let backups = try chosenBackups(environment)
        let workers = try chosenWorkers(environment)
        let slots = try slots.counts(environment: environment)
        let captureTimeout = try chosenCaptureTimeout(environment)
        let budget = try OwnerBudget(budget, environment: environment)
        let limits = try chosenLimits(environment)
        let address = try storage.address(environment: environment)
        if address.database != nil, backups != nil { throw ValidationError(CommandWords.backupsOfPostgreSQL) }
        let metricsPort = try environment.number(of: "--metrics-port", metricsPort, in: 1...65_535)
        let reach = ServerReach(
            host: host, port: port, origin: origin,
            trustsProxy: trustProxy || environment["MEANWHILE_TRUST_PROXY"] == "1",
            certificate: try chosenCertificate(environment), proxies: try chosenProxies(environment),
            provider: try openID.provider(environment: environment),
            peerAddress: try chosenPeerAddress(environment))
        if address.database != nil, reach.address(listeningOn: port) == nil {
            throw ValidationError(CommandWords.noPeerAddress)
        }
        do {
            var folder = try DataFolder.open(
                at: data ?? environment["MEANWHILE_DATA"] ?? DataFolder.default(environment: environment))
            folder.budget = budget
            let server = try await Server.open(
                reach: reach, folder: folder,
                chromium: chromium ?? environment["MEANWHILE_CHROMIUM"], addressPolicy: policy,
                logArguments: log.arguments, workers: workers, slots: slots, captureTimeout: captureTimeout,
                backups: backups,
                limits: limits, metricsPort: metricsPort, address: address)
            try await server.run()
        } catch let error as StoreError {
            throw Refusal(error.message)
        } catch let error as SiteError {
            throw Refusal("\(error)")
        }
    }

    private func chosenWorkers(_ environment: [String: String]) throws -> Int {
        if noWorker {
            guard workers == nil else { throw ValidationError(CommandWords.workersOrNone) }
            return 0
        }
        return try environment.number(of: "--workers", workers, in: 0...16) ?? 1
    }

    private func chosenCaptureTimeout(_ environment: [String: String]) throws -> Duration? {
        let range = 1...CaptureOptions.longestTimeout
        return try environment.number(of: "--capture-timeout", captureTimeout, in: range).map { .seconds($0) }
    }

    private func chosenLimits(_ environment: [String: String]) throws -> SiteLimits {
        var limits = SiteLimits()
        if let count = try environment.number(of: "--max-connections", maxConnections, in: 8...100_000) {
            (limits.maximumConnections, limits.maximumConnectionsPerAddress) = (count, count / 4)
            limits.maximumEventStreams = count / 2
        }
        return limits
    }

    private func chosenBackups(_ environment: [String: String]) throws -> BackupSettings? {
        if backupFolder?.isEmpty == true { throw ValidationError(CommandWords.noBackupFolder) }
        guard let folder = backupFolder ?? environment["MEANWHILE_BACKUP_FOLDER"] else {
            if backupHours != nil { throw ValidationError(CommandWords.hoursWithoutFolder) }
            return nil
        }
        // The longest interval is a year.
        let hours = try environment.number(of: "--backup-hours", backupHours, in: 0.1...8_784) ?? 24
        return BackupSettings(folder: folder, interval: hours * 3_600)
    }

    private func chosenCertificate(_ environment: [String: String]) throws -> SiteCertificate? {
        let files = (certificate ?? environment["MEANWHILE_CERTIFICATE"], key ?? environment["MEANWHILE_KEY"])
        guard files.0 != nil || files.1 != nil else { return nil }
        guard let certificate = files.0, let key = files.1 else {
            throw ValidationError(CommandWords.certificateAndKey)
        }
        do throws(SiteError) {
            return try SiteCertificate(certificateFile: certificate, keyFile: key)
        } catch {
            throw Refusal(error.message)
        }
    }

    private func chosenProxies(_ environment: [String: String]) throws -> TrustedProxies? {
        let texts =
            proxies.isEmpty
            ? (environment["MEANWHILE_PROXY"] ?? "").split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            } : proxies
        guard !texts.isEmpty else { return nil }
        do throws(SiteError) {
            return try TrustedProxies(texts)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// The address to listen on; `localhost` may be any of the loopback addresses.
    private func chosenHost(_ environment: [String: String]) throws -> String {
        try environment.value(of: "--listen", listen, takes: CommandWords.host) { text in
            text == "localhost" || IPAddress(text) != nil ? text : nil
        } ?? "127.0.0.1"
    }

    private func chosenPeerAddress(_ environment: [String: String]) throws -> URL? {
        try environment.value(of: "--peer-address", peerAddress, takes: CommandWords.peerAddressForm) { text in
            URL(string: text).flatMap { $0.isOrigin ? $0 : nil }
        }
    }

    private func chosenOrigin(_ environment: [String: String]) throws -> URL? {
        try environment.value(of: "--origin", origin, takes: CommandWords.origin) { text in
            URL(string: text).flatMap { $0.isOrigin ? $0 : nil }
        }
    }
}

/// How browsers reach the server.
struct ServerReach: Sendable {
    var host = "127.0.0.1"
    var port: Int
    /// The public address, if there is one.
    var origin: URL?
    /// Whether a proxy in front has a sign-in of its own.
    var trustsProxy = false
    /// The certificate of a server that speaks HTTPS itself.
    var certificate: SiteCertificate?
    /// The proxies that name their clients' addresses.
    var proxies: TrustedProxies?
    /// The provider at which people can sign in.
    var provider: SiteProvider?
    /// Where other servers of the same database reach this one; `nil` for where it listens.
    var peerAddress: URL?

    /// Where other servers reach this one; `nil` if it listens on all addresses and none was given.
    func address(listeningOn port: Int) -> String? {
        if let peerAddress {
            let text = peerAddress.absoluteString
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
        guard !["0.0.0.0", "::"].contains(host) else { return nil }
        let scheme = certificate == nil ? "http" : "https"
        let name = host == "localhost" ? "127.0.0.1" : host
        return "\(scheme)://\(name.contains(":") ? "[\(name)]" : name):\(port)"
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
