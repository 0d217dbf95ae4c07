import Markup

/// Draws boards as SVG, with emoji as text in a font that the viewer's system provides.
public struct ArtSVG: Hashable, Sendable {
    /// A picture behind the emoji, centred on the origin.
    public struct Picture: Hashable, Sendable {
        /// The picture's address, which may be a `data:` address.
        public var address: String
        /// The picture's size, in points.
        public var size: ViewSize

        /// Creates a picture behind the emoji.
        public init(address: String, size: ViewSize) {
            (self.address, self.size) = (address, size)
        }
    }

    /// The picture behind the emoji.
    public var picture: Picture?
    /// The part of the board to draw; `nil` for its bounds.
    public var part: BoardRect?
    /// The maximum number of emoji to draw, as for a thumbnail: the largest are chosen; `nil` draws all.
    public var maximumEmojis: Int?
    /// The drawing's accessible title.
    ///
    /// `nil` hides the drawing from assistive technology, for a page that shows the title as text.
    public var title: String?
    /// Whether the drawing is transparent behind the picture and the emoji; otherwise it is white there.
    public var isTransparent: Bool

    /// Creates a renderer.
    public init(
        picture: Picture? = nil, part: BoardRect? = nil, maximumEmojis: Int? = nil, title: String? = nil,
        isTransparent: Bool = true
    ) {
        (self.picture, self.part, self.maximumEmojis, self.title) = (picture, part, maximumEmojis, title)
        self.isTransparent = isTransparent
    }

    /// The emoji fonts of each system.
    public static let fonts = "'Noto Color Emoji', 'Apple Color Emoji', 'Segoe UI Emoji', 'Twemoji Mozilla', sans-serif"

    /// The distance from an emoji's middle down to its baseline, as a fraction of its size: half of such a font's
    /// ascent, less half of its descent.
    private static let baseline = 0.35

    /// The part to draw if the board is empty.
    private static let emptyPart = BoardRect(center: .origin, width: 400, height: 300)
}

extension ArtSVG {
    /// Draws a board as an `<svg>` element, which is also a complete document.
    ///
    /// - Complexity: O(*n*), or O(*n* log *n*) if only the largest emoji are drawn.
    public func text(of art: EmojiArt) -> String {
        let part = part ?? art.bounds(withPicture: picture?.size) ?? Self.emptyPart
        let box = [part.left, -part.top, part.width, part.height].map(Self.number).joined(separator: " ")
        var svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"\(box)\""
        svg += title == nil ? " aria-hidden=\"true\">" : " role=\"img\">"
        if let title { svg += "<title>\(Markup.xml(title))</title>" }
        if !isTransparent { svg += Self.whiteBackground(of: part) }
        if let picture { svg += Self.element(of: picture) }
        svg += "<g font-family=\"\(Self.fonts)\" text-anchor=\"middle\">"
        for emoji in emojisToDraw(of: art) { svg += Self.element(of: emoji) }
        return svg + "</g></svg>"
    }

    private func emojisToDraw(of art: EmojiArt) -> [Emoji] {
        guard let maximumEmojis, art.emojis.count > maximumEmojis else { return art.emojis }
        return art.emojis.enumerated().sorted { ($0.element.size, $0.offset) > ($1.element.size, $1.offset) }
            .prefix(max(0, maximumEmojis)).sorted { $0.offset < $1.offset }.map(\.element)
    }

    private static func whiteBackground(of part: BoardRect) -> String {
        "<rect x=\"\(number(part.left))\" y=\"\(number(-part.top))\" width=\"\(number(part.width))\" "
            + "height=\"\(number(part.height))\" fill=\"#fff\"/>"
    }

    private static func element(of picture: Picture) -> String {
        let size = picture.size
        return "<image href=\"\(Markup.xml(picture.address))\" x=\"\(number(-size.width / 2))\" "
            + "y=\"\(number(-size.height / 2))\" width=\"\(number(size.width))\" height=\"\(number(size.height))\"/>"
    }

    private static func element(of emoji: Emoji) -> String {
        guard emoji.angle == 0, !emoji.isFlipped else { return transformedElement(of: emoji) }
        return "<text x=\"\(number(emoji.x))\" y=\"\(number(-emoji.y + baseline * emoji.size))\" "
            + "font-size=\"\(number(emoji.size))\">\(Markup.xml(emoji.text))</text>"
    }

    /// The element of an emoji that is rotated or mirrored around its middle.
    private static func transformedElement(of emoji: Emoji) -> String {
        var transform = "translate(\(number(emoji.x)) \(number(-emoji.y)))"
        if emoji.angle != 0 { transform += " rotate(\(number(emoji.angle)))" }
        if emoji.isFlipped { transform += " scale(-1 1)" }
        return "<text transform=\"\(transform)\" y=\"\(number(baseline * emoji.size))\" "
            + "font-size=\"\(number(emoji.size))\">\(Markup.xml(emoji.text))</text>"
    }

    /// Formats a number to a thousandth of a point, as short as possible.
    private static func number(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }
}
