import Foundation
import Testing

@testable import EmojiArtModel

/// Tests the list of palettes and its cursor.
@Suite struct PaletteListTests {
    private func list(_ ids: Int..., cursor: Int = 0) throws -> PaletteList {
        try #require(PaletteList(try ids.map { try .test($0) }, cursor: cursor))
    }

    private func refusal(_ body: () throws(PaletteError) -> Void) -> PaletteError? {
        do throws(PaletteError) { try body() } catch { return error }
        return nil
    }

    // MARK: - Built in

    @Test func builtInPalettesAreTheNineOfTheCourse() {
        let list = PaletteList.builtins(firstID: 1)
        let names = ["Vehicles", "Sports", "Music", "Animals", "Animal Faces", "Flora", "Weather", "COVID", "Faces"]
        #expect(list.palettes.map(\.name) == names)
        #expect(list.palettes.map(\.id) == Array(1...9))
        #expect(list.cursor == 0)
        for palette in list.palettes {
            #expect(palette.emojis.count >= 5)
            // Each is displayed as an emoji, has a name, and occurs once.
            #expect(palette.emojis.allSatisfy { EmojiText.emoji($0) == $0 && EmojiSearch.name(of: $0) != nil })
            #expect(Set(palette.emojis).count == palette.emojis.count)
        }
        #expect(list.palettes[0].emojis.first == "🚙")
    }

    @Test func builtInPalettesOfTwoStoresHaveDifferentIDs() {
        let (one, two) = (PaletteList.builtins(firstID: 1), PaletteList.builtins(firstID: 1_001))
        #expect(Set(one.palettes.map(\.id)).isDisjoint(with: two.palettes.map(\.id)))
        #expect(one.palettes.map(\.emojis) == two.palettes.map(\.emojis))
    }

    // MARK: - The cursor

    @Test(arguments: [(0, 0), (2, 2), (3, 0), (4, 1), (300, 0), (-1, 2), (-3, 0), (-4, 2), (Int.max, 1), (Int.min, 1)])
    func theCursorWrapsAtBothEnds(_ set: Int, _ shown: Int) throws {
        var list = try list(1, 2, 3)
        list.cursor = set
        #expect(list.cursor == shown && list.current.id == shown + 1)
    }

    @Test func cursorMovesFromLastToFirstAndBack() throws {
        var list = try list(1, 2, 3)
        var seen: [Int] = []
        for _ in 0..<4 {
            seen.append(list.current.id)
            list.cursor += 1
        }
        #expect(seen == [1, 2, 3, 1])
        list.cursor = 0
        list.cursor -= 1
        #expect(list.current.id == 3)
    }

    @Test func showMovesCursorToPalette() throws {
        var list = try list(1, 2, 3)
        try list.show(3)
        #expect(list.cursor == 2)
        #expect(refusal { () throws(PaletteError) in try list.show(4) } == .noPalette)
        #expect(list.cursor == 2)
    }

    @Test func theCursorStaysWithItsPalette() throws {
        var list = try list(1, 2, 3, cursor: 1)
        try list.move(2, to: 0)
        #expect(list.current.id == 2)
        try list.move(1, to: 0)
        #expect(list.current.id == 2 && list.palettes.map(\.id) == [1, 2, 3])
        try list.delete(1)
        #expect(list.current.id == 2)
        try list.append(.test(4))
        try list.insert(.test(5), at: 0)
        #expect(list.current.id == 2)
    }

    // MARK: - The list

    @Test func emptyListIsRefused() throws {
        #expect(PaletteList([]) == nil)
        var list = try list(1, 2)
        let before = list
        let isEmptyListAccepted = list.replace(with: [])
        #expect(!isEmptyListAccepted && list == before)
        let isNewListAccepted = list.replace(with: [try .test(2), try .test(7)])
        #expect(isNewListAccepted)
        #expect(list.palettes.map(\.id) == [2, 7])
    }

    @Test func insertedPaletteIsPlacedAtCursorAndShown() throws {
        var list = try list(1, 2, 3, cursor: 1)
        try list.insert(.test(9))
        #expect(list.palettes.map(\.id) == [1, 9, 2, 3])
        #expect(list.current.id == 9)
    }

    @Test func insertingExistingPaletteReplacesAndMovesIt() throws {
        // In the course's own code, inserting an existing palette further back replaces its neighbour.
        for place in 0..<3 {
            var list = try list(1, 2, 3)
            try list.insert(.test(1, "New"), at: place)
            var ids = [2, 3]
            ids.insert(1, at: place)
            #expect(list.palettes.map(\.id) == ids)
            #expect(list.palettes[place].name == "New")
        }
        var list = try list(1, 2, 3)
        try list.append(.test(1, "New"))
        #expect(list.palettes.map(\.id) == [2, 3, 1] && list.palettes[2].name == "New")
        #expect(list.current.id == 1)
        var alone = try self.list(1)
        try alone.append(.test(1, "New"))
        #expect(alone.palettes == [try .test(1, "New")])
    }

