import Testing

@testable import Capture

/// Tests of finding a process's memory cgroup from `/proc/self/cgroup` and `/proc/self/mountinfo`.
struct MemoryCgroupTests {
    private static let mountV1 = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory"
    private static let mountCPU = "34 31 0:31 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu"
    private static let mountV2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"
    private static let unified = "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw"

    private func find(_ cgroups: String, _ mounts: String...) -> MemoryCgroup? {
        MemoryCgroup(cgroups: Array(cgroups.utf8), mounts: Array(mounts.joined(separator: "\n").utf8))
    }

    @Test func version1IsFoundByItsController() {
        let cgroups = "5:cpu,cpuacct:/a\n4:hugetlb,memory:/jobs/7\n1:name=systemd:/s\n"
        #expect(
            find(cgroups, Self.mountCPU, Self.mountV1)
                == MemoryCgroup(version: .v1, folder: "/sys/fs/cgroup/memory/jobs/7"))
    }

    @Test func version2IsFoundByItsEmptyListOfControllers() {
        #expect(
            find("0::/user.slice/a.scope\n", Self.mountV2)
                == MemoryCgroup(version: .v2, folder: "/sys/fs/cgroup/user.slice/a.scope"))
        #expect(find("0::/\n", Self.mountV2) == MemoryCgroup(version: .v2, folder: "/sys/fs/cgroup"))
    }

    @Test func versionWithTheMemoryControllerIsChosen() {
        #expect(
            find("0::/unified\n4:memory:/v1\n", Self.unified, Self.mountV1)
                == MemoryCgroup(version: .v1, folder: "/sys/fs/cgroup/memory/v1"))
        #expect(
            find("3:cpu:/v1\n0::/v2\n", Self.mountCPU, Self.unified)
                == MemoryCgroup(version: .v2, folder: "/sys/fs/cgroup/unified/v2"))
    }

    @Test func mountOfAPartOfTheHierarchyIsResolved() {
        let mount = "35 31 0:32 /docker/1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory"
        #expect(find("4:memory:/docker/1\n", mount)?.folder == "/sys/fs/cgroup/memory")
        #expect(find("4:memory:/docker/1/jobs\n", mount)?.folder == "/sys/fs/cgroup/memory/jobs")
        #expect(find("4:memory:/docker/12\n", mount) == nil)
        #expect(find("4:memory:/docker\n", mount) == nil)
        #expect(find("4:memory:/\n", "35 31 0:32 /../.. /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory") == nil)
    }

    @Test func laterMountWithTagsAndEscapesIsUsed() {
        let later = #"99 31 0:32 / /mnt/my\040cgroups\134x rw shared:1 master:2 - cgroup  rw,memory"#
        #expect(find("4:memory:/a\n", Self.mountV1, later)?.folder == #"/mnt/my cgroups\x/a"#)
    }

    @Test(arguments: [
        "", "\n", ":", "::", "0::", "0::\n", "4:memory", "4:memory:", "4:memory:relative", "4:memory:/..",
        "4:memory:/a/../../b", "4:memory:/a/..", "4:memory:/a\0b", "0::/..", "4:memory2:/a", "4:name=memory:/a",
        "4:Memory:/a", "x::/a", "00::/a", "4:memory\u{301}:/a", "0\u{301}::/a",
    ])
    func invalidCgroupPathIsRefused(cgroups: String) {
        #expect(find(cgroups, Self.mountV2, Self.mountV1) == nil)
    }

    @Test func namesMayContainColonsCarriageReturnsAndCombiningMarks() {
        #expect(find("0::/a:b\n", Self.mountV2)?.folder == "/sys/fs/cgroup/a:b")
        #expect(find("5:cpu:/a\r\n4:memory:/\u{301}b\r\n", Self.mountV1)?.folder == "/sys/fs/cgroup/memory/\u{301}b\r")
        #expect(find("0::/...\n", Self.mountV2)?.folder == "/sys/fs/cgroup/...")
    }

    @Test(arguments: [
        "", "\n\n", "-", "1 2 3 4 5 6 - cgroup", "35 31 0:32 / /m rw cgroup cgroup rw,memory",
        "35 31 0:32 / /m rw - cgroup cgroup rw,memory2", "35 31 0:32 / /m rw - cgroup2 cgroup2 rw,memory",
        "35 31 0:32 / /m rw - tmpfs memory rw,memory",
    ])
    func cgroupWithoutAMountIsNotFound(mounts: String) {
        #expect(find("4:memory:/a\n", mounts) == nil)
    }

    @Test func eventCountIsFoundByItsWholeKey() {
        let events = "low 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 1\n"
        #expect(BrowserCgroup.number("oom_kill", in: events) == 2)
        #expect(BrowserCgroup.number("oom", in: events) == 3)
        #expect(BrowserCgroup.number("oom_kill", in: "oom_kill_disable 0\nunder_oom 0\n") == nil)
        #expect(BrowserCgroup.number("oom_kill", in: "oom_kill 99999999999999999999\n") == nil)
        #expect(BrowserCgroup.number("oom_kill", in: "oom_kill\noom_kill 1 2\noom_kill x") == nil)
        #expect(BrowserCgroup.number("oom_kill", in: "") == nil)
    }
}
