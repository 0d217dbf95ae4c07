import Foundation
import ImageInfo
import RealPictures
import Testing

@testable import EmojiArtModel
@testable import EmojiArtReading

/// Tests which data is a picture within the limits of a board, and contains no script.
@Suite struct CheckedPictureTests {
    private static func failure(_ data: Data) -> PictureError? {
        do throws(PictureError) {
            _ = try CheckedPicture(data)
            return nil
        } catch {
            return error
        }
    }

    private static func script(_ data: Data) -> String? {
        if case .script(let what) = failure(data) { what } else { nil }
    }

    @Test func pictureHasDetectedTypeAndSize() throws {
        let png = TestPictures.png(640, 480)
        let picture = try CheckedPicture(png)
        let size = try #require(PictureSize(width: 640, height: 480))
        #expect(picture.picture == PictureContent(data: png, type: "image/png", size: size))
        #expect(picture.width == 640 && picture.height == 480)
        let svg = try CheckedPicture(TestPictures.svg("<rect width='3' height='2'/>"))
        #expect(svg.picture.type == "image/svg+xml" && svg.width == 30 && svg.height == 20)
    }

    @Test func oversizedPictureIsRefusedWithLimit() {
        let largest = TestPictures.png(1, 1, padding: BoardLimits.pictureBytes - TestPictures.png(1, 1).count)
        #expect(Self.failure(largest) == nil)
        let tooLarge = largest + Data(count: 1)
        #expect(Self.failure(tooLarge) == .bytes(20_000_001))
        #expect(Self.failure(tooLarge)?.isTooLarge == true)
        #expect(Self.failure(tooLarge)?.description.contains("20.1 MB, and the limit is 20 MB") == true)
        #expect(Self.failure(TestPictures.png(8_000, 8_000)) == nil)
        let bomb = Self.failure(RealPictures.pngHeader(8_000, 8_001))
        #expect(bomb?.isTooLarge == true)
    }

    @Test func nonImageIsRefusedWithDetectedKind() throws {
        let page = try #require(Self.failure(Data("<!DOCTYPE html><title>Not found</title>".utf8)))
        #expect(page.description.contains("an HTML page") && !page.isTooLarge)
        #expect(Self.failure(Data())?.description.contains("empty") == true)
        #expect(Self.failure(Data("hello".utf8)) != nil)
        #expect(Self.failure(TestPictures.png(5, 5).prefix(12)) != nil)
    }

    @Test func anImageWithoutItsBodyIsRefused() {
        for cut in [
            RealPictures.pngHeader(5, 5), RealPictures.png(640, 480).dropLast(14), RealPictures.png(5, 5).dropLast(9),
        ] {
            #expect(Self.failure(cut)?.isTruncated == true)
            // A slice has other indices than its copy.
            #expect(Self.failure(Data(cut))?.isTruncated == true)
        }
        let empty = RealPictures.pngHeader(5, 5) + RealPictures.chunk("IEND", [])
        #expect(Self.failure(empty)?.description.contains("damaged") == true)
    }

    @Test func wrongPixelChecksumIsRefusedButWrongTextChecksumIsNot() {
        #expect(Self.failure(RealPictures.pngWithWrongChecksum(5, 5))?.description.contains("checksum") == true)
        var note = RealPictures.chunk("tEXt", Array("a\0b".utf8))
        note[note.count - 1] ^= 0xFF
        let png = RealPictures.png(5, 5)
        #expect(Self.failure(png.prefix(33) + note + png.dropFirst(33)) == nil)
    }

    @Test func eachFormatIsAcceptedWholeAndRefusedTruncated() {
        #expect(RealPictures.others.count >= 7)
        for (name, data) in RealPictures.others {
            #expect(Self.failure(data) == nil, "\(name)")
            #expect(Self.failure(data + Data(repeating: 1, count: 7)) == nil, "\(name)")
            #expect(Self.failure(data.prefix(data.count * 9 / 10)) != nil, "\(name)")
        }
    }

