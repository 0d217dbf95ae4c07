package import Capture
package import Foundation

/// What changed between the pictures of two versions of a page.
public struct PictureChanges: Hashable, Codable, Sendable {
    /// A part of a picture, in pixels.
    public struct Region: Hashable, Codable, Sendable {
        /// The distance from the left edge.
        public var x: Int
        /// The distance from the upper edge.
        public var y: Int
        /// The width.
        public var width: Int
        /// The height.
        public var height: Int

        /// Creates a region.
        public init(x: Int, y: Int, width: Int, height: Int) {
            (self.x, self.y, self.width, self.height) = (x, y, width, height)
        }
    }

    /// The share of changed, added and removed pixels in all pixels of both, of which equal ones count once.
    public var share: Double
    /// The size of the old picture.
    public var oldSize: Region
    /// The size of the new picture.
    public var newSize: Region
    /// The parts of the old picture that changed or were removed, from top to bottom.
    public var old: [Region]
    /// The parts of the new picture that changed or were added, from top to bottom.
    public var new: [Region]
    /// Whether the pictures were too different to be compared row by row, so that the share is too great.
    public var isCoarse: Bool

    /// Whether no pixel changed.
    public var isUnchanged: Bool { share == 0 }

    /// The maximum number of regions of a picture; neighbouring ones are joined.
    public static let maximumRegions = 400
}

extension PictureChanges {
    /// The difference of a channel, of 255, up to which two pixels are the same.
    private static let channelTolerance = 8
    /// The number of unchanged rows that a region may contain.
    private static let maximumGap = 8

    /// Compares two pictures by their rows: content that moved up or down is unchanged.
    ///
    /// Each picture is read twice, so that only some rows are in memory.
    ///
    /// - Parameters:
    ///   - old: The old picture, as PNG.
    ///   - new: The new picture, as PNG.
    /// - Throws: `PictureRows.Problem` if a picture can't be read.
    package init(from old: Data, to new: Data) throws(PictureRows.Problem) {
        let first = try PictureRows(old)
        let second = try PictureRows(new)
        let isComparable = first.width == second.width && first.bytesPerPixel == second.bytesPerPixel
        self.init(
            share: 0, oldSize: Region(x: 0, y: 0, width: first.width, height: first.height),
            newSize: Region(x: 0, y: 0, width: second.width, height: second.height), old: [], new: [], isCoarse: false)
        if old == new { return }
        guard isComparable else {
            (share, self.old, self.new) = (1, [oldSize], [newSize])
            return
        }
        let difference = SequenceDifference(from: try Self.hashes(of: first), to: try Self.hashes(of: second))
        isCoarse = difference.isCoarse
        try compare(try PictureRows(old), try PictureRows(new), difference)
    }

    /// A number for each row, which depends on its pixels.
    private static func hashes(of picture: consuming PictureRows) throws(PictureRows.Problem) -> [Int] {
        var hashes: [Int] = []
        hashes.reserveCapacity(min(picture.height, 1 << 20))
        while try picture.next() {
            // The hash of the process: a picture can't be made so that different rows have the same one.
            var hasher = Hasher()
            picture.row.withUnsafeBytes { hasher.combine(bytes: $0) }
            hashes.append(hasher.finalize())
        }
        return hashes
    }

    /// Compares the pixels of changed rows, which both pictures yield again in order.
    private mutating func compare(
        _ first: consuming PictureRows, _ second: consuming PictureRows, _ difference: SequenceDifference
    ) throws(PictureRows.Problem) {
        var first = Rows(first)
        var second = Rows(second)
        var (changed, added, removed) = (0, 0, 0)
        let width = oldSize.width
        var (oldRegions, newRegions) = (Regions(), Regions())
        for change in difference.changes {
            let paired = min(change.old.count, change.new.count)
            for offset in 0..<paired {
                let (oldRow, newRow) = (change.old.lowerBound + offset, change.new.lowerBound + offset)
                try first.advance(to: oldRow)
                try second.advance(to: newRow)
                guard let span = Self.difference(first.row, second.row, first.bytesPerPixel) else { continue }
                changed += span.count
                oldRegions.add(row: oldRow, columns: span.columns)
                newRegions.add(row: newRow, columns: span.columns)
            }
            for row in change.old.dropFirst(paired) { oldRegions.add(row: row, columns: 0..<width) }
            for row in change.new.dropFirst(paired) { newRegions.add(row: row, columns: 0..<width) }
            removed += (change.old.count - paired) * width
            added += (change.new.count - paired) * width
        }
        let all = width * newSize.height + removed
        share = Double(changed + added + removed) / Double(max(all, 1))
        (old, new) = (oldRegions.joined, newRegions.joined)
    }

    /// The rows of a picture, which are read in order.
    private struct Rows: ~Copyable {
        private var picture: PictureRows
        private var count = 0

        init(_ picture: consuming PictureRows) { self.picture = picture }

        var row: [UInt8] { picture.row }
        var bytesPerPixel: Int { picture.bytesPerPixel }

        mutating func advance(to index: Int) throws(PictureRows.Problem) {
            while count <= index {
                guard try picture.next() else { throw .damaged }
                count += 1
            }
        }
    }

    /// The changed pixels of a row; `nil` if none changed visibly.
    private static func difference(
        _ old: [UInt8], _ new: [UInt8], _ bytesPerPixel: Int
    ) -> (count: Int, columns: Range<Int>)? {
        var (count, first, last) = (0, -1, -1)
        old.withUnsafeBufferPointer { old in
            new.withUnsafeBufferPointer { new in
                var index = 0
                while index < old.count {
                    var isDifferent = false
                    for channel in index..<index + bytesPerPixel
                    where abs(Int(old[channel]) - Int(new[channel])) > channelTolerance { isDifferent = true }
                    if isDifferent {
                        count += 1
                        last = index / bytesPerPixel
                        if first < 0 { first = last }
                    }
                    index += bytesPerPixel
                }
            }
        }
        return count == 0 ? nil : (count, first..<last + 1)
    }

    /// Joins changed rows into regions.
    private struct Regions {
        private var all: [Region] = []
        private var gap = PictureChanges.maximumGap

        mutating func add(row: Int, columns: Range<Int>) {
            if let last = all.last, row - (last.y + last.height) <= gap {
                all[all.count - 1] = Self.union(last, row, columns)
                return
            }
            all.append(Region(x: columns.lowerBound, y: row, width: columns.count, height: 1))
            // With a larger gap, there are fewer of them.
            while all.count > 2 * PictureChanges.maximumRegions { join() }
        }

        private static func union(_ region: Region, _ row: Int, _ columns: Range<Int>) -> Region {
            let x = min(region.x, columns.lowerBound)
            return Region(
                x: x, y: region.y, width: max(region.x + region.width, columns.upperBound) - x,
                height: row + 1 - region.y)
        }

        private mutating func join() {
            gap *= 2
            var joined: [Region] = []
            for region in all {
                guard let last = joined.last, region.y - (last.y + last.height) <= gap else {
                    joined.append(region)
                    continue
                }
                joined[joined.count - 1] = Self.union(
                    last, region.y + region.height - 1, region.x..<region.x + region.width)
            }
            all = joined
        }

        /// The regions, at most ``PictureChanges/maximumRegions``.
        var joined: [Region] {
            var regions = self
            while regions.all.count > PictureChanges.maximumRegions { regions.join() }
            return regions.all
        }
    }
}
