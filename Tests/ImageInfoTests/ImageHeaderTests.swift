import Foundation
import Testing

@testable import ImageInfo

@Suite struct ImageHeaderTests {
    private func header(_ bytes: [UInt8]) throws -> ImageHeader {
        try ImageHeader(bytes)
    }

    /// Returns the error that the header is refused with.
    private func refusal(_ bytes: [UInt8], _ limits: ImageLimits = ImageLimits()) -> ImageError? {
        do throws(ImageError) {
            let header = try ImageHeader(bytes, limits: limits)
            Issue.record("\(header) was read")
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: SampleImages.all.map(\.name))
    func sizeIsReadFromEveryFormat(name: String) throws {
        let bytes = try #require(SampleImages.all.first { $0.name == name }).bytes
        let header = try header(bytes)
        #expect(header.width == 640 && header.height == 480)
        #expect(name.uppercased().contains(header.format.rawValue.uppercased()))
        #expect(try ImageHeader(Data(bytes)) == header)
        #expect(try ImageHeader.read(bytes, isComplete: false) == .header(header))
    }

    /// The first example of the library's documentation.
    @Test func theFirstExamplePrintsTypeAndSize() throws {
        let bytes = Data(SampleImages.png(640, 480))
        let image = try ImageHeader(bytes)
        #expect("\(image.format.mediaType), \(image.width) × \(image.height) pixels" == "image/png, 640 × 480 pixels")
    }

    @Test(arguments: 1...8, [true, false])
    func exifOrientationDeterminesTheSize(orientation: Int, isBigEndian: Bool) throws {
        let exif = SampleImages.exif(orientation, isBigEndian: isBigEndian)
        let header = try header(SampleImages.jpeg(30, 20, before: exif))
        #expect(header.orientation == orientation)
        #expect(header.width == (orientation < 5 ? 30 : 20))
        #expect(header.height == (orientation < 5 ? 20 : 30))
    }

    @Test func invalidEXIFIsIgnored() throws {
        for exif in [SampleImages.exif(0, isBigEndian: true), SampleImages.exif(9, isBigEndian: false)] {
            #expect(try header(SampleImages.jpeg(30, 20, before: exif)).orientation == 1)
        }
        var farAway = SampleImages.exif(6, isBigEndian: true)
        // The offset of the directory.
        farAway.replaceSubrange(14..<18, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try header(SampleImages.jpeg(30, 20, before: farAway)).orientation == 1)
    }

    @Test func bytesBetweenJPEGSegmentsAreSkipped() throws {
        let before: [UInt8] = [1, 2, 3, 0xFF, 0xFF, 0xFF, 0x01] + SampleImages.segment(0xFE, [0xFF, 0xC0])
        #expect(try header(SampleImages.jpeg(30, 20, before: before)).width == 30)
    }

    @Test func aJPEGWithoutASizeIsRefused() {
        #expect(refusal([0xFF, 0xD8, 0xFF, 0xD9])?.code == .damaged)
        #expect(refusal([0xFF, 0xD8, 0xFF, 0xDA, 0, 2])?.code == .damaged)
        #expect(refusal([0xFF, 0xD8, 0xFF, 0xE0, 0, 1])?.code == .damaged)
        #expect(refusal(SampleImages.jpeg(30, 0))?.code == .damaged)
    }

    @Test func firstFrameOfAGIFIsMeasuredToo() throws {
        #expect(try header(SampleImages.gif(0, 0, frame: (30, 20))).width == 30)
        #expect(refusal(SampleImages.gif(1, 1, frame: (65_535, 65_535)))?.code == .tooLarge)
        #expect(refusal(Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x3B])?.code == .damaged)
        #expect(refusal(Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x77])?.code == .damaged)
    }

    @Test func tooManyPixelsAreRefused() {
        for bytes in [
            SampleImages.png(20_000, 20_000), SampleImages.png(0x7FFF_FFFF, 0x7FFF_FFFF),
            SampleImages.jpeg(65_535, 65_535), SampleImages.extendedWebP(1 << 24, 1 << 24),
            SampleImages.losslessWebP(16_384, 16_384), SampleImages.avif(0xFFFF_FFFF, 0xFFFF_FFFF),
            SampleImages.bmp(0x7FFF_FFFF, -0x8000_0000),
        ] {
            let refusal = refusal(bytes)
            #expect(refusal?.code == .tooLarge)
            #expect(refusal?.message.contains("at most 100000000 pixels") == true)
        }
        let limits = ImageLimits(maximumPixels: 640 * 480)
        #expect(throws: Never.self) { try ImageHeader(SampleImages.png(640, 480), limits: limits) }
        #expect(refusal(SampleImages.png(641, 480), limits)?.code == .tooLarge)
    }

    @Test func partialImagesOfAnAVIFAreMeasuredToo() {
        let meta = SampleImages.fullBox(
            "meta",
            SampleImages.fullBox("pitm", [0, 1])
                + SampleImages.box(
                    "iprp",
                    SampleImages.box("ipco", SampleImages.size(4, 3) + SampleImages.size(60_000, 60_000))
                        + SampleImages.fullBox("ipma", [0, 0, 0, 1, 0, 1, 1, 1])))
        #expect(refusal(SampleImages.avifType + meta)?.code == .tooLarge)
    }

    /// Apertures of an image of 100 by 60 pixels, and the sizes that Chromium shows.
    ///
    /// Each has a width, a height, and the distances of its centre from the image's, as fractions.
    private static let apertures: [(clap: [Int], width: Int, height: Int)] = [
        ([60, 1, 40, 1, -20, 1, -20, 2], 60, 40), ([120, 2, 40, 1, -40, 2, -10, 1], 60, 40),
        ([100, 1, 60, 1, 0, 1, 0, 1], 100, 60), ([61, 1, 60, 1, -39, 2, 0, 1], 61, 60),
        // Ignored: not at the top left, not whole pixels, larger than the image, empty, or with an invalid denominator.
        ([60, 1, 40, 1, 0, 1, 0, 1], 100, 60), ([60, 1, 40, 1, -20, 1, -9, 1], 100, 60),
        ([121, 2, 40, 1, -20, 1, -10, 1], 100, 60), ([102, 1, 60, 1, 1, 1, 0, 1], 100, 60),
        ([0, 1, 40, 1, -50, 1, -10, 1], 100, 60), ([60, 0, 40, 1, -20, 1, -10, 1], 100, 60),
        ([-60, -1, 40, 1, -20, 1, -10, 1], 100, 60), ([60, 1, 40, 1, 20, -1, -10, 1], 100, 60),
    ]

    @Test(arguments: apertures)
    func cleanApertureOfAnAVIFDeterminesTheSize(clap: [Int], width: Int, height: Int) throws {
        let upright = try header(SampleImages.avif(100, 60, clap: clap))
        #expect(upright.width == width && upright.height == height)
        let rotated = try header(SampleImages.avif(100, 60, clap: clap, quarters: 1))
        #expect(rotated.width == height && rotated.height == width)
    }

    @Test func truncatedCleanApertureIsRefused() {
        #expect(refusal(SampleImages.avif(100, 60, clap: [60, 1, 40, 1, -20, 1, -10]))?.code == .damaged)
    }

    @Test func imageWithoutPixelsIsRefused() {
        for bytes in [
            SampleImages.png(0, 5), SampleImages.jpeg(0, 5), SampleImages.avif(5, 0), SampleImages.bmp(-5, 5),
        ] {
            #expect(refusal(bytes)?.code == .damaged)
        }
    }

    @Test func aVeryLongHeaderIsRefused() {
        let segments = (0..<20).flatMap { _ in SampleImages.segment(0xE2, [UInt8](repeating: 7, count: 60_000)) }
        let limits = ImageLimits(maximumHeaderBytes: 1_000_000)
        #expect(refusal(SampleImages.jpeg(30, 20, before: segments), limits)?.code == .tooLarge)
        #expect(throws: Never.self) { try ImageHeader(SampleImages.jpeg(30, 20, before: segments)) }
        let comment = Array("<!--".utf8) + [UInt8](repeating: 0x20, count: 2_000_000)
        #expect(refusal(comment, limits)?.code == .tooLarge)
    }

    @Test(arguments: [
        ("II*\0", "a TIFF image"), ("MM\0*", "a TIFF image"), ("8BPS", "a Photoshop document"),
        ("\0\0\u{1}\0", "an icon of several images"), ("%PDF-1.7", "a PDF document"),
        ("\0\0\0\u{0C}JXL ", "a JPEG XL image"), ("hello, world", "text"),
        ("\u{1}\u{2}\u{3}\u{4}abcdefgh", "unknown data"),
        ("<?xml version='1.0'?><rss>", "an XML document"), ("< what?", "text"),
        ("  <!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>", "an HTML page"), ("<!doctype html>", "an HTML page"),
        ("<!-- 404 --><HTML><head>", "an HTML page"), ("<p>Not found</p>", "an HTML page"),
        ("<title>404</title>", "an HTML page"), ("BMW is a car maker, and this is text", "unknown data"),
    ])
    func otherContentIsRefusedAndNamed(text: String, found: String) {
        let refusal = refusal(Array(text.utf8))
        #expect(refusal?.found == found)
        #expect(refusal?.code == .notAnImage || refusal?.code == .unsupported)
        #expect(refusal?.message.contains(found) == true)
    }

    @Test func videosAndOtherBoxFormatsAreRefusedAndNamed() {
        func type(_ brand: String) -> [UInt8] {
            SampleImages.box("ftyp", Array(brand.utf8) + [0, 0, 0, 0] + Array("mp41".utf8))
        }
        #expect(refusal(type("heic"))?.found == "a HEIC image")
        #expect(refusal(type("isom"))?.found == "sound or video")
        #expect(refusal(type("jxl "))?.found == "a JPEG XL image")
        #expect(refusal([0x1F, 0x8B, 8, 0, 0, 0, 0, 0])?.found == "compressed data (gzip)")
    }

    @Test func truncatedImageIsReportedAsTruncated() throws {
        let cutOff = try #require(refusal(Array(SampleImages.png(1, 1).prefix(20))))
        #expect(cutOff.code == .truncated)
        #expect(cutOff.message.contains("it has 20 bytes, and at least 24 were needed"))
        #expect(refusal([])?.found == "an empty file")
    }
}

// MARK: - SVG

extension ImageHeaderTests {
    @Test(arguments: [
        ("width='10' height='20'", 10, 20), ("width='1in' height='2.54cm'", 96, 96),
        ("width='25.4mm' height='72pt'", 96, 96),
        ("width='6pc' height='101.6Q'", 96, 96), ("width=' 10 px ' height='+2e1'", 10, 20),
        ("width='.5' height='1.'", 1, 1), ("viewBox='0 0 30 20'", 30, 20), ("viewBox='-1,-2 , 30 2e1'", 30, 20),
        ("width='60' viewBox='0 0 30 20'", 60, 40), ("height='10' viewBox='0 0 30 20'", 15, 10),
        ("width='100%' height='100%' viewBox='0 0 30 20'", 30, 20), ("width='10em'", 300, 150), ("", 300, 150),
        ("width='60'", 60, 150), ("height='60'", 300, 60), ("width='0' height='-5'", 300, 150),
        ("width='nan' height='inf'", 300, 150), ("width='0x10' height='1e999'", 300, 150),
        ("viewBox='0 0 0 20'", 300, 150), ("viewBox='0 0 30'", 300, 150), ("viewBox='0 0 30 20 10'", 300, 150),
        ("width='&big;' height='&big;' viewBox='0 0 30 20'", 30, 20), ("a='>' width='10' b=\"'\" height='20'", 10, 20),
        ("width='10' width='99' height='20'", 10, 20), ("x:width='5' WIDTH='6'", 300, 150),
    ])
    func sizeOfAnSVGFollowsItsAttributes(attributes: String, width: Int, height: Int) throws {
        for text in ["<svg \(attributes)>", "<s:svg\n\(attributes)/>"] {
            let header = try header(Array(text.utf8))
            #expect(header.format == .svg)
            #expect(header.width == width && header.height == height, "\(text)")
        }
    }

