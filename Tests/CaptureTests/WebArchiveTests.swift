import Foundation
import Testing

@testable import Capture

@Suite struct WebArchiveTests {
    private let archive = WebArchive(
        mainResource: .init(
            data: Data("<html></html>".utf8), url: "http://a.example/", mediaType: "text/html",
            textEncodingName: "UTF-8", frameName: ""),
        subresources: [.init(data: Data([0, 255]), url: "http://a.example/p.png", mediaType: "image/png")],
        subframes: [
            WebArchive(mainResource: .init(data: Data(), url: "http://b.example/", mediaType: "text/html"))
        ])

    @Test func archiveIsWrittenWithWebKitsKeysOnly() throws {
        let bytes = try archive.propertyList()
        #expect(bytes.starts(with: Data("bplist00".utf8)))
        let list = try #require(
            PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any])
        #expect(Set(list.keys) == ["WebMainResource", "WebSubresources", "WebSubframeArchives"])
        let main = try #require(list["WebMainResource"] as? [String: Any])
        #expect(
            Set(main.keys) == [
                "WebResourceData", "WebResourceURL", "WebResourceMIMEType", "WebResourceTextEncodingName",
                "WebResourceFrameName",
            ])
        #expect(main["WebResourceURL"] as? String == "http://a.example/")
        let frame = try #require((list["WebSubframeArchives"] as? [[String: Any]])?.first)
        // Empty lists and absent names are left out.
        #expect(Set(frame.keys) == ["WebMainResource"])
        #expect(
            Set((frame["WebMainResource"] as? [String: Any] ?? [:]).keys)
                == ["WebResourceData", "WebResourceURL", "WebResourceMIMEType"])
    }

    /// Creates a property list of nested frames, in which several references may refer to the same object.
    ///
    /// - Parameters:
    ///   - levels: The number of levels.
    ///   - children: The objects that a level's list refers to, given the objects of the next level and of the first.
    /// - Returns: The property list.
    private func nested(_ levels: Int, children: (_ next: Int, _ first: Int) -> [Int]) -> Data {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        func references(_ objects: [Int]) -> [UInt8] { objects.flatMap { number($0, 3) } }
        let texts = [
            "WebMainResource", "WebSubframeArchives", "WebResourceData", "WebResourceURL", "WebResourceMIMEType",
        ]
        var objects: [[UInt8]] = texts.map { [0x5F, 0x10, UInt8($0.utf8.count)] + Array($0.utf8) }
        // No data, the text `a`, and the resource made of them.
        objects += [[0x40], [0x51, 0x61], [0xD3] + references([2, 3, 4, 5, 6, 6])]
        for _ in 0..<levels {
            let next = objects.count
            let list = children(next + 2, 8)
            objects += [[0xD2] + references([0, 1, 7, next + 1]), [0xA0 | UInt8(list.count)] + references(list)]
        }
        objects.append([0xD1] + references([0, 7]))
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += number(bytes.count, 4)
            bytes += object
        }
        let table = bytes.count
        return Data(
            bytes + offsets + [0, 0, 0, 0, 0, 0, 4, 3] + number(objects.count, 8) + number(8, 8) + number(table, 8))
    }

    private func expectTooManyFrames(_ data: Data) {
        let error = #expect(throws: DecodingError.self) { try WebArchive(propertyList: data) }
        #expect("\(String(describing: error))".contains("too many frames"))
    }

    @Test func deepNestingIsRefused() throws {
        #expect(try WebArchive(propertyList: nested(200) { next, _ in [next] }).allResources.count == 201)
        for levels in [300, 20_000] { expectTooManyFrames(nested(levels) { next, _ in [next] }) }
    }

    /// The first archive has 2⁴⁰ frames in 2 kB, and the second contains itself.
    @Test func sharedFramesCountTowardsTheLimit() {
        expectTooManyFrames(nested(40) { next, _ in [next, next] })
        expectTooManyFrames(nested(1) { _, first in [first] })
    }

    /// Found by fuzzing: each reference to a shared object is decoded again, so that 1 MB became 2 GB.
    @Test(arguments: [(data: 1_000_000, url: 9), (data: 0, url: 1_000_000)])
    func sharedResourcesCountTowardsTheLimit(data: Int, url: Int) throws {
        func expectTooLarge(_ list: Data) {
            let error = #expect(throws: DecodingError.self) { try WebArchive(propertyList: list) }
            #expect("\(String(describing: error))".contains("larger than its file"))
        }
        expectTooLarge(Self.archive(sharing: 2_000, data: data, url: url))
        let few = try WebArchive(propertyList: Self.archive(sharing: 50, data: data, url: url))
        #expect(few.subresources.count == 50)
    }

    /// An archive whose list of resources refers to the same one `count` times.
    private static func archive(sharing count: Int, data: Int, url: Int) -> Data {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        func object(_ kind: UInt8, _ bytes: [UInt8]) -> [UInt8] { [kind | 0xF, 0x12] + number(bytes.count, 4) + bytes }
        func text(_ text: String) -> [UInt8] { object(0x50, Array(text.utf8)) }
        let objects: [[UInt8]] = [
            [0xD2, 1, 2, 8, 9], text("WebMainResource"), text("WebSubresources"), text("WebResourceData"),
            text("WebResourceURL"), text("WebResourceMIMEType"), object(0x40, [UInt8](repeating: 1, count: data)),
            text(String(repeating: "a", count: url)), [0xD3, 3, 4, 5, 6, 7, 2],
            [0xAF, 0x12] + number(count, 4) + [UInt8](repeating: 8, count: count),
        ]
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += number(bytes.count, 4)
            bytes += object
        }
        let table = bytes.count
        return Data(
            bytes + offsets + [0, 0, 0, 0, 0, 0, 4, 1] + number(objects.count, 8) + number(0, 8) + number(table, 8))
    }

    /// Foundation's XML parser recurses before a decoder is called; archives are binary.
    @Test(arguments: [1, 20_000])
    func propertyListOfXMLIsRefused(depth: Int) {
        let list =
            "<plist version=\"1.0\">" + String(repeating: "<array>", count: depth)
            + String(repeating: "</array>", count: depth) + "</plist>"
        #expect(throws: DecodingError.self) { try WebArchive(propertyList: Data(list.utf8)) }
    }

    /// The trailer ends with eight-byte numbers: the number of objects, the root's index, and the table's offset.
    ///
    /// A change of another byte may be valid, but must not cause a trap.
    @Test func hostileTrailerIsRefusedAndNoByteTraps() throws {
        let good = try archive.propertyList()
        for field in [8, 16, 24] {
            for number in [Int.max, Int.min, -1, 1 << 62, good.count, good.count + 1] {
                var bad = good
                let start = bad.count - 32 + field
                for index in 0..<8 { bad[start + index] = UInt8(truncatingIfNeeded: number >> (8 * (7 - index))) }
                #expect(throws: (any Error).self) { try WebArchive(propertyList: bad) }
            }
        }
        for position in good.indices {
            for byte in [UInt8(0), 0x7F, 0xFF] {
                var bad = good
                bad[position] = byte
                _ = try? WebArchive(propertyList: bad)
            }
        }
    }

    @Test func archiveIsReadAsItWasWritten() throws {
        #expect(try WebArchive(propertyList: archive.propertyList()) == archive)
    }

    @Test(arguments: ["", "bplist00", "<plist></plist>", "not a property list"])
    func invalidDataIsRefused(text: String) {
        #expect(throws: (any Error).self) { try WebArchive(propertyList: Data(text.utf8)) }
    }

    @Test func everyTruncationIsRefusedWithoutATrap() throws {
        let bytes = try archive.propertyList()
        for length in 0..<bytes.count {
            #expect(throws: (any Error).self) { try WebArchive(propertyList: bytes.prefix(length)) }
        }
    }

    @Test func requestsAreAnsweredByAddressWithoutFragment() {
        let answers = ArchivedResponses(archive)
        #expect(answers.answer(to: "http://a.example/p.png#x", method: "GET")?.headers.first?.value == "image/png")
        #expect(
            answers.answer(to: "http://a.example/", method: "GET")?.headers.first?.value == "text/html; charset=UTF-8")
        #expect(answers.answer(to: "http://a.example/other", method: "GET") == nil)
        #expect(answers.unanswered == ["http://a.example/other"])
    }
}
