import BrowserDriver
import EmojiArtModel
import Foundation
import HTTPTypes
import Persistence
import Site
import Testing

@testable import EmojiArtWeb

/// Tests changing a board over HTTP, as a page does.
@Suite(.timeLimit(.minutes(10))) struct BoardOperationTests {
    @Test func appliedBatchAppearsInStateAndEntries() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            let answer = try await server.addDog("d1", x: -12.5)
            #expect(answer.status == 200)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(try answer.json() == OutcomeJSON(revision: 1, refused: []))
            let moved = try await server.send(#"{"op":"move","id":"d1","x":3.25,"y":-1}"#, as: "m1")
            #expect(try moved.json() == OutcomeJSON(revision: 2, refused: []))
            let state = try await server.state()
            #expect(state.id == "beach" && state.name == "Beach" && state.revision == 2)
            #expect(state.art.emojis == [EmojiJSON(id: "d1", text: "🐶", x: 3.25, y: -1, size: 40, z: 1)])
            #expect(state.art.background == nil)
            #expect(state.picture.state == "none")
            let all: EntriesJSON = try await server.ask(.get, "/art/boards/beach/entries?since=0").json()
            #expect(all.revision == 2)
            #expect(all.entries?.map(\.revision) == [1, 2])
            #expect(all.entries?.map(\.id) == ["add-d1", "m1"])
            #expect(all.entries?.map(\.name) == ["Add 🐶", "Move 🐶"])
            #expect(all.entries?.last?.operations.first?.x == 3.25)
            let rest: EntriesJSON = try await server.ask(.get, "/art/boards/beach/entries?since=1").json()
            #expect(rest.entries?.map(\.revision) == [2])
            let none: EntriesJSON = try await server.ask(.get, "/art/boards/beach/entries?since=2").json()
            #expect(none.revision == 2 && none.entries?.isEmpty == true)
        }
    }

    private struct NewBoard: Decodable {
        let id: String
    }

    @Test func newBoardIsNamedAfterItsFirstEmoji() async throws {
        try await BoardServer.run { server in
            func make() async throws -> String {
                let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
                let answer = try await server.ask(.post, "/art/boards", form, body: Data("page=1".utf8))
                return try answer.json(NewBoard.self).id
            }
            // The open document learns its new name from the store.
            func waitForName(_ name: String, of board: String) async throws {
                try await eventually("the board's name is \(name)") { try await server.state(board).name == name }
            }
            let first = try await make()
            let background = #"{"op":"background","background":{"address":"http://127.0.0.1:9/a.png"}}"#
            try await server.send(background, as: "bg", to: first)
            let unnamed = try await server.state(first)
            #expect(BoardName.mayBeAutomatic(unnamed.name))
            try await server.send(BoardServer.dog("d1"), as: "add", to: first)
            try await waitForName("Dog face", of: first)
            // Later emoji don't change the name.
            try await server.send(#"{"op":"delete","id":"d1"}"#, as: "delete", to: first)
            let cat = BoardServer.dog("c1").replacing("🐶", with: "🐱")
            try await server.send(cat, as: "cat", to: first)
            try await waitForName("Dog face", of: first)
            let second = try await make()
            try await server.send(BoardServer.dog("d1"), as: "add", to: second)
            try await waitForName("Dog face (2)", of: second)
            // A name that a person has chosen stays.
            let third = try await make()
            let id = try #require(BoardID(third))
            try await server.store.rename(id, to: "3 pigs", owner: .local)
            try await server.send(cat, as: "cat", to: third)
            try await waitForName("3 pigs", of: third)
        }
    }

    @Test func repeatedBatchGetsSameResponseAndChangesNothing() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await server.addDog("d1")
            let operations = #"{"op":"move","id":"d1","x":5,"y":5},{"op":"move","id":"nobody","x":5,"y":5}"#
            let first = try await server.send(operations, as: "m1")
            try await server.send(#"{"op":"move","id":"d1","x":9,"y":9}"#, as: "m2")
            let again = try await server.send(operations, as: "m1")
            #expect(again.status == 200)
            #expect(again.data == first.data)
            let state = try await server.state()
            #expect(state.revision == 3)
            #expect(state.art.emojis.first?.x == 9)
        }
    }

    @Test func identicalConcurrentBatchesAreAppliedOnce() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            let answers = try await withThrowingTaskGroup(of: BoardResponse.self) { group in
                for _ in 0..<8 { group.addTask { try await server.addDog("d1") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(Set(answers.map(\.data)).count == 1)
            #expect(try await server.state().revision == 1)
        }
    }

    static let refusals: [(operation: String, reason: String)] = [
        (#"{"op":"move","id":"nobody","x":1,"y":1}"#, "gone"),
        (#"{"op":"resize","id":"nobody","size":10}"#, "gone"),
        (#"{"op":"reorder","id":"nobody","z":10}"#, "gone"),
        (#"{"op":"move","id":"d1","x":1e300,"y":1}"#, "number"),
        (#"{"op":"resize","id":"d1","size":-1}"#, "number"),
        (#"{"op":"resize","id":"d1","size":0}"#, "number"),
        (#"{"op":"reorder","id":"d1","z":1e200}"#, "number"),
        (#"{"op":"add","emoji":{"id":"d1","text":"🐱","x":0,"y":0,"size":40,"z":1}}"#, "exists"),
        (#"{"op":"add","emoji":{"id":"d2","text":"","x":0,"y":0,"size":40,"z":1}}"#, "text"),
        (#"{"op":"add","emoji":{"id":"d2","text":"a\u0007b","x":0,"y":0,"size":40,"z":1}}"#, "text"),
        (
            #"{"op":"add","emoji":{"id":"d2","text":"\#(String(repeating: "🐶", count: 17))","x":0,"y":0,"size":40,"z":1}}"#,
            "text"
        ),
        (#"{"op":"background","background":{"address":"file:///etc/passwd"}}"#, "address"),
        (#"{"op":"background","background":{"address":"javascript:alert(1)"}}"#, "address"),
        (
            #"{"op":"background","background":{"address":"https://a.example/\#(String(repeating: "a", count: 20_000))"}}"#,
            "address"
        ),
        (#"{"op":"background","background":{"picture":"\#(String(repeating: "0", count: 64))"}}"#, "picture"),
    ]

    @Test(arguments: refusals)
    func refusedOperationIsReportedAndOthersApplied(operation: String, reason: String) async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await server.addDog("d1")
            let answer = try await server.send("\(operation),\(BoardServer.dog("d3"))", as: "b1")
            #expect(answer.status == 200, "\(answer.text)")
            let outcome: OutcomeJSON = try answer.json()
            #expect(outcome.revision == 2)
            #expect(outcome.refused.map(\.index) == [0])
            #expect(outcome.refused.map(\.reason) == [reason])
            #expect(outcome.refused.allSatisfy { $0.message.count > 10 })
            #expect(Set(try await server.state().art.emojis.map(\.id)) == ["d1", "d3"])
        }
    }

    static let invalidBatches: [String] = [
        "", "{", "null", "[]", "{}", "🐶", #"{"id":"b","name":"N"}"#, #"{"id":"b","name":"N","operations":{}}"#,
        #"{"id":"","name":"N","operations":[]}"#, #"{"id":"../b","name":"N","operations":[]}"#,
        #"{"id":"\#(String(repeating: "b", count: 65))","name":"N","operations":[]}"#,
        #"{"id":"b","name":"\#(String(repeating: "n", count: 1_001))","operations":[]}"#,
        #"{"id":"b","name":"N","operations":[{"op":"explode","id":"d1"}]}"#,
        #"{"id":"b","name":"N","operations":[{"op":"move","id":"d1","x":1}]}"#,
        #"{"id":"b","name":"N","operations":[{"op":"move","id":"d1","x":NaN,"y":1}]}"#,
        #"{"id":"b","name":"N","operations":[{"op":"move","id":"d1","x":1e999,"y":1}]}"#,
        #"{"id":"b","name":"N","operations":[{"op":"move","id":"d1","x":"1","y":1}]}"#,
        #"{"id":"b","name":"N","operations":[{"op":"move","id":"d 1","x":1,"y":1}]}"#,
        #"{"id":"b","name":"N","operations":[{"op":"background","background":{"picture":"../../x"}}]}"#,
        #"{"id":"b","name":"N","operations":[\#(Array(repeating: #"{"op":"delete","id":"d"}"#, count: 20_001).joined(separator: ","))]}"#,
    ]

    @Test(arguments: invalidBatches.indices)
    func invalidBatchIsRefusedWithReason(index: Int) async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            let answer = try await server.ask(
                .post, "/art/boards/beach/operations", body: Data(Self.invalidBatches[index].utf8))
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(answer.detail.contains("Nothing was changed."))
            #expect(try await server.state().revision == 0)
        }
    }

    @Test func batchOverOneMegabyteIsRefusedWithLimit() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            let body = Data(repeating: UInt8(ascii: " "), count: BoardLimits.batchBytes + 1)
            let answer = try await server.ask(.post, "/art/boards/beach/operations", body: body)
            #expect(answer.status == 413)
            #expect(answer.detail.contains("1 MB"))
            // A body of exactly the maximum length is parsed.
            let whole = try await server.ask(
                .post, "/art/boards/beach/operations", body: body.dropLast(1))
            #expect(whole.status == 400)
        }
    }

    @Test func fullBoardRefusesAdditions() async throws {
        try await BoardServer.run { server in
            let emojis = (0..<BoardLimits.emojis).map { number in
                Emoji(id: EmojiID(number), text: "🐶", x: 0, y: 0, size: 40, z: Double(number))
            }
            try await server.createBoard(art: try EmojiArt(background: .blank, emojis: emojis))
            let answer = try await server.addDog("one-more")
            let outcome: OutcomeJSON = try answer.json()
            #expect(outcome.refused.map(\.reason) == ["full"])
            #expect(outcome.refused.first?.message.contains("\(BoardLimits.emojis)") == true, "\(outcome)")
            #expect(try await server.state().art.emojis.count == BoardLimits.emojis)
        }
    }

    static let routes: [(HTTPRequest.Method, String)] = [
        (.get, ""), (.get, "/state"), (.get, "/entries?since=0"), (.get, "/events?since=0"), (.post, "/operations"),
        (.post, "/pictures"), (.get, "/picture/\(String(repeating: "0", count: 64))"), (.post, "/background/retry"),
    ]

    @Test(arguments: routes)
    func everyRouteOfMissingBoardIsNotFound(method: HTTPRequest.Method, path: String) async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await server.store.delete(try #require(BoardID("beach")), owner: .local)
            let batch = Data(#"{"id":"b","name":"N","operations":[]}"#.utf8)
            let body = method == .post ? (path == "/pictures" ? SamplePictures.png : batch) : nil
            for id in ["beach", "nobody", "a%2Fb", "%F0%9F%90%B6", String(repeating: "a", count: 65)] {
                let answer = try await server.ask(method, "/art/boards/\(id)\(path)", body: body)
                #expect(answer.status == 404, "\(id) \(answer.text)")
            }
            #expect(await server.boards.ids.isEmpty)
        }
    }

    @Test(arguments: ["", "?since=", "?since=-1", "?since=x", "?since=99999999999999999999"])
    func entriesWithoutValidRevisionAreRefused(query: String) async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            #expect(try await server.ask(.get, "/art/boards/beach/entries\(query)").status == 400)
        }
    }

    /// While a page has the board open, the server knows the latest entries without reading the store.
    @Test(arguments: [7, Int.max - 1, Int.max])
    func unknownRevisionGetsWholeBoard(revision: Int) async throws {
        try await BoardServer.run { server in
            let id = try await server.createBoard()
            let board = try await server.boards.documents.lease(id)
            try await server.addDog("d1")
            try await eventually("the step is known") { await board.recentRevisions == [1] }
            let answer = try await server.ask(.get, "/art/boards/beach/entries?since=\(revision)")
            await server.boards.documents.release(id)
            let changes: EntriesJSON = try answer.json()
            #expect(changes.revision == 1 && changes.name == "Beach" && changes.entries == nil)
            #expect(try answer.json(WholeBoardJSON.self).art.emojis.map(\.id) == ["d1"])
        }
    }

    private struct WholeBoardJSON: Decodable {
        let art: BoardStateJSON.Art
    }

    @Test func requestFromAnotherSiteChangesNothing() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            let batch = Data(#"{"id":"b","name":"N","operations":[\#(BoardServer.dog("d1"))]}"#.utf8)
            for origin in ["https://elsewhere.example", "null", "http://127.0.0.1:1"] {
                let answer = try await server.ask(
                    .post, "/art/boards/beach/operations", [.origin: origin], body: batch)
                #expect(answer.status == 403)
                let picture = try await server.ask(
                    .post, "/art/boards/beach/pictures", [.origin: origin], body: SamplePictures.png)
                #expect(picture.status == 403)
                let retry = try await server.ask(.post, "/art/boards/beach/background/retry", [.origin: origin])
                #expect(retry.status == 403)
            }
            #expect(try await server.state().revision == 0)
        }
    }
}
