import Foundation

extension PageScripts {
    /// The article of a page, as a list of texts whose first letters tell what they are.
    struct Article: Decodable, Sendable {
        /// The elements, attributes and texts; empty if the page has no article.
        var texts: [String]
        var title: String
        var byline: String
        var site: String
        var language: String
        var direction: String
        /// Whether the page or its article exceeds a limit.
        var isTooLarge: Bool?
    }

    /// What the script needs to know to find an article.
    struct ArticleMaterial: Encodable, Sendable {
        /// The names of the elements that an article may have.
        var elements = ArticleWriter.elements.keys.sorted()
        /// The URLs of the archive's pictures, without fragments.
        var pictures: [String]
        var maximumNodes = 200_000
        /// The maximum length of all texts, in UTF-16 code units.
        var maximumLength = 32 << 20
    }

    private static let article = ScriptBundle(PackageResources.Readability_js, PackageResources.article_js)

    /// Returns the ``Article`` of the page, which it changes.
    static func readArticle(_ material: ArticleMaterial) throws -> String {
        article.call("readArticle", String(decoding: try JSONEncoder().encode(material), as: UTF8.self))
    }
}
