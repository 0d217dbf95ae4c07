import Foundation
import Testing

@testable import ImageInfo

/// Tests hostile numbers in an image's sizes and offsets.
@Suite struct HostileImageTests {
    private static let words: [UInt32] = [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x0001_0000]

    private func expectNoTrap(_ bytes: [UInt8]) {
        for isComplete in [false, true] {
            do throws(ImageError) {
                guard case .header(let header) = try ImageHeader.read(bytes, isComplete: isComplete) else { continue }
                #expect(header.width > 0 && header.height > 0)
                let (count, overflows) = header.width.multipliedReportingOverflow(by: header.height)
                #expect(!overflows && (header.format == .svg || count <= ImageLimits.maximumPixels))
            } catch {
                #expect(!error.message.isEmpty)
            }
        }
    }

    /// Writes each of the numbers at each of the first 160 positions of every kind of picture, in both byte orders.
    @Test(arguments: SampleImages.all.map(\.bytes))
    func hostileNumberAtAnyPositionIsReadOrRefused(image: [UInt8]) {
        for position in 0..<min(image.count, 160) {
            for word in Self.words {
                let digits = (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
                for bytes in [digits, digits.reversed()] {
                    var bad = image
                    for (offset, byte) in bytes.enumerated() where position + offset < bad.count {
                        bad[position + offset] = byte
                    }
                    expectNoTrap(bad)
                }
            }
        }
    }

    @Test(arguments: [
        "0", "-1", "+5", "NaN", "inf", "-inf", "1e308", "-1e308", "1e-320", "1e999", "9223372036854775807",
        "-9223372036854775808", "1000000000000000000000000000000", "٣", "5٣", "", ".", "+", "-", "e", "1e", "1e+",
        "--5",
        "1e308in", "1e308cm", "5em", "5%", "0x10",
    ])
    func anyLengthInAnSVGIsReadOrRefused(number: String) {
        for attributes in [
            "width='\(number)' height='5'", "width='5' height='\(number)'", "width='\(number)' height='\(number)'",
            "viewBox='0 0 \(number) 5'", "viewBox='0 0 5 \(number)'", "viewBox='\(number) 0 5 5'",
            "width='\(number)' viewBox='0 0 1e308 1e-308'", "height='\(number)' viewBox='0 0 1e-308 1e308'",
            "width='1e308' viewBox='0 0 \(number) \(number)'",
        ] {
            expectNoTrap(Array("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)/>".utf8))
        }
    }
}
