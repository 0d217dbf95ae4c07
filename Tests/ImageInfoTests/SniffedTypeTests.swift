import Foundation
import Testing

@testable import ImageInfo

@Suite struct SniffedTypeTests {
    static let texts: [(String, SniffedType)] = [
        ("GIF89a...", .gif), ("GIF87a", .gif), ("GIF88a", .text), ("%PDF-1.7\n", .pdf), ("%!PS-Adobe-3.0", .postScript),
        ("RIFF\u{4}\u{0}\u{0}\u{0}WEBPVP8 ", .webP), ("RIFF\u{4}\u{0}\u{0}\u{0}WAVE", .media),
        ("BM\u{1}", .bmp), ("OTTO\u{0}", .font), ("wOF2", .font), ("ID3\u{3}", .media), ("Rar!\u{1A}\u{7}\u{0}", .rar),
        ("<!DOCTYPE HTML>", .html), ("  \n<HtMl lang=en>", .html), ("<html", .html), ("<htmlx>", .text),
        ("<!-- a --><p>", .html), ("<b>bold", .html), ("<bold>", .text), ("<a href=x>", .html), ("<address>", .text),
        ("<?xml version='1.0'?><feed>", .xml), ("<?xml version='1.0'?>\n<!-- x < y --><svg xmlns='a'>", .svg),
        ("<svg width='1'>", .svg), ("<!DOCTYPE svg PUBLIC 'x'><svg>", .svg), ("<!-- a --> <svg>", .svg),
        (#"{"a": 1}"#, .json), ("{}", .json), (" [1, 2]", .json), ("[]", .json), (#"[{"a":null}]"#, .json),
        ("{ a }", .text), ("[see below]", .text), ("plain words", .text), ("\u{FEFF}<html>", .html),
        ("\u{1B}[1mred", .text), ("a\u{0}b", .binary), ("", .nothing),
    ]

    @Test(arguments: texts)
    func typeOfAStringIsDetected(text: String, type: SniffedType) {
        #expect(SniffedType(sniffing: Array(text.utf8)) == type)
    }

    static let bytes: [([UInt8], SniffedType)] = [
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], .png), ([0x89, 0x50, 0x4E, 0x47, 0x0D], .text),
        ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg), ([0xFF, 0xD8], .text), ([0x50, 0x4B, 3, 4, 20], .zip),
        ([0x50, 0x4B, 5, 6], .zip), ([0x1F, 0x8B, 8, 0], .gzip), ([0, 0, 1, 0, 2], .icon),
        ([0, 0, 2, 0], .cursor), ([0xFF, 0x0A], .jpegXL), ([0, 0, 0, 12] + Array("JXL ".utf8), .jpegXL),
        (Array("8BPS".utf8), .photoshop), (box("jxl "), .jpegXL), ([0xEF, 0xBB, 0xBF], .text),
        ([0x49, 0x49, 0x2A, 0], .tiff), ([0x4D, 0x4D, 0, 0x2A], .tiff), ([0, 1, 0, 0], .font),
        ([0x1A, 0x45, 0xDF, 0xA3], .media), ([0xFE, 0xFF, 0, 0x41], .text), ([1, 2, 3], .binary),
        (box("avif", "mif1"), .avif), (box("mif1", "avif"), .avif), (box("heic"), .heif), (box("isom", "mp42"), .media),
        ([0, 0, 0, 3] + Array("ftypavif".utf8), .binary),
    ]

    private static func box(_ brands: String...) -> [UInt8] {
        let content =
            Array("ftyp".utf8) + Array(brands[0].utf8) + [0, 0, 0, 0] + brands.dropFirst().flatMap { Array($0.utf8) }
        return [0, 0, 0, UInt8(content.count + 4)] + content
    }

    @Test(arguments: bytes)
    func typeOfBytesIsDetected(bytes: [UInt8], type: SniffedType) {
        #expect(SniffedType(sniffing: bytes) == type)
    }

    @Test func onlyTheFirstBytesAreSniffed() {
        let text = Array(String(repeating: "a", count: SniffedType.headerLength).utf8)
        #expect(SniffedType(sniffing: text + [0]) == .text)
        #expect(SniffedType(sniffing: text.dropLast() + [0]) == .binary)
    }

    /// No input is read out of bounds, wherever it is cut off.
    @Test func anyPrefixIsHandled() {
        var samples = Self.bytes.map(\.0) + Self.texts.map { Array($0.0.utf8) }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 { samples.append((0..<24).map { _ in UInt8.random(in: 0...255, using: &random) }) }
        for sample in samples {
            for count in 0...sample.count { _ = SniffedType(sniffing: sample.prefix(count)) }
        }
    }

    /// The image header and the sniffed type agree on the name of a format.
    @Test(arguments: bytes + texts.map { (Array($0.0.utf8), $0.1) })
    func imageHeaderAndSniffedTypeAgree(bytes: [UInt8], type: SniffedType) {
        // Skips bytes that may be the beginning of an image, and texts, which may be an SVG.
        if type == .nothing || type == .binary || type.isText { return }
        do throws(ImageError) {
            #expect(try ImageHeader(bytes).format.rawValue == type.rawValue)
        } catch {
            #expect(error.found == type.name || error.code == .truncated || error.code == .damaged, "\(error)")
        }
    }
}
