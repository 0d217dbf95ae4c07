import DurableFiles
import Foundation
import SystemPackage
import Testing

/// File stamps, and the numbers that file systems report.
@Suite struct FileStampTests {
    @Test func nanosecondsOutOfRangeAreClamped() {
        #expect(FileStamp.nanoseconds(seconds: 1, and: 5) == 1_000_000_005)
        #expect(FileStamp.nanoseconds(seconds: -1, and: 5) == -999_999_995)
        for seconds in [Int64.max, 9_223_372_037, 1 << 40] {
            #expect(FileStamp.nanoseconds(seconds: seconds, and: 999_999_999) == .max)
            #expect(FileStamp.nanoseconds(seconds: -seconds, and: 0) == .min)
        }
        #expect(FileStamp.nanoseconds(seconds: 9_223_372_036, and: 999_999_999) == .max)
        #expect(FileStamp.nanoseconds(seconds: .min, and: .max) == .min)
    }

    /// A remote file system may report any number of blocks.
    @Test(arguments: [(UInt64.max, UInt64.max, UInt64.max), (1, 0, 1), (1, 1, 0), (.max, 1, 4_096)])
    func diskSpaceAcceptsAnyNumberOfBlocks(free: UInt64, blocks: UInt64, size: UInt64) {
        let space = DiskSpace(freeBlocks: free, blocks: blocks, blockSize: size)
        #expect((space == nil) == (blocks == 0 || size == 0))
        #expect(space?.free ?? 0 >= 0)
    }

    @Test(arguments: [(UInt64(15), UInt64(4_096), true), (16, 4_096, false), (.max, .max, false), (1 << 62, 8, false)])
    func diskIsFullBelow64KiB(free: UInt64, size: UInt64, isFull: Bool) {
        #expect(DiskSpace(freeBlocks: free, blocks: .max, blockSize: size)?.isFull == isFull)
    }

    @Test func replacingFileGetsALaterModificationTime() throws {
        let folder = try Folder()
        let first = try Disk.real.writeNewFile("\(folder.path)/a", Data("1".utf8))
        let later = first.modified + 3_600_000_000_000
        let second = try Disk.real.writeNewFile("\(folder.path)/b", Data("2".utf8), modifiedAfter: later)
        #expect(second.modified > later)
        #expect(try FileStamp(at: "\(folder.path)/b") == second)
        #expect(try FileStamp(at: "\(folder.path)/c") == nil)
        #expect(throws: Errno.isDirectory) { try FileStamp(at: folder.path) }
    }
}
