import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The account `nobody`, which has fewer permissions than root.
enum OtherAccount {
    static let number: UInt32 = 65_534

    /// Whether the tests can change the owner of files, and switch to another account; only root can.
    static let isAvailable = geteuid() == 0

    /// Changes the owner of a file, a folder or a link itself to the other account.
    static func takeOwnership(_ path: String) throws {
        try #require(lchown(path, number, number) == 0)
    }

    /// Switches this process to the other account, if it runs as root.
    ///
    /// Only for exit tests, because it can't be undone.
    static func switchAccount() {
        guard isAvailable else { return }
        guard setgid(number) == 0, setuid(number) == 0 else { exit(3) }
    }
}

/// The permissions of a file or folder; `nil` if there is none.
func permissions(_ path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.posixPermissions] as? Int
}

/// The paths in a folder, recursively and including itself, to which other accounts have any permission.
func openToOthers(below folder: String) -> [String] {
    let below = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return ([folder] + below.map { "\(folder)/\($0)" }).filter { (permissions($0) ?? 0) & 0o077 != 0 }
}
