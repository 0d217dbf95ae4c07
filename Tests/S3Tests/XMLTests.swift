import Foundation
import SeededChance
import Testing

@testable import S3

@Suite struct XMLTests {
    private static let list = """
        \u{feff}<?xml version="1.0" encoding="UTF-8"?>
        <!-- A list -->
        <s3:List xmlns:s3="http://s3.amazonaws.com/doc/2006-03-01/"><Contents><Key>a&amp;b &#x1F600;&#65;</Key>
        <Size>3</Size></Contents><Contents><Key><![CDATA[<raw>]]></Key></Contents><Empty/></s3:List>

        """

    @Test func elementsAndTextsAreRead() throws {
        let root = try #require(S3XML.root(of: Data(Self.list.utf8)))
        #expect(root.name == "List")
        #expect(root.all("Contents").map { $0["Key"] } == ["a&b 😀A", "<raw>"])
        #expect(root.first("Contents")?["Size"] == "3")
        #expect(root["Empty"] == "" && root["Other"] == nil)
    }

    @Test(arguments: [
        "", "text", "<a>", "<a></b>", "</a>", "<a/><b/>", "<a></a>text", "<a>&unknown;</a>", "<a>&#xD800;</a>",
        "<a>&#99999999999;</a>", "<a>&amp</a>", "<>", "< />", "<a", "<!-- ", "<?xml", "<a><![CDATA[x</a>",
        "<!DOCTYPE a [<!ENTITY b \"bb\">]><a>&b;</a>", "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
    ])
    func otherDocumentIsRefused(text: String) {
        #expect(S3XML.root(of: Data(text.utf8)) == nil)
    }

    @Test func depthAndSizeAreLimited() {
        let deep = String(repeating: "<a>", count: 100_000) + String(repeating: "</a>", count: 100_000)
        #expect(S3XML.root(of: Data(deep.utf8)) == nil)
        let wide = "<a>" + String(repeating: "<b/>", count: 100_000) + "</a>"
        #expect(S3XML.root(of: Data(wide.utf8)) == nil)
    }

    @Test(arguments: 0..<50)
    func damagedDocumentIsReadOrRefused(seed: Int) {
        var chance = SeededChance(seed: seed)
        for _ in 0..<100 {
            var bytes = Array(Self.list.utf8)
            for _ in 0..<Int.random(in: 1...5, using: &chance) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &chance)
                switch Int.random(in: 0..<3, using: &chance) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &chance)
                case 1: bytes.remove(at: index)
                default: bytes = Array(bytes.prefix(index + 1))
                }
            }
            _ = S3XML.root(of: Data(bytes))
        }
    }

    @Test func escapedTextIsReadBack() throws {
        let text = "<a> & \"b\" 'c'"
        let root = try #require(S3XML.root(of: Data("<x>\(S3XML.escaped(text))</x>".utf8)))
        #expect(root.text == text)
    }

    @Test func timesAreRead() {
        let time = Date(timeIntervalSince1970: 1_800_000_000)
        for text in ["2027-01-15T08:00:00Z", "2027-01-15T08:00:00.000Z"] { #expect(S3Client.date(text) == time) }
        for text in ["", "yesterday", "2027-13-15T08:00:00Z"] { #expect(S3Client.date(text) == nil) }
    }
}
