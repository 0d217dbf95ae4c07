import Foundation
import Testing

@testable import EmojiArtModel

/// Tests which dropped texts are addresses, and what they refer to.
@Suite struct DroppedAddressTests {
    private static let picture = KeptPicture(data: Data([0x89, 0x50, 0x4E, 0x47, 0xFF, 0xFE]), type: "image/png")

    private static func error(of text: String) -> DroppedAddressError? {
        do throws(DroppedAddressError) {
            _ = try DroppedAddress.read(text)
            return nil
        } catch {
            return error
        }
    }

    @Test func pictureAtNestingLimitIsFound() throws {
        let picture = "data:image/png;base64,AAAA"
        let address = String(repeating: "http://a.example/?imgurl=", count: 8) + picture
        #expect(try DroppedAddress.read(address) == .picture(KeptPicture(data: Data(count: 3), type: "image/png")))
    }

    @Test(arguments: [
        ("https://example.com/a.png", "https://example.com/a.png"),
        ("  http://example.com/a.png\n", "http://example.com/a.png"),
        ("HTTPS://example.com", "HTTPS://example.com"),
        ("# a comment\r\nhttps://example.com/1\r\nhttps://example.com/2\r\n", "https://example.com/1"),
        ("https://www.google.com/imgres?imgurl=https%3A%2F%2Fexample.com%2Fa.png&w=3", "https://example.com/a.png"),
        ("https://www.google.com/imgres?w=3&imgurl=https://example.com/a.png", "https://example.com/a.png"),
        ("https://www.google.com/imgres#imgurl=https%3A%2F%2Fexample.com%2Fa.png", "https://example.com/a.png"),
        ("https://a.example/?imgurl=https%253A%252F%252Fexample.com%252Fa.png", "https://example.com/a.png"),
        (
            "https://a.example/?imgurl=https%3A%2F%2Fb.example%2F%3Fimgurl%3Dhttps%253A%252F%252Fexample.com%252Fa.png",
            "https://example.com/a.png"
        ),
        ("https://a.example/?imgurl=https%3A%2F%2Fexample.com%2F%3Fq%3D1%26r%3D2&x=y", "https://example.com/?q=1&r=2"),
        ("https://a.example/?imgurl=hello", "https://a.example/?imgurl=hello"),
        (
            "https://a.example/?imgurl=file%3A%2F%2F%2Fetc%2Fpasswd",
            "https://a.example/?imgurl=file%3A%2F%2F%2Fetc%2Fpasswd"
        ),
        ("https://a.example/?imgurl=%ZZ", "https://a.example/?imgurl=%ZZ"),
        ("https://a.example/?imgurl=", "https://a.example/?imgurl="),
        ("https://a.example/?notimgurl=https://example.com/", "https://a.example/?notimgurl=https://example.com/"),
    ])
    func webAddressResolvesToPictureAddress(text: String, address: String) throws {
        #expect(try DroppedAddress.read(text) == .address(address))
    }

    @Test(arguments: [
        "", " ", "🐶", "Hello", "example.com", "ftp://example.com", "file:///a", "javascript:alert(1)",
        "#https://example.com",
    ])
    func textWithoutWebAddressReturnsNil(text: String) throws {
        #expect(try DroppedAddress.read(text) == nil)
    }

    @Test(arguments: [
        "data:image/png;base64,iVBOR//+", "DATA:IMAGE/PNG;BASE64,iVBOR//+", "data:image/png;charset=x;base64,iVBOR//+",
        "data:image/png;base64,iVBO\r\n R//+\r\n", "data:image/png;base64,iVBOR%2F%2F%2B",
        "data:image/png;base64,iVBOR__-",
        "data:image/png,%89PNG%FF%fe", "\n data:image/png;base64,iVBOR//+",
        "https://a.example/?imgurl=data%3Aimage%2Fpng%3Bbase64%2CiVBOR%2F%2F%2B",
    ])
    func dataAddressIsReadAsPicture(text: String) throws {
        #expect(try DroppedAddress.read(text) == .picture(Self.picture))
    }

    @Test(arguments: [("AA==", 1), ("AA", 1), ("AAA=", 2), ("AAA", 2), ("AAAA", 3)])
    func base64PaddingIsOptional(base64: String, count: Int) throws {
        #expect(
            try DroppedAddress.read("data:image/gif;base64,\(base64)")
                == .picture(KeptPicture(data: Data(count: count), type: "image/gif")))
    }

    @Test func invalidPercentEscapeIsReadLiterally() throws {
        let svg = "<svg width=100%/>%4"
        #expect(
            try DroppedAddress.read("data:image/svg+xml,\(svg)")
                == .picture(KeptPicture(data: Data(svg.utf8), type: "image/svg+xml")))
    }

    @Test(arguments: [
        ("data:image/png;base64", DroppedAddressError.unreadable), ("data:image/png;base64,", .unreadable),
        ("data:image/png;base64,~", .unreadable), ("data:image/png;base64,A", .unreadable),
        ("data:image/png,", .unreadable),
        ("data:,hello", .noImage(type: "text/plain")), ("data:text/html;base64,AAAA", .noImage(type: "text/html")),
    ])
    func invalidDataAddressIsRefusedWithReason(text: String, expected: DroppedAddressError) {
        #expect(Self.error(of: text) == expected)
    }

    @Test func oversizedPictureIsRefused() {
        let base64 = Data(count: BoardLimits.pictureBytes + 1).base64EncodedString()
        #expect(Self.error(of: "data:image/png;base64,\(base64)") == .tooLarge)
        #expect(Self.error(of: "data:image/png," + String(repeating: "a", count: BoardLimits.importBytes)) == .tooLarge)
    }

    @Test func aDataAddressWithALongHeadIsUnreadable() throws {
        func address(parameters count: Int) -> String {
            "data:image/png\(String(repeating: ";a=b", count: count));base64,iVBORw=="
        }
        guard case .picture = try DroppedAddress.read(address(parameters: 10)) else {
            Issue.record("The address wasn't read as a picture.")
            return
        }
        #expect(Self.error(of: address(parameters: 1_000)) == .unreadable)
        #expect(Self.error(of: "data:" + String(repeating: ";", count: 4_000_000) + ",") == .unreadable)
    }

    @Test(arguments: ["&", "&a", "#", "&=", "&imgurl", "&imgurl=", "%25"])
    func anAddressInALongQueryIsFound(repeated: String) throws {
        let count = 1_000_000 / repeated.utf8.count
        let long = "https://a.example/?b=" + String(repeating: repeated, count: count)
        #expect(try DroppedAddress.read(long) == .address(long))
        let inner = long + "&imgurl=https%3A%2F%2Fexample.com%2Fa.png"
        #expect(try DroppedAddress.read(inner) == .address("https://example.com/a.png"))
    }

    @Test(arguments: ["\n", "\r\n", "#\n", " #a\r", "  \n"])
    func anAddressBehindManyLinesIsFound(line: String) throws {
        let text = String(repeating: line, count: 1_000_000 / line.utf8.count)
        #expect(try DroppedAddress.read(text + "https://example.com/a.png\n") == .address("https://example.com/a.png"))
        #expect(try DroppedAddress.read(text) == nil)
    }

    @Test func deeplyNestedAddressIsReadAsAddress() throws {
        let text = String(repeating: "https://a.example/?imgurl=", count: 1000) + "https://example.com/"
        guard case .address = try DroppedAddress.read(text) else {
            Issue.record("The text wasn't read as an address.")
            return
        }
    }
}
