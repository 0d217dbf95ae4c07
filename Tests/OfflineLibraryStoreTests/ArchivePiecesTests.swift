import Capture
import Foundation
import OfflineLibraryStore
import SeededChance
import Testing

/// Where web archives are cut.
@Suite struct ArchivePiecesTests {
    static let minimum = ArchivePieces.minimumBytes

    /// Bytes that differ for each number.
    static func content(_ number: Int, count: Int) -> Data {
        var chance = SeededChance(seed: number)
        return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) })
    }

    static func archive(_ text: String, resources: [Data], frames: [WebArchive] = []) throws -> WebArchive {
        WebArchive(
            mainResource: WebArchive.Resource(
                data: Data(text.utf8), url: "https://page.example/", mediaType: "text/html", textEncodingName: "UTF-8"),
            subresources: resources.enumerated().map { index, data in
                WebArchive.Resource(data: data, url: "https://page.example/\(index)", mediaType: "image/png")
            }, subframes: frames)
    }

    private static func contents(in file: Data) -> [Data] {
        ArchivePieces.ranges(in: file).map { file.dropFirst($0.lowerBound).prefix($0.count) }
    }

    /// Checks what every caller relies on.
    private static func expectValid(_ ranges: [Range<Int>], in file: Data) {
        var end = 0
        for range in ranges {
            #expect(range.lowerBound >= end && range.count >= minimum)
            end = range.upperBound
        }
        #expect(end <= file.count && ranges.count <= ArchivePieces.maximumCount)
    }

    @Test func resourcesFromTheMinimumAreFound() throws {
        let sizes = [0, 15, Self.minimum - 1, Self.minimum, Self.minimum + 1, 65_535, 65_536, 300_000]
        let resources = sizes.enumerated().map { Self.content($0, count: $1) }
        let frame = try Self.archive("frame", resources: [Self.content(99, count: 40_000)])
        let file = try Self.archive("page", resources: resources, frames: [frame]).propertyList()
        let expected = resources.filter { $0.count >= Self.minimum } + frame.subresources.map(\.data)
        #expect(Set(Self.contents(in: file)) == Set(expected))
        Self.expectValid(ArchivePieces.ranges(in: file), in: file)
        // Also in a part of other bytes.
        let slice = (Data("before".utf8) + file).dropFirst(6)
        #expect(ArchivePieces.ranges(in: slice) == ArchivePieces.ranges(in: file))
    }

    @Test func onlyTheLargestOfManyResourcesAreCutOut() throws {
        let resources = (0..<150).map { Self.content($0, count: Self.minimum + $0) }
        let file = try Self.archive("page", resources: resources).propertyList()
        Self.expectValid(ArchivePieces.ranges(in: file), in: file)
        #expect(Set(Self.contents(in: file)) == Set(resources.dropFirst(50)))
    }

    @Test func otherFilesHaveNoPieces() throws {
        let file = try Self.archive("page", resources: [Self.content(1, count: 50_000)]).propertyList()
        #expect(ArchivePieces.ranges(in: file).count == 1)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let xml = try encoder.encode(try Self.archive("page", resources: [Self.content(1, count: 50_000)]))
        let others: [Data] = [
            Data(), Data("bplist00".utf8), Data("bplist00".utf8) + Data(count: 32), xml, file.dropLast(),
            file.dropFirst(), file + Data([0]), Data("bplist01".utf8) + file.dropFirst(8), Data(count: 100_000),
            Data(repeating: 0xFF, count: 100_000), Data("bplist00".utf8) + Data(repeating: 0xFF, count: 50_000),
        ]
        for other in others { #expect(ArchivePieces.ranges(in: other).isEmpty) }
    }

    /// Each field of the trailer, the table and the marks gets its extreme values.
    @Test func extremeNumbersAreRefused() throws {
        let file = try Self.archive("page", resources: [Self.content(1, count: 50_000)]).propertyList()
        let extremes: [UInt64] = [
            0, 1, 7, 8, 9, 255, 65_535, 65_536, UInt64(file.count), UInt64(file.count - 32), 1 << 31, 1 << 32, 1 << 62,
            1 << 63, .max, .max - 1, UInt64(Int64.max), UInt64(Int64.max) - 7,
        ]
        func bytes(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        for field in [file.count - 24, file.count - 16, file.count - 8] {
            for value in extremes {
                var changed = file
                changed.replaceSubrange(field..<field + 8, with: bytes(value))
                Self.expectValid(ArchivePieces.ranges(in: changed), in: changed)
            }
        }
        for field in [file.count - 26, file.count - 25] {
            for value in UInt8.min...UInt8.max {
                var changed = file
                changed[field] = value
                Self.expectValid(ArchivePieces.ranges(in: changed), in: changed)
            }
        }
        // The length of the resource: a mark, the mark of the number, and the number.
        let start = try #require(ArchivePieces.ranges(in: file).first?.lowerBound)
        for count in 0...3 {
            for value in extremes {
                var changed = file
                let size = 1 << count
                guard let position = Optional(start - size - 1), position > 9 else { continue }
                changed[position - 1] = 0x4F
                changed[position] = 0x10 | UInt8(count)
                changed.replaceSubrange(position + 1..<position + 1 + size, with: bytes(value).suffix(size))
                Self.expectValid(ArchivePieces.ranges(in: changed), in: changed)
            }
        }
    }

    @Test(arguments: 0..<8)
    func mutatedArchivesNeverTrap(seed: Int) throws {
        var chance = SeededChance(seed: seed)
        let resources = (0..<6).map { Self.content($0, count: Int.random(in: 1...40_000, using: &chance)) }
        let file = try Self.archive("page", resources: resources).propertyList()
        // The numbers that are read are in the last bytes, and before each resource.
        let starts = ArchivePieces.ranges(in: file).map(\.lowerBound)
        for _ in 0..<400 {
            var changed = file
            for _ in 0..<Int.random(in: 1...4, using: &chance) {
                let place =
                    switch Int.random(in: 0..<3, using: &chance) {
                    case 0: changed.count - 1 - Int.random(in: 0..<min(400, changed.count), using: &chance)
                    case 1: max(0, (starts.randomElement(using: &chance) ?? 9) - Int.random(in: 1...9, using: &chance))
                    default: Int.random(in: 0..<changed.count, using: &chance)
                    }
                guard changed.indices.contains(place) else { continue }
                changed[place] =
                    [0, 0xFF, 0x4F, 0x13, UInt8.random(in: 0...255, using: &chance)]
                    .randomElement(using: &chance) ?? 0
            }
            if Int.random(in: 0..<4, using: &chance) == 0 {
                changed = changed.prefix(Int.random(in: 0...changed.count, using: &chance))
            }
            Self.expectValid(ArchivePieces.ranges(in: changed), in: changed)
        }
    }

    /// A file whose table lists the same resource many times, or resources within others.
    @Test func objectsThatOverlapAreCutOnce() {
        var file = Data("bplist00".utf8)
        let offset = UInt32(file.count)
        file += [0x4F, 0x12, 0, 1, 0, 0] + Data(repeating: 0x4F, count: 1 << 16)
        let table = UInt64(file.count)
        let count = 20_000
        for index in 0..<count {
            withUnsafeBytes(of: (offset + UInt32(index % 2 == 0 ? 0 : index)).bigEndian) { file.append(contentsOf: $0) }
        }
        file += [0, 0, 0, 0, 0, 0, 4, 2]
        for value in [UInt64(count), 0, table] { withUnsafeBytes(of: value.bigEndian) { file.append(contentsOf: $0) } }
        #expect(ArchivePieces.ranges(in: file) == [14..<14 + (1 << 16)])
    }
}
