/// The size of a disk, and the space that this account may still use, in bytes.
public struct DiskSpace: Hashable, Sendable {
    /// The space that this account may still use.
    public var free: Int64
    /// The size of the disk.
    public var total: Int64

    package init(free: Int64, total: Int64) {
        (self.free, self.total) = (free, total)
    }

    /// Queries the file system; `nil` if it provides no numbers.
    public init?(at path: String) {
        guard let blocks = SystemCall.blocks(ofDiskAt: path) else { return nil }
        self.init(freeBlocks: blocks.free, blocks: blocks.all, blockSize: blocks.size)
    }

    /// Converts blocks to bytes, clamping what a remote file system may claim; `nil` if it provides no numbers.
    package init?(freeBlocks: UInt64, blocks: UInt64, blockSize: UInt64) {
        guard blocks > 0, blockSize > 0 else { return nil }
        func bytes(_ count: UInt64) -> Int64 {
            let (product, overflows) = count.multipliedReportingOverflow(by: blockSize)
            return overflows ? .max : Int64(clamping: product)
        }
        self.init(free: bytes(freeBlocks), total: bytes(blocks))
    }

    /// Whether almost nothing fits: SQLite allocates its shared memory in chunks of 32 KiB.
    package var isFull: Bool { free < 65_536 }
}
