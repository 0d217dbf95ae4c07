import Foundation

/// A video of 16 × 16 px, red for a second and blue for a second, as a WebM file.
///
/// https://www.matroska.org/technical/elements.html
enum Clip {
    /// VP8 key frames, recorded from a canvas of 16 × 16 px with one colour.
    private static let frames = [
        "kAEAnQEqEAAQAAQAaCWgAnS6AAOYAP7lCvw2qsrb/4hzoc6HMkgAAA==",
        "cAEAnQEqEAAQAAQAaCWgAnQBQAAA/u2QP/4hz+tv+5TYpjCaSOwAAA==",
    ].map { [UInt8](Data(base64Encoded: $0) ?? Data()) }

    /// The file.
    static let file: [UInt8] = {
        let head = element(
            0x1A45_DFA3,
            element(0x4286, [1]) + element(0x42F7, [1]) + element(0x42F2, [4]) + element(0x42F3, [8])
                + element(0x4282, Array("webm".utf8)) + element(0x4287, [2]) + element(0x4285, [2]))
        // The clock counts milliseconds; the duration is a float of 2000.
        let information = element(
            0x1549_A966, element(0x2AD7B1, [0x0F, 0x42, 0x40]) + element(0x4489, [0x44, 0xFA, 0, 0]))
        let track =
            element(0xD7, [1]) + element(0x73C5, [1]) + element(0x83, [1])
            + element(0x86, Array("V_VP8".utf8)) + element(0xE0, element(0xB0, [16]) + element(0xBA, [16]))
        let blocks = frames.enumerated().flatMap { index, frame in
            var time: [UInt8] = []
            time.append(bigEndian: UInt16(index * 1000))
            return element(0xA3, [0x81] + time + [0x80] + frame)
        }
        let cluster = element(0x1F43_B675, element(0xE7, [0]) + blocks)
        return head + element(0x1853_8067, information + element(0x1654_AE6B, element(0xAE, track)) + cluster)
    }()

    /// An element of Matroska: its identifier without leading zeros, its length in four bytes, its content.
    private static func element(_ identifier: UInt32, _ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: identifier)
        bytes = Array(bytes.drop { $0 == 0 })
        bytes.append(bigEndian: 0x1000_0000 | UInt32(content.count))
        return bytes + content
    }
}
