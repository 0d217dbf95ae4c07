import Foundation
import Testing

@testable import Capture

/// Tests with arbitrary numbers from Chromium, from the scripts in a page, and from archives.
@Suite struct HostileNumberTests {
    @Test(arguments: [
        ("1", 1), ("0", 0), ("-1", -1), ("9223372036854775807", Int.max), ("9223372036854775808", nil), ("1e3", nil),
        ("1.0", nil), ("1000000000000000000000000000000", nil), ("null", nil), ("\"5\"", nil), ("NaN", nil),
    ])
    func messageWithAnInvalidNumberIsRefused(text: String, id: Int?) {
        let message = DevToolsMessage(Data(#"{"id":\#(text),"result":{}}"#.utf8))
        if let id, case .reply(let found)? = message?.kind {
            #expect(found == id)
        } else {
            #expect(id == nil && message == nil)
        }
        // A reply to a command that was never sent is ignored.
        var machine = DevToolsConnectionStateMachine()
        if let message, case .ignore = machine.receive(message) { return }
        #expect(message == nil)
    }

    /// A placeholder's number has at most eleven digits; if it isn't an index, the placeholder's reference is empty.
    @Test(
        arguments: [
            ("0", ["first"]), ("1", [""]), ("99999999999", [""]), ("99999999999999", []), ("9223372036854775807", []),
            ("9223372036854775808", []), ("-1", []), ("+0", []), ("", []), ("٣", []), ("z", []), ("1e1", []),
            ("0x1", []),
        ] as [(String, [String])])
    func onlyDigitsFormTheNumberOfAPlaceholder(number: String, references: [String]) {
        let mark = "\u{1}mark"
        for text in ["\(mark)r\(number)z", "a\(mark)r\(number)z"] {
            #expect(ViewerTemplate(text, references: ["first"], mark: mark).references(.resource) == references)
        }
        for text in ["\(mark)r\(number)", "\(mark)\(number)z", "\(mark)r"] {
            #expect(ViewerTemplate(text, references: ["first"], mark: mark).references(.resource) == [])
        }
    }

    @Test(arguments: [
        ("data:,a%41b", "aAb"), ("data:,%", "%"), ("data:,%4", "%4"), ("data:,%+5", "%+5"), ("data:,%-0", "%-0"),
        ("data:,%zz", "%zz"), ("data:,%4%41", "%4A"), ("data:,", ""), ("data:,%٣", "%٣"),
    ])
    func onlyTwoHexDigitsAreDecodedAsAByte(address: String, text: String) throws {
        let content = try #require(DataAddress.content(of: address))
        #expect(String(decoding: content.bytes, as: UTF8.self) == text)
    }

    @Test(arguments: [
        "", "data:", "data", "data:;base64", "d\u{301}ata:,x", "DATA:,x", "data:;base64,=", "data:;base64,%",
    ])
    func contentOfADataAddressIsNoLongerThanTheAddress(address: String) {
        if let content = DataAddress.content(of: address) { #expect(content.bytes.count <= address.utf8.count) }
    }

    @Test(arguments: [Int.min, -1, 0, 1, Int.max])
    func anyArchiveLimitIsAccepted(limit: Int) {
        var log = ResourceLog()
        for id in ["1", "2"] { log.requested(id, url: id, kind: "Image", frame: "F", session: "S") }
        let items = log.entries.map { CollectedBodies.Item(entry: $0, body: .bytes(Data(count: 40))) }
        #expect(CollectedBodies(items, limit: limit).resources(ofFrame: "F").count == (limit >= 80 ? 2 : 0))
    }
}
