import EmojiArtModel
import Hummingbird

/// How a board is drawn for export as PNG or SVG.
package struct BoardLook: Hashable, Sendable {
    /// The empty space around everything on the board.
    package enum Margin: String, CaseIterable, Sendable {
        case zero = "none"
        case small, large

        /// The margin as a fraction of the longer side: glyphs extend slightly beyond their boxes.
        var fraction: Double {
            switch self {
            case .zero: 0
            case .small: 0.04
            case .large: 0.12
            }
        }

        /// The margin unless another one is chosen: none if nothing extends beyond the background, because a margin
        /// would look like a frame around it.
        static func usual(of art: EmojiArt, over picture: ViewSize?) -> Margin {
            guard let picture, let bounds = art.bounds(withPicture: picture) else { return .small }
            return bounds == BoardRect(center: .origin, width: picture.width, height: picture.height) ? .zero : .small
        }
    }

    /// The pixels per point of a PNG, unless the picture would get too large.
    package var scale = 2.0
    /// The margin; `nil` for the usual one.
    package var margin: Margin?
    /// Whether the drawing is transparent behind the picture and the emoji, or white; `nil` for white in a PNG and
    /// transparent in an SVG.
    package var isTransparent: Bool?

    /// Creates the usual look.
    package init() {}
}

extension BoardLook {
    /// Reads the look from the address of a request; a missing or unknown value is the usual one.
    init(_ request: Request) {
        let query = request.uri.queryParameters
        self.init()
        if query["scale"] == "1" { scale = 1 }
        margin = query["margin"].flatMap { Margin(rawValue: String($0)) }
        if query["ground"] == "transparent" { isTransparent = true }
        if query["ground"] == "white" { isTransparent = false }
    }
}
