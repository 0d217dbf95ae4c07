import Foundation
import Testing

@testable import OfflineLibraryModel

/// The differences between texts, and between sequences in general.
@Suite(.timeLimit(.minutes(5))) struct DifferenceTests {
    /// A random generator whose numbers are the same in each run.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// Checks that all elements outside the changes are the same, and in order.
    private func expectSound(_ difference: SequenceDifference, _ old: [Int], _ new: [Int]) {
        var (oldEnd, newEnd) = (0, 0)
        for change in difference.changes {
            #expect(!change.old.isEmpty || !change.new.isEmpty)
            #expect(old[oldEnd..<change.old.lowerBound] == new[newEnd..<change.new.lowerBound])
            (oldEnd, newEnd) = (change.old.upperBound, change.new.upperBound)
        }
        #expect(Array(old[oldEnd...]) == Array(new[newEnd...]))
    }

    @Test func changesLeadFromOneSequenceToTheOther() {
        var numbers = Numbers(state: 7)
        for round in 0..<400 {
            let kinds = [2, 3, 10, 1_000][round % 4]
            let old = (0..<Int.random(in: 0...40, using: &numbers)).map { _ in
                Int.random(in: 0..<kinds, using: &numbers)
            }
            var new = old
            for _ in 0..<Int.random(in: 0...6, using: &numbers) {
                let place = Int.random(in: 0...new.count, using: &numbers)
                if Bool.random(using: &numbers), place < new.count {
                    new.remove(at: place)
                } else {
                    new.insert(Int.random(in: 0..<kinds, using: &numbers), at: place)
                }
            }
            let difference = SequenceDifference(from: old, to: new)
            #expect(!difference.isCoarse)
            expectSound(difference, old, new)
        }
    }

    @Test func onlyTheChangedPartCounts() {
        let old = Array(0..<1_000)
        let new = Array(0..<500) + [5_000, 5_001] + Array(503..<1_000)
        #expect(SequenceDifference(from: old, to: new).changes == [.init(old: 500..<503, new: 500..<502)])
        #expect(SequenceDifference(from: old, to: old).changes == [])
        #expect(SequenceDifference(from: [], to: [1]).changes == [.init(old: 0..<0, new: 0..<1)])
    }

    /// Neither sequence has an element that occurs once, and they have little in common.
    @Test func hostileSequencesReachTheLimit() {
        var numbers = Numbers(state: 3)
        let old = (0..<200_000).map { _ in Int.random(in: 0..<3, using: &numbers) }
        let new = (0..<200_000).map { _ in Int.random(in: 1..<4, using: &numbers) }
        let difference = SequenceDifference(from: old, to: new)
        #expect(difference.isCoarse)
        expectSound(difference, old, new)
    }

    @Test func wordsAreAddedAndRemoved() {
        let changes = TextChanges(
            from: "Title\nThe quick brown fox.\nEnd", to: "Title\n  The slow brown fox jumps.\n\nEnd")
        #expect(changes.count == TextChanges.Count(added: 2, removed: 1))
        #expect(
            changes.sections == [
                .same(["Title"]),
                .changed([
                    [
                        .init(.same, "The "), .init(.removed, "quick"), .init(.added, "slow"),
                        .init(.same, " brown fox"),
                        .init(.added, " jumps"), .init(.same, "."),
                    ]
                ]),
                .same(["End"]),
            ])
    }

    @Test func wholeParagraphsAreAddedAndRemoved() {
        let changes = TextChanges(from: "One\nTwo\nThree", to: "One\nThree\nFour words of text")
        #expect(changes.count == TextChanges.Count(added: 4, removed: 1))
        #expect(
            changes.sections == [
                .same(["One"]), .changed([[.init(.removed, "Two")]]), .same(["Three"]),
                .changed([[.init(.added, "Four words of text")]]),
            ])
    }

    @Test func charactersOfScriptsWithoutSpacesAreWords() {
        let changes = TextChanges(from: "東京は晴れです", to: "東京は雨です")
        #expect(changes.count == TextChanges.Count(added: 1, removed: 2))
    }

    @Test func spacesAndEmptyLinesAreNoChange() {
        #expect(TextChanges(from: "a b\n\n\nc", to: " a b \r\nc").count.isUnchanged)
        #expect(TextChanges(from: "", to: "").sections == [])
    }

    @Test func longDifferentTextsAreComparedCoarsely() {
        var numbers = Numbers(state: 5)
        func text() -> String {
            (0..<100_000).map { _ in ["ab", "cd", "ef"].randomElement(using: &numbers) ?? "" }.joined(separator: " ")
        }
        let changes = TextChanges(from: text(), to: text())
        #expect(changes.count.isCoarse)
        #expect(changes.count.added == 100_000)
    }
}
