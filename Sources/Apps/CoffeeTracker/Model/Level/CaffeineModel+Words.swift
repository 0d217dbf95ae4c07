// Words and formatted numbers for the values of CaffeineModel. That module has none, because a page inserts its own.

extension CaffeineColour {
    /// The word for the colour: `low`, `moderate` or `high`.
    public var word: String {
        switch self {
        case .green: CoffeeWords.low
        case .yellow: CoffeeWords.moderate
        case .red: CoffeeWords.high
        }
    }
}

extension LevelState {
    /// The colour as a word.
    public var word: String { colour.word }

    /// The level without its unit: `250`.
    public var number: String { CoffeeFormatter.number(milligrams) }

    /// The level with its unit: `250 mg`.
    public var amount: String { CoffeeFormatter.amount(milligrams) }
}

extension CoffeeGuidance {
    /// The source of the figures.
    public static let citation = CoffeeWords.citation
    /// The disclaimer that must accompany every figure.
    public static let disclaimer = CoffeeWords.disclaimer
}
