import ArgumentParser
import Foundation

/// All that the command `doctor` says to people.
///
/// docs/words.md explains how to change and add words.
enum DoctorWords {
    static let abstract = "Checks this computer and the data folder, and says how to mend what is wrong."
    static let discussion = """
        It checks Chromium, its sandbox, fonts, the data folder, disk space, the database,
        the clock, the temporary folder, file descriptors, who can reach the server, and
        the provider of --openid-issuer, which it asks as the server does.
        Give it the options of your server, such as --data and --origin. It changes
        nothing, except that it makes the data folder private, as the server does.

        Exit codes: 0 all good, 1 something is wrong, 2 only warnings, 64 wrong usage.
        """

    static func line(_ state: DoctorReport.State, _ id: String, _ finding: String) -> String {
        let mark =
            switch state {
            case .good: "ok"
            case .warning: "warning"
            case .fault: "wrong"
            }
        return "\(mark.padding(toLength: 8, withPad: " ", startingAt: 0))\(id): \(finding)"
    }
    static func remedy(_ text: String) -> String { "        → \(text)" }
    static func summary(_ checks: [DoctorReport.Check]) -> String {
        let (faults, warnings) = (checks.count { $0.state == .fault }, checks.count { $0.state == .warning })
        if faults + warnings == 0 { return "Everything is fine." }
        return "\(faults) wrong, \(warnings) \(warnings == 1 ? "warning" : "warnings")."
    }

    private static func size(_ bytes: Int64) -> String { bytes.formatted(.byteCount(style: .file)) }
    private static func time(_ date: Date) -> String { date.formatted(.iso8601) }

    static func install(_ package: String) -> String { "apt-get install \(package)" }
    static func reinstall(_ package: String) -> String { "apt-get install --reinstall \(package)" }
}

// MARK: - The browser

extension DoctorWords {
    static func starts(_ version: String) -> String { "\(version) starts." }
    static let found = "It is installed, but doesn't start."
    static let sandboxWorks = "Pages run in Chromium's sandbox."
    static let allowSandbox = "sysctl kernel.unprivileged_userns_clone=1, or apt-get install chromium-sandbox"
    static let noCJK = "There is no font for Chinese, Japanese and Korean: their text is saved as boxes."
    static let noEmoji = "There is no font for emoji: they are saved as boxes."
    static let noFontList = "The fonts can't be listed, because the program fc-list is missing or fails."
    static func fonts(_ first: Substring, count: Int) -> String {
        count == 1 ? "\(first)" : "\(first) and \(count - 1) more"
    }
}

// MARK: - Data

extension DoctorWords {
    static func newFolder(_ path: String) -> String { "\(path) doesn't exist yet. The first start creates it." }
    static func writable(_ path: String) -> String { "\(path) can be written." }
    static func chooseFolder(_ path: String) -> String {
        "Choose another folder with --data, or give this one to the server's account: chown -R ACCOUNT \(path)"
    }
    static func unknownSpace(_ path: String) -> String { "The free space of \(path) is unknown." }
    static func checkDisk(_ path: String) -> String { "df -h \(path)" }
    static func space(_ free: Int64, of total: Int64, floor: Int64) -> String {
        "\(size(free)) of \(size(total)) are free; Meanwhile stores nothing below \(size(floor))."
    }
    static func makeRoom(_ path: String) -> String { "Delete files on this disk, or move \(path) to a larger one." }
    static let noDatabase = "There is none yet. The first start creates it."
    static func intact(_ bytes: Int64) -> String { "\(size(bytes)), intact, and of this version." }
    static func damaged(_ message: String) -> String { "The database is damaged: \(message)" }
    static func restore(_ path: String) -> String {
        "Stop the server, move \(path) away, then: meanwhile restore BACKUP --data \(path)"
    }
    static let otherVersion = "Install the version that wrote it."
    static func answers(_ database: String) -> String { "The PostgreSQL database \(database) answers." }
    static let checkServer = "Check the address, the user and the password; psql shows whether they work."
    static func unreadable(_ message: String) -> String { "The database can't be read: \(message)" }
    static func owner(_ path: String) -> String { "chown -R ACCOUNT \(path), with the server's account" }
}

