import EmojiArtModel
import Foundation

func drawBoard() throws {
    let (palm, crab) = (EmojiID(1), EmojiID(2))
    let drawing = OperationBatch(
        id: "draw", name: "Draw a beach",
        operations: [
            .add(Emoji(id: palm, text: "🌴", x: -80, y: 40, size: 120, z: 1)),
            .add(Emoji(id: crab, text: "🦀", x: 60, y: -40, size: 40, z: 2)),
            .move(crab, x: 90, y: -50),
        ])
    var art = EmojiArt()
    let (applied, refused) = art.apply(drawing)
    print("applied \(applied.count), refused \(refused.count):", art.emojis.map(\.text).joined())

    // The inverse is computed before the step is applied.
    let step: [ArtOperation] = [.resize(crab, size: 80), .delete(palm)]
    let undo = art.inverse(of: step)
    let before = art
    art.apply(OperationBatch(id: "step", name: "Only a big crab", operations: step))
    print("after the step:", art.emojis.map(\.text).joined())
    art.apply(OperationBatch(id: "undo", name: "Undo", operations: undo))
    print("undone:", art == before)

    // Another user has deleted the crab in the meantime.
    try art.apply(.delete(crab))
    let late = art.apply(OperationBatch(id: "late", name: "Move 🦀", operations: [.move(crab, x: 0, y: 0)]))
    for refusal in late.refused { print(refusal.message) }

    let svg = ArtSVG(title: "A beach").text(of: art)
    print("SVG:", svg.hasPrefix("<svg") && svg.contains("🌴"))
    let file = try ArtFile(name: "Beach", art: art).write(as: .course)
    print("a file of the course's format:", !file.isEmpty)
    let stored = try ArtJSON.data(art)
    print("decoded:", try ArtJSON.read(EmojiArt.self, from: stored) == art)
}
