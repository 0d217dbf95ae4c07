import Foundation

extension PageScripts {
    /// A frame's document for a viewer, with tokens where something is to be put in.
    ///
    /// A token is the document's mark, a letter, the number of a reference and `z`.
    struct ViewerDocument: Decodable, Sendable {
        var html: String
        /// Addresses without fragments, or the numbers of frames.
        var references: [String]
        /// Whether it is laid out as before there were standards.
        var isQuirky: Bool
    }

    /// A style sheet with tokens, as in ``ViewerDocument``.
    struct ViewerStyleSheet: Decodable, Sendable {
        var text: String
        var references: [String]
    }

    /// What can be put in, as the scripts need to know it.
    struct ViewerMaterial: Encodable, Sendable {
        struct Kind: Encodable, Sendable {
            var bytes: Int
            var isPicture: Bool
        }
        /// The beginning of each token.
        var mark: String
        /// By their addresses without fragments; what is empty is not there.
        var resources: [String: Kind]
        /// The text of the drawings that the document takes parts of, by address.
        var drawings: [String: String] = [:]

        var asJSON: String {
            get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
        }
    }

    /// A style sheet to be rewritten.
    struct ViewerStyleSource: Encodable, Sendable {
        var address: String
        var bytes: Data
        var encoding: String
    }

    private static let viewer = ScriptBundle(
        PackageResources.references_js, PackageResources.stylesheets_js, PackageResources.elements_js,
        PackageResources.drawings_js, PackageResources.serializer_js, PackageResources.viewer_js)

    /// Makes the ``ViewerStyleSheet`` of each style sheet.
    static func rewriteStyleSheets(_ sheets: [ViewerStyleSource], material: ViewerMaterial) throws -> String {
        let sources = String(decoding: try JSONEncoder().encode(sheets), as: UTF8.self)
        return viewer.call("rewriteStyleSheets", sources, try material.asJSON)
    }

    /// Notes which frame an element stands for.
    ///
    /// It is called on that element.
    static let noteFrame = viewer.method("noteFrame")

    /// The addresses, without fragments, of drawings that a document takes parts of.
    static let usedDrawings = viewer.call("usedDrawings")

    /// Makes a ``ViewerDocument``.
    static func serializeForViewer(_ material: ViewerMaterial) throws -> String {
        viewer.call("serializeForViewer", try material.asJSON)
    }
}
