import SeededChance
import Testing

@testable import EmojiArtModel

/// Tests merging concurrent changes of the same palettes.
@Suite struct PaletteMergeTests {
    // MARK: - Lists of anything

    private func merged(_ local: String, _ foreign: String, _ base: String) -> String {
        String(ListMerge.merged(Array(local), Array(foreign), from: Array(base)))
    }

    @Test(arguments: [
        // Local, foreign, base and merged.
        ("abc", "abc", "abc", "abc"),
        ("xabc", "abc", "abc", "xabc"), ("abc", "abcx", "abc", "abcx"),
        ("xabc", "yabc", "abc", "xyabc"), ("xyabc", "abcz", "abc", "xyabcz"), ("axbc", "abyc", "abc", "axbyc"),
        ("ab", "abc", "abc", "ab"), ("abc", "bc", "abc", "bc"), ("ab", "bc", "abc", "b"), ("a", "b", "ab", ""),
        ("xab", "bc", "abc", "xb"),
        // A changed order is adopted.
        ("cab", "abc", "abc", "cab"), ("abc", "cba", "abc", "cba"), ("cab", "xabc", "abc", "xcab"),
        ("bca", "cba", "abc", "bca"), ("cab", "ab", "abc", "ab"),
        // Both sides have added the same item.
        ("xab", "axb", "ab", "axb"), ("", "", "abc", ""), ("xy", "yz", "", "xyz"),
    ])
    func listsAreMergedFromCommonBase(_ local: String, _ foreign: String, _ base: String, _ merged: String) {
        #expect(self.merged(local, foreign, base) == merged)
    }

    @Test func randomMergesNeitherDuplicateNorLoseItems() {
        var generator = SeededChance(seed: 8)
        for _ in 0..<2_000 {
            let base = Array((0..<6).shuffled(using: &generator).prefix(Int.random(in: 0...6, using: &generator)))
            func change(_ new: Range<Int>) -> [Int] {
                var list = base.filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
                if Bool.random(using: &generator) { list.shuffle(using: &generator) }
                for item in new where Bool.random(using: &generator) {
                    list.insert(item, at: Int.random(in: 0...list.count, using: &generator))
                }
                return list
            }
            let (local, foreign) = (change(10..<13), change(12..<15))
            let merged = ListMerge.merged(local, foreign, from: base)
            let added = Set(local).union(foreign).subtracting(base)
            let remaining = Set(base).intersection(local).intersection(foreign)
            #expect(Set(merged) == added.union(remaining) && merged.count == added.count + remaining.count)
            // A side without changes has no effect.
            #expect(ListMerge.merged(local, base, from: base) == local)
            #expect(ListMerge.merged(base, foreign, from: base) == foreign)
        }
    }

    // MARK: - Palettes

    private func list(_ palettes: Palette..., cursor: Int = 0) throws -> PaletteList {
        try #require(PaletteList(palettes, cursor: cursor))
    }

    @Test func palettesAddedOnBothSidesAreMerged() throws {
        let base = try list(.test(1), .test(2))
        var (local, foreign) = (base, base)
        try local.insert(.test(8, "Math"))
        try foreign.append(.test(9, "Food"))
        let merged = local.merged(with: foreign, from: base)
        #expect(merged.palettes.map(\.id) == [8, 1, 2, 9])
        // The side that changed the cursor keeps it.
        #expect(merged.current.id == 8)
    }

    @Test func nameAndEmojiChangesOfOnePaletteAreMerged() throws {
        let base = try list(.test(1, "Pets", "🐶🐱🐭"))
        var (local, foreign) = (base, base)
        try local.rename(1, to: "Animals")
        try local.add("🐹", to: 1)
        try foreign.add("🐰", to: 1)
        try foreign.remove("🐱", from: 1)
        let merged = local.merged(with: foreign, from: base)
        #expect(merged.palettes == [try .test(1, "Animals", "🐹🐰🐶🐭")])
        #expect(foreign.merged(with: local, from: base).palettes == [try .test(1, "Animals", "🐰🐹🐶🐭")])
    }

    @Test func paletteChangedOnOneSideSurvivesDeletionOnOther() throws {
        let base = try list(.test(1), .test(2), .test(3))
        var (local, foreign) = (base, base)
        try local.delete(1)
        try local.delete(2)
        try foreign.add("🐰", to: 2)
        #expect(local.merged(with: foreign, from: base).palettes == [try .test(2, "Pets", "🐰🐶"), try .test(3)])
        #expect(foreign.merged(with: local, from: base).palettes == [try .test(2, "Pets", "🐰🐶"), try .test(3)])
    }

    @Test func mergeThatWouldBeEmptyKeepsLocalList() throws {
        let base = try list(.test(1), .test(2))
        var (local, foreign) = (base, base)
        try local.delete(1)
        try foreign.delete(2)
        #expect(local.merged(with: foreign, from: base) == local)
    }

    @Test func cursorOfTheSideThatMovedItWins() throws {
        let base = try list(.test(1), .test(2), .test(3))
        var (local, foreign) = (base, base)
        foreign.cursor = 2
        try local.insert(.test(9), at: 0)
        let merged = local.merged(with: foreign, from: base)
        #expect(merged.palettes.map(\.id) == [9, 1, 2, 3] && merged.current.id == 3)
        local.cursor = 2
        #expect(local.merged(with: foreign, from: base).current.id == 2)
        // The palette at the cursor has been deleted.
        try foreign.delete(2)
        #expect(local.merged(with: foreign, from: base).current.id == 3)
    }
}
