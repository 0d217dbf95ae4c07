import Markup

/// Draws boards as SVG: emoji as text, in whatever font whoever looks has for them.
public struct ArtSVG: Hashable, Sendable {
    /// What is drawn behind the emoji, with its middle at the origin.
    public struct Picture: Hashable, Sendable {
        /// Where it is: an address, or `data:`.
        public var address: String
        /// How large it is, in points.
        public var size: ViewSize

        /// A picture behind the emoji.
        public init(address: String, size: ViewSize) {
            (self.address, self.size) = (address, size)
        }
    }

    /// What is drawn behind the emoji.
    public var picture: Picture?
    /// Which part of the board is drawn; `nil` for all that is on it.
    public var part: BoardRect?
    /// How many emoji are drawn at most, as for a thumbnail: the largest; `nil` for all.
    public var most: Int?
    /// What the drawing is called, for whoever does not see it; `nil` where something beside it says so.
    public var title: String?

    /// A way to draw boards.
    public init(picture: Picture? = nil, part: BoardRect? = nil, most: Int? = nil, title: String? = nil) {
        (self.picture, self.part, self.most, self.title) = (picture, part, most, title)
    }

    /// The fonts that have emoji, on each system.
    public static let fonts = "'Noto Color Emoji', 'Apple Color Emoji', 'Segoe UI Emoji', 'Twemoji Mozilla', sans-serif"

    /// How far below the middle of an emoji its baseline is, by its size: half of what such fonts have above it, less half of what
    /// they have below.
    private static let baseline = 0.35

    /// What is drawn of a board on which nothing is.
    private static let emptyPart = BoardRect(center: .origin, width: 400, height: 300)
}

extension ArtSVG {
    /// Draws a board: an `<svg>` element, which is a whole document, too.
    ///
    /// It takes O(*n*), and O(*n* log *n*) where only the largest are drawn.
    public func text(of art: EmojiArt) -> String {
        let part = part ?? art.bounds(withPicture: picture?.size) ?? Self.emptyPart
        let box = [part.left, -part.top, part.width, part.height].map(Self.number).joined(separator: " ")
        var svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"\(box)\""
        svg += title == nil ? " aria-hidden=\"true\">" : " role=\"img\">"
        if let title { svg += "<title>\(Markup.xml(title))</title>" }
        if let picture { svg += Self.element(of: picture) }
        svg += "<g font-family=\"\(Self.fonts)\" text-anchor=\"middle\">"
        for emoji in drawn(of: art) { svg += Self.element(of: emoji) }
        return svg + "</g></svg>"
    }

    private func drawn(of art: EmojiArt) -> [Emoji] {
        guard let most, art.emojis.count > most else { return art.emojis }
        return art.emojis.enumerated().sorted { ($0.element.size, $0.offset) > ($1.element.size, $1.offset) }
            .prefix(max(0, most)).sorted { $0.offset < $1.offset }.map(\.element)
    }

    private static func element(of picture: Picture) -> String {
        let size = picture.size
        return "<image href=\"\(Markup.xml(picture.address))\" x=\"\(number(-size.width / 2))\" "
            + "y=\"\(number(-size.height / 2))\" width=\"\(number(size.width))\" height=\"\(number(size.height))\"/>"
    }

    private static func element(of emoji: Emoji) -> String {
        "<text x=\"\(number(emoji.x))\" y=\"\(number(-emoji.y + baseline * emoji.size))\" "
            + "font-size=\"\(number(emoji.size))\">\(Markup.xml(emoji.text))</text>"
    }

    /// A number to a thousandth of a point, as short as it can be.
    private static func number(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }
}
