import Foundation
import Subprocess
import SystemPackage

/// The account for browsers that Meanwhile doesn't start itself: as root, Chromium would have to run without its
/// sandbox.
///
/// Each instance has a folder for its profile and temporary files, which ``remove()`` deletes.
struct UnprivilegedAccount {
    /// The kernel's overflow user, which Debian calls `nobody`.
    private static let number: UInt32 = 65534

    /// The home and temporary folder.
    let folder: FilePath
    /// Whether this process may switch to the account; otherwise the browsers run as the current user.
    private let isRoot = geteuid() == 0

    init() throws {
        folder = FilePath(NSTemporaryDirectory()).appending("capture-figures-\(UUID().uuidString)")
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
        if isRoot {
            try FileManager.default.setAttributes(
                [.ownerAccountID: Self.number, .groupOwnerAccountID: Self.number], ofItemAtPath: folder.string)
        }
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: folder.string)
    }

    /// The configuration that runs a program as this account, or as the current user if that isn't root.
    func command(_ program: String, _ arguments: [String]) -> Subprocess.Configuration {
        let user = ["setpriv", "--reuid=\(Self.number)", "--regid=\(Self.number)", "--clear-groups", "--"]
        let line = (isRoot ? user : []) + [program] + arguments
        return Subprocess.Configuration(
            executable: .name(line[0]), arguments: Arguments(Array(line.dropFirst())),
            environment: .inherit.updating([
                "HOME": folder.string, "TMPDIR": folder.string, "XDG_CONFIG_HOME": folder.string,
                "XDG_CACHE_HOME": folder.string,
            ]))
    }
}
