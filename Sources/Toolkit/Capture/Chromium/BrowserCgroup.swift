import Foundation
import Futures
import Logging
import SystemPackage

/// A memory cgroup for the processes of one browser, below the cgroup of this process.
///
/// When the processes exceed the limit, the kernel first reclaims page cache and then kills them, so no page can exceed
/// it, however fast it allocates. In some environments no cgroup can be created: if the parent is a version 2 cgroup
/// that contains processes, if the account lacks the rights, or in a container with read-only cgroups. ``MemoryWatch``
/// then samples the memory instead.
///
/// See https://docs.kernel.org/admin-guide/cgroup-v2.html and
/// https://docs.kernel.org/admin-guide/cgroup-v1/memory.html.
final class BrowserCgroup: Sendable {
    /// The kernel's kills of a cgroup's processes.
    struct Kills: Hashable, Sendable {
        /// The number of processes killed for lack of memory.
        var count = 0
        /// The peak memory use of all processes together, in bytes.
        var peak = 0
    }

    static let prefix = "meanwhile-chromium-"
    private static let logger = Logger(label: "meanwhile.chromium")
    /// The number of attempts; another process's sweep may remove a cgroup before it's locked.
    private static let maximumAttempts = 3

    /// The cgroup's folder.
    let folder: String
    private let version: MemoryCgroup.Version
    private let limit: Int
    /// The folder, locked so that other processes' sweeps don't remove it while this process runs.
    private let ownedFolder: OwnedFolder
    private let lastKills = Lock(Kills())

    /// Creates a cgroup with a limit in bytes; `nil` where that isn't possible.
    static func make(limit: Int) -> BrowserCgroup? {
        guard let parent = MemoryCgroup.ofThisProcess() else {
            logger.debug("no cgroup", metadata: ["reason": "this process has no memory cgroup"])
            return nil
        }
        sweep(parent)
        for attempt in 1...maximumAttempts {
            do throws(Errno) {
                return try BrowserCgroup(in: parent, limit: limit)
            } catch {
                guard attempt == maximumAttempts else { continue }
                logger.debug("no cgroup", metadata: ["reason": "\(error)", "parent": "\(parent.folder)"])
            }
        }
        return nil
    }

    private init(in parent: MemoryCgroup, limit: Int) throws(Errno) {
        switch parent.version {
        case .v1:
            // Kernels before 5.11 support cgroups without a hierarchy, whose limits don't apply to descendants.
            guard KernelFiles.text(parent.folder + "/memory.use_hierarchy")?.first != "0" else { throw .notSupported }
        case .v2:
            // The kernel allows this only for a cgroup without processes, or for the root.
            try? Self.write("+memory", to: parent.folder + "/cgroup.subtree_control")
        }
        self.version = parent.version
        self.limit = limit
        self.folder = "\(parent.folder)/\(Self.prefix)\(String(UInt64.random(in: .min ... .max), radix: 36))"
        guard mkdir(folder, 0o700) == 0 else { throw Errno(rawValue: errno) }
        do throws(Errno) {
            self.ownedFolder = try OwnedFolder(at: folder)
            guard try ownedFolder.lock() else { throw .wouldBlock }
            try Self.setLimits(of: folder, version, limit)
            guard Self.kills(in: folder, version, limit: limit) != nil else { throw .notSupported }
        } catch {
            rmdir(folder)
            throw error
        }
    }

    deinit {
        _ = remove()
    }
}

// MARK: - Limits

extension BrowserCgroup {
    /// A prefix for a command line that puts its process and all descendants into the cgroup from the start.
    ///
    /// A process that joins later leaves its existing memory charged to the parent cgroup. If joining fails, the
    /// command runs outside; see ``contains(_:)``. The prefix must come before the change of account, because the other
    /// account can't write to the cgroup.
    var commandPrefix: [String] {
        let script = #"{ echo 0 > "$0"; } 2>/dev/null || :; exec "$@""#
        return ["/bin/sh", "-c", script, folder + "/cgroup.procs"]
    }

    /// Whether a process is in the cgroup.
    func contains(_ process: Int32) -> Bool {
        (KernelFiles.text(folder + "/cgroup.procs") ?? "").split(separator: "\n").contains("\(process)")
    }

    private static func setLimits(
        of folder: String, _ version: MemoryCgroup.Version, _ limit: Int
    ) throws(Errno) {
        switch version {
        case .v1:
            try write("\(limit)", to: folder + "/memory.limit_in_bytes")
            // The limit for memory and swap together; the file is missing if the kernel doesn't count swap.
            try? write("\(limit)", to: folder + "/memory.memsw.limit_in_bytes")
            // Inherited from the parent cgroup. It would make processes hang forever instead of being killed.
            if number("oom_kill_disable", in: KernelFiles.text(folder + "/memory.oom_control") ?? "") == 1 {
                try write("0", to: folder + "/memory.oom_control")
            }
        case .v2:
            try write("\(limit)", to: folder + "/memory.max")
            // Both files may be missing. Without the second, the kernel kills only one process, and the others are
            // ended later.
            try? write("0", to: folder + "/memory.swap.max")
            try? write("1", to: folder + "/memory.oom.group")
        }
    }
}

// MARK: - Kills

extension BrowserCgroup {
    /// The kernel's kills so far, also available after the cgroup was removed.
    ///
    /// The kernel counts a kill before it performs it, so the count is current when a process's end is noticed.
    var kills: Kills {
        // ``remove()`` stores the last value before it removes the folder.
        Self.kills(in: folder, version, limit: limit) ?? lastKills.withLock(\.self)
    }

    private static func kills(in folder: String, _ version: MemoryCgroup.Version, limit: Int) -> Kills? {
        let (events, peak) =
            switch version {
            case .v1: ("memory.oom_control", "memory.max_usage_in_bytes")
            case .v2: ("memory.events", "memory.peak")
            }
        guard let count = number("oom_kill", in: KernelFiles.text("\(folder)/\(events)") ?? "") else { return nil }
        let bytes = KernelFiles.text("\(folder)/\(peak)")?.split(separator: "\n").first.flatMap { Int($0) }
        return Kills(count: count, peak: bytes ?? limit)
    }

    /// Reads a number from a file of key-value lines.
    static func number(_ key: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count == 2, fields[0] == key { return Int(fields[1]) }
        }
        return nil
    }
}

// MARK: - Removing

extension BrowserCgroup {
    /// Removes the cgroup; returns `false` if it must be tried again, because the cgroup contains a process.
    func remove() -> Bool {
        if let kills = Self.kills(in: folder, version, limit: limit) { lastKills.withLock { $0 = kills } }
        return rmdir(folder) == 0 || errno != EBUSY
    }

    /// Removes this account's abandoned cgroups.
    static func sweep() {
        if let parent = MemoryCgroup.ofThisProcess() { sweep(parent) }
    }

    private static func sweep(_ parent: MemoryCgroup) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.folder)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = "\(parent.folder)/\(name)"
            guard let owned = try? OwnedFolder(at: folder), (try? owned.lock()) == true else { continue }
            withExtendedLifetime(owned) { _ = rmdir(folder) }
        }
    }
}

// MARK: - The kernel's files

extension BrowserCgroup {
    private static func write(_ text: String, to path: String) throws(Errno) {
        do {
            let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: [.noFollow, .closeOnExec])
            _ = try file.closeAfter { try file.writeAll(text.utf8) }
        } catch {
            throw error as? Errno ?? .ioError
        }
    }
}