    @Test(arguments: [(-5, 0), (0, 0), (1, 1), (2, 2), (99, 2)])
    func moveToInvalidIndexIsClamped(_ asked: Int, _ given: Int) throws {
        var list = try list(1, 2, 3)
        try list.move(2, to: asked)
        #expect(list.palettes.firstIndex { $0.id == 2 } == given)
        #expect(refusal { () throws(PaletteError) in try list.move(8, to: asked) } == .noPalette)
    }

    @Test func lastPaletteCannotBeDeleted() throws {
        var list = try list(1, 2, 3, cursor: 1)
        try list.delete(2)
        // The next one is shown.
        #expect(list.current.id == 3)
        try list.delete(3)
        #expect(list.current.id == 1)
        #expect(refusal { () throws(PaletteError) in try list.delete(1) } == .lastPalette)
        #expect(refusal { () throws(PaletteError) in try list.delete(3) } == .noPalette)
        #expect(list.palettes.map(\.id) == [1])
    }

    @Test func deletingShownPaletteAtEndShowsFirst() throws {
        var list = try list(1, 2, 3, cursor: 2)
        try list.delete(3)
        #expect(list.current.id == 1)
    }

    @Test func fullListRefusesMorePalettes() throws {
        var list = try #require(PaletteList(try (1...BoardLimits.palettes).map { try .test($0) }))
        let before = list
        #expect(refusal { () throws(PaletteError) in try list.insert(try .test(999)) } == .tooManyPalettes)
        #expect(refusal { () throws(PaletteError) in try list.append(try .test(999)) } == .tooManyPalettes)
        #expect(list == before)
        // Moving a palette needs no room.
        try list.move(3, to: 0)
        #expect(list.palettes[0].id == 3)
    }

    // MARK: - The editor

    @Test func editingPaletteKeepsItsPosition() throws {
        var list = try list(1, 2, 3)
        try list.rename(2, to: " Cats ")
        #expect(try list.add("🐱", to: 2) == ["🐱"])
        try list.remove("🐶", from: 2)
        #expect(list.palettes[1] == (try Palette(id: 2, name: "Cats", emojis: ["🐱"])))
        #expect(list.palettes.map(\.id) == [1, 2, 3])
        #expect(refusal { () throws(PaletteError) in try list.rename(4, to: "x") } == .noPalette)
        #expect(refusal { () throws(PaletteError) in try list.add("🐱", to: 4) } == .noPalette)
        #expect(refusal { () throws(PaletteError) in try list.remove("🐱", from: 4) } == .noPalette)
        #expect(refusal { () throws(PaletteError) in try list.rename(2, to: "") } == .name)
    }

    // MARK: - Reading

    @Test func listRoundTripsAsJSON() throws {
        let list = try list(3, 1, 2, cursor: 2)
        #expect(try JSONDecoder().decode(PaletteList.self, from: JSONEncoder().encode(list)) == list)
    }

    @Test func duplicateIDsAreReplacedWhenDecoding() throws {
        let text =
            #"{"palettes":[{"id":5,"name":"a"},{"id":5,"name":"b"},{"id":6,"name":"c"},{"id":5,"name":"d"}],"cursor":-1}"#
        let list = try JSONDecoder().decode(PaletteList.self, from: Data(text.utf8))
        #expect(list.palettes.map(\.name) == ["a", "b", "c", "d"])
        #expect(Set(list.palettes.map(\.id)).count == 4)
        #expect(list.palettes[0].id == 5 && list.palettes[2].id == 6)
        #expect(list.current.name == "d")
        // Decoding the list again gives the same IDs.
        #expect(try JSONDecoder().decode(PaletteList.self, from: Data(text.utf8)) == list)
        let greatestIDs = #"{"palettes":[{"id":\#(Int.max)},{"id":\#(Int.max)}]}"#
        #expect(try JSONDecoder().decode(PaletteList.self, from: Data(greatestIDs.utf8)).palettes.count == 2)
    }

    @Test(arguments: ["{}", #"{"palettes":[]}"#, #"{"palettes":{}}"#, #"{"palettes":[{}]}"#, "[]", ""])
    func invalidListIsNotDecoded(_ text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(PaletteList.self, from: Data(text.utf8)) }
    }
}
