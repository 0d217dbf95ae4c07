import BoardTraces
import SeededChance
import Testing

@testable import EmojiArtModel

/// Tests selecting emoji, then moving, resizing, ordering, copying and deleting them, and the names of these steps.
@Suite struct ArtSelectionTests {
    private let art = EmojiArt.of([
        .test(1, "🐶", x: 0, y: 0), .test(2, "🐱", x: 100, y: 0), .test(3, "🐭", x: 0, y: 100),
        .test(4, "🐹", x: 50, y: 50),
    ])

    private func ids(_ numbers: Int...) -> Set<EmojiID> { Set(numbers.map { EmojiID($0) }) }

    private func applied(_ operations: [ArtOperation], to art: EmojiArt) -> EmojiArt {
        var art = art
        #expect(art.apply(OperationBatch(id: "a", name: "", operations: operations)).refused.isEmpty)
        #expect(art.faults == [])
        return art
    }

    // MARK: Selecting

    @Test func tapTogglesSelectionOfEmoji() {
        var selection = ArtSelection()
        selection.tap(EmojiID(1))
        selection.tap(EmojiID(2))
        #expect(selection.ids == ids(1, 2))
        selection.tap(EmojiID(1))
        #expect(selection.ids == ids(2))
        selection.tapBackground()
        #expect(selection.isEmpty)
    }

    @Test func rectangleSelectsTouchedEmoji() {
        var selection = ArtSelection(ids(3))
        let rect = BoardRect(from: BoardPoint(x: 20, y: -5), to: BoardPoint(x: 80, y: 5))
        selection.draw(rect, on: art, isExtending: true)
        #expect(selection.ids == ids(1, 2, 3))
        selection.draw(rect, on: art)
        #expect(selection.ids == ids(1, 2))
        selection.draw(BoardRect(center: BoardPoint(x: 999, y: 0), width: 1, height: 1), on: art)
        #expect(selection.isEmpty)
    }

    @Test func allEmojiCanBeSelectedAndMissingOnesAreDeselected() {
        var selection = ArtSelection()
        selection.selectAll(on: art)
        #expect(selection.ids == ids(1, 2, 3, 4))
        selection.deselectEmoji(missingFrom: .of([.test(2), .test(9)]))
        #expect(selection.ids == ids(2))
        #expect(ArtSelection(ids(4, 9, 1)).emojis(on: art).map(\.id) == [EmojiID(1), EmojiID(4)])
    }

    // MARK: Moving and resizing

    @Test func dragMovesSelectionOrUnselectedEmojiAlone() {
        let selection = ArtSelection(ids(1, 2))
        #expect(selection.dragged(from: EmojiID(2)) == selection)
        #expect(selection.dragged(from: EmojiID(3)).ids == ids(3))
        let moved = applied(
            selection.dragged(from: EmojiID(1)).moving(by: BoardPoint(x: 0.5, y: -2), on: art), to: art)
        #expect(moved.emojis.map(\.x) == [0.5, 100.5, 0, 50])
        #expect(moved.emojis.map(\.y) == [-2, -2, 100, 50])
    }

    @Test func dragIsClampedToBoardEdge() {
        let moved = applied(ArtSelection(ids(1)).moving(by: BoardPoint(x: 1e300, y: -.infinity), on: art), to: art)
        #expect(moved.emoji(EmojiID(1))?.position == BoardPoint(x: 1e7, y: -1e7))
    }

    @Test func pinchScalesSelectionAndReturnsNilWithoutOne() throws {
        #expect(ArtSelection().scaling(by: 2, on: art) == nil)
        #expect(ArtSelection(ids(9)).scaling(by: 2, on: art) == nil)
        let operations = try #require(ArtSelection(ids(1, 4)).scaling(by: 1.5, on: art))
        #expect(applied(operations, to: art).emojis.map(\.size) == [60, 40, 40, 60])
        #expect(applied(operations, to: art).emojis.map(\.x) == art.emojis.map(\.x))
        #expect(ArtSelection(ids(1)).scaling(by: .nan, on: art) == [])
        let small = try #require(ArtSelection(ids(1)).scaling(by: 1e-9, on: art))
        #expect(applied(small, to: art).emoji(EmojiID(1))?.size == BoardLimits.sizes.lowerBound)
    }

