/// The app's limits, in one place.
public enum BoardLimits {
    /// The maximum number of emoji on a board.
    public static let emojis = 10_000
    /// The maximum size in bytes of an encoded batch.
    public static let batchBytes = 1_000_000
    /// The maximum size in bytes of a picture.
    public static let pictureBytes = 20_000_000
    /// The maximum number of pixels of a picture.
    public static let picturePixels = 64_000_000
    /// The maximum size in bytes of a picture's address; a `data:` address is converted to a picture before it is stored.
    public static let addressBytes = 20_000
    /// The maximum size in bytes of the name of a board, a palette or a batch.
    public static let nameBytes = 1_000
    /// The maximum size in bytes of one emoji; the longest of Unicode 16 takes 35.
    public static let emojiBytes = 64
    /// The maximum number of palettes in a store.
    public static let palettes = 200
    /// The maximum number of emoji in a palette.
    public static let paletteEmojis = 1_000
    /// The maximum number of operations in a batch.
    public static let batchOperations = 20_000
    /// The number of recent log entries that are stored per board; a client that is further behind gets the whole board.
    public static let logEntries = 2_000
    /// The largest absolute coordinate of an emoji, in points.
    public static let coordinate = 10_000_000.0
    /// The allowed sizes of an emoji, in points.
    public static let sizes = 0.1...100_000.0
    /// The allowed angles of an emoji, in degrees.
    public static let angles = 0.0..<360.0
    /// The largest absolute depth of an emoji.
    public static let depth = 1e15
    /// The maximum size in bytes of an imported file: a picture in Base64, and the emoji.
    public static let importBytes = 40_000_000
    /// How long a deleted board can be restored.
    public static let undoDeletion = Duration.seconds(600)
}
