import ArgumentParser
import Foundation

/// All that `meanwhile capture` says to people: its help, its report and its errors.
///
/// docs/words.md explains how to change and add words.
enum CaptureWords {}

// MARK: - The help

extension CaptureWords {
    static let abstract = "Saves web pages as PNG, PDF, web archive and WACZ."
    static let discussion = """
        Each page is loaded once, in a separate tab of Chromium, and saved in every format.

          meanwhile capture https://example.org/ -o pages
          meanwhile capture https://example.org/ --format png -o - > page.png
          meanwhile capture --json < addresses.txt
          meanwhile capture http://nas.local:5000/ --allow nas.local:5000

        Pages and their resources are loaded from public addresses only. To load from your own network, allow
        addresses with --allow. The message about a blocked address shows the option that allows it.

        Exit codes: 0 all pages saved, 1 none saved, 2 some saved, 64 wrong usage, 130 interrupted.
        """
    static let addresses: ArgumentHelp =
        "The addresses of the pages. Without any, they are read from standard input, one per line."
    static let format: ArgumentHelp = "The formats, separated by commas: png, pdf, webarchive, wacz."
    static let output: ArgumentHelp =
        "The folder for the files, created if it is missing; - writes one file to standard output."
    static let timeout: ArgumentHelp = "The time limit for each page, in seconds."
    static let paper: ArgumentHelp = "The paper size of a PDF: page (one page, as tall as the content), a4 or letter."
    static let viewport: ArgumentHelp = "The width and height of the browser window, in pixels."
    static let scale: ArgumentHelp = "The scale of pictures; 2 makes them sharper, with twice the width and height."
    static let jobs: ArgumentHelp = "The number of pages to capture at the same time."
    static let overwrite: ArgumentHelp = "Replace files of the same name. Without this option, new files get a number."
    static let json: ArgumentHelp = "Write one JSON object per page to standard output, with a version number."
    static let chromium: ArgumentHelp = "The path of Chromium's program; also from MEANWHILE_CHROMIUM."
    static let allow = ArgumentHelp(
        "A host or block of addresses that pages may also be loaded from, such as on your own network; repeatable.",
        discussion: "Also from MEANWHILE_ALLOW, separated by commas.", valueName: "host|cidr[:port]")
}

// MARK: - Wrong usage

extension CaptureWords {
    static let wrongTimeout = "--timeout takes a number of seconds above 0, up to 86400 (one day)."
    static let wrongScale = "--scale takes a number above 0, up to 8."
    static let wrongJobs = "--jobs takes a whole number from 1 to 32."
    static let oneFormat = "-o - writes one file: choose its format, for example with --format pdf."
    static let twoOutputs = "-o - and --json both write to standard output: choose one."
    static let oneAddress = "-o - writes one file: give one address."
    static let noFolder = "-o takes a folder's name."
    static let noArguments = "Give the address of a page, for example: meanwhile capture https://example.org/"
    static let noInput = "Standard input contains no addresses. Write one per line, or give them as arguments."

    /// A problem with the value of an option or an environment variable.
    static func wrongRule(from source: String, _ problem: String) -> String { "\(source): \(problem)" }
}

// MARK: - The report

extension CaptureWords {
    static let waiting = "waiting"
    static let waitingForPage = "waiting for the page to finish"
    static let cancelled = "The capture was cancelled."

    static func loading(finished: Int, started: Int, bytes: Int) -> String {
        "loading \(finished) of \(started), \(size(bytes))"
    }
    static func making(_ format: String) -> String { "making \(format)" }
    static func status(_ text: String, of page: String, done: Int, total: Int, others: Int) -> String {
        "[\(done)/\(total)] \(page): \(text)\(others > 0 ? " (and \(others) more)" : "")"
    }
    static func warning(_ text: String, about page: String) -> String { "warning: \(page): \(text)" }
    static func error(_ text: String) -> String { "error: \(text)" }
    static func tookTooLong(because reason: String, suggestedTimeout: Int) -> String {
        "\(reason) For more time, use --timeout \(suggestedTimeout)."
    }
    static func interrupted(done: Int, total: Int) -> String { "Interrupted. \(done) of \(total) pages were done." }
    /// A size as the user's system writes it.
    static func size(_ bytes: Int) -> String { Int64(bytes).formatted(.byteCount(style: .file)) }
}

// MARK: - Errors in writing files

extension CaptureWords {
    static let permissionDenied = "permission denied"
    static let readOnly = "it is read-only"
    static let diskIsFull = "the disk is full"
    static let fileInPath = "a part of its path is a file"
    static let nameTooLong = "its name is too long"

    static func notWritten(toStandardOutput reason: String) -> String {
        "The file couldn't be written to standard output: \(reason)"
    }
    static func notAFolder(_ path: String) -> String { "\(path) is a file, not a folder. Choose a folder with -o." }
    static func notCreated(folder path: String, because reason: String) -> String {
        "The folder \(path) can't be created: \(reason). Choose another one with -o."
    }
    static func notWritable(folder path: String, because reason: String) -> String {
        "The folder \(path) isn't writable: \(reason). Choose another one with -o, or change its permissions."
    }
    static func tooManyFiles(in path: String, named name: String) -> String {
        "\(path) contains too many files named \(name). Choose another folder with -o."
    }
    static func alreadyExists(_ path: String) -> String {
        "\(path) already exists. Choose another name with -o, or replace it with --overwrite."
    }
    static func isAFolder(_ path: String) -> String {
        "\(path) is a folder. Move it away, or choose another folder with -o."
    }
    static func notWritten(_ path: String, because reason: String) -> String {
        "\(path) can't be written: \(reason)."
    }
    static func doesNotFit(_ path: String, bytes: Int) -> String {
        """
        The disk is full: a file of \(size(bytes)) doesn't fit into \(path). Free some space, or choose another folder \
        with -o.
        """
    }
}
