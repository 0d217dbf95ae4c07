/// What audited routes affect, as the page “Activity” names it.
///
/// docs/words.md explains how to change and add words.
enum AuditedWords {
    static let page = "Saved page"
    static let pages = "Several saved pages"
    static let libraryFile = "File of addresses or pages"
    static let uploadToken = "Token for uploads"
    static let board = "Board"
    static let palette = "Palette"
    static let drink = "Drink"
    static let drinkKind = "Kind of drink"
    static let samples = "Sample data"
    static let backup = "Backup"
    static let setAside = "Unreadable data"
}
