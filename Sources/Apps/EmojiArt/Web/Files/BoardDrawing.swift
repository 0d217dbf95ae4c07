import Capture
import EmojiArtModel
import Foundation

/// A board as it is drawn into a file: all that is on it, with a margin.
struct BoardDrawing {
    /// How many pixels of the picture there are for a point, where it does not get too large.
    private static let scale = 2.0
    /// How many pixels a picture has at most, and how many along a side.
    private static let mostPixels = 36_000_000.0
    private static let longestSide = 8_000.0
    /// What is left free around everything, of the longer side: glyphs reach a little beyond their boxes.
    private static let margin = 0.04
    /// What is drawn of a board on which nothing is, in points.
    private static let empty = BoardRect(center: .origin, width: 400, height: 300)

    private let board: Board
    private let picture: CheckedPicture?
    private let part: BoardRect

    init(_ board: Board, picture: CheckedPicture?) {
        self.board = board
        self.picture = picture
        let bounds = board.art.bounds(withPicture: picture?.size) ?? Self.empty
        part = bounds.insetBy(-max(4, Self.margin * max(bounds.width, bounds.height)))
    }
}

extension CheckedPicture {
    /// How much of a board it covers: a point for a pixel.
    var size: ViewSize { ViewSize(width: Double(width), height: Double(height)) }

    /// All of it as an address.
    fileprivate var dataAddress: String { "data:\(picture.type);base64,\(picture.data.base64EncodedString())" }
}

// MARK: - SVG

extension BoardDrawing {
    /// A document that needs nothing from anywhere.
    var svg: Data {
        Data((#"<?xml version="1.0" encoding="UTF-8"?>"# + "\n" + text(pictureAt: picture?.dataAddress) + "\n").utf8)
    }

    private func text(pictureAt address: String?) -> String {
        var svg = ArtSVG(part: part, title: board.summary.name)
        if let picture, let address { svg.picture = .init(address: address, size: picture.size) }
        return svg.text(of: board.art)
    }
}

// MARK: - PNG

extension BoardDrawing {
    /// Where the page that is rendered says it is: nowhere, so that nothing but what is given with it is found.
    private static let address = "http://board.invalid/"

    /// The drawing as a page, with the background beside it.
    var page: WebArchive {
        let size = size
        let html = """
            <!doctype html><meta charset="utf-8"><title></title>
            <style>html,body{margin:0;overflow:hidden;background:#fff}\
            svg{display:block;width:\(size.width)px;height:\(size.height)px}</style>
            \(text(pictureAt: picture == nil ? nil : Self.address + "picture"))
            """
        let main = WebArchive.Resource(
            data: Data(html.utf8), url: Self.address, mediaType: "text/html", textEncodingName: "UTF-8", frameName: "")
        guard let picture else { return WebArchive(mainResource: main) }
        let resource = WebArchive.Resource(
            data: picture.picture.data, url: Self.address + "picture", mediaType: picture.picture.type)
        return WebArchive(mainResource: main, subresources: [resource])
    }

    /// A window in which all of it is.
    var options: CaptureOptions {
        var options = CaptureOptions()
        let size = size
        options.viewport = .init(width: size.width, height: size.height, scale: size.scale)
        options.maximumPixels = Int(2 * Self.mostPixels)
        return options
    }

    /// The window's sides, in CSS pixels, and how many pixels one of these is.
    private var size: (width: Int, height: Int, scale: Double) {
        let longer = max(part.width, part.height)
        let area = part.width * part.height
        let scale = min(Self.scale, Self.longestSide / longer, (Self.mostPixels / area).squareRoot())
        // A window of less than a pixel for a point is made smaller itself: browsers have none of that many pixels.
        let shrunk = min(1, scale)
        return (
            max(1, Int((part.width * shrunk).rounded(.up))), max(1, Int((part.height * shrunk).rounded(.up))),
            max(1, scale)
        )
    }
}
