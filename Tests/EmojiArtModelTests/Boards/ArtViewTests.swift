import BoardTraces
import Testing

@testable import EmojiArtModel

/// Tests the coordinates of boards and views against the course's formulas.
@Suite struct ArtViewTests {
    private static let size = ViewSize(width: 800, height: 600)

    private static func isNear(_ one: Double, _ other: Double) -> Bool {
        abs(one - other) <= 1e-9 * max(1, abs(one), abs(other))
    }

    // MARK: Converting

    @Test(arguments: 0..<100)
    func conversionsMatchCourseFormula(seed: Int) {
        var chance = BoardChance(seed: seed)
        let zoom = Double(chance.number(in: 1..<4000)) / 1000
        let (panX, panY, x, y) = (chance.place(), chance.place(), chance.place(), chance.place())
        let view = ArtView(zoom: zoom, pan: ViewPoint(x: panX, y: panY))
        let point = view.boardPoint(at: ViewPoint(x: x, y: y), in: Self.size)
        // `(location − centre − pan) / zoom`, with y negated.
        #expect(Self.isNear(point.x, (x - 400 - panX) / zoom))
        #expect(Self.isNear(point.y, -(y - 300 - panY) / zoom))
        let back = view.viewPoint(of: point, in: Self.size)
        #expect(Self.isNear(back.x, x) && Self.isNear(back.y, y))
        let offset = view.boardOffset(of: ViewPoint(x: x, y: y))
        #expect(Self.isNear(offset.x, x / zoom) && Self.isNear(offset.y, -y / zoom))
        #expect(Self.isNear(view.sizeOfDroppedEmoji, 40 / zoom))
    }

    @Test func originIsAtMiddleOfView() {
        #expect(ArtView().viewPoint(of: .origin, in: Self.size) == ViewPoint(x: 400, y: 300))
        #expect(ArtView().boardPoint(at: ViewPoint(x: 400, y: 200), in: Self.size) == BoardPoint(x: 0, y: 100))
    }

    // MARK: Gestures

    @Test func pansAddAndPinchesMultiply() {
        var view = ArtView()
        view.pan(by: ViewPoint(x: 3, y: -4))
        view.pan(by: ViewPoint(x: 10, y: 10))
        view.zoom(by: 2)
        view.zoom(by: 1.5)
        #expect(view.pan == ViewPoint(x: 13, y: 6))
        #expect(view.zoom == 3)
    }

    @Test(arguments: 0..<100)
    func zoomingAtPointerKeepsPointUnderIt(seed: Int) {
        var chance = BoardChance(seed: seed)
        var view = ArtView(
            zoom: Double(chance.number(in: 1..<5000)) / 50, pan: ViewPoint(x: chance.place(), y: chance.place()))
        let pointer = ViewPoint(x: Double(chance.number(in: 0..<800)), y: Double(chance.number(in: 0..<600)))
        let before = view.boardPoint(at: pointer, in: Self.size)
        // Even if the zoom limit is reached.
        view.zoom(by: Double(chance.number(in: 1..<3000)) / 100, at: pointer, in: Self.size)
        let after = view.boardPoint(at: pointer, in: Self.size)
        #expect(abs(before.x - after.x) < 1e-6 && abs(before.y - after.y) < 1e-6)
        #expect(ArtView.zooms.contains(view.zoom))
    }

    @Test(arguments: [0, -1, .nan, .infinity])
    func invalidPinchScaleChangesNothing(scale: Double) {
        var view = ArtView(zoom: 2, pan: ViewPoint(x: 1, y: 1))
        view.zoom(by: scale)
        view.zoom(by: scale, at: ViewPoint(x: 7, y: 7), in: Self.size)
        #expect(view == ArtView(zoom: 2, pan: ViewPoint(x: 1, y: 1)))
    }

    @Test func zoomIsClampedToLimits() {
        #expect(ArtView(zoom: 0).zoom == ArtView.zooms.lowerBound)
        #expect(ArtView(zoom: .nan).zoom == ArtView.zooms.lowerBound)
        #expect(ArtView(zoom: 1e9).zoom == ArtView.zooms.upperBound)
    }

    // MARK: Fitting

