import Foundation
import Futures
import Logging
import SystemPackage

/// A memory cgroup for the processes of one browser, below the one that this process is in.
///
/// When its processes exceed the limit, the kernel first takes back page cache, and then kills. So no page takes more than the
/// limit, however fast it allocates. Below a cgroup of version 2 that has processes, the kernel makes none with a memory controller;
/// an account without rights, and a container that may only read cgroups, can't make any either. Then there is none, and
/// ``MemoryWatch`` samples instead.
///
/// See https://docs.kernel.org/admin-guide/cgroup-v2.html and https://docs.kernel.org/admin-guide/cgroup-v1/memory.html.
final class BrowserCgroup: Sendable {
    /// What the kernel did to the processes.
    struct Kills: Hashable, Sendable {
        /// How many of them it killed because there was no memory.
        var count = 0
        /// The most memory that they took together, in bytes.
        var peak = 0
    }

    static let prefix = "meanwhile-chromium-"
    private static let logger = Logger(label: "meanwhile.chromium")
    /// How often it is tried: another program's sweep may remove a cgroup before it is locked.
    private static let maximumAttempts = 3

    /// The cgroup's folder.
    let folder: String
    private let version: MemoryCgroup.Version
    private let limit: Int
    /// Its lock tells a sweep that its owner runs.
    private let contents: OwnedFolder
    private let last = Lock(Kills())

    /// Makes a cgroup with a limit in bytes; `nil` where none may be made.
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
            // In kernels before 5.11 the limits of such a cgroup don't hold for those below it.
            guard KernelFiles.text(parent.folder + "/memory.use_hierarchy")?.first != "0" else { throw .notSupported }
        case .v2:
            // The kernel refuses this for a cgroup with processes, but for the root.
            try? Self.write("+memory", to: parent.folder + "/cgroup.subtree_control")
        }
        self.version = parent.version
        self.limit = limit
        self.folder = "\(parent.folder)/\(Self.prefix)\(String(UInt64.random(in: .min ... .max), radix: 36))"
        guard mkdir(folder, 0o700) == 0 else { throw Errno(rawValue: errno) }
        do throws(Errno) {
            self.contents = try OwnedFolder(at: folder)
            guard try contents.lock() else { throw .wouldBlock }
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
    /// What a command line begins with so that its process, and so all that it starts, are in the cgroup from the beginning.
    ///
    /// What joins later would leave the memory that it has already to the cgroup above. Where it can't join, it runs outside: see
    /// ``contains(_:)``. This must stand before the change of account, which may not write there.
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
            // Memory and swap together; absent where the kernel doesn't count swap.
            try? write("\(limit)", to: folder + "/memory.memsw.limit_in_bytes")
            // Inherited from the cgroup above. The processes would stop for ever instead of being killed.
            if number("oom_kill_disable", in: KernelFiles.text(folder + "/memory.oom_control") ?? "") == 1 {
                try write("0", to: folder + "/memory.oom_control")
            }
        case .v2:
            try write("\(limit)", to: folder + "/memory.max")
            // Both are absent where the kernel doesn't have them; one process is killed then, and the others are ended.
            try? write("0", to: folder + "/memory.swap.max")
            try? write("1", to: folder + "/memory.oom.group")
        }
    }
}

// MARK: - Kills

extension BrowserCgroup {
    /// What the kernel did to the processes, also after the cgroup was removed.
    ///
    /// It counts a kill before it kills, so this is up to date when a process's end is noticed.
    var kills: Kills {
        // What is stored is written before the folder is removed.
        Self.kills(in: folder, version, limit: limit) ?? last.withLock(\.self)
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

    /// A number of a file whose lines are keys and values.
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
    /// Removes the cgroup, which the kernel refuses while a process is in it; returns whether it is gone.
    func remove() -> Bool {
        if let kills = Self.kills(in: folder, version, limit: limit) { last.withLock { $0 = kills } }
        return rmdir(folder) == 0 || errno == ENOENT
    }

    /// Removes the empty cgroups of this account's owners that are gone.
    static func sweep() {
        if let parent = MemoryCgroup.ofThisProcess() { sweep(parent) }
    }

    private static func sweep(_ parent: MemoryCgroup) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.folder)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = "\(parent.folder)/\(name)"
            guard let contents = try? OwnedFolder(at: folder), (try? contents.lock()) == true else { continue }
            withExtendedLifetime(contents) { _ = rmdir(folder) }
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
