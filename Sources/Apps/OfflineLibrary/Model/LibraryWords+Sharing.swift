// What pages say about shared pages.

extension LibraryWords {
    package static let sharedKind = "page"
    static let shareTitle = "Share"
    static let noArticle = "This page has no article to read."

    /// The words of the template of a shared page.
    static let sharedPageTemplate: [String: String] = [
        "saved": "Saved on {{> time}} from {{> original}}",
        "formats": "Formats",
        "picture": picture,
        "pictureOf": "Picture of {{name}}",
        "pdfOf": "PDF of {{name}}",
        "copyOf": "Saved copy of {{name}}",
        "articleOf": "Article of {{name}}",
        "noArticle": noArticle,
    ]
}
