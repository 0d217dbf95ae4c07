import Foundation

/// Whom a process runs as.
struct UserAccount: Hashable, Sendable {
    var userID: UInt32
    var groupID: UInt32

    /// What a command line begins with so that it runs as this account.
    ///
    /// Not by swift-subprocess: it changes the user between fork and exec, where glibc waits for threads that the child
    /// does not have. In a process with several threads that hung one start in ten.
    var prefix: [String] {
        ["/usr/bin/setpriv", "--reuid=\(userID)", "--regid=\(groupID)", "--clear-groups", "--"]
    }

    /// The account that Chromium is to run as, or `nil` for this process's own.
    ///
    /// Chromium refuses to sandbox its pages when it runs as root, so for root it is `nobody`.
    static func forBrowser() -> UserAccount? {
        guard geteuid() == 0 else { return nil }
        // 65534 is the kernel's own overflow user, which is what `nobody` is where the name is unknown.
        guard let entry = getpwnam("nobody") else { return UserAccount(userID: 65534, groupID: 65534) }
        return UserAccount(userID: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid)
    }
}