    @Test func scalingAroundAnchorScalesDistances() throws {
        let operations = try #require(ArtSelection(ids(2, 4)).scaling(by: 2, on: art, around: .origin))
        let scaled = applied(operations, to: art)
        #expect(scaled.emoji(EmojiID(2))?.position == BoardPoint(x: 200, y: 0))
        #expect(scaled.emoji(EmojiID(4))?.position == BoardPoint(x: 100, y: 100))
    }

    @Test func deletingRemovesSelectedEmoji() {
        #expect(applied(ArtSelection(ids(1, 3, 9)).deleting(on: art), to: art).emojis.map(\.text) == ["🐱", "🐹"])
    }

    // MARK: Order

    @Test(arguments: [
        (ArtOrder.front, [1, 3], "🐱🐹🐶🐭"), (.back, [2, 4], "🐱🐹🐶🐭"), (.forward, [1, 2], "🐭🐶🐱🐹"),
        (.forward, [1, 3], "🐱🐶🐹🐭"), (.backward, [2, 4], "🐱🐶🐹🐭"), (.backward, [3, 4], "🐶🐭🐹🐱"),
        (.front, [1, 2, 3, 4], "🐶🐱🐭🐹"), (.forward, [4], "🐶🐱🐭🐹"), (.backward, [1], "🐶🐱🐭🐹"), (.front, [], "🐶🐱🐭🐹"),
    ])
    func orderingMovesSelectedEmoji(order: ArtOrder, numbers: [Int], expected: String) {
        let operations = ArtSelection(numbers.map { EmojiID($0) }).ordering(order, on: art)
        #expect(applied(operations, to: art).emojis.map(\.text).joined() == expected)
        #expect(operations.isEmpty == (expected == "🐶🐱🐭🐹"))
        #expect(operations.count <= numbers.count)
    }

