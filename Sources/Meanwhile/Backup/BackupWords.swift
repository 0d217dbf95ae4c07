import ArgumentParser
import Foundation

/// All that the commands `backup` and `restore` say to people, and `verify` about backups.
///
/// docs/words.md explains how to change and add words.
enum BackupWords {
    static let backupAbstract = "Copies all data to one file, also while the server runs."
    static let backupDiscussion = """
        The backup is a tar archive with all data from before the command started. It
        is named FILE.part until it is complete. If the command is interrupted, run it
        again to continue.

          meanwhile backup meanwhile-monday.tar
          meanwhile verify meanwhile-monday.tar
          meanwhile restore meanwhile-monday.tar --data /srv/meanwhile

        Exit codes: 0 complete, 1 failed, 2 complete, but without files that were
        lost, damaged or unreadable, 64 wrong usage.
        """
    static let newFile: ArgumentHelp = "The backup file to create; it must not exist yet."
    static let restoreAbstract = "Restores a backup into an empty data folder."
    static let restoreDiscussion = """
        Nothing is overwritten: move the old folder away, or choose a new one with
        --data. The whole backup is checked before anything is restored. If the command
        is interrupted, run it again; it starts over.

        Exit codes: 0 complete, 1 failed, 64 wrong usage.
        """
    static let file: ArgumentHelp = "The backup file."
    static let noName = "Give the name of the backup file."
    static let noNameToVerify = "Give the name of a file, or omit it to check the data folder."

    static func notReadable(_ path: String) -> String { "\(path) doesn't exist or can't be read. Check the path." }
}

// MARK: - The report

extension BackupWords {
    static func copied(_ percent: Int, done: Int64, total: Int64) -> String {
        "\(progress(percent, done, total)) copied"
    }
    static func restored(_ percent: Int, done: Int64, total: Int64) -> String {
        "\(progress(percent, done, total)) restored"
    }
    static func checked(_ percent: Int, done: Int64, total: Int64) -> String {
        "\(progress(percent, done, total)) checked"
    }
    private static func progress(_ percent: Int, _ done: Int64, _ total: Int64) -> String {
        "\(percent) %: \(size(done)) of \(size(total))"
    }
    static func missing(_ file: String) -> String {
        "The file \(file) was lost, damaged or unreadable during the backup."
    }
    static func content(databaseBytes: Int64, fileCount: Int, fileBytes: Int64) -> String {
        if fileCount == 0 { return "a database of \(size(databaseBytes))" }
        let files = fileCount == 1 ? "1 file" : "\(fileCount) files"
        return "a database of \(size(databaseBytes)) and \(files) of \(size(fileBytes))"
    }
    static func saved(_ content: String, in path: String) -> String { "Saved \(content) in \(path)." }
    static func restored(_ content: String, of date: Date?, into path: String) -> String {
        "Restored the backup\(suffix(date)) into \(path): \(content)."
    }
    static func isComplete(_ path: String, of date: Date?, _ content: String) -> String {
        "\(path)\(suffix(date)) is complete and undamaged: \(content)."
    }
    static func isIncomplete(_ path: String, of date: Date?, _ content: String) -> String {
        "\(path)\(suffix(date)) is incomplete or damaged: \(content)."
    }
    /// The time when a backup was made, if it is known.
    private static func suffix(_ date: Date?) -> String { date.map { " of \($0.formatted(.iso8601))" } ?? "" }
    private static func size(_ bytes: Int64) -> String { bytes.formatted(.byteCount(style: .file)) }
}
