import Digests

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
}

extension FolderNames {
    /// The name of the file that holds a value.
    func file(_ key: StoreKey) -> String {
        var bytes: [UInt8] = []
        for (position, byte) in key.name.utf8.enumerated() {
            if Self.isPlain(byte), position > 0 || byte != UInt8(ascii: ".") {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes += CollectionOfOne(byte).hexadecimal.uppercased().utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self) + ending
    }

    /// The name of the value in a file; `nil` if it is another file.
    func key(_ file: String) -> StoreKey? {
        guard file.hasSuffix(ending), let name = Self.unescaped(file.dropLast(ending.count)),
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

    /// A name for a file that is set aside.
    ///
    /// - Parameters:
    ///   - file: The file's.
    ///   - time: As it stands in a name.
    ///   - number: From 2 on, if others are taken.
    /// - Returns: The name; of a long one only the beginning is in it.
    static func setAside(_ file: String, at time: String, number: Int) -> String {
        let end = damaged + time + (number > 1 ? "-\(number)" : "")
        return String(file.prefix(longest - end.utf8.count - note.utf8.count)) + end
    }

    /// Whether a file was set aside: the name of a value may look like one.
    func isSetAside(_ file: String) -> Bool {
        file.contains(Self.damaged) && !file.hasSuffix(Self.note) && !file.hasSuffix(ending)
            && !file.hasSuffix(Self.previous(ending)) && !file.hasSuffix(Self.pending(ending))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
