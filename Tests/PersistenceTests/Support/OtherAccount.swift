import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The account `nobody`, which may do less than root.
enum OtherAccount {
    static let number: UInt32 = 65_534

    /// Whether the tests may give files to another account, and act as one: as root only.
    static let isAvailable = geteuid() == 0

    /// Gives a file, a folder or a link itself to the other account.
    static func own(_ path: String) throws {
        try #require(lchown(path, number, number) == 0)
    }

    /// Makes this process one of the other account, if it is root's.
    ///
    /// For exit tests alone: it cannot be undone.
    static func become() {
        guard isAvailable else { return }
        guard setgid(number) == 0, setuid(number) == 0 else { exit(3) }
    }
}

/// The permissions of a file or folder; `nil` if there is none.
func permissions(_ path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.posixPermissions] as? Int
}

/// What lies in a folder at any depth, and the folder itself, that other accounts have any permission for.
func openToOthers(below folder: String) -> [String] {
    let below = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return ([folder] + below.map { "\(folder)/\($0)" }).filter { (permissions($0) ?? 0) & 0o077 != 0 }
}
