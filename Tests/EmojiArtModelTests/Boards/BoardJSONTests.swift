import BoardTraces
import Foundation
import ModelJSON
import Testing

@testable import EmojiArtModel

/// Tests that the JSON of the model, which a page reads and writes, is that of the server.
@Suite struct BoardJSONTests {
    @Test(arguments: 0..<200)
    func boardsAndOperationsAreReadAsTheServerWritesThem(seed: Int) throws {
        var chance = BoardChance(seed: seed)
        var art = chance.board()
        #expect(try EmojiArt(JSON(Array(ArtJSON.data(art)))) == art)
        #expect(try ArtJSON.read(EmojiArt.self, from: Data(art.json.bytes)) == art)
        for operation in art.apply(chance.batch("a", 1..<60)).applied {
            #expect(try ArtOperation(JSON(Array(ArtJSON.data(operation)))) == operation)
            #expect(try ArtJSON.read(ArtOperation.self, from: Data(operation.json.bytes)) == operation)
        }
    }

    @Test(arguments: [
        (#"{"op":"spin","id":"a"}"#, "op: “spin” is not an operation."),
        (#"{"op":"rotate","id":"a"}"#, "angle: It is missing."),
        (#"{"op":"rotate","id":"a","angle":"1"}"#, "angle: It is not a number."),
        (#"{"op":"flip","id":"a","flipped":1}"#, "flipped: It is not true or false."),
        (#"{"op":"lock","id":"a b","locked":true}"#, "id: It is not an ID."),
        (
            #"{"op":"add","emoji":{"id":"a","text":"🐶","x":0,"y":0,"size":1,"z":0,"angle":true}}"#,
            "emoji.angle: It is not a number."
        ),
    ])
    func invalidOperationIsReportedWithReason(json: String, message: String) throws {
        let value = try JSON(Array(json.utf8))
        do throws(BoardFormatError) {
            let operation = try ArtOperation(value)
            Issue.record("\(operation)")
        } catch {
            #expect(error.description.hasPrefix(message))
        }
    }
}