    @Test(arguments: 0..<200)
    func orderingKeepsRelativeOrderAndPositions(seed: Int) {
        var chance = BoardChance(seed: seed)
        let board = chance.board()
        let selection = ArtSelection(board.emojis.map(\.id).filter { _ in chance.flag() })
        for order in ArtOrder.allCases {
            let ordered = applied(selection.ordering(order, on: board), to: board)
            for isSelected in [true, false] {
                #expect(
                    ordered.emojis.map(\.id).filter { selection.contains($0) == isSelected }
                        == board.emojis.map(\.id).filter { selection.contains($0) == isSelected })
            }
            #expect(ordered.bounds() == board.bounds())
        }
        let selected = selection.emojis(on: board).map(\.id)
        #expect(
            applied(selection.ordering(.front, on: board), to: board).emojis.suffix(selected.count).map(\.id)
                == selected)
        #expect(
            applied(selection.ordering(.back, on: board), to: board).emojis.prefix(selected.count).map(\.id) == selected
        )
    }

    @Test func depthsAreRenumberedWhenNoneIsLeftBetweenNeighbours() {
        let art = EmojiArt.of([
            .test(1, "🐶", z: 0), .test(2, "🐱", z: 1), .test(3, "🐭", z: 1.0.nextUp), .test(4, "🐹", z: 2),
        ])
        let ordered = applied(ArtSelection(ids(1)).ordering(.forward, on: art), to: art)
        #expect(ordered.emojis.map(\.text) == ["🐱", "🐶", "🐭", "🐹"])
        #expect(ordered.emojis.map(\.z) == [0, 1, 2, 3])
        let deep = EmojiArt.of([.test(1, "🐶", z: 0), .test(2, "🐱", z: BoardLimits.depth)])
        let front = applied(ArtSelection(ids(1)).ordering(.front, on: deep), to: deep)
        #expect(front.emojis.map(\.text) == ["🐱", "🐶"])
        #expect(front.emojis.map(\.z) == [0, 1])
        let alike = EmojiArt.of([.test(1, "🐶", z: 0), .test(2, "🐱", z: 0), .test(3, "🐭", z: 0)])
        let stepped = applied(ArtSelection(ids(1)).ordering(.forward, on: alike), to: alike)
        #expect(stepped.emojis.map(\.text) == ["🐱", "🐶", "🐭"])
    }

    @Test func repeatedStepsForwardAndBackwardRestoreOrder() {
        var art = art
        for _ in 0..<200 {
            art = applied(ArtSelection(ids(1)).ordering(.forward, on: art), to: art)
            art = applied(ArtSelection(ids(1)).ordering(.backward, on: art), to: art)
            art = applied(ArtSelection(ids(4)).ordering(.backward, on: art), to: art)
            art = applied(ArtSelection(ids(4)).ordering(.forward, on: art), to: art)
            #expect(art.emojis.map(\.text) == ["🐶", "🐱", "🐭", "🐹"])
        }
    }

    // MARK: The clipboard

    @Test func pastedCopiesAreInFrontWithNewIDsInSameOrder() throws {
        var chance = SeededChance(seed: 1)
        let clipping = ArtClipping(ArtSelection(ids(3, 1)), on: art)
        #expect(clipping.emojis.map(\.text) == ["🐶", "🐭"])
        #expect(try ArtJSON.read(ArtClipping.self, from: ArtJSON.data(clipping)) == clipping)
        let pasted = applied(clipping.pasting(on: art, using: &chance), to: art)
        #expect(pasted.emojis.map(\.text).joined() == "🐶🐱🐭🐹🐶🐭")
        #expect(pasted.emojis.suffix(2).map(\.position) == [BoardPoint(x: 20, y: -20), BoardPoint(x: 20, y: 80)])
        let pastedTwice = applied(clipping.pasting(on: pasted, using: &chance), to: pasted)
        #expect(pastedTwice.emojis.count == 8)
    }

    @Test func pastedCopiesAreCentredOnPoint() {
        var chance = SeededChance(seed: 1)
        let clipping = ArtClipping(ArtSelection(ids(1, 2)), on: art)
        let pasted = applied(
            clipping.pasting(on: EmojiArt(), at: BoardPoint(x: 7, y: 9), using: &chance), to: EmojiArt())
        #expect(pasted.bounds()?.middle == BoardPoint(x: 7, y: 9))
        #expect(ArtClipping(ArtSelection(), on: art).pasting(on: art, at: .origin, using: &chance) == [])
    }

    @Test func pastingWorksAtMaximumDepthAndCoordinate() {
        var chance = SeededChance(seed: 1)
        let art = EmojiArt.of([.test(1, x: BoardLimits.coordinate, z: BoardLimits.depth), .test(2)])
        let clipping = ArtClipping(ArtSelection(ids(1, 2)), on: art)
        #expect(applied(clipping.pasting(on: art, using: &chance), to: art).emojis.count == 4)
    }

    // MARK: Names

    @Test func stepNamesDescribeTheirOperations() {
        #expect(ArtSteps.name(.add, ["🐶"]) == "Add 🐶")
        #expect(ArtSteps.name(.move, ["🐶", "🐱", "🐭"]) == "Move 3 emoji")
        #expect(ArtSteps.setBackground == "Set Background")
        #expect(ArtOrder.allCases.map(\.name) == ["Bring to Front", "Send to Back", "Bring Forward", "Send Backward"])
        #expect(ArtSteps.name(of: [], on: art) == "")
        #expect(ArtSteps.name(of: [.add(.test(9, "🐸"))], on: art) == "Add 🐸")
        #expect(ArtSteps.name(of: [.setBackground(.blank)], on: art) == "Set Background")
        #expect(ArtSteps.name(of: [.delete(EmojiID(1)), .delete(EmojiID(2))], on: art) == "Delete 2 emoji")
        #expect(
            ArtSteps.name(of: [.resize(EmojiID(1), size: 3), .move(EmojiID(1), x: 0, y: 0)], on: art) == "Resize 🐶")
        #expect(ArtSteps.name(of: ArtSelection(ids(1)).ordering(.front, on: art), on: art) == "Bring to Front")
        #expect(ArtSteps.name(of: ArtSelection(ids(4)).ordering(.back, on: art), on: art) == "Send to Back")
    }
}