    @Test func anSVGThatIsNotWellFormedIsRefused() {
        #expect(refusal(Array("<svg width>".utf8))?.code == .damaged)
        #expect(refusal(Array("<svg width=5>".utf8))?.code == .damaged)
        #expect(refusal(Array("<svg =''>".utf8))?.code == .damaged)
        #expect(refusal(Array("<svg width='5".utf8))?.code == .truncated)
        #expect(refusal(Array("<svg width='1e9' height='1'>".utf8))?.code == .tooLarge)
    }

    @Test func entitiesAreNotExpanded() throws {
        let laughs = (1...50).map { "<!ENTITY l\($0) '\(String(repeating: "&l\($0 - 1);", count: 50))'>" }.joined()
        let text = "<!DOCTYPE svg [<!ENTITY l0 'ha'>\(laughs)]><svg width='&l50;' height='20' viewBox='0 0 3 2'/>"
        let header = try header(Array(text.utf8))
        #expect(header.width == 30 && header.height == 20)
    }

    @Test func responseHeadersDisableScriptsInEveryFormat() {
        #expect(ImageFormat.allCases.filter(\.isActive) == [.svg])
        for format in ImageFormat.allCases {
            let headers = Dictionary(uniqueKeysWithValues: format.headersForUntrustedImages.map { ($0.name, $0.value) })
            #expect(headers["Content-Type"] == format.mediaType)
            #expect(headers["X-Content-Type-Options"] == "nosniff")
            let policy = headers["Content-Security-Policy"] ?? ""
            #expect(policy.hasPrefix("default-src 'none'") && policy.hasSuffix("; sandbox"))
            #expect(!policy.contains("script") && !policy.contains("allow-"))
        }
    }
}
