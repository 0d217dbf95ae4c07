public import DurableFiles
import Foundation

/// The free disk space that must remain after a write.
public enum FreeDiskFloor: Hashable, Codable, Sendable {
    /// 512 MiB, or 2 % of the disk if that is less: room for SQLite to delete data, and for other programs.
    case automatic
    /// A number of bytes.
    case bytes(Int64)
}

extension FreeDiskFloor {
    /// The refusal of a write that would leave less free space than required; `nil` if there is room, or it is unknown.
    ///
    /// This calls the file system, which takes about a microsecond.
    public func refusal(at path: String, adding bytes: Int) -> OverBudget? {
        guard let space = DiskSpace(at: path) else { return nil }
        return refusal(of: bytes, in: space)
    }

    func refusal(of bytes: Int, in space: DiskSpace) -> OverBudget? {
        let floor = bytesToLeave(of: space)
        let (rest, overflows) = space.free.subtractingReportingOverflow(Int64(max(bytes, 0)))
        guard overflows || rest < floor else { return nil }
        return OverBudget(
            .disk,
            "The disk is almost full: \(Self.text(space.free)) are free, and Meanwhile leaves \(Self.text(floor)). "
                + "Nothing was stored. Make room on the disk, then try again.")
    }

    /// The bytes that must remain free on a disk.
    public func bytesToLeave(of space: DiskSpace) -> Int64 {
        switch self {
        case .automatic: min(512 << 20, space.total / 50)
        case .bytes(let bytes): bytes
        }
    }

    static func text(_ bytes: Int64) -> String { bytes.formatted(.byteCount(style: .file)) }
}

extension StoreError {
    /// Less free disk space would remain than required.
    package init(_ refusal: OverBudget) {
        self.init(.diskFull, refusal.message, cause: refusal)
    }

    /// The exceeded limit, if that is the cause.
    public var overBudget: OverBudget? { cause as? OverBudget }
}
