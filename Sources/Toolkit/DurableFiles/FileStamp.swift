package import Foundation
package import SystemPackage

/// What a regular file can be told by without reading it: another one of the same name has another.
package struct FileStamp: Hashable, Sendable {
    /// Its number on its disk.
    package var number: UInt64
    /// Its length.
    package var bytes: Int
    /// When it was last written, in nanoseconds since 1970.
    package var modified: Int64

    /// That of the file of a name; `nil` if there is none.
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
    /// When it was last written.
    package var written: Date { Date(timeIntervalSince1970: Double(modified) / 1_000_000_000) }

    /// The nanoseconds of a file's time since 1970.
    ///
    /// 64 bits hold the times from 1677 to 2262; file systems store others too.
    ///
    /// - Returns: The nanoseconds, or the nearest number that fits.
    package static func nanoseconds(seconds: Int64, and nanoseconds: Int64) -> Int64 {
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflows) = whole.addingReportingOverflow(nanoseconds)
        return overflows || sumOverflows ? (seconds < 0 ? .min : .max) : sum
    }
}
