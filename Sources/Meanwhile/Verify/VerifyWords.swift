import ArgumentParser
import Foundation

/// All that the command `verify` says to people about files of saved pages.
///
/// docs/words.md explains how to change and add words.
enum VerifyWords {
    static let abstract = "Checks saved pages, a backup, or all data."
    static let discussion = """
        A saved page can be a web archive, a WACZ, HTML, PNG or PDF file. Web archives,
        WACZ and HTML files are also shown offline, without any network, and compared
        with the picture beside them: the PNG file of the same name. The result lists
        what is missing.

          meanwhile verify page.wacz page.webarchive
          meanwhile verify monday.tar

        Without a file, it checks every byte of the data folder, also while the server
        runs.

        Exit codes: 0 complete and undamaged, 1 damaged or unreadable, or an incomplete
        backup, 2 partial: something is missing from a page, 64 wrong usage.
        """
    static let files: ArgumentHelp = "Files of saved pages, and backups. (default: the data folder)"
    static let samePicture = "It looks like its picture."

    static func complete(_ path: String) -> String { "\(path): complete" }
    static func partial(_ path: String) -> String { "\(path): partial" }
    static func damaged(_ path: String) -> String { "\(path): damaged" }
    static func missing(_ address: String) -> String { "missing: \(address)" }
    static func differs(by share: Double) -> String {
        "It differs from its picture in \(share.formatted(.percent.precision(.fractionLength(1)))) of the pixels."
    }
    static func unknown(_ path: String) -> String { "\(path) isn't a saved page or a backup." }
    static func tooLarge(_ path: String, limit: Int) -> String {
        "\(path) is too large to check: the limit is \(limit >> 30) GB."
    }
}