    @Test func truncatedPicturesAreNotReadBeyondTheirEnd() {
        for (_, data) in RealPictures.others + [("png", RealPictures.png(12, 8))] {
            for count in 0...data.count { _ = Self.failure(data.prefix(count)) }
        }
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "<script href='https://example.org/a.js'/>", "<SCRIPT/>", "<s:script/>",
        "<g onclick='alert(1)'/>", "<g\nonload = \"a()\"/>", "<g x='1'onload='a()'/>", "<g/onload='a()'/>",
        "<a href='javascript:alert(1)'/>", "<a xlink:href=' java\nscript:alert(1)'/>", "<a href='JavaScript:a()'/>",
        "<a href='&#106;avascript&#x3a;a()'/>", "<a href='vbscript:a()'/>",
        "<a href='&#x000000000000006A;avascript:a()'/>", "<set attributeName='&#0000000000000111;nclick' to='a()'/>",
        "<animate attributeName='href' values='javascript:a()'/>", "<set attributeName=' onclick' to='a()'/>",
        "<foreignObject><iframe src='https://example.org'/></foreignObject>", "<embed/>", "<object/>",
        "<!-- an apostrophe' --><script/>", "<![CDATA[ <a> ]]><script/>", "<text>a > b</text><script/>",
        "<g a='>' b=\"'\"/><script/>", "<g a=b><script/>", "<!A [<!--", "<!A [<?",
    ])
    func svgWithScriptIsRefused(content: String) {
        #expect(Self.script(TestPictures.svg(content)) != nil)
    }

    @Test(arguments: [
        "<!DOCTYPE svg [<!ENTITY a \"<script/>\">]>", "<!DOCTYPE svg [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>",
        "<!DOCTYPE svg [<!ENTITY % a \"x\">]>", "<!DOCTYPE svg [<!ENTITY a \"java\"><!ENTITY b \"&a;\">]>",
        "<!DOCTYPE svg [<!ENTITY a \"http://a/\u{600}<script/>\">]>",
        "<!DOCTYPE svg [<!ENTITY a \"http://a/\u{600}&#60;script/&#62;\">]>",
        "<!DOCTYPE svg [<!ENTITY a \"http://a/<\u{338}script/>\">]>",
        "<!DOCTYPE svg [<!ATTLIST svg onload CDATA \"a()\">]>",
        "<!DOCTYPE svg [<!-- ]> ' --><!ATTLIST svg onload CDATA \"a()\">]>",
        "<!DOCTYPE svg PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"xhtml1-strict.dtd\">",
        "<!DOCTYPE svg PUBLIC '-//W3C//DTD MathML 2.0//EN' ''>",
        "<!DOCTYPE svg PUBLIC '-//W3C//DTD\n XHTML 1.0 Strict//EN' ''>",
        "<?xml-stylesheet type='text/xsl' href='a.xsl'?>", "<?xml-stylesheet type='text/xml' href='#s'?>",
        "<?xml-stylesheet type='text/&#120;sl' href='#s'?>", "<?xml version='1.0' encoding='ISO-2022-JP'?>",
    ])
    func svgPrologThatCouldAddScriptIsRefused(before: String) {
        #expect(Self.script(TestPictures.svg("<g/>", before: before)) != nil)
    }

    /// Comments and instructions in a document type declaration are text.
    @Test(arguments: ["<!-- [ -->", "<!-- ' -->", "<!-- \" ]> -->"])
    func commentsInDoctypeDoNotHideScripts(declared: String) {
        let data = TestPictures.svg("<script>//'</script>", before: "<!DOCTYPE svg [\(declared)]>")
        #expect(Self.script(data) != nil)
        #expect(Self.script(TestPictures.svg("<g/>", before: "<!DOCTYPE svg [\(declared)]>")) == nil)
        // An instruction may also hide the size: the file is then refused for that reason.
        let instruction = TestPictures.svg("<script>//'</script>", before: "<!DOCTYPE svg [<?a [ ' ?>]>")
        #expect(Self.failure(instruction) != nil)
    }

    @Test(arguments: [
        "<g/>", "<text>on the script: javascript</text>", "<!-- <script/> -->",
        "<g class='onclick' data-on='2' o='3'/>",
        "<image href='data:image/png;base64,AAAA'/>", "<a href='https://example.org/?a=1&amp;b=2'/>",
        "<style>.a { fill: red }</style>", "<foreignObject><p>words</p></foreignObject>", "<![CDATA[ <script> ]]>",
        "<path d='M0 0'", "<", "<g a", "<g a=", "<g a='", "<!--", "<![CDATA[", "<?a", "</", "<!A",
    ])
    func svgWithoutScriptIsAccepted(content: String) {
        #expect(Self.script(TestPictures.svg(content)) == nil)
    }

    @Test(arguments: [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<?xml version='1.0' encoding='iso-8859-1'?>",
        "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">",
        "<!DOCTYPE svg [<!ENTITY ns_svg \"http://www.w3.org/2000/svg\"> <!ENTITY ns \"http://ns.adobe.com/a b/\">]>",
        "<?xml-stylesheet type='text/css' href='#a'?>",
    ])
    func commonSVGPrologIsAccepted(before: String) {
        #expect(Self.script(TestPictures.svg("<g/>", before: before)) == nil)
    }
}

extension PictureError {
    fileprivate var isTruncated: Bool {
        switch self {
        case .image(let error): error.code == .truncated
        case .bytes, .script, .store, .unfinished: false
        }
    }
}
