import Foundation

/// The cgroup that this process's memory is charged to: its version and its folder.
///
/// See cgroups(7) and proc_pid_mountinfo(5).
struct MemoryCgroup: Hashable, Sendable {
    /// The version of the hierarchy with the memory controller.
    enum Version: Sendable {
        case v1, v2
    }

    var version: Version
    var folder: String

    /// Finds the cgroup of this process; `nil` if there is none, or it isn't mounted.
    static func ofThisProcess() -> MemoryCgroup? {
        func bytes(_ path: String) -> [UInt8] { Array(KernelFiles.data(path) ?? Data()) }
        return MemoryCgroup(cgroups: bytes("/proc/self/cgroup"), mounts: bytes("/proc/self/mountinfo"))
    }
}

extension MemoryCgroup {
    private typealias Bytes = ArraySlice<UInt8>

    /// Parses `/proc/self/cgroup` and `/proc/self/mountinfo`.
    ///
    /// They are bytes, not text: a name may contain any byte except `/`, NUL and line feed.
    init?(cgroups: [UInt8], mounts: [UInt8]) {
        let memberships = Self.lines(cgroups)
            .map { $0.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false) }
            .filter { $0.count == 3 }
        // The controller belongs to a single hierarchy. If both versions are mounted, version 2 is listed too.
        if let line = memberships.first(where: { Self.list($0[1]).contains { $0.elementsEqual("memory".utf8) } }) {
            self.init(.v1, path: line[2], mounts: mounts)
        } else if let line = memberships.first(where: { $0[0].elementsEqual("0".utf8) && $0[1].isEmpty }) {
            self.init(.v2, path: line[2], mounts: mounts)
        } else {
            return nil
        }
    }

    /// Finds the folder of a cgroup.
    ///
    /// In a container, a part of the hierarchy, or the container's own cgroup, may be mounted as the root. A path with
    /// `..` is outside of what this process can see.
    private init?(_ version: Version, path: Bytes, mounts: [UInt8]) {
        let slash = UInt8(ascii: "/")
        guard path.first == slash, !path.contains(0),
            !path.split(separator: slash).contains(where: { $0.elementsEqual("..".utf8) })
        else { return nil }
        // A later mount hides an earlier one.
        for line in Self.lines(mounts).reversed() {
            let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            // ID, parent, device, root, mount point, options, any number of tags, a dash, type, source, options.
            guard let dash = fields.dropFirst(6).firstIndex(where: { $0.elementsEqual("-".utf8) }),
                fields.count > dash + 3, Self.isMount(version, type: fields[dash + 1], options: fields[dash + 3])
            else { continue }
            let root = Self.unescaped(fields[3])
            let rest: Bytes
            if root.elementsEqual("/".utf8) {
                rest = path
            } else if path.starts(with: root), path.count == root.count || path.dropFirst(root.count).first == slash {
                rest = path.dropFirst(root.count)
            } else {
                continue
            }
            let folder = Self.unescaped(fields[4]) + (rest.elementsEqual("/".utf8) ? [] : rest)
            self.init(version: version, folder: String(decoding: folder, as: UTF8.self))
            return
        }
        return nil
    }

    private static func isMount(_ version: Version, type: Bytes, options: Bytes) -> Bool {
        switch version {
        case .v1:
            type.elementsEqual("cgroup".utf8) && list(options).contains { $0.elementsEqual("memory".utf8) }
        case .v2:
            type.elementsEqual("cgroup2".utf8)
        }
    }

    private static func lines(_ bytes: [UInt8]) -> [Bytes] { bytes.split(separator: UInt8(ascii: "\n")) }

    private static func list(_ bytes: Bytes) -> [Bytes] { bytes.split(separator: UInt8(ascii: ",")) }

    /// Replaces escapes of a backslash and three octal digits.
    private static func unescaped(_ bytes: Bytes) -> [UInt8] {
        var rest = bytes
        var result: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                result.append(code)
                rest = rest.dropFirst(3)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
