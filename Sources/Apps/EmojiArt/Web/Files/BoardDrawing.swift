import Capture
import EmojiArtModel
import Foundation

/// A drawing of a board for export: everything on it, with a margin.
struct BoardDrawing {
    /// The maximum number of pixels, and the maximum number along a side.
    private static let maximumPixels = 36_000_000.0
    private static let longestSide = 8_000.0
    /// The minimum width of a margin, in points; doesn't apply to a drawing without one.
    private static let minimumMargin = 4.0
    /// The part drawn of an empty board, in points.
    private static let empty = BoardRect(center: .origin, width: 400, height: 300)

    private let board: Board
    private let picture: CheckedPicture?
    private let look: BoardLook
    private let part: BoardRect

    init(_ board: Board, picture: CheckedPicture?, look: BoardLook = BoardLook()) {
        self.board = board
        self.picture = picture
        self.look = look
        let bounds = board.art.bounds(withPicture: picture?.size) ?? Self.empty
        let margin = look.margin ?? BoardLook.Margin.usual(of: board.art, over: picture?.size)
        let width = margin.fraction * max(bounds.width, bounds.height)
        part = margin == .zero ? bounds : bounds.insetBy(-max(Self.minimumMargin, width))
    }
}

extension CheckedPicture {
    /// The size on a board: a point per pixel.
    var size: ViewSize { ViewSize(width: Double(width), height: Double(height)) }

    /// The whole picture as a `data:` address.
    fileprivate var dataAddress: String { "data:\(picture.type);base64,\(picture.data.base64EncodedString())" }
}

// MARK: - SVG

extension BoardDrawing {
    /// A self-contained SVG document.
    var svg: Data {
        let text = text(pictureAt: picture?.dataAddress, isTransparent: look.isTransparent ?? true)
        return Data((#"<?xml version="1.0" encoding="UTF-8"?>"# + "\n" + text + "\n").utf8)
    }

    private func text(pictureAt address: String?, isTransparent: Bool) -> String {
        var svg = ArtSVG(part: part, title: board.summary.name, isTransparent: isTransparent)
        if let picture, let address { svg.picture = .init(address: address, size: picture.size) }
        return svg.text(of: board.art)
    }
}

// MARK: - PNG

extension BoardDrawing {
    /// The address of the rendered page; there is no such host, so only the archive's resources can be loaded.
    private static let address = "http://board.invalid/"

    /// The drawing as a page, with the background as a subresource.
    var page: WebArchive {
        let size = size
        let isTransparent = look.isTransparent ?? false
        let html = """
            <!doctype html><meta charset="utf-8"><title></title>
            <style>html,body{margin:0;overflow:hidden}\
            svg{display:block;width:\(size.width)px;height:\(size.height)px}</style>
            \(text(pictureAt: picture == nil ? nil : Self.address + "picture", isTransparent: isTransparent))
            """
        let main = WebArchive.Resource(
            data: Data(html.utf8), url: Self.address, mediaType: "text/html", textEncodingName: "UTF-8", frameName: "")
        guard let picture else { return WebArchive(mainResource: main) }
        let resource = WebArchive.Resource(
            data: picture.picture.data, url: Self.address + "picture", mediaType: picture.picture.type)
        return WebArchive(mainResource: main, subresources: [resource])
    }

    /// The viewport that shows the whole drawing.
    var options: CaptureOptions {
        var options = CaptureOptions()
        let size = size
        options.viewport = .init(width: size.width, height: size.height, scale: size.scale)
        options.maximumPixels = Int(2 * Self.maximumPixels)
        if look.isTransparent ?? false { options.backdrop = .transparent }
        return options
    }

    /// The viewport's sides in CSS pixels, and the device pixels per CSS pixel.
    private var size: (width: Int, height: Int, scale: Double) {
        let longer = max(part.width, part.height)
        let area = part.width * part.height
        let scale = min(look.scale, Self.longestSide / longer, (Self.maximumPixels / area).squareRoot())
        // If the scale is below 1, the viewport shrinks instead: browsers don't render less than one device pixel per
        // CSS pixel.
        let shrunk = min(1, scale)
        return (
            max(1, Int((part.width * shrunk).rounded(.up))), max(1, Int((part.height * shrunk).rounded(.up))),
            max(1, scale)
        )
    }
}
