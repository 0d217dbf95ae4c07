public import Foundation
import Loading

/// A picture that boards take: its bytes, what they are, and how large it is.
public struct CheckedPicture: Hashable, Sendable {
    /// Its bytes, and what they are.
    public let picture: KeptPicture
    /// How wide it is, in pixels.
    public let width: Int
    /// How high it is, in pixels.
    public let height: Int

    /// A picture that was checked before.
    ///
    /// - Parameters:
    ///   - picture: Its bytes, and what they are.
    ///   - width: How wide it is, in pixels.
    ///   - height: How high it is, in pixels.
    package init(_ picture: KeptPicture, width: Int, height: Int) {
        (self.picture, self.width, self.height) = (picture, width, height)
    }

    /// Checks what was fetched for a background.
    ///
    /// - Parameter data: All of its bytes.
    /// - Throws: Why it is not taken.
    public init(fetched data: Data) throws(BackgroundError) {
        do throws(PictureError) {
            try self.init(data)
        } catch {
            throw .picture(error)
        }
    }

    /// Checks the header, and that the body is whole, without decoding any pixels.
    ///
    /// - Complexity: Linear in the bytes of a PNG or SVG, and in the number of parts of other formats.
    ///
    /// - Parameter data: All of its bytes.
    /// - Throws: Why it is not taken.
    public init(_ data: Data) throws(PictureError) {
        guard data.count <= BoardLimits.pictureBytes else { throw .bytes(data.count) }
        let header: ImageHeader
        do throws(ImageError) {
            header = try ImageHeader(data, limits: ImageLimits(maximumPixels: BoardLimits.picturePixels))
            try PictureBody.check(data, format: header.format)
        } catch {
            throw .image(error)
        }
        if header.format == .svg, let found = SVGScripts.first(in: data) { throw .script(found) }
        picture = KeptPicture(data: data, type: header.format.mediaType)
        (width, height) = (header.width, header.height)
    }
}
