import ArgumentParser

/// All that the program says to people about all commands, and about `meanwhile serve` and `meanwhile worker`.
///
/// Each other command has a file of its own. docs/words.md explains how to change and add words.
enum CommandWords {
    static let abstract = "Runs the Meanwhile apps, saves web pages, and backs up your data."
    static let dataFolder: ArgumentHelp =
        "The folder for all data. (default: meanwhile, in $XDG_DATA_HOME or ~/.local/share)"
    static let version = "0.1.0"

    static let json: ArgumentHelp = "Write the result to standard output as one JSON object, with a version number."
    static let user: ArgumentHelp = "The name of the person whose data the command uses; also from MEANWHILE_USER."
    static let nameAUser = "Several people may use this folder. Give the name of one with --user."
    static func unknownUser(_ name: String) -> String {
        "There is no account named \(name.prefix(100)). List the accounts with meanwhile user list."
    }
    static let logLevel: ArgumentHelp = "The log level: trace, debug, info, notice, warning, error or critical."
    static let logFormat: ArgumentHelp = "The format of the log: text, or json for a line of JSON for each message."
    static let logLevelOrVariable: ArgumentHelp =
        "The log level: trace, debug, info, notice, warning, error or critical; also from MEANWHILE_LOG_LEVEL."
    static let chromium: ArgumentHelp = "The path of Chromium's program."

    static func warning(_ text: String) -> String { "warning: \(text)" }
    static let noProcesses = error(
        "The program can't read its command line, because /proc isn't mounted. Mount it: mount -t proc proc /proc")
    static let interrupted = "Interrupted; no file was written."
    static func outputExists(_ path: String) -> String {
        "\(path) already exists. Choose another name, or replace it with --force."
    }
    static func outputIsAFolder(_ path: String) -> String { "\(path) is a folder. Choose the name of a file." }
    static func outputNotWritten(_ path: String, because reason: String) -> String {
        "Couldn't write \(path): \(reason)"
    }
    static func error(_ text: String) -> String { "error: \(text)" }
    static func noData(in path: String) -> String {
        "There is no data in \(path). Choose another folder with --data."
    }
    static func damagedDatabase(setAside folder: String) -> String {
        """
        The database was damaged and couldn't be read. It was moved, with all its files and without changes, to \
        \(folder), and an empty database was created. If you have a backup, stop Meanwhile and restore it.
        """
    }
}

// MARK: - Values of options

extension CommandWords {
    static let noDataFolder = "--data takes a folder's name."
    /// What an option takes, in ``wrongValue(of:takes:given:)``.
    static let count = "a number, 0 or greater"
    static let size = "a size such as 10GB or 512MiB"
    static let origin = "an address such as https://pages.example.com, with nothing after it"

    static func oneOf(_ values: [String]) -> String { "one of \(values.joined(separator: ", "))" }
    static func number(from lowest: String, to highest: String) -> String { "a number from \(lowest) to \(highest)" }
    static func wrongValue(of option: String, takes form: String, given text: String) -> String {
        "\(option) takes \(form); got \(text)."
    }
}

// MARK: - Limits

extension CommandWords {
    static let limits = "Limits"
    static let ownerDisk: ArgumentHelp = "The maximum size of an owner's files, such as 10GB. (default: 20GB)"
    static let maxPages: ArgumentHelp = "The maximum number of pages in an owner's library. (default: 10000)"
    static let maxBoards: ArgumentHelp = "The maximum number of an owner's boards. (default: 1000)"
    static let maxDrinks: ArgumentHelp = "The maximum number of an owner's drinks. (default: 100000)"
    static let freeDisk: ArgumentHelp =
        "The disk space to keep free, such as 1GB. (default: 512 MiB, or 2 % of the disk if that is less)"
}

// MARK: - The server

