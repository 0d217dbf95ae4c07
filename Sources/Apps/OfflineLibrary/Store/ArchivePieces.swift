package import Foundation

/// Finds the resources in a web archive, so that versions of a page share those that are equal.
///
/// A web archive is a binary property list. Its table of objects tells where the bytes of each resource are. The format is
/// that of Apple's `CFBinaryPList.c`; nothing is decoded. Any other file, or a damaged one, has no pieces.
package enum ArchivePieces {
    /// The smallest resource that is shared, in bytes: smaller ones would become many small files.
    package static let minimumBytes = 16 << 10
    /// The maximum number of resources of an archive that are shared, the largest ones.
    package static let maximumCount = 100
    /// The maximum number of objects of an archive; one with more is stored in one file.
    static let maximumObjects = 1_000_000

    /// The ranges of the resources, as offsets in the file, in order and without overlaps.
    package static func ranges(in file: Data) -> [Range<Int>] {
        file.withUnsafeBytes { Reader(bytes: $0)?.ranges() ?? [] }
    }

    /// Reads numbers from a file in which each may be wrong.
    private struct Reader {
        /// The file's signature, and its end: five unused bytes, the sort version, and the numbers below.
        private static let (signature, trailerBytes) = (Array("bplist00".utf8), 32)

        private let bytes: UnsafeRawBufferPointer
        /// The table with the offset of each object, and the size of an offset in bytes.
        private let (table, offsetBytes): (Range<Int>, Int)

        /// Finds the table of objects; `nil` if there is none.
        init?(bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
            let trailer = bytes.count - Self.trailerBytes
            guard trailer >= Self.signature.count, bytes.starts(with: Self.signature) else { return nil }
            offsetBytes = Int(bytes[trailer + 6])
            guard (1...8).contains(offsetBytes), let count = Self.number(in: bytes, at: trailer + 8, 8),
                let start = Self.number(in: bytes, at: trailer + 24, 8),
                (1...ArchivePieces.maximumObjects).contains(count), (Self.signature.count...trailer).contains(start),
                count * offsetBytes <= trailer - start
            else { return nil }
            table = start..<start + count * offsetBytes
        }

        func ranges() -> [Range<Int>] {
            var found: [Range<Int>] = []
            for entry in stride(from: table.lowerBound, to: table.upperBound, by: offsetBytes) {
                guard let offset = Self.number(in: bytes, at: entry, offsetBytes) else { return [] }
                // Every object of a valid file is before the table.
                guard (Self.signature.count..<table.lowerBound).contains(offset) else { return [] }
                if let range = data(at: offset), range.count >= ArchivePieces.minimumBytes { found.append(range) }
            }
            found.sort { $0.lowerBound < $1.lowerBound }
            // Objects of a valid file don't overlap.
            var (apart, end) = ([Range<Int>](), 0)
            for range in found where range.lowerBound >= end {
                apart.append(range)
                end = range.upperBound
            }
            guard apart.count > ArchivePieces.maximumCount else { return apart }
            let largest = apart.sorted { ($1.count, $0.lowerBound) < ($0.count, $1.lowerBound) }
            return largest.prefix(ArchivePieces.maximumCount).sorted { $0.lowerBound < $1.lowerBound }
        }

        /// The bytes of an object that consists of bytes; `nil` for any other.
        private func data(at offset: Int) -> Range<Int>? {
            let marker = bytes[offset]
            guard marker >> 4 == 0b0100 else { return nil }
            var (start, count) = (offset + 1, Int(marker & 0x0F))
            if count == 0x0F {
                // The count is an object of its own: a number of 1, 2, 4 or 8 bytes.
                guard start < table.lowerBound, bytes[start] >> 4 == 0b0001, bytes[start] & 0x0F <= 3 else {
                    return nil
                }
                let size = 1 << Int(bytes[start] & 0x0F)
                guard let long = Self.number(in: bytes, at: start + 1, size) else { return nil }
                (start, count) = (start + 1 + size, long)
            }
            guard start <= table.lowerBound, count <= table.lowerBound - start else { return nil }
            return start..<start + count
        }

        /// A number with its most significant byte first; `nil` if it is beyond the file, or greater than any offset.
        private static func number(in bytes: UnsafeRawBufferPointer, at offset: Int, _ size: Int) -> Int? {
            guard offset >= 0, offset <= bytes.count - size else { return nil }
            let value = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Int(exactly: value)
        }
    }
}
