package import Foundation

/// A file of a saved page, recognized by its content.
package enum SavedFile: Hashable, Sendable {
    case format(PageFormat)
    /// A page as a single HTML file.
    case html

    /// Recognizes a file by its first bytes; `nil` if it's no file of a saved page.
    package init?(_ data: Data) {
        let start = data.prefix(4_096)
        if start.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            self = .format(.png)
        } else if start.starts(with: Data("%PDF-".utf8)) {
            self = .format(.pdf)
        } else if start.starts(with: Data("bplist".utf8)) {
            self = .format(.webArchive)
        } else if start.starts(with: Data("PK\u{3}\u{4}".utf8)) {
            self = .format(.wacz)
        } else if String(decoding: start, as: UTF8.self).lowercased().contains("<html") {
            self = .html
        } else {
            return nil
        }
    }

    /// The name of the kind, for reports.
    package var name: String {
        switch self {
        case .format(let format): format.rawValue
        case .html: "html"
        }
    }
}

/// The outcome of checking a file of a saved page.
package struct SavedFileCheck: Sendable {
    /// The maximum number of entries of a list.
    private static let limit = 1_000

    /// The kind of the file.
    package var file: SavedFile
    /// The faults of the file: it's damaged, or not what its format says.
    package private(set) var problems: [String] = []
    /// The addresses that the page requested but the file doesn't contain, and pictures that can't be decoded.
    package private(set) var missing: [String] = []
    /// The share of pixels in which the page, rendered offline, differs from its picture; `nil` if there was none to
    /// compare with.
    package var difference: Double?

    init(_ file: SavedFile) {
        self.file = file
    }

    /// The share of differing pixels up to which two pictures show the same.
    package static let tolerance = 0.01

    /// Whether the file isn't damaged.
    package var isSound: Bool { problems.isEmpty }

    /// Whether the file isn't damaged, and contains everything that the page shows.
    package var isComplete: Bool { isSound && missing.isEmpty && difference ?? 0 <= Self.tolerance }

    mutating func add(problem: String) {
        if problems.count < Self.limit { problems.append(problem.shortened) }
    }

    mutating func add(missing what: String) {
        let what = what.shortened
        if missing.count < Self.limit, !missing.contains(what) { missing.append(what) }
    }
}
