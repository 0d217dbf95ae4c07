import Foundation

/// The account that a process runs as.
struct UserAccount: Hashable, Sendable {
    var userID: UInt32
    var groupID: UInt32

    /// A prefix for a command line that runs it as this account.
    ///
    /// swift-subprocess isn't used for this: it changes the user between fork and exec, where glibc waits for threads
    /// that the child doesn't have. In a process with several threads, one start in ten hung.
    var prefix: [String] {
        ["/usr/bin/setpriv", "--reuid=\(userID)", "--regid=\(groupID)", "--clear-groups", "--"]
    }

    /// The account to run Chromium as; `nil` for this process's own.
    ///
    /// Chromium refuses to sandbox pages when it runs as root, so root runs it as `nobody`.
    static func forBrowser() -> UserAccount? {
        guard geteuid() == 0 else { return nil }
        // 65534 is the kernel's overflow user, which `nobody` usually is.
        guard let entry = getpwnam("nobody") else { return UserAccount(userID: 65534, groupID: 65534) }
        return UserAccount(userID: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid)
    }
}
