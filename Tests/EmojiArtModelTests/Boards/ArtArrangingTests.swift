import BoardTraces
import Foundation
import Testing

@testable import EmojiArtModel

/// Tests the operations that rotate, mirror and copy emoji.
@Suite struct ArtArrangingTests {
    private static func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 1e-9 }

    private static func applied(_ operations: [ArtOperation], to art: EmojiArt) -> [Emoji] {
        var art = art
        art.apply(OperationBatch(id: "a", name: "", operations: operations))
        return art.emojis
    }

    @Test func severalEmojiAreRotatedAroundTheMeanOfTheirPlaces() {
        let art = EmojiArt.of([.test(1, x: 100, y: 40), .test(2, x: -100, y: -40)])
        for degrees in stride(from: -720.0, through: 720, by: 7.5) {
            let radians = degrees * .pi / 180
            let (x, y) = (100 * cos(radians) + 40 * sin(radians), 40 * cos(radians) - 100 * sin(radians))
            let rotated = Self.applied(art.rotating(art.emojis, by: degrees), to: art)
            #expect(Self.isNear(rotated[0].x, x) && Self.isNear(rotated[0].y, y), "\(degrees)°")
            #expect(Self.isNear(rotated[1].x, -x) && Self.isNear(rotated[1].y, -y), "\(degrees)°")
            #expect(Self.isNear(cos(rotated[0].angle * .pi / 180), cos(radians)), "\(degrees)°")
        }
        // Quarter turns are exact.
        let quarter = Self.applied(art.rotating(art.emojis, by: 90), to: art)
        #expect(quarter[0].x == 40 && quarter[0].y == -100 && quarter[0].angle == 90)
    }

    @Test func flippingTwiceRestoresTheEmoji() {
        var first = Emoji.test(1, x: 10, y: 5)
        first.angle = 30
        let art = EmojiArt.of([first, .test(2, x: 70, y: 45)])
        let box = BoardRect(from: BoardPoint(x: -10, y: -15), to: BoardPoint(x: 90, y: 65))
        for isHorizontal in [true, false] {
            let once = EmojiArt.of(
                Self.applied(art.flipping(art.emojis, in: box, isHorizontal: isHorizontal), to: art))
            let flipped = once.emojis[0]
            #expect(flipped.isFlipped && flipped.angle == (isHorizontal ? 330 : 150))
            #expect(flipped.x == (isHorizontal ? 70 : 10) && flipped.y == (isHorizontal ? 5 : 45))
            let twice = Self.applied(once.flipping(once.emojis, in: box, isHorizontal: isHorizontal), to: once)
            #expect(twice == art.emojis)
        }
    }

    @Test func copiesAreUnlockedAndKeepTheirRotation() throws {
        var emoji = Emoji.test(1)
        (emoji.angle, emoji.isFlipped, emoji.isLocked) = (45, true, true)
        var generator = SystemRandomNumberGenerator()
        let art = EmojiArt.of([emoji])
        let copies = art.copying([ClippedEmoji(emoji)], x: 5, y: -5, using: &generator)
        let copy = try #require(Self.applied(copies, to: art).last)
        #expect(copy.id != emoji.id && copy.x == 5 && copy.y == -5)
        #expect(copy.angle == 45 && copy.isFlipped && !copy.isLocked)
    }

    @Test func rotatedEmojiIsHitWhereItIsDrawn() {
        var emoji = Emoji.test(1, size: 100)
        emoji.angle = 45
        let art = EmojiArt.of([emoji])
        #expect(art.emoji(at: BoardPoint(x: 66, y: 0), missedBy: 0)?.id == emoji.id)
        #expect(art.emoji(at: BoardPoint(x: 48, y: 48), missedBy: 0) == nil)
    }

    @Test func newEmojiHasAFreePlaceInView() {
        let art = EmojiArt.of(
            (0..<9).map { index in
                Emoji.test(index, x: Double(60 * (index % 3) - 60), y: Double(60 * (index / 3) - 60))
            })
        let visible = BoardRect(center: .origin, width: 400, height: 300)
        let place = art.freePlace(in: visible, size: 40)
        #expect(abs(place.x) < 180 && abs(place.y) < 130)
        for other in art.emojis { #expect(abs(other.x - place.x) >= 36 || abs(other.y - place.y) >= 36) }
        #expect(EmojiArt().freePlace(in: visible, size: 40) == .origin)
    }
}
