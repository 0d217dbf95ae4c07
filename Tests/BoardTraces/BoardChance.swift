package import BoardModel
import SeededChance

/// Random boards and operations.
///
/// There are few IDs and depths, so that operations collide.
package struct BoardChance {
    private var chance: SeededChance

    package init(seed: some BinaryInteger) {
        chance = SeededChance(seed: seed)
    }

    package static let texts = ["🐶", "👨‍👩‍👧", "🇩🇪", "1️⃣", "👋🏽", "a", "e\u{301}", "<&>", "  "]

    package mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &chance) }
    package mutating func flag() -> Bool { Bool.random(using: &chance) }

    package mutating func id() -> EmojiID { EmojiID(number(in: 0..<12)) }
    package mutating func place() -> Double { Double.random(in: -1000...1000, using: &chance) }
    package mutating func depth() -> Double { Double(number(in: -2..<4)) / 2 }

    package mutating func emoji() -> Emoji {
        Emoji(
            id: id(), text: Self.texts.randomElement(using: &chance) ?? "🐶", x: place(), y: place(),
            size: Double(number(in: 1..<400)), z: depth(), angle: angle(), isFlipped: number(in: 0..<4) == 0,
            isLocked: number(in: 0..<8) == 0)
    }

    package mutating func angle() -> Double { flag() ? 0 : Double(number(in: 0..<720)) / 2 }

    package mutating func background() -> Background {
        switch number(in: 0..<3) {
        case 0: .blank
        case 1: .address("https://example.com/\(number(in: 0..<3)).png")
        default: PictureID(String(repeating: "\(number(in: 0..<3))", count: 64)).map(Background.picture) ?? .blank
        }
    }

    /// A random operation; about one in sixteen is refused by every board.
    package mutating func operation() -> ArtOperation {
        let isBad = number(in: 0..<8) == 0
        switch number(in: 0..<11) {
        case 0, 1, 2: return .add(emoji())
        case 3: return .move(id(), x: place(), y: isBad ? .nan : place())
        case 4: return .resize(id(), size: isBad ? -1 : Double(number(in: 1..<400)))
        case 5: return .reorder(id(), z: isBad ? .infinity : depth())
        case 6: return .delete(id())
        case 7: return .rotate(id(), angle: isBad ? 360 : angle())
        case 8: return .flip(id(), isFlipped: flag())
        case 9: return .lock(id(), isLocked: flag())
        default: return .setBackground(isBad ? .address("ftp://example.com") : background())
        }
    }

    package mutating func operations(_ count: Range<Int>) -> [ArtOperation] {
        (0..<number(in: count)).map { _ in operation() }
    }

    package mutating func batch(_ id: String, _ count: Range<Int> = 1..<6) -> OperationBatch {
        OperationBatch(id: id, name: "Step \(id)", operations: operations(count))
    }

    package mutating func board() -> EmojiArt {
        var art = EmojiArt()
        art.apply(batch("board", 0..<40))
        return art
    }
}

extension EmojiArt {
    /// The violated invariants of the board, in words.
    package var faults: [String] {
        var faults: [String] = []
        for (first, second) in zip(emojis, emojis.dropFirst()) where !Emoji.isBehind(first, second) {
            faults.append("\(first) is drawn before \(second)")
        }
        for emoji in emojis {
            if self.emoji(emoji.id) != emoji { faults.append("\(emoji) isn't found by its ID") }
            do throws(OperationRefusal) { try emoji.check() } catch { faults.append("\(emoji): \(error)") }
        }
        if emojis.count > BoardLimits.emojis { faults.append("\(emojis.count) emoji") }
        return faults
    }

    /// A board of emoji that the test knows to be valid.
    package static func of(_ emojis: [Emoji], on background: Background = .blank) -> EmojiArt {
        do throws(OperationRefusal) {
            return try EmojiArt(background: background, emojis: emojis)
        } catch {
            preconditionFailure("A test's board is refused: \(error)")
        }
    }
}

extension Emoji {
    /// An emoji with a numeric ID.
    package static func test(
        _ number: Int, _ text: String = "🐶", x: Double = 0, y: Double = 0, size: Double = 40, z: Double? = nil
    ) -> Emoji {
        Emoji(id: EmojiID(number), text: text, x: x, y: y, size: size, z: z ?? Double(number))
    }
}

/// Returns the refusal that a closure throws, or `nil`.
package func refusal(of body: () throws(OperationRefusal) -> Void) -> OperationRefusal? {
    do throws(OperationRefusal) {
        try body()
        return nil
    } catch {
        return error
    }
}