// MARK: - The computer

extension DoctorWords {
    static func time(_ now: Date, zone: String) -> String { "\(time(now)), time zone \(zone)" }
    static func oldTime(_ now: Date) -> String { "It shows \(time(now)), which is before this program was made." }
    static func future(_ changed: Date, _ now: Date) -> String {
        "It shows \(time(now)), but the database was written at \(time(changed))."
    }
    static let setClock = "timedatectl set-ntp true"
    static func noTemporary(_ path: String, _ reason: String) -> String {
        "No file can be written in \(path): \(reason)"
    }
    static func smallTemporary(_ path: String, _ free: Int64) -> String {
        "Only \(size(free)) are free in \(path), which Chromium needs while it saves pages."
    }
    static let setTemporary = "Set TMPDIR to a folder with more room that the server's account may write."
    static func descriptors(_ limit: Int) -> String { "\(limit) files and connections can be open." }
    static func fewDescriptors(_ limit: Int, needed: Int) -> String {
        "Only \(limit) files and connections can be open, \(needed) are needed: the server accepts fewer connections."
    }
    static let raiseDescriptors = "ulimit -n 4096, or LimitNOFILE=4096 in the systemd unit"
}

// MARK: - The provider

extension DoctorWords {
    static func provider(_ issuer: String) -> String { "\(issuer) publishes what a sign-in needs." }
    static func unreachable(_ issuer: String, _ reason: String) -> String { "\(issuer) can't be reached: \(reason)." }
    static func otherIssuer(_ issuer: String) -> String {
        "The provider names itself by another address than \(issuer), so its sign-ins are refused."
    }
    static func unusable(_ part: String, _ address: String) -> String {
        "A part of \(address) is missing or can't be used: \(part)."
    }
    static func checkProvider(_ address: String) -> String {
        "Check --openid-issuer, and what this computer receives: curl --verbose \(address)"
    }
    static func giveIssuer(_ address: String) -> String {
        "Give the address after \"issuer\" in \(address): --openid-issuer ADDRESS"
    }
    static let giveProvider = "Give the provider's address: --openid-issuer https://id.example.com --openid-client NAME"
    static let giveSecret = "Give a file that the server's account may read: --openid-secret-file FILE"
}

// MARK: - Who can reach the server

extension DoctorWords {
    static let onlyHere = "Only this computer can reach the server."
    static func badOrigin(_ origin: String) -> String { "\(origin.prefix(200)) isn't an address of a site." }
    static let giveOrigin = "Give the address that browsers use: --origin https://pages.example.com"
    static let trustWithoutOrigin = "A proxy is trusted, but its address isn't given, so its requests are refused."
    static func inTheClear(_ address: String) -> String {
        "Passwords and data can be read on the network, because \(address.prefix(200)) isn't encrypted."
    }
    static let useHTTPS = """
        Put a proxy with HTTPS in front, and give its address: --origin https://pages.example.com, or give a certificate: \
        --certificate FILE --key FILE
        """
    static let giveBoth = "Give PEM files that the server's account may read: --certificate FILE --key FILE"
    static func valid(until end: Date) -> String { "The certificate is valid until \(end.formatted(.iso8601))." }
    static func expired(_ end: Date) -> String { "The certificate expired at \(end.formatted(.iso8601))." }
    static let renew = "Renew the certificate; a running server reads the new files by itself."
    static func reachable(_ address: String) -> String { "Browsers reach the server at \(address.prefix(200))." }
    static let addAccount = "meanwhile user add NAME"
    static let noAccounts = "Others can reach the server, so it needs an account."
    static func accounts(_ count: Int) -> String {
        count == 1 ? "There is one account." : "There are \(count) accounts."
    }
}
