package import EmojiArtModel
package import Foundation
import ImageInfo

extension CheckedPicture {
    /// Validates the bytes fetched for a background.
    package init(fetched data: Data) throws(BackgroundError) {
        do throws(PictureError) {
            try self.init(data)
        } catch {
            throw .picture(error)
        }
    }

    /// Validates the header, and that the body is complete, without decoding any pixels.
    ///
    /// - Complexity: Linear in the bytes of a PNG or SVG, and in the number of parts of other formats.
    package init(_ data: Data) throws(PictureError) {
        guard data.count <= BoardLimits.pictureBytes else { throw .bytes(data.count) }
        let header: ImageHeader
        do throws(ImageError) {
            header = try ImageHeader(data, limits: ImageLimits(maximumPixels: BoardLimits.picturePixels))
            try PictureBody.check(data, format: header.format)
        } catch {
            throw .image(error)
        }
        if header.format == .svg, let found = SVGScripts.first(in: data) { throw .script(found) }
        guard let size = PictureSize(width: header.width, height: header.height) else {
            throw .image(ImageError(.damaged, ArtWords.pictureWithoutSize, found: ArtWords.image))
        }
        self.init(data: data, type: header.format.mediaType, size: size)
    }
}
