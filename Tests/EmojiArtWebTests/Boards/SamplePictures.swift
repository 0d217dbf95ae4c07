import Foundation

/// Pictures that the tests make themselves: only as much of each as says what it is and how large.
enum SamplePictures {
    static let png = png(640, 480)

    static func png(_ width: Int, _ height: Int, padding: Int = 0) -> Data {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header = bytes(13) + Array("IHDR".utf8) + bytes(width) + bytes(height) + [8, 6, 0, 0, 0, 1, 2, 3, 4]
        return Data(signature + header) + Data(count: padding)
    }

    static let svg = Data(
        #"<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20"/></svg>"#.utf8)

    static let svgWithScript = Data(
        #"<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><script>alert(1)</script></svg>"#.utf8)

    private static func bytes(_ number: Int) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
