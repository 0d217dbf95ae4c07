import EmojiArtModel
import Foundation
import SeededChance
import StoreTesting
import Testing

@testable import EmojiArtStore

/// Tests of the binary formats of snapshots and log entries.
@Suite struct FormatTests {
    private static let emojis = [
        Emoji(id: "a", text: "👩‍👩‍👧‍👦", x: -0.0, y: 1e-300, size: 0.1, z: -1e15),
        Emoji(id: "Z-_9", text: "\"\\/\u{2028}é", x: 10_000_000, y: -1.0 / 3, size: 100_000, z: 1e15),
        Emoji(
            id: EmojiID(123), text: String(repeating: "x", count: 64), x: .leastNonzeroMagnitude, y: 0.1 + 0.2,
            size: 40, z: 2e-7, angle: 359.9, isFlipped: true, isLocked: true),
    ]

    private static let backgrounds = [
        Background.blank, .address("https://example.org/?q=\"é\\\"\u{0}\u{1f}"),
        PictureID(String(repeating: "0f", count: 32)).map(Background.picture) ?? .blank,
    ]

    @Test(arguments: backgrounds)
    func snapshotRoundTrips(background: Background) throws {
        for count in 0...3 {
            let art = try EmojiArt(background: background, emojis: Self.emojis.prefix(count))
            let read = try #require(ArtSnapshot.art(from: ArtSnapshot.bytes(of: art)))
            #expect(read == art)
            #expect(read.emojis.map(\.x.bitPattern) == art.emojis.map(\.x.bitPattern))
            #expect(read.emojis.map { Array($0.text.utf8) } == art.emojis.map { Array($0.text.utf8) })
        }
    }

    @Test func snapshotHasExpectedBytes() throws {
        let emoji = Emoji(id: "ab", text: "é", x: 1, y: 2, size: 3, z: 4)
        let art = try EmojiArt(background: .address("http://h"), emojis: [emoji])
        let head: [UInt8] = [1, 8, 0, 0, 0] + "http://h".utf8 + [1, 0, 0, 0]
        let numbers: [[UInt8]] = [[0xf0, 0x3f], [0, 0x40], [8, 0x40], [0x10, 0x40]]
        let tail: [UInt8] = [2, 0x61, 0x62, 2, 0xc3, 0xa9] + numbers.flatMap { [0, 0, 0, 0, 0, 0] + $0 }
        #expect(Array(ArtSnapshot.bytes(of: art)) == head + tail)
    }

