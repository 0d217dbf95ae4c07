import BoardTraces
import Foundation
import Testing

@testable import EmojiArtModel

/// Tests boards and operations as JSON in both directions, and invalid input.
@Suite struct ArtJSONTests {
    private static func batch(_ operations: String) -> String {
        #"{"id":"a-1_Z","name":"Move 🐶","operations":[\#(operations)]}"#
    }

    private static func message(of json: String) -> String {
        do throws(ArtJSONError) {
            return "\(try ArtJSON.batch(from: Data(json.utf8)))"
        } catch {
            return "\(error)"
        }
    }

    private static let id = EmojiID("k3Jd")

    @Test func eachOperationHasExpectedJSON() throws {
        let id = try #require(Self.id)
        let picture = try #require(PictureID(String(repeating: "0f", count: 32)))
        let emoji = Emoji(id: id, text: "🐶", x: -12.5, y: 40, size: 40, z: 3)
        let expected: [(ArtOperation, String)] = [
            (.add(emoji), #"{"emoji":{"id":"k3Jd","size":40,"text":"🐶","x":-12.5,"y":40,"z":3},"op":"add"}"#),
            (.move(id, x: 1, y: 2), #"{"id":"k3Jd","op":"move","x":1,"y":2}"#),
            (.resize(id, size: 50), #"{"id":"k3Jd","op":"resize","size":50}"#),
            (.delete(id), #"{"id":"k3Jd","op":"delete"}"#),
            (.reorder(id, z: 7.5), #"{"id":"k3Jd","op":"reorder","z":7.5}"#),
            (.rotate(id, angle: 22.5), #"{"angle":22.5,"id":"k3Jd","op":"rotate"}"#),
            (.flip(id, isFlipped: true), #"{"flipped":true,"id":"k3Jd","op":"flip"}"#),
            (.lock(id, isLocked: false), #"{"id":"k3Jd","locked":false,"op":"lock"}"#),
            (.setBackground(.blank), #"{"background":null,"op":"background"}"#),
            (
                .setBackground(.address("https://example.com/a.png")),
                #"{"background":{"address":"https://example.com/a.png"},"op":"background"}"#
            ),
            (
                .setBackground(.picture(picture)),
                #"{"background":{"picture":"\#(picture)"},"op":"background"}"#
            ),
        ]
        for (operation, json) in expected {
            #expect(String(decoding: try ArtJSON.data(operation), as: UTF8.self) == json)
            #expect(try ArtJSON.read(ArtOperation.self, from: Data(json.utf8)) == operation)
        }
        let batch = OperationBatch(id: "a-1_Z", name: "Move 🐶", operations: expected.map(\.0))
        #expect(try ArtJSON.batch(from: ArtJSON.data(batch)) == batch)
        #expect(
            Self.batch("").utf8.elementsEqual(
                try ArtJSON.data(OperationBatch(id: "a-1_Z", name: "Move 🐶", operations: []))))
    }

    @Test func rotationAndLockOfAnEmojiAreOptional() throws {
        let plain = #"{"id":"1","size":40,"text":"🐶","x":0,"y":0,"z":1}"#
        #expect(try ArtJSON.read(Emoji.self, from: Data(plain.utf8)) == .test(1))
        #expect(String(decoding: try ArtJSON.data(Emoji.test(1)), as: UTF8.self) == plain)
        var emoji = Emoji.test(1)
        (emoji.angle, emoji.isFlipped, emoji.isLocked) = (90, true, true)
        let turned =
            #"{"angle":90,"flipped":true,"id":"1","locked":true,"size":40,"text":"🐶","x":0,"y":0,"z":1}"#
        #expect(String(decoding: try ArtJSON.data(emoji), as: UTF8.self) == turned)
        #expect(try ArtJSON.read(Emoji.self, from: Data(turned.utf8)) == emoji)
    }

    @Test func logEntryIsEncodedAsOneObject() throws {
        let entry = LogEntry(
            revision: 7, batch: OperationBatch(id: "b", name: "Delete 🐶", operations: [.delete(EmojiID(1))]),
            author: "0123456789abcdef")
        let json =
            #"{"author":"0123456789abcdef","id":"b","name":"Delete 🐶","operations":[{"id":"1","op":"delete"}],"revision":7}"#
        #expect(String(decoding: try ArtJSON.data(entry), as: UTF8.self) == json)
        #expect(try ArtJSON.read(LogEntry.self, from: Data(json.utf8)) == entry)
    }

    @Test(arguments: 0..<50)
    func randomBoardsAndOperationsRoundTrip(seed: Int) throws {
        var chance = BoardChance(seed: seed)
        var art = chance.board()
        #expect(try ArtJSON.read(EmojiArt.self, from: ArtJSON.data(art)) == art)
        let (applied, refused) = art.apply(chance.batch("a", 1..<60))
        let batch = OperationBatch(id: "a", name: "", operations: applied)
        #expect(try ArtJSON.batch(from: ArtJSON.data(batch)) == batch)
        #expect(try ArtJSON.read([RefusedOperation].self, from: ArtJSON.data(refused)) == refused.inWords)
    }

    @Test func emptyBoardEncodesNullBackground() throws {
        let json = #"{"background":null,"emojis":[]}"#
        #expect(String(decoding: try ArtJSON.data(EmojiArt()), as: UTF8.self) == json)
        #expect(try ArtJSON.read(EmojiArt.self, from: Data(json.utf8)) == EmojiArt())
    }

    @Test(arguments: [
        (#"{"op":"spin","id":"a"}"#, "operations[0].op: “spin” is not an operation"),
        (#"{"op":"delete","id":"a"},{"id":"a"}"#, "operations[1].op: It is missing."),
        (#"{"op":"move","id":"a","y":1}"#, "operations[0].x: It is missing."),
        (#"{"op":"move","id":"a","x":null,"y":1}"#, "operations[0].x: It is null."),
        (#"{"op":"move","id":"a","x":"1","y":1}"#, "operations[0].x: It is not a number."),
        (#"{"op":"rotate","id":"a"}"#, "operations[0].angle: It is missing."),
        (#"{"op":"flip","id":"a","flipped":1}"#, "operations[0].flipped: It is not true or false."),
        (#"{"op":"lock","id":"a","locked":"no"}"#, "operations[0].locked: It is not true or false."),
        (#"{"op":"move","id":"a b","x":1,"y":1}"#, "operations[0].id: It is not an ID"),
        (#"{"op":"move","id":"","x":1,"y":1}"#, "operations[0].id: It is not an ID"),
        (#"{"op":"add","emoji":{"id":"a"}}"#, "operations[0].emoji.text: It is missing."),
        (#"{"op":"background"}"#, "operations[0].background: It is missing."),
        (#"{"op":"background","background":{}}"#, "operations[0].background: It has neither"),
        (
            #"{"op":"background","background":{"picture":"zz"}}"#,
            "operations[0].background.picture: It is not a picture's ID."
        ),
        (#"{"op":"background","background":7}"#, "operations[0].background: It is not an object."),
        ("7", "operations[0]: It is not an object."),
        ("null", "operations[0]: It is null."),
        (#"{"op":"move","id":"a","x":NaN,"y":1}"#, "It is not JSON"),
        (#"{"op":"move","id":"a","x":1e999,"y":1}"#, "too large"),
    ])
    func invalidOperationIsReportedWithReason(operations: String, message: String) {
        #expect(Self.message(of: Self.batch(operations)).contains(message))
    }

    @Test(arguments: [
        ("", "It is not JSON"), ("{", "cut off"), ("[]", "It is not an object."), ("{}", "id: It is missing."),
        (#"{"id":"a b","name":"","operations":[]}"#, "id: It is not an ID"),
        (#"{"id":"a","operations":[]}"#, "name: It is missing."),
        (#"{"id":"a","name":"","operations":7}"#, "operations: It is not a list."),
        (String(repeating: "[", count: 50_000), "It is not JSON"),
        (
            #"{"id":"a","name":"\#(String(repeating: "x", count: 1001))","operations":[]}"#,
            "name: It has more than 1000 bytes."
        ),
    ])
    func invalidBatchIsReportedWithReason(json: String, message: String) {
        #expect(Self.message(of: json).contains(message))
    }

    @Test func unknownAndRepeatedKeysAreAccepted() throws {
        let json =
            #"{"id":"a","id":"a","name":"","more":[1,{"op":2}],"operations":[{"op":"delete","op":"delete","id":"1","x":null}]}"#
        let batch = try ArtJSON.batch(from: Data(json.utf8))
        #expect(batch == OperationBatch(id: "a", name: "", operations: [.delete(EmojiID(1))]))
    }

    @Test func oversizedBatchIsRefused() {
        let many = Data(repeating: UInt8(ascii: " "), count: BoardLimits.batchBytes + 1)
        #expect(throws: ArtJSONError.tooLarge(bytes: 1_000_001, limit: 1_000_000)) { try ArtJSON.batch(from: many) }
        let operations = Array(repeating: #"{"op":"delete","id":"1"}"#, count: BoardLimits.batchOperations + 1)
        #expect(
            Self.message(of: Self.batch(operations.joined(separator: ","))).contains(
                "operations: There are more than 20000."))
    }

    @Test func hugeNumberIsDecodedButRefusedByBoard() throws {
        let batch = try ArtJSON.batch(from: Data(Self.batch(#"{"op":"move","id":"1","x":1e300,"y":1}"#).utf8))
        var art = EmojiArt.of([.test(1)])
        #expect(art.apply(batch).refused.map(\.reason) == [.number])
    }

    @Test func encodingNaNThrows() {
        #expect(throws: ArtJSONError.self) { try ArtJSON.data(ArtOperation.resize(EmojiID(1), size: .nan)) }
    }

    @Test func boardWithDuplicateIDsIsNotDecoded() {
        let emoji = #"{"id":"1","text":"🐶","x":0,"y":0,"size":1,"z":0}"#
        #expect(throws: ArtJSONError.unreadable("Two of its emoji have the same ID.")) {
            try ArtJSON.read(EmojiArt.self, from: Data(#"{"background":null,"emojis":[\#(emoji),\#(emoji)]}"#.utf8))
        }
    }
}
