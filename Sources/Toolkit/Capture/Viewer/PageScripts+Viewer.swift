import Foundation

extension PageScripts {
    /// A frame's document for a viewer copy, with tokens in place of references.
    ///
    /// A token consists of the document's mark, a letter, the index of a reference, and `z`.
    struct ViewerDocument: Decodable, Sendable {
        var html: String
        /// URLs, without fragments except those of links, or the IDs of frames.
        var references: [String]
        /// Whether the document is laid out in quirks mode.
        var isQuirky: Bool
    }

    /// A style sheet with tokens, as in ``ViewerDocument``.
    struct ViewerStyleSheet: Decodable, Sendable {
        var text: String
        var references: [String]
    }

    /// The available resources, as the scripts need to know them.
    struct ViewerMaterial: Encodable, Sendable {
        struct Kind: Encodable, Sendable {
            var bytes: Int
            var isPicture: Bool
        }
        /// The prefix of each token.
        var mark: String
        /// The resources with content, by URL without fragments.
        var resources: [String: Kind]
        /// The source of the SVG drawings that the document uses parts of, by URL.
        var drawings: [String: String] = [:]

        var asJSON: String {
            get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
        }
    }

    /// A style sheet to rewrite.
    struct ViewerStyleSource: Encodable, Sendable {
        var address: String
        var bytes: Data
        var encoding: String
    }

    private static let viewer = ScriptBundle(
        PackageResources.references_js, PackageResources.stylesheets_js, PackageResources.marks_js,
        PackageResources.elements_js, PackageResources.drawings_js, PackageResources.frozen_js,
        PackageResources.serializer_js,
        PackageResources.viewer_js)

    /// Returns the ``ViewerStyleSheet`` for each style sheet.
    static func rewriteStyleSheets(_ sheets: [ViewerStyleSource], material: ViewerMaterial) throws -> String {
        let sources = String(decoding: try JSONEncoder().encode(sheets), as: UTF8.self)
        return viewer.call("rewriteStyleSheets", sources, try material.asJSON)
    }

    /// Records the frame that an element contains.
    ///
    /// The function must be called on that element.
    static let noteFrame = viewer.method("noteFrame")

    /// Returns the URLs, without fragments, of drawings that a document uses parts of.
    static let usedDrawings = viewer.call("usedDrawings")

    /// Returns the ``ViewerDocument`` of a frame.
    static func serializeForViewer(_ material: ViewerMaterial) throws -> String {
        viewer.call("serializeForViewer", try material.asJSON)
    }
}
