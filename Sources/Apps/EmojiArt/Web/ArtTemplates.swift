import Site

/// EmojiArt's pages as HTML.
struct ArtTemplates: Sendable {
    private let templates: Templates

    /// Reads all of them: each page's sources are beside it, in an extension.
    init() throws {
        let parts = [Self.boardSources, Self.fileSources, Self.listSources, Self.paletteSources]
        templates = try Templates(parts.reduce(into: [:]) { all, part in all.merge(part) { $1 } })
    }

    func render(_ name: String, _ values: [String: Any]) -> HTML {
        templates.render(name, values)
    }
}

extension ArtTemplates {
    static let boardSources: [String: [UInt8]] = [
        "board": PackageResources.board_mustache, "problem": PackageResources.problem_mustache,
    ]
}
