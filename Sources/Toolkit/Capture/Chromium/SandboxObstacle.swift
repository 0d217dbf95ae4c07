import CProcessControl
import Foundation

/// Why Chromium's sandbox doesn't work on this computer, unless the package `chromium-sandbox` is installed.
///
/// Chromium needs a user namespace. It says that it has none only in a message that `--log-level=3` suppresses.
package enum SandboxObstacle: Hashable, Sendable {
    /// A setting of the kernel forbids user namespaces; the value is one for `sysctl` that allows them.
    case setting(String)
    /// The program runs in a chroot, in which the kernel creates no user namespace.
    case chroot
    /// The kernel refuses a user namespace for another reason, with an error number.
    case refused(Int32)

    /// Finds out what prevents user namespaces; `nil` if nothing does.
    package static func find() -> SandboxObstacle? {
        let account = UserAccount.forBrowser()
        let error = meanwhile_try_user_namespace(
            account.map { Int($0.userID) } ?? -1, account.map { Int($0.groupID) } ?? -1)
        return find(error: error, processes: "/proc")
    }

    /// Finds the reason for the error of an attempt to create a user namespace; 0 for none.
    ///
    /// - Parameters:
    ///   - error: The error number.
    ///   - processes: The path at which the kernel shows its settings and processes.
    /// - Returns: The obstacle; `nil` if there is none.
    static func find(error: Int32, processes: String) -> SandboxObstacle? {
        func text(_ path: String) -> String? { try? String(contentsOfFile: "\(processes)/\(path)", encoding: .utf8) }
        func setting(_ path: String) -> String? { text("sys/\(path)")?.trimmingCharacters(in: .whitespacesAndNewlines) }
        // With this one, a namespace is created, but gives no rights.
        if setting("kernel/apparmor_restrict_unprivileged_userns") == "1" {
            return .setting("kernel.apparmor_restrict_unprivileged_userns=0")
        }
        if error == 0 { return nil }
        if setting("kernel/unprivileged_userns_clone") == "0" { return .setting("kernel.unprivileged_userns_clone=1") }
        if setting("user/max_user_namespaces") == "0" { return .setting("user.max_user_namespaces=10000") }
        // The kernel lists the mounts below the root of a process. That root is a mount itself, except in a chroot.
        let mounts = text("self/mountinfo")?.split(separator: "\n").map { $0.split(separator: " ") }
        if let mounts, !mounts.contains(where: { $0.count > 4 && $0[4] == "/" }) { return .chroot }
        return .refused(error)
    }
}

extension SandboxObstacle {
    /// What is wrong, as a sentence.
    package var reason: String {
        switch self {
        case .setting(let setting):
            "Chromium's sandbox needs user namespaces, which a setting of the kernel forbids (\(setting) allows them)."
        case .chroot:
            "Chromium's sandbox needs a user namespace, which the kernel doesn't create in a chroot."
        case .refused(let error):
            "Chromium's sandbox needs a user namespace, which the kernel refuses (\(String(cString: strerror(error)))), "
                + "as it does in a chroot, and in a container whose filter of system calls forbids it."
        }
    }

    /// A command or a step that mends it.
    package var remedy: String {
        switch self {
        case .setting(let setting): "sysctl \(setting), or apt-get install chromium-sandbox"
        case .chroot: "apt-get install chromium-sandbox, in the chroot"
        case .refused:
            "In a chroot: apt-get install chromium-sandbox. In a container: start it with a filter that allows unshare and "
                + "clone, such as --security-opt seccomp=unconfined."
        }
    }
}
