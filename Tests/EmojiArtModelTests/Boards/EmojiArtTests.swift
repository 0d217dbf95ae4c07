import BoardTraces
import Testing

@testable import EmojiArtModel

/// Tests what operations do to a board, and which ones are refused.
@Suite struct EmojiArtTests {
    private let art = EmojiArt.of([.test(1, "🐶"), .test(2, "🐱", x: 5), .test(3, "🐭")])
    private static let picture = PictureID(String(repeating: "a", count: 64))

    @Test func operationsChangeEmojiAndBackground() throws {
        var art = art
        try art.apply(.add(.test(4, "🐹")))
        try art.apply(.move(EmojiID(1), x: -3.5, y: 7))
        try art.apply(.resize(EmojiID(2), size: 12))
        try art.apply(.delete(EmojiID(3)))
        try art.apply(.reorder(EmojiID(1), z: 9))
        try art.apply(.setBackground(.address("https://example.com/a.png")))
        #expect(
            art.emojis == [
                .test(2, "🐱", x: 5, size: 12), .test(4, "🐹"), .test(1, "🐶", x: -3.5, y: 7, z: 9),
            ])
        #expect(art.background == .address("https://example.com/a.png"))
        #expect(art.faults == [])
    }

    @Test func greaterIDIsInFrontAtEqualDepth() throws {
        var art = EmojiArt()
        for name in ["b", "B", "a", "-", "aa"] {
            let id = try #require(EmojiID(name))
            try art.apply(.add(Emoji(id: id, text: "🐶", x: 0, y: 0, size: 1, z: 0)))
        }
        #expect(art.emojis.map(\.id.rawValue) == ["-", "B", "a", "aa", "b"])
        #expect(art.faults == [])
    }

    @Test(arguments: [
        ArtOperation.move(EmojiID(9), x: 0, y: 0), .resize(EmojiID(9), size: 1), .reorder(EmojiID(9), z: 1),
        .rotate(EmojiID(9), angle: 1), .flip(EmojiID(9), isFlipped: true), .lock(EmojiID(9), isLocked: true),
    ])
    func changingMissingEmojiIsRefused(operation: ArtOperation) {
        var changed = art
        #expect(refusal { () throws(OperationRefusal) in try changed.apply(operation) } == .gone)
        #expect(changed == art)
    }

    @Test func deletingMissingEmojiHasNoEffect() throws {
        var changed = art
        try changed.apply(.delete(EmojiID(9)))
        #expect(changed == art)
        let outcome = changed.apply(OperationBatch(id: "a", name: "", operations: [.delete(EmojiID(9))]))
        #expect(outcome.applied.isEmpty && outcome.refused.isEmpty)
    }

    @Test func addingExistingEmojiIsIgnoredIfEqualElseRefused() {
        var changed = art
        let outcome = changed.apply(
            OperationBatch(
                id: "a", name: "", operations: [.add(.test(1, "🐶")), .add(.test(1, "🐱")), .add(.test(2, "🐱", x: 6))]))
        #expect(outcome.applied.isEmpty)
        #expect(outcome.refused.map(\.index) == [1, 2])
        #expect(outcome.refused.map(\.reason) == [.exists, .exists])
        #expect(changed == art)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e7 + 1, -1e7 - 1, 1e300, .greatestFiniteMagnitude])
    func positionOutsideBoardIsRefused(value: Double) {
        var changed = art
        for operation in [
            ArtOperation.move(EmojiID(1), x: value, y: 0), .move(EmojiID(1), x: 0, y: value),
            .add(.test(5, x: value)), .add(.test(5, y: value)),
        ] {
            #expect(refusal { () throws(OperationRefusal) in try changed.apply(operation) } == .number)
        }
        #expect(changed == art)
    }

    @Test(arguments: [Double.nan, .infinity, 0, -1, 0.09, 100_001])
    func sizeOutsideLimitsIsRefused(value: Double) {
        var changed = art
        for operation in [ArtOperation.resize(EmojiID(1), size: value), .add(.test(5, size: value))] {
            #expect(refusal { () throws(OperationRefusal) in try changed.apply(operation) } == .number)
        }
        #expect(changed == art)
    }

    @Test(arguments: [Double.nan, .infinity, 1.1e15, -1.1e15])
    func depthOutsideLimitsIsRefused(value: Double) {
        var changed = art
        for operation in [ArtOperation.reorder(EmojiID(1), z: value), .add(.test(5, z: value))] {
            #expect(refusal { () throws(OperationRefusal) in try changed.apply(operation) } == .number)
        }
        #expect(changed == art)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, -0.001, 360, 1e300])
    func angleOutsideLimitsIsRefused(value: Double) {
        var changed = art
        var emoji = Emoji.test(5)
        emoji.angle = value
        for operation in [ArtOperation.rotate(EmojiID(1), angle: value), .add(emoji)] {
            #expect(refusal { () throws(OperationRefusal) in try changed.apply(operation) } == .number)
        }
        #expect(changed == art)
    }

    @Test func rotationFlipAndLockAreAppliedAndUndone() throws {
        var changed = EmojiArt.of([.test(1), .test(2)])
        let operations: [ArtOperation] = [
            .rotate(EmojiID(1), angle: 359.5), .flip(EmojiID(1), isFlipped: true), .lock(EmojiID(1), isLocked: true),
        ]
        let (before, inverse) = (changed, changed.inverse(of: operations))
        for operation in operations { try changed.apply(operation) }
        let emoji = try #require(changed.emoji(EmojiID(1)))
        #expect(emoji.angle == 359.5 && emoji.isFlipped && emoji.isLocked)
        // A lock is a property like any other: the board applies what a page would not offer.
        try changed.apply(.move(EmojiID(1), x: 7, y: 0))
        #expect(changed.emoji(EmojiID(1))?.x == 7)
        try changed.apply(.move(EmojiID(1), x: 0, y: 0))
        for operation in inverse { try changed.apply(operation) }
        #expect(changed == before)
    }

    /// Two people change different properties of an emoji at once.
    @Test func concurrentRotationFlipAndMoveAreMerged() throws {
        let operations: [ArtOperation] = [
            .rotate(EmojiID(1), angle: 45), .flip(EmojiID(1), isFlipped: true), .move(EmojiID(1), x: 3, y: 4),
        ]
        var (one, other) = (EmojiArt.of([.test(1)]), EmojiArt.of([.test(1)]))
        for operation in operations { try one.apply(operation) }
        for operation in operations.reversed() { try other.apply(operation) }
        #expect(one == other)
    }

    @Test func boundsContainRotatedEmoji() throws {
        var emoji = Emoji.test(1, size: 40)
        for quarter in [0.0, 90, 180, 270] {
            emoji.angle = quarter
            #expect(abs(emoji.box.width - 40) < 1e-9)
        }
        emoji.angle = 45
        #expect(abs(emoji.box.width - 40 * 2.0.squareRoot()) < 1e-9)
        #expect(abs((EmojiArt.of([emoji]).bounds()?.top ?? 0) - 20 * 2.0.squareRoot()) < 1e-9)
    }

    @Test func invalidTextIsRefused() {
        var changed = art
        for text in ["", "\u{0}", "a\nb", "\u{7F}", "\u{85}", String(repeating: "a", count: 65)] {
            #expect(refusal { () throws(OperationRefusal) in try changed.apply(.add(.test(5, text))) } == .text)
        }
        #expect(changed == art)
    }

    @Test(arguments: ["🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👩🏽‍❤️‍💋‍👨🏿", "1️⃣", "Hello", " ", "\u{202E}x", String(repeating: "a", count: 64)])
    func validTextIsAccepted(text: String) throws {
        var art = EmojiArt()
        try art.apply(.add(.test(5, text)))
        #expect(art.emoji(EmojiID(5))?.text == text)
    }

    @Test(arguments: [
        "", "example.com/a.png", "ftp://example.com/a.png", "file:///etc/passwd", "javascript:alert(1)",
        "data:image/png;base64,AA",
        "https:/example.com", "https://" + String(repeating: "a", count: 20_000),
    ])
    func unfetchableBackgroundAddressIsRefused(address: String) {
        var changed = art
        #expect(
            refusal { () throws(OperationRefusal) in try changed.apply(.setBackground(.address(address))) } == .address)
        #expect(changed == art)
    }

    @Test(arguments: [
        "http://example.com", "HTTPS://EXAMPLE.COM/a b.png", "https://" + String(repeating: "a", count: 19_992),
    ])
    func webAddressIsAcceptedAsBackground(address: String) throws {
        var art = EmojiArt()
        try art.apply(.setBackground(.address(address)))
        #expect(art.background == .address(address))
    }

    @Test func backgroundPictureThatIsNotStoredIsRefused() throws {
        let picture = try #require(Self.picture)
        let batch = OperationBatch(id: "a", name: "", operations: [.setBackground(.picture(picture))])
        var art = art
        let outcome = art.apply(batch) { _ in false }
        #expect(outcome.refused.map(\.reason) == [.picture])
        #expect(art.background == .blank)
        #expect(art.apply(batch) { $0 == picture }.refused.isEmpty)
        #expect(art.background == .picture(picture))
    }

    @Test func fullBoardRefusesAdditionsUntilAnEmojiIsDeleted() throws {
        var art = EmojiArt.of((0..<BoardLimits.emojis).map { .test($0) })
        #expect(refusal { () throws(OperationRefusal) in try art.apply(.add(.test(20_000))) } == .full)
        try art.apply(.add(.test(5)))
        let outcome = art.apply(
            OperationBatch(
                id: "a", name: "",
                operations: [.add(.test(20_000)), .delete(EmojiID(7)), .add(.test(20_001)), .add(.test(20_002))]))
        #expect(outcome.refused.map(\.index) == [0, 3])
        #expect(outcome.refused.allSatisfy { $0.reason == .full })
        #expect(art.emojis.count == BoardLimits.emojis)
        #expect(art.contains(EmojiID(20_001)) && !art.contains(EmojiID(7)))
        #expect(art.faults == [])
    }

    @Test func initializerRefusesInvalidContent() {
        #expect(
            refusal { () throws(OperationRefusal) in _ = try EmojiArt(background: .blank, emojis: [.test(1), .test(1)])
            } == .exists)
        #expect(
            refusal { () throws(OperationRefusal) in _ = try EmojiArt(background: .blank, emojis: [.test(1, x: .nan)]) }
                == .number)
        #expect(
            refusal { () throws(OperationRefusal) in _ = try EmojiArt(background: .blank, emojis: [.test(1, "")]) }
                == .text)
        #expect(
            refusal { () throws(OperationRefusal) in _ = try EmojiArt(background: .address("x:"), emojis: []) }
                == .address)
        let many = (0...BoardLimits.emojis).lazy.map { Emoji.test($0) }
        #expect(refusal { () throws(OperationRefusal) in _ = try EmojiArt(background: .blank, emojis: many) } == .full)
    }

    @Test func initializerSortsEmoji() {
        let art = EmojiArt.of([.test(3), .test(1), .test(2, z: 3), .test(10, z: 3)])
        #expect(art.emojis.map(\.id) == [EmojiID(1), EmojiID(10), EmojiID(2), EmojiID(3)])
        #expect(art.faults == [])
        #expect(art == .of(art.emojis.reversed()))
        #expect(art.hashValue == EmojiArt.of(art.emojis.reversed()).hashValue)
    }

    @Test func eachRefusalSaysWhatHappenedAndWhatToDo() {
        let operations: [ArtOperation] = [
            .add(.test(1)), .move(EmojiID(1), x: 0, y: 0), .resize(EmojiID(1), size: 1), .delete(EmojiID(1)),
            .reorder(EmojiID(1), z: 0), .rotate(EmojiID(1), angle: 0), .flip(EmojiID(1), isFlipped: true),
            .lock(EmojiID(1), isLocked: true), .setBackground(.blank),
        ]
        for operation in operations {
            for reason in OperationRefusal.allCases {
                let message = operation.message(for: reason)
                #expect(message.contains(". ") || message.contains(": "))
                #expect(message.hasSuffix(".") && !message.contains("{{"))
            }
        }
        #expect(ArtOperation.add(.test(1)).message(for: .full).hasPrefix("🐶 was not added: the board has 10000"))
    }

    @Test func coalescingKeepsOnlyLastValues() {
        let (first, second) = (EmojiID(1), EmojiID(2))
        let operations: [ArtOperation] = [
            .move(first, x: 1, y: 1), .move(second, x: 1, y: 1), .resize(first, size: 2), .move(first, x: 2, y: 2),
            .delete(second), .move(first, x: 3, y: 3), .setBackground(.blank), .reorder(first, z: 4),
            .setBackground(.address("https://example.com")), .reorder(first, z: 5),
        ]
        #expect(
            ArtOperation.coalesced(operations) == [
                .move(first, x: 3, y: 3), .move(second, x: 1, y: 1), .resize(first, size: 2), .delete(second),
                .setBackground(.address("https://example.com")), .reorder(first, z: 5),
            ])
        let again: [ArtOperation] = [
            .move(first, x: 1, y: 1), .delete(first), .add(.test(1)), .move(first, x: 2, y: 2),
        ]
        #expect(ArtOperation.coalesced(again) == again)
    }
}
