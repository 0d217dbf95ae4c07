import Foundation

/// Maps keys to file names, and back.
///
/// A file name contains the whole key: lower-case letters, digits, hyphens, underscores and dots are unchanged. Every other byte
/// and a dot at the beginning are percent-encoded. So different keys have different files, even if case is ignored.
struct FolderNames: Sendable {
    /// The extension of the files of values.
    var ending: String

    /// The name of the journal of an unfinished transaction.
    static let journal = ".journal"
    static let lock = ".lock"
    /// The separator between a file's name and the time when it was set aside.
    static let damaged = ".damaged-"
    /// The suffix of the note about a file that was set aside.
    static let note = ".note"

    private static let longest = 255
    private static let plain = Set("abcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)
}

extension FolderNames {
    /// The name of the file of a key.
    func file(_ key: StoreKey) -> String {
        let name = key.escaped(keeping: Self.plain)
        return (name.hasPrefix(".") ? "%2E\(name.dropFirst())" : name) + ending
    }

    /// The key of a file; `nil` if it is not the file of a value.
    func key(_ file: String) -> StoreKey? {
        guard file.hasSuffix(ending), let name = file.dropLast(ending.count).removingPercentEncoding,
            let key = try? StoreKey(name), self.file(key) == file
        else { return nil }
        return key
    }

    /// The name of a new file until it is moved into place.
    static func pending(_ file: String) -> String { file + ".pending" }

    /// The name of the previous copy of a file.
    static func previous(_ file: String) -> String { file + ".previous" }

    /// Whether a file has not been moved into place.
    static func isPending(_ file: String) -> Bool { file.hasSuffix(".pending") }

    /// A name for a file that is set aside; a number from 2 on makes it unique, and a long name is truncated.
    static func setAside(_ file: String, at time: String, number: Int) -> String {
        let end = damaged + time + (number > 1 ? "-\(number)" : "")
        return String(file.prefix(longest - end.utf8.count - note.utf8.count)) + end
    }

    /// Whether a file was set aside; files of values are excluded, because their names may contain the same separator.
    func isSetAside(_ file: String) -> Bool {
        file.contains(Self.damaged) && !file.hasSuffix(Self.note) && !file.hasSuffix(ending)
            && !file.hasSuffix(Self.previous(ending)) && !file.hasSuffix(Self.pending(ending))
    }
}