    @Test func rotationFollowsTheEmojiInSnapshot() throws {
        var emoji = Emoji(id: "b", text: "é", x: 1, y: 2, size: 3, z: 4)
        let plain = Emoji(id: "a", text: "é", x: 1, y: 2, size: 3, z: 4)
        let before = ArtSnapshot.bytes(of: try EmojiArt(background: .blank, emojis: [plain, emoji]))
        (emoji.angle, emoji.isLocked) = (1, true)
        let after = ArtSnapshot.bytes(of: try EmojiArt(background: .blank, emojis: [plain, emoji]))
        let tail: [UInt8] = [1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]
        #expect(Array(after) == Array(before) + tail)
        // An index without an emoji, an unknown flag, an angle of a full turn, no entries, more entries than there are.
        let invalid: [[UInt8]] = [
            [1, 0, 0, 0, 2, 0, 0, 0] + tail[8...], [1, 0, 0, 0, 1, 0, 0, 0, 4] + tail[9...],
            Array(tail.prefix(9)) + [0, 0, 0, 0, 0, 0x80, 0x76, 0x40], [0, 0, 0, 0],
            [0xff, 0xff, 0xff, 0xff] + tail[4...],
        ]
        for tail in invalid { #expect(ArtSnapshot.art(from: before + tail) == nil) }
    }

    @Test func truncatedOrExtendedSnapshotIsRefused() throws {
        let art = try EmojiArt(background: Self.backgrounds[1], emojis: Self.emojis)
        let bytes = ArtSnapshot.bytes(of: art)
        // Without the rotations at its end, it is a valid snapshot of format 1; only the checksum detects this.
        let older = bytes.count - 17
        for count in 0..<bytes.count where count != older {
            #expect(ArtSnapshot.art(from: bytes.prefix(count)) == nil)
        }
        #expect(ArtSnapshot.art(from: bytes + [0]) == nil)
        #expect(ArtSnapshot.art(from: Data([9] + bytes.dropFirst())) == nil)
        // A count with no emoji after it, and a length that exceeds the data.
        #expect(ArtSnapshot.art(from: Data([0, 0xff, 0xff, 0xff, 0xff])) == nil)
        #expect(ArtSnapshot.art(from: Data([2, 0xff, 0xff, 0xff, 0x7f])) == nil)
    }

    @Test func corruptBytesDoNotCrash() {
        var generator = SeededChance(seed: 8)
        let whole = ArtSnapshot.bytes(of: (try? EmojiArt(background: .blank, emojis: Self.emojis)) ?? EmojiArt())
        for _ in 0..<(isSoak ? 100_000 : 2_000) {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = ArtSnapshot.art(from: bytes)
            _ = LoggedBatch.read(bytes)
        }
    }

    @Test(arguments: backgrounds)
    func loggedBatchIsTheJSONThatPagesSend(background: Background) throws {
        var operations = Self.emojis.map(ArtOperation.add)
        operations += [
            .move("a", x: 1e21, y: -0.1), .resize("a", size: 3), .delete("a"), .reorder("a", z: 7.5),
            .rotate("a", angle: 0.1), .flip("a", isFlipped: true), .flip("a", isFlipped: false),
            .lock("a", isLocked: true), .setBackground(background),
        ]
        for name in ["Move 🐶", "", "\"\\\u{0}\n\u{1f}\u{7f}</script>"] {
            let bytes = LoggedBatch.bytes(name: name, operations: operations)
            let read = try #require(LoggedBatch.read(bytes))
            #expect(Array(read.name.utf8) == Array(name.utf8))
            #expect(read.operations == operations)
            let sent = try JSONEncoder().encode(OperationBatch(id: "b", name: name, operations: operations))
            let object = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
            var expected = try #require(try JSONSerialization.jsonObject(with: sent) as? [String: Any])
            expected["id"] = nil
            #expect(NSDictionary(dictionary: object) == NSDictionary(dictionary: expected))
        }
        #expect(LoggedBatch.read(LoggedBatch.bytes(name: "n", operations: []))?.operations == [])
    }

    @Test func checksumDetectsEveryChangedBit() {
        func checksum(_ bytes: [UInt8]) -> Int64 {
            BoardReader.checksum(ofEntry: Data(bytes), id: "i", author: "a", revision: 1, board: 2)
        }
        let bytes = (0..<100).map { UInt8($0) }
        let whole = checksum(bytes)
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(checksum(changed) != whole)
            }
            #expect(checksum(Array(bytes.prefix(index))) != whole)
        }
        // Adjacent fields are delimited.
        let one = BoardReader.checksum(ofEntry: Data(), id: "ab", author: "c", revision: 1, board: 2)
        #expect(BoardReader.checksum(ofEntry: Data(), id: "a", author: "bc", revision: 1, board: 2) != one)
    }

    @Test func momentsAreWholeMilliseconds() {
        let moment = Moment(Date(timeIntervalSince1970: 1_773_486_000.123_4))
        #expect(moment.milliseconds == 1_773_486_000_123)
        #expect(Moment(moment.date) == moment)
        #expect(Moment(.distantPast) < moment && moment < Moment(.distantFuture))
        #expect(Moment(Date(timeIntervalSince1970: .infinity)) > Moment(.distantFuture))
        #expect((moment - 1.5).milliseconds == 1_773_485_998_623)
    }
}