    @Test(arguments: 0..<100)
    func fittedRectangleIsCentredWithMargin(seed: Int) throws {
        var chance = BoardChance(seed: seed)
        let rect = BoardRect(
            center: BoardPoint(x: chance.place(), y: chance.place()), width: Double(chance.number(in: 10..<2000)),
            height: Double(chance.number(in: 10..<2000)))
        let view = try #require(ArtView.fitting(rect, in: Self.size))
        // Of 800 by 600 points, 56 are left free on each side.
        #expect(Self.isNear(view.zoom, min(688 / rect.width, 488 / rect.height, 4)))
        // `pan = −midpoint · zoom`, of a rectangle whose y grows downwards.
        #expect(Self.isNear(view.pan.x, -rect.middle.x * view.zoom))
        #expect(Self.isNear(view.pan.y, rect.middle.y * view.zoom))
        let (first, second) = (
            view.viewPoint(of: BoardPoint(x: rect.left, y: rect.top), in: Self.size),
            view.viewPoint(of: BoardPoint(x: rect.right, y: rect.bottom), in: Self.size)
        )
        #expect(Self.isNear(first.x + second.x, 800) && Self.isNear(first.y + second.y, 600))
        #expect(first.x > 56 - 1e-6 && first.y > 56 - 1e-6)
        #expect(view.zoom == 4 || abs(first.x - 56) < 1e-6 || abs(first.y - 56) < 1e-6)
    }

    @Test func fittingReturnsNilWhenASideIsNotPositive() {
        let rect = BoardRect(center: .origin, width: 10, height: 10)
        #expect(ArtView.fitting(BoardRect(center: .origin, width: 0, height: 10), in: Self.size) == nil)
        #expect(ArtView.fitting(BoardRect(center: .origin, width: 10, height: 0), in: Self.size) == nil)
        #expect(ArtView.fitting(rect, in: ViewSize(width: 0, height: 10)) == nil)
        #expect(ArtView.fitting(rect, in: ViewSize(width: 10, height: -1)) == nil)
        #expect(ArtView.fitting(rect, in: ViewSize(width: .nan, height: 10)) == nil)
        // An eighth of a small view is left free on each side.
        #expect(ArtView.fitting(rect, in: ViewSize(width: 10, height: 10)) == ArtView(zoom: 0.75))
        #expect(ArtView.fitting(rect, in: ViewSize(width: 10, height: 10), margin: 5) == nil)
        #expect(ArtView.fitting(rect, in: ViewSize(width: 10, height: 10), margin: 0) == ArtView())
        #expect(ArtView.fitting(rect, in: ViewSize(width: 8_000, height: 8_000), zoomLimit: 40) == ArtView(zoom: 40))
    }

    // MARK: Boxes

    @Test func emojiBoxIsCentredAndHasEmojiSize() {
        let box = Emoji.test(1, x: 10, y: -20, size: 8).box
        #expect(box == BoardRect(from: BoardPoint(x: 6, y: -24), to: BoardPoint(x: 14, y: -16)))
        #expect(box.middle == BoardPoint(x: 10, y: -20) && box.width == 8 && box.height == 8)
    }

    @Test func boundsOfEmojiDoNotIncludeOrigin() {
        #expect(EmojiArt().bounds() == nil)
        let art = EmojiArt.of([.test(1, x: 100, y: 100, size: 20), .test(2, x: 200, y: 150, size: 40)])
        #expect(art.bounds() == BoardRect(from: BoardPoint(x: 90, y: 90), to: BoardPoint(x: 220, y: 170)))
        #expect(art.bounds(of: [EmojiID(1), EmojiID(7)]) == Emoji.test(1, x: 100, y: 100, size: 20).box)
        #expect(art.bounds(of: [EmojiID(7)]) == nil)
    }

    @Test func boundsIncludePicture() {
        let picture = ViewSize(width: 300, height: 100)
        #expect(EmojiArt().bounds(withPicture: picture) == BoardRect(center: .origin, width: 300, height: 100))
        let art = EmojiArt.of([.test(1, x: 200, y: 0, size: 20)])
        #expect(
            art.bounds(withPicture: picture)
                == BoardRect(from: BoardPoint(x: -150, y: -50), to: BoardPoint(x: 210, y: 50)))
    }

    @Test func frontmostEmojiAtPointIsFound() {
        let art = EmojiArt.of([.test(1, size: 40), .test(2, x: 10, size: 40)])
        #expect(art.emoji(at: .origin)?.id == EmojiID(2))
        #expect(art.emoji(at: BoardPoint(x: -15, y: 0))?.id == EmojiID(1))
        #expect(art.emoji(at: BoardPoint(x: -25, y: 0)) == nil)
    }

    @Test func touchingRectanglesIntersectAndInsetMovesEachSide() {
        let rect = BoardRect(from: .origin, to: BoardPoint(x: -10, y: 10))
        #expect(rect.intersects(BoardRect(from: BoardPoint(x: 0, y: 5), to: BoardPoint(x: 9, y: 6))))
        #expect(!rect.intersects(BoardRect(from: BoardPoint(x: 0.1, y: 5), to: BoardPoint(x: 9, y: 6))))
        #expect(rect.insetBy(2) == BoardRect(from: BoardPoint(x: -8, y: 2), to: BoardPoint(x: -2, y: 8)))
        #expect(rect.insetBy(-1) == BoardRect(from: BoardPoint(x: -11, y: -1), to: BoardPoint(x: 1, y: 11)))
        #expect(rect.insetBy(7).width == 0)
    }
}
