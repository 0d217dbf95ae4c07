import Foundation
import StoreTesting
import Testing

@testable import Capture

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Why Chromium's sandbox doesn't work.
@Suite struct SandboxObstacleTests {
    /// A folder with the files of `/proc` that matter.
    private func processes(_ files: [String: String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (path, text) in files {
            let file = URL(filePath: "\(folder.path)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return folder
    }

    private static let ordinaryMounts = """
        22 27 0:21 / /proc rw,relatime - proc proc rw
        27 1 254:0 / / rw,relatime - ext4 /dev/vda rw

        """

    @Test func settingThatForbidsUserNamespacesIsFound() throws {
        for (path, value, setting) in [
            ("kernel/unprivileged_userns_clone", "0\n", "kernel.unprivileged_userns_clone=1"),
            ("user/max_user_namespaces", "0\n", "user.max_user_namespaces=10000"),
            ("kernel/apparmor_restrict_unprivileged_userns", "1\n", "kernel.apparmor_restrict_unprivileged_userns=0"),
        ] {
            let folder = try processes(["sys/\(path)": value, "self/mountinfo": Self.ordinaryMounts])
            let obstacle = SandboxObstacle.find(error: EPERM, processes: folder.path)
            #expect(obstacle == .setting(setting))
            #expect(obstacle?.remedy.hasPrefix("sysctl \(setting)") == true)
        }
    }

    @Test func chrootIsFoundByItsMissingRootMount() throws {
        let mounts = "44 42 0:21 / /proc rw,relatime - proc proc rw\n45 42 254:0 /usr /usr rw - ext4 /dev/vda rw\n"
        let folder = try processes(["sys/kernel/unprivileged_userns_clone": "1\n", "self/mountinfo": mounts])
        let obstacle = SandboxObstacle.find(error: EPERM, processes: folder.path)
        #expect(obstacle == .chroot && obstacle?.remedy.contains("chromium-sandbox") == true)
    }

    @Test func otherRefusalNamesBothPossibleReasons() throws {
        for files in [["self/mountinfo": Self.ordinaryMounts], [:]] {
            let obstacle = SandboxObstacle.find(error: EPERM, processes: try processes(files).path)
            #expect(obstacle == .refused(EPERM))
            #expect(obstacle?.reason.contains("Operation not permitted") == true)
            #expect(obstacle?.remedy.contains("chroot") == true && obstacle?.remedy.contains("seccomp") == true)
        }
    }

    @Test func computerThatRunsTheTestsHasNoObstacle() throws {
        #expect(SandboxObstacle.find() == nil)
        let folder = try processes(["sys/user/max_user_namespaces": "96365\n", "self/mountinfo": Self.ordinaryMounts])
        #expect(SandboxObstacle.find(error: 0, processes: folder.path) == nil)
    }
}
