import EmojiArtModel

extension EmojiArt {
    /// A beach that a new user can look at, change and delete.
    ///
    /// An empty list of boards offers it as an example, and the sample data contains it.
    static let example: EmojiArt = {
        let emojis: [(text: String, x: Double, y: Double, size: Double)] = [
            ("☀️", 190, 130, 70), ("☁️", -170, 130, 64), ("☁️", -40, 150, 44), ("🐦", 40, 110, 24),
            ("🏝️", 110, 0, 150), ("⛵️", -130, 30, 84), ("🐬", -40, -50, 52), ("🐠", 40, -110, 34),
            ("🐙", 170, -110, 48), ("🐚", -190, -120, 30), ("🦀", -110, -115, 36),
        ]
        let placed = emojis.enumerated().map { index, emoji in
            Emoji(
                id: EmojiID(index), text: emoji.text, x: emoji.x, y: emoji.y, size: emoji.size, z: Double(index))
        }
        return (try? EmojiArt(background: .blank, emojis: placed)) ?? EmojiArt()
    }()
}
