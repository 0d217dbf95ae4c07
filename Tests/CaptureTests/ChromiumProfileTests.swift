import Foundation
import SystemPackage
import Testing

@testable import Capture

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tests that a profile's folder is removed completely and that another account's files do no harm.
///
/// Such files, planted in the temporary folder, don't block a browser, and no file outside its folder is changed.
/// If the tests run as root, the planted files belong to `nobody`, which is the browser's account too. The tests that
/// set `TMPDIR` do so in a child process, each with its own folder.
@Suite(.timeLimit(.minutes(20))) struct ChromiumProfileTests {
    private static let nobody: UInt32 = 65_534
    private static let isRoot = geteuid() == 0

    /// Short, because the path of Chromium's socket begins with it and can have at most 107 bytes.
    private let parent = "/tmp/mw-\(String(UInt32.random(in: .min ... .max), radix: 36))"
    private var planted: String { parent + "/meanwhile-chromium-planted" }

    private func withParent(mode: mode_t = 0o1777, _ body: () async throws -> Void) async throws {
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: parent) }
        try #require(chmod(parent, mode) == 0)
        try await body()
    }

    private func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    private func makeFile(_ path: String, _ text: String = "") throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    /// Gives files to another account if the tests run as root.
    private func giveAway(_ paths: String...) throws {
        guard Self.isRoot else { return }
        for path in paths { try #require(lchown(path, Self.nobody, Self.nobody) == 0) }
    }

    private func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// Creates and removes a profile in a child process; creating it sweeps abandoned folders in the parent folder.
    private func sweep() async {
        await #expect(processExitsWith: .success) { [parent = parent as String] in
            setenv("TMPDIR", parent, 1)
            // Ends the process if a planted file blocks it.
            alarm(120)
            let profile = try ChromiumProfile(for: UserAccount.forBrowser())
            #expect(profile.folder.string.hasPrefix(parent + "/meanwhile-chromium-"))
            profile.remove()
            #expect(!FileManager.default.fileExists(atPath: profile.folder.string))
        }
    }

    @Test func pipeInPlaceOfALockDoesNotBlockTheBrowser() async throws {
        try await withParent {
            try makeFolder(planted)
            try #require(mkfifo(planted + "/owner.lock", 0o666) == 0)
            try giveAway(planted, planted + "/owner.lock")
            await sweep()
            #expect(names(planted) == ["owner.lock"])
        }
    }

    @Test(.enabled(if: isRoot, "Only root can give a folder to another account."))
    func folderOfAnotherAccountIsNotSwept() async throws {
        try await withParent {
            try makeFolder(planted)
            try makeFile(planted + "/owner.lock")
            try makeFile(planted + "/letter.txt", "mine")
            try giveAway(planted, planted + "/owner.lock", planted + "/letter.txt")
            await sweep()
            #expect(names(planted) == ["letter.txt", "owner.lock"])
        }
    }

    @Test func linkInPlaceOfAFolderIsNotSwept() async throws {
        try await withParent {
            let target = parent + "/important"
            try makeFolder(target)
            try makeFile(target + "/owner.lock")
            try makeFile(target + "/letter.txt", "mine")
            try FileManager.default.createSymbolicLink(atPath: planted, withDestinationPath: target)
            try giveAway(planted)
            await sweep()
            #expect(names(parent) == ["important", "meanwhile-chromium-planted"])
            #expect(names(target) == ["letter.txt", "owner.lock"])
        }
    }

    @Test func aLinkInPlaceOfALockIsNotFollowed() async throws {
        try await withParent {
            let target = parent + "/important"
            try makeFile(target, "mine")
            try makeFolder(planted)
            try FileManager.default.createSymbolicLink(atPath: planted + "/owner.lock", withDestinationPath: target)
            try giveAway(planted, planted + "/owner.lock")
            await sweep()
            #expect(names(planted) == ["owner.lock"])
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
        }
    }

    @Test func folderOfAKilledOwnerIsRemovedWithoutFollowingLinks() async throws {
        try await withParent {
            await #expect(processExitsWith: .signal(SIGKILL)) { [parent = parent as String] in
                setenv("TMPDIR", parent, 1)
                let profile = try ChromiumProfile(for: UserAccount.forBrowser())
                try withExtendedLifetime(profile) {
                    try Data().write(to: URL(filePath: profile.folder.string + "/0"))
                    kill(getpid(), SIGKILL)
                }
            }
            let left = try #require(names(parent).first)
            let target = parent + "/important"
            try makeFolder(target)
            try makeFile(target + "/letter.txt", "mine")
            let home = "\(parent)/\(left)/home"
            try makeFolder(home + "/profile/Default")
            try makeFile(home + "/profile/Default/History")
            try FileManager.default.createSymbolicLink(atPath: home + "/profile/link", withDestinationPath: target)
            try FileManager.default.createSymbolicLink(
                atPath: home + "/file", withDestinationPath: target + "/letter.txt")
            try #require(mkfifo(home + "/pipe", 0o600) == 0)
            await sweep()
            #expect(names(parent) == ["important"])
            #expect(try String(contentsOfFile: target + "/letter.txt", encoding: .utf8) == "mine")
        }
    }

    /// Chromium creates its profile's folder again if it is removed while Chromium runs.
    @Test func folderOfAKilledOwnerStaysUntilItsBrowserHasEnded() async throws {
        // The first test that launches a browser does the same.
        ProcessTree.adoptOrphans()
        try await withParent {
            let numberFile = parent + "/process"
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [parent = parent as String, numberFile = numberFile as String] in
                setenv("TMPDIR", parent, 1)
                let profile = try ChromiumProfile(for: UserAccount.forBrowser())
                let log = try profile.makeLog()
                // In place of Chromium, a process that inherits the log and survives its parent.
                // It inherits nothing else, because the test waits for the end of its own pipes.
                for descriptor: CInt in 0...2 { try #require(dup2(log.rawValue, descriptor) == descriptor) }
                for descriptor: CInt in 3..<1_024 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
                let arguments = [strdup("sleep"), strdup("1000"), nil]
                var process: pid_t = 0
                try #require(posix_spawn(&process, "/bin/sleep", nil, nil, arguments, nil) == 0)
                try "\(process)".write(toFile: numberFile, atomically: true, encoding: .utf8)
                _ = withExtendedLifetime(profile) { kill(getpid(), SIGKILL) }
            }
            let process = try #require(pid_t(String(contentsOfFile: numberFile, encoding: .utf8)))
            do {
                // Also waits for its end: while a child has ended and is still listed, exit tests never end.
                defer { _ = (kill(process, SIGKILL), waitpid(process, nil, 0)) }
                try FileManager.default.removeItem(atPath: numberFile)
                await sweep()
                try #require(names(parent).count == 1)
            }
            await sweep()
            #expect(names(parent).isEmpty)
        }
    }

    /// An owner can be killed between creating the folder and its lock, and between removing the two.
    @Test func aFolderWithoutALockIsRemovedIfItIsEmpty() async throws {
        try await withParent {
            try makeFolder(planted)
            try makeFolder(planted + "-full")
            try makeFile(planted + "-full/letter.txt", "mine")
            await sweep()
            #expect(names(parent) == ["meanwhile-chromium-planted-full"])
            #expect(names(planted + "-full") == ["letter.txt"])
        }
    }

    /// The tree's deepest path exceeds the system's limit, and so would one open descriptor for each level.
    @Test func aTreeOfAnyDepthWidthAndNamesIsRemoved() async throws {
        try await withParent {
            await #expect(processExitsWith: .success) { [parent = parent as String] in
                setenv("TMPDIR", parent, 1)
                alarm(600)
                let profile = try ChromiumProfile(for: UserAccount.forBrowser())
                try #require(chdir(profile.home.string) == 0)
                let names = [[-1, -128, 0]] + (0..<2_500).map { Array("\($0)".utf8CString) }
                for name in names {
                    let file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
                    try #require(file >= 0 && close(file) == 0)
                }
                for _ in 0..<5_000 {
                    try #require(mkdir("deeper", 0o700) == 0 && chdir("deeper") == 0)
                }
                try #require(chdir("/") == 0)
                profile.remove()
                #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == [])
            }
        }
    }

    @Test func onlyTheEndOfALongLogIsRead() throws {
        let profile = try ChromiumProfile(for: UserAccount.forBrowser())
        defer { profile.remove() }
        #expect(profile.logTail == "")
        let log = try profile.makeLog()
        try log.writeAll(Data(repeating: UInt8(ascii: "a"), count: 1_000_000) + Data("the end".utf8))
        try log.close()
        #expect(profile.logTail.count == 4_096)
        #expect(profile.logTail.hasSuffix("aaa" + "the end"))
    }

    /// Four descriptors suffice for the profile's folder, its lock and the log, but not for both sockets.
    ///
    /// Five or seven suffice for the sockets, too, but not for the three that Subprocess needs.
    ///
    /// Another thread of the child process may open or close a file during an attempt, most likely the first. A
    /// descriptor or a folder that is left behind would fail every attempt.
    @Test(arguments: [4, 5, 7]) func browserThatLacksADescriptorLeavesNoneOpen(count: Int) async throws {
        try await withParent {
            await #expect(processExitsWith: .success) { [parent = parent as String, count = count as Int] in
                setenv("TMPDIR", parent, 1)
                // Includes those that this process has inherited: one for each socket that the test process had open.
                let opened = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").compactMap(rlim_t.init)
                try #require(limitDescriptors(to: opened.max()! + 64))
                var configuration = ChromiumProcess.Configuration()
                configuration.executable = "/bin/false"
                var outcomes: Set<String> = []
                let expected = "0 files, \(count) descriptors, Too many open files"
                for _ in 0..<50 where !outcomes.contains(expected) {
                    let fillers = exhaustDescriptors()
                    for descriptor in fillers.suffix(count) { close(descriptor) }
                    var cause: (any Error)?
                    do {
                        _ = try await ChromiumProcess.launch(configuration)
                    } catch {
                        cause = (error as? CaptureError)?.cause
                    }
                    let left = exhaustDescriptors()
                    // Listing a folder and reporting an issue need a descriptor.
                    for descriptor in fillers.dropLast(count) + left { close(descriptor) }
                    let files = try FileManager.default.contentsOfDirectory(atPath: parent)
                    outcomes.insert(
                        "\(files.count) files, \(left.count) descriptors, \(cause.map { "\($0)" } ?? "none")")
                }
                #expect(outcomes.contains(expected), "\(outcomes)")
            }
        }
    }

    /// Root uses files in the profile's folder: the browser's account must not be able to replace them with links.
    @Test(.enabled(if: isRoot, "Only root gives its browsers another account."))
    func browserAccountCannotReplaceFilesOfItsOwner() async throws {
        try await withParent {
            await #expect(processExitsWith: .success) { [parent = parent as String] in
                setenv("TMPDIR", parent, 1)
                let profile = try ChromiumProfile(for: UserAccount.forBrowser())
                guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(3) }
                let folder = profile.folder.string
                #expect(rename(folder + "/owner.lock", folder + "/other.lock") != 0)
                #expect(unlink(folder + "/owner.lock") != 0)
                #expect(symlink("/etc/passwd", folder + "/chromium.log") != 0)
                #expect(mkdir(folder + "/planted", 0o700) != 0)
                #expect(mkdir(folder + "/home/planted", 0o700) == 0)
            }
        }
    }

    @Test func aParentInWhichOthersMayRenameIsNotUsed() async throws {
        try await withParent(mode: 0o777) {
            await #expect(processExitsWith: .success) { [parent = parent as String] in
                setenv("TMPDIR", parent, 1)
                let profile = try ChromiumProfile(for: UserAccount.forBrowser())
                #expect(!profile.folder.string.hasPrefix(parent))
                profile.remove()
            }
        }
    }
}

/// Sets the maximum number of open descriptors; returns whether that succeeded.
private func limitDescriptors(to count: rlim_t) -> Bool {
    #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit(rlim_cur: count, rlim_max: count)
    return setrlimit(resource, &limit) == 0
}

/// Opens as many descriptors as possible.
private func exhaustDescriptors() -> [CInt] {
    var opened: [CInt] = []
    while case let next = open("/dev/null", O_RDONLY | O_CLOEXEC), next >= 0 { opened.append(next) }
    return opened
}