extension CommandWords {
    static let serveAbstract = "Runs the apps as a web server on this computer."
    static let serveDiscussion = """
        Each option can also be set in the environment: MEANWHILE_PORT, MEANWHILE_LISTEN, MEANWHILE_DATA,
        MEANWHILE_DATABASE, MEANWHILE_BLOBS, MEANWHILE_PEER_ADDRESS, MEANWHILE_ORIGIN, MEANWHILE_TRUST_PROXY (1), MEANWHILE_PROXY (with commas), MEANWHILE_CERTIFICATE, MEANWHILE_KEY,
        MEANWHILE_OPENID_ISSUER, MEANWHILE_OPENID_CLIENT, MEANWHILE_OPENID_SECRET_FILE, MEANWHILE_OPENID_NAME,
        MEANWHILE_OPENID_NEW_ACCOUNTS (1), MEANWHILE_ALLOW, MEANWHILE_WORKERS, MEANWHILE_BROWSER_JOBS,
        MEANWHILE_OTHER_JOBS, MEANWHILE_CAPTURE_TIMEOUT,
        MEANWHILE_LOG_LEVEL, MEANWHILE_LOG_FORMAT, MEANWHILE_METRICS_PORT, MEANWHILE_CHROMIUM,
        MEANWHILE_BACKUP_FOLDER, MEANWHILE_BACKUP_HOURS,
        MEANWHILE_MAX_CONNECTIONS, MEANWHILE_OWNER_DISK, MEANWHILE_FREE_DISK, MEANWHILE_MAX_PAGES,
        MEANWHILE_MAX_BOARDS, MEANWHILE_MAX_DRINKS. The last five also limit the commands `art` and `coffee`. Press
        Ctrl-C to stop the server; unfinished work continues at the next start.
        """
    static let port: ArgumentHelp = "The port to listen on; 0 for any free port. (default: 8080)"
    static let database: ArgumentHelp = """
        The address of a PostgreSQL database that several servers and workers share, such as postgres://user@host/name; \
        without it, the database is in the data folder. Rather than here, give a password in MEANWHILE_DATABASE or ~/.pgpass.
        """
    static let peerAddress: ArgumentHelp = """
        Where other servers of the same database reach this one, such as http://10.0.0.5:8080. (default: where it listens)
        """
    static let peerAddressForm = "an address such as http://10.0.0.5:8080"
    static let noPeerAddress = """
        A server that listens on all addresses and uses --database needs --peer-address, by which other servers reach it.
        """
    static let backupsOfPostgreSQL = """
        --backup-folder backs up the database in the data folder. Back up a PostgreSQL database with pg_dump, and the \
        folder blobs with any program that copies files.
        """
    static let onlyInFolder = """
        This works only with a database in the data folder. Back up a PostgreSQL database with pg_dump and restore it with \
        pg_restore; copy the folder blobs too.
        """
    static let blobs: ArgumentHelp = """
        The address of a bucket of an S3-compatible store for pages and pictures, such as \
        s3://bucket?endpoint=https://s3.example.com; the data folder then has copies. The variables AWS_ACCESS_KEY_ID and \
        AWS_SECRET_ACCESS_KEY contain the key.
        """
    static let (postgreSQL, s3) = ("PostgreSQL", "S3")
    static func without(_ part: String) -> String { "This program was built without \(part)." }
    static let publicAddress: ArgumentHelp =
        "The public address, if the server is behind a tunnel or proxy: https://pages.example.com"
    static let listen: ArgumentHelp = """
        The address to listen on, such as 192.168.1.20, or 0.0.0.0 for all; any but this computer's own needs accounts. \
        (default: 127.0.0.1)
        """
    static let host = "an IP address such as 192.168.1.20"
    static let trustProxy: ArgumentHelp = """
        Don't require accounts with --origin, because the proxy in front has a sign-in of its own.
        """
    static let certificate: ArgumentHelp = """
        A PEM file with the certificate for HTTPS and those of its issuers. It is read again when it changes, and at SIGHUP.
        """
    static let key: ArgumentHelp = "A PEM file with the key of the certificate, without a passphrase."
    static let certificateAndKey = "Give both --certificate and --key, or neither."
    static let openID = "Sign-in at a provider"
    static let openIDIssuer: ArgumentHelp = """
        The address of an OpenID Connect provider at which people can sign in, exactly as it names itself, such as \
        https://id.example.com/realms/home.
        """
    static let openIDClient: ArgumentHelp = """
        The server's identifier there; register the address of the server, followed by /sign-in/provider/callback.
        """
    static let openIDSecretFile: ArgumentHelp = "A file with the server's secret there; none for a public client."
    static let openIDName: ArgumentHelp = "What people call the provider. (default: its host)"
    static let openIDNewAccounts: ArgumentHelp = """
        Give an account to everyone whom the provider identifies. Without this, people connect their accounts themselves.
        """
    static let openIDIssuerAndClient = "Give both --openid-issuer and --openid-client, or neither."
    static func openIDNoSecret(_ path: String) -> String { "The file \(path) can't be read, or contains no secret." }
    static let proxy: ArgumentHelp = """
        An address or a block of proxies in front, such as 127.0.0.1 or 10.0.0.0/8, whose X-Forwarded-For or Forwarded names \
        the client. Can be given several times.
        """
    static func listenNeedsAccounts(_ host: String) -> String {
        """
        Other computers could reach the server at \(host), so it needs an account first. Create one with: \
        meanwhile user add NAME
        """
    }
    static func originNeedsAccounts(_ origin: String) -> String {
        """
        Others could reach the server at \(origin), so it needs an account first. Create one with: meanwhile user add \
        NAME. If the proxy in front has a sign-in of its own, add --trust-proxy instead.
        """
    }
    static func passwordsInTheClear(_ host: String) -> String {
        """
        The server listens on \(host) without encryption: passwords and data can be read on the network. Put a proxy with \
        HTTPS in front (--origin https://…), or give a certificate (--certificate, --key), unless you trust everyone on it.
        """
    }
    static let backupFolder: ArgumentHelp =
        "Back up to this folder every day. Use a separate one for each data folder."
    static let backupHours: ArgumentHelp = "The number of hours between backups. (default: 24)"
    static let workers: ArgumentHelp = "The number of workers to start. (default: 1)"
    static let captureTimeout: ArgumentHelp = "The time limit for saving a page, in seconds. (default: 60)"
    static let noWorker: ArgumentHelp = "Don't start a worker; run `meanwhile worker` yourself."
    static let maxConnections: ArgumentHelp = """
        The maximum number of open connections; each address may have a quarter of them, unless --origin says that a \
        proxy is in front. Fewer if the system's limit of open files is low. (default: 3000)
        """
    static let metricsPort: ArgumentHelp = """
        A port on 127.0.0.1 on which a program such as Prometheus reads metrics, at /metrics. (default: none)
        """
    static let workersOrNone = "Give either --workers or --no-worker, not both."
    static let noBackupFolder = "--backup-folder takes a folder's name."
    static let hoursWithoutFolder = "--backup-hours needs a --backup-folder."

    static func isReady(at host: String, port: Int, isSecure: Bool = false) -> String {
        "Meanwhile is at http\(isSecure ? "s" : "")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
