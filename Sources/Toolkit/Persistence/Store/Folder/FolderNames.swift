import Foundation

/// What the files of a folder are named, and what their names say.
///
/// A name is kept whole in its file's: small letters, digits, hyphens, low lines and dots as they are, every other byte as
/// `%` and two digits. So names that differ have files that differ, also where `A` and `a` are one.
struct FolderNames: Sendable {
    /// What the files of values end in.
    var ending: String

    /// What begins a file whose change is not finished.
    static let journal = ".journal"
    static let lock = ".lock"
    /// What stands between a file's name and the time it was set aside.
    static let damaged = ".damaged-"
    /// What the note on a file that was set aside ends in.
    static let note = ".note"

    private static let longest = 255
    private static let plain = Set("abcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)
}

extension FolderNames {
    /// The name of the file that holds a value.
    func file(_ key: StoreKey) -> String {
        key.escaped(keeping: Self.plain, alsoAtBeginning: Self.plain.subtracting(".".utf8)) + ending
    }

    /// The name of the value in a file; `nil` if it is another file.
    func key(_ file: String) -> StoreKey? {
        guard file.hasSuffix(ending), let name = file.dropLast(ending.count).removingPercentEncoding,
            let key = try? StoreKey(name), self.file(key) == file
        else { return nil }
        return key
    }

    /// The name that a file has that is written and not in its place yet.
    static func pending(_ file: String) -> String { file + ".pending" }

    /// The name of the copy from before.
    static func previous(_ file: String) -> String { file + ".previous" }

    /// Whether a file was not put in its place, or is not yet.
    static func isPending(_ file: String) -> Bool { file.hasSuffix(".pending") }

    /// A name for a file that is set aside, with a number from 2 on if others are taken; of a long one only the
    /// beginning is in it.
    static func setAside(_ file: String, at time: String, number: Int) -> String {
        let end = damaged + time + (number > 1 ? "-\(number)" : "")
        return String(file.prefix(longest - end.utf8.count - note.utf8.count)) + end
    }

    /// Whether a file was set aside: the name of a value may look like one.
    func isSetAside(_ file: String) -> Bool {
        file.contains(Self.damaged) && !file.hasSuffix(Self.note) && !file.hasSuffix(ending)
            && !file.hasSuffix(Self.previous(ending)) && !file.hasSuffix(Self.pending(ending))
    }
}
