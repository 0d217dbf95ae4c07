package import Foundation
package import SystemPackage

/// Identifies a version of a regular file without reading it: another file of the same name has another stamp.
package struct FileStamp: Hashable, Sendable {
    /// The inode number.
    package var number: UInt64
    /// The size in bytes.
    package var bytes: Int
    /// The modification time in nanoseconds since 1970.
    package var modified: Int64

    /// The stamp of the file at a path; `nil` if there is none.
    package init?(at path: String) throws(Errno) {
        do throws(Errno) {
            guard let stamp = Self(try Stat(path)) else { throw .isDirectory }
            self = stamp
        } catch .noSuchFileOrDirectory {
            return nil
        }
    }

    init?(_ status: Stat) {
        guard status.type == .regular else { return nil }
        self.number = UInt64(truncatingIfNeeded: status.inode.rawValue)
        self.bytes = Int(status.size)
        self.modified = status.modified
    }
}

extension FileStamp {
    /// The modification time.
    package var written: Date { Date(timeIntervalSince1970: Double(modified) / 1_000_000_000) }

    /// Converts a file's time to nanoseconds since 1970.
    ///
    /// 64 bits cover the times from 1677 to 2262; file systems can store others.
    ///
    /// - Returns: The nanoseconds, or the nearest number that fits.
    package static func nanoseconds(seconds: Int64, and nanoseconds: Int64) -> Int64 {
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflows) = whole.addingReportingOverflow(nanoseconds)
        return overflows || sumOverflows ? (seconds < 0 ? .min : .max) : sum
    }
}
