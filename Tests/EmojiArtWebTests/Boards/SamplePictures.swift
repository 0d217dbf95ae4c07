import Foundation
import RealPictures

/// Pictures of known sizes.
enum SamplePictures {
    static let png = png(640, 480)

    static func png(_ width: Int, _ height: Int, padding: Int = 0) -> Data {
        RealPictures.png(width, height, padding: padding)
    }

    static let svg = Data(
        #"<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20"/></svg>"#.utf8)

    static let svgWithScript = Data(
        #"<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><script>alert(1)</script></svg>"#.utf8)
}
