import Foundation
import Futures
import StoreTesting
import Subprocess
import SystemPackage
import Testing
import VirtualTime

@testable import Capture

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tests of memory cgroups, with this machine's kernel.
@Suite(.enabled(if: CgroupAccess.isAvailable, Comment(rawValue: CgroupAccess.reason)), .timeLimit(.minutes(20)))
struct BrowserCgroupTests {
    /// Runs a program that allocates memory without end in a cgroup.
    private func runGreedyProgram(in cgroup: BrowserCgroup) async throws {
        let commandLine = cgroup.commandPrefix + ["/usr/bin/tail", "/dev/zero"]
        let result = try await run(
            .path(FilePath(commandLine[0])), arguments: Arguments(Array(commandLine.dropFirst())), output: .discarded)
        #expect(result.terminationStatus == .signaled(SIGKILL))
    }

    @Test func killIsStillCountedAfterRemoval() async throws {
        let cgroup = try #require(BrowserCgroup.make(limit: 50_000_000))
        #expect(cgroup.kills.count == 0)
        try await runGreedyProgram(in: cgroup)
        let kills = cgroup.kills
        #expect(kills.count == 1)
        #expect((40_000_000...50_000_000).contains(kills.peak), "\(kills)")
        #expect(await eventually { cgroup.remove() })
        #expect(!FileManager.default.fileExists(atPath: cgroup.folder))
        #expect(cgroup.kills == kills)
        #expect(cgroup.remove())
    }

    @Test func killBeforeACaptureDoesNotFailIt() async throws {
        let cgroup = try #require(BrowserCgroup.make(limit: 50_000_000))
        let endings = Endings()
        // No process belongs to this group.
        let watch = MemoryWatch(group: .max, limit: 50_000_000, cgroup: cgroup) { endings.count() }
        try await runGreedyProgram(in: cgroup)
        watch.captureBegan()
        watch.captureBegan()
        #expect(!watch.detectKill())
        #expect(watch.excess == nil)
        try await runGreedyProgram(in: cgroup)
        #expect(watch.detectKill())
        #expect(watch.detectKill())
        #expect(watch.excess?.captures == 2)
        // The watch itself may have detected it first, and be about to report it.
        #expect(await eventually { endings.number == 1 })
        watch.captureEnded()
        watch.captureEnded()
    }

    @Test func killDuringACaptureIsDetected() async throws {
        let cgroup = try #require(BrowserCgroup.make(limit: 50_000_000))
        let endings = Endings()
        let watch = MemoryWatch(group: .max, limit: 50_000_000, cgroup: cgroup) { endings.count() }
        watch.captureBegan()
        try await runGreedyProgram(in: cgroup)
        #expect(await eventually { endings.number == 1 })
        #expect(watch.excess?.captures == 1)
        watch.captureEnded()
    }

    @Test func allProcessesOfABrowserAreInItsCgroupWhichIsRemovedWithIt() async throws {
        var configuration = ChromiumProcess.Configuration()
        configuration.clock = ExtendingClock()
        configuration.memoryLimit = 3 << 30
        let browser = try await ChromiumProcess.launch(configuration)
        let cgroup = try #require(browser.memoryWatch.cgroup)
        let leader = try #require(Processes.now().all.first { $0.id == browser.processID })
        let option = "--user-data-dir="
        let argument = try #require(leader.commandLine.split(separator: " ").first { $0.hasPrefix(option) })
        let profile = FilePath(String(argument.dropFirst(option.count))).removingLastComponent().removingLastComponent()
        let tree = ProcessTree(group: browser.processID, mark: profile.string)
        // Crash handlers leave the browser's process group.
        #expect(
            await eventually {
                let strays = tree.strays()
                let processes = Processes.now().all.filter {
                    $0.state != "Z" && ($0.group == browser.processID || strays.contains($0.id))
                }
                return !strays.isEmpty && processes.count > 5 && processes.allSatisfy { cgroup.contains($0.id) }
            })
        await browser.terminate()
        #expect(!FileManager.default.fileExists(atPath: cgroup.folder))
    }

    /// Browsers that other tests start at the same time sweep too.
    @Test func emptyCgroupsOfDeadOwnersAreSwept() async throws {
        func exists(_ folder: String) -> Bool { FileManager.default.fileExists(atPath: folder) }
        let own = try #require(MemoryCgroup.ofThisProcess()).folder
        // A leftover of a killed program, without its lock.
        let left = "\(own)/meanwhile-chromium-\(UUID().uuidString)"
        let other = "\(own)/other-\(UUID().uuidString)"
        let held = try #require(BrowserCgroup.make(limit: 1 << 30))
        for folder in [left, other] { try #require(mkdir(folder, 0o700) == 0) }
        defer { for folder in [left, other] { rmdir(folder) } }
        let inUse = try #require(BrowserCgroup.make(limit: 1 << 30))
        let (folder, commandLine) = (inUse.folder, inUse.commandPrefix + ["/bin/sleep", "600"])
        let owner = Lock<BrowserCgroup?>(consume inUse)
        let command = Subprocess.Configuration(
            executable: .path(FilePath(commandLine[0])), arguments: Arguments(Array(commandLine.dropFirst())))
        _ = try await run(command, input: .none, output: .discarded, error: .discarded) { execution in
            let process = execution.processIdentifier.value
            #expect(await eventually { owner.withLock { $0?.contains(process) == true } })
            owner.withLock { $0 = nil }
            BrowserCgroup.sweep()
            #expect(await eventually { !exists(left) })
            #expect(exists(folder))
            #expect(exists(other))
            #expect(exists(held.folder))
            kill(process, SIGKILL)
        }
        #expect(
            await eventually {
                BrowserCgroup.sweep()
                return !exists(folder)
            })
    }
}

/// Counts how often a browser was terminated.
private final class Endings: Sendable {
    private let state = Lock(0)

    var number: Int { state.withLock { $0 } }

    func count() { state.withLock { $0 += 1 } }
}
