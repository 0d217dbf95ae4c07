/// How much a board takes: every limit of the app, in one place.
public enum BoardLimits {
    /// Emoji on a board.
    public static let emojis = 10_000
    /// Bytes of one batch of operations as it is sent.
    public static let batchBytes = 1_000_000
    /// Bytes of a picture.
    public static let pictureBytes = 20_000_000
    /// Pixels of a picture.
    public static let picturePixels = 64_000_000
    /// Bytes of a picture's address; a `data:` address is turned into a picture before it is kept.
    public static let addressBytes = 20_000
    /// Bytes of a board's or a palette's name, and of what a step is called.
    public static let nameBytes = 1_000
    /// Bytes of one emoji: the longest of Unicode 16 takes 35.
    public static let emojiBytes = 64
    /// Palettes of one store.
    public static let palettes = 200
    /// Emoji of one palette.
    public static let paletteEmojis = 1_000
    /// Operations of one batch.
    public static let batchOperations = 20_000
    /// Steps of a log that are kept in whole; whoever is further behind gets the board anew.
    public static let logEntries = 2_000
    /// How far from the middle an emoji may be, in points.
    public static let coordinate = 10_000_000.0
    /// How large an emoji may be, in points.
    public static let sizes = 0.1...100_000.0
    /// How far in front of or behind the others an emoji may be.
    public static let depth = 1e15
    /// Bytes of a file that is imported: a picture as Base64, and the emoji.
    public static let importBytes = 40_000_000
    /// How long a deleted board can be had back.
    public static let undoDeletion = Duration.seconds(600)
}
