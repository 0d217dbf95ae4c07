/// How large a disk is, and how much of it this account may still use, in bytes.
public struct DiskSpace: Hashable, Sendable {
    /// What this account may still use.
    public var free: Int64
    /// All of it.
    public var total: Int64

    package init(free: Int64, total: Int64) {
        (self.free, self.total) = (free, total)
    }

    /// Asks the file system; `nil` if it doesn't say.
    ///
    /// - Parameter path: A file or folder on the disk.
    public init?(at path: String) {
        guard let blocks = SystemCall.blocks(ofDiskAt: path) else { return nil }
        self.init(freeBlocks: blocks.free, blocks: blocks.all, blockSize: blocks.size)
    }

    /// A remote file system may claim any number of blocks; one without any says nothing about room.
    package init?(freeBlocks: UInt64, blocks: UInt64, blockSize: UInt64) {
        guard blocks > 0, blockSize > 0 else { return nil }
        func bytes(_ count: UInt64) -> Int64 {
            let (product, overflows) = count.multipliedReportingOverflow(by: blockSize)
            return overflows ? .max : Int64(clamping: product)
        }
        self.init(free: bytes(freeBlocks), total: bytes(blocks))
    }

    /// Whether hardly anything fits: SQLite makes its shared memory in pieces of 32 KiB.
    package var isFull: Bool { free < 65_536 }
}
