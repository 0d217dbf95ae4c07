import EmojiArtModel
import EmojiArtStore
import Foundation
import Persistence
import Site
import Testing

@testable import EmojiArtWeb

/// The list of boards and its forms, over HTTP.
@Suite(.timeLimit(.minutes(10))) struct ListPageTests {
    static let hostile = #"<script>alert("1")</script> & 'x'"#
    static let escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;"

    @Test func emptyListOffersToMakeFirstBoard() async throws {
        try await PagesServer.run { server in
            let page = try await server.get("/art/")
            #expect(page.status == 200)
            #expect(page.text.contains("No boards yet"))
            #expect(page.text.contains("Create your first board"))
            #expect(!page.text.contains(#"id="list""#))
        }
    }

    @Test func exampleIsABoardLikeAnyOther() async throws {
        try await PagesServer.run { server in
            let answer = try await server.post("/art/boards", ["name": "Beach", "example": "1"], as: .program)
            let id = try #require(BoardID(try answer.json([String: String].self)["id"] ?? ""))
            let board = try #require(try await server.store.board(id, owner: .local))
            #expect(board.summary.name == "Beach")
            #expect(board.art == EmojiArt.example && board.art.emojis.count == 11)
            #expect(board.art.emojis.allSatisfy { EmojiSearch.name(of: $0.text) != nil })
            #expect(try await server.get("/art/").text.contains("11 emoji"))
        }
    }

    @Test func boardsAreListedByLastChange() async throws {
        try await PagesServer.run { server in
            let before = Self.today
            let first = try await server.createBoard("first", named: "Beach", emojis: 2)
            try await server.createBoard("second", named: "Zoo")
            #expect(try await server.get("/art/").order == ["second", "first"])
            try await server.addEmoji(to: first.id)
            let page = try await server.get("/art/")
            #expect(page.order == ["first", "second"])
            #expect(page.text.contains("3 emoji") && page.text.contains("Empty"))
            #expect(page.text.contains("Beach") && page.text.contains("Zoo"))
            // The date may change during the test.
            #expect([before, Self.today].contains { page.text.contains(#"<time datetime="\#($0)"#) })
        }
    }

    private static var today: String { String(Date.now.formatted(.iso8601).prefix(10)) }

    @Test func boardNamesAreEscaped() async throws {
        try await PagesServer.run { server in
            let board = try await server.createBoard("b", named: Self.hostile)
            #expect(try await !server.get("/art/").text.contains("<script>alert"))
            #expect(try await server.get("/art/").text.contains(Self.escaped))
            try await server.store.delete(board.id, owner: .local)
            #expect(try await !server.get("/art/").text.contains("<script>alert"))
            #expect(try await server.get("/art/").text.contains(Self.escaped))
        }
    }

    // MARK: - New

    @Test(
        arguments: [([:], nil), (["name": "  \n "], nil), (["name": " My\nbeach  "], "My beach")]
            as [([String: String], String?)])
    func creatingBoardRedirectsToIt(form: [String: String], name: String?) async throws {
        try await PagesServer.run { server in
            let answer = try await server.post("/art/boards", form)
            #expect(answer.status == 303)
            let board = try #require(try await server.store.boards(of: .local, limit: 9, offset: 0).first)
            #expect(answer.location == "/art/boards/\(board.id)")
            // Without a name, the board is named after the day.
            #expect(board.name == name ?? BoardName.dated(board.created))
        }
    }

    @Test func boardsOfOneDayAreNumbered() async throws {
        try await PagesServer.run { server in
            let before = BoardName.dated(.now)
            for _ in 0..<3 { _ = try await server.post("/art/boards") }
            // The date may change during the test.
            guard before == BoardName.dated(.now) else { return }
            let names = try await server.store.boards(of: .local, limit: 9, offset: 0).map(\.name)
            #expect(names == ["\(before) (3)", "\(before) (2)", before])
        }
    }

    private static let taken: [(name: String, others: [String], free: String)] = [
        ("Farm", [], "Farm"), ("Farm", ["Zoo"], "Farm"), ("Farm", ["Farm"], "Farm (2)"),
        ("Farm", ["Farm", "Farm (2)", "Farm (4)"], "Farm (3)"), ("Farm (2)", ["Farm", "Farm (2)"], "Farm (3)"),
        ("Farm (2)", ["Farm"], "Farm (2)"), ("(2)", ["(2)"], "(2) (2)"), ("Farm (a)", ["Farm (a)"], "Farm (a) (2)"),
    ]

    @Test(arguments: taken)
    func takenNameGetsANumber(name: String, others: [String], free: String) {
        #expect(BoardName.unique(name, among: others) == free)
    }

    @Test func longestNameStaysWithoutANumber() {
        let name = String(repeating: "x", count: BoardLimits.nameBytes)
        #expect(BoardName.unique(name, among: [name]) == name)
    }

    private static let namesOfEmoji: [(emoji: String, name: String?)] = [
        ("🐶", "Dog face"), ("👍🏿", "Thumbs up"), ("🇦🇹", "Flag: Austria"), ("❤", "Red heart"), ("x", nil), ("", nil),
    ]

    @Test(arguments: namesOfEmoji)
    func boardIsNamedAfterAnEmojiWithAName(emoji: String, name: String?) {
        #expect(BoardName.named(after: emoji) == name)
    }

    @Test func datedAndUntitledNamesAreAutomatic() throws {
        let created = try Date("2026-11-22T12:00:00Z", strategy: .iso8601)
        for name in [BoardName.dated(created), "\(BoardName.dated(created)) (2)", "Untitled", "Untitled (3)"] {
            #expect(BoardName.isAutomatic(name, created: created) && BoardName.mayBeAutomatic(name), "\(name)")
        }
        for name in ["Beach", "Untitled copy", BoardName.dated(created.addingTimeInterval(-2 * 86_400)), ""] {
            #expect(!BoardName.isAutomatic(name, created: created), "\(name)")
        }
    }

    @Test func programReceivesCreatedBoardAsJSON() async throws {
        try await PagesServer.run { server in
            let answer = try await server.post("/art/boards", ["name": "Zoo"], as: .program)
            #expect(answer.status == 201)
            let board = try answer.json([String: String].self)
            #expect(board["name"] == "Zoo")
            #expect(board["path"] == "/art/boards/\(board["id"] ?? "")")
            #expect(try await server.store.count(of: .local) == 1)
        }
    }

    @Test func overlongNameCreatesNoBoard() async throws {
        try await PagesServer.run { server in
            let name = String(repeating: "é", count: 501)
            let answer = try await server.post("/art/boards", ["name": name], as: .script)
            #expect(answer.status == 422)
            #expect(answer.problem.contains("1,002 bytes") && answer.problem.contains("1,000"), "\(answer.problem)")
            #expect(try await server.store.count(of: .local) == 0)
        }
    }

    // MARK: - Renaming

    @Test(arguments: PageClient.allCases)
    func renamingStoresTrimmedName(by client: PageClient) async throws {
        try await PagesServer.run { server in
            let board = try await server.createBoard("b")
            let answer = try await server.post("/art/boards/b/rename", ["name": " Harbour "], as: client)
            #expect(answer.status == (client == .program ? 200 : 303))
            if client == .program { #expect(try answer.json([String: String].self)["name"] == "Harbour") }
            if client != .program { #expect(answer.location == "/art/") }
            #expect(try await server.store.summary(of: board.id, owner: .local)?.name == "Harbour")
        }
    }

    @Test(arguments: ["", " \u{200B}\n", "\u{0}"], [PageClient.script, .program])
    func blankNameIsRefused(name: String, client: PageClient) async throws {
        try await PagesServer.run { server in
            let board = try await server.createBoard("b")
            let answer = try await server.post("/art/boards/b/rename", ["name": name], as: client)
            #expect(answer.status == 422)
            #expect(answer.problem.contains("A name is missing"), "\(answer.problem)")
            #expect(try await server.store.summary(of: board.id, owner: .local)?.name == "Beach")
        }
    }

    @Test(arguments: ["rename", "duplicate", "delete", "restore"])
    func actionOnMissingBoardIsNotFound(action: String) async throws {
        try await PagesServer.run { server in
            let fields = action == "rename" ? ["name": "Zoo"] : [:]
            for id in ["none", "no%20name", String(repeating: "x", count: 65)] {
                let answer = try await server.post("/art/boards/\(id)/\(action)", fields, as: .script)
                #expect(answer.status == 404, "\(id)")
                #expect(answer.problem.contains("Board not found"), "\(answer.problem)")
            }
            let page = try await server.post("/art/boards/none/\(action)", fields)
            #expect(page.status == 404)
            #expect(page.text.contains("Board not found"))
        }
    }

    // MARK: - Duplicating

    @Test func duplicateHasSameContent() async throws {
        try await PagesServer.run { server in
            let original = try await server.createBoard("b", named: "Beach", emojis: 3)
            #expect(try await server.post("/art/boards/b/duplicate").location == "/art/")
            let answer = try await server.post("/art/boards/b/duplicate", as: .program)
            #expect(answer.status == 201)
            let copyID = try #require(BoardID(try answer.json([String: String].self)["id"] ?? ""))
            let copy = try #require(try await server.store.board(copyID, owner: .local))
            #expect(copy.summary.name == "Beach copy")
            #expect(copy.art == (try await server.store.board(original.id, owner: .local))?.art)
            #expect(try await server.store.count(of: .local) == 3)
        }
    }

    @Test(arguments: [
        ("Beach", "Beach copy"), ("Beach copy", "Beach copy 2"), ("Beach copy 2", "Beach copy 3"),
        ("copy", "copy copy"), ("Route 66", "Route 66 copy"), ("Beach copy 1", "Beach copy 1 copy"),
    ])
    func nameOfCopyIsMarkedAndNumbered(name: String, copy: String) {
        #expect(BoardName.copy(of: name) == copy)
    }

    @Test func copyOfLongestNameKeepsIt() {
        let name = String(repeating: "x", count: BoardLimits.nameBytes)
        #expect(BoardName.copy(of: name) == name)
        // The next number takes one byte more.
        let ninth = String(repeating: "x", count: BoardLimits.nameBytes - " copy 9".count) + " copy 9"
        #expect(BoardName.copy(of: ninth) == ninth)
    }

    // MARK: - Deleting

    @Test(arguments: PageClient.allCases)
    func deletedBoardCanBeRestored(by client: PageClient) async throws {
        try await PagesServer.run { server in
            try await server.createBoard("b", named: "Beach", emojis: 2)
            let answer = try await server.post("/art/boards/b/delete", as: client)
            #expect(answer.status == (client == .program ? 204 : 303))
            let page = try await server.get("/art/")
            #expect(page.order == [])
            #expect(page.text.contains("Deleted “Beach”."))
            #expect(page.text.contains(#"action="/art/boards/b/restore""#))
            let back = try await server.post("/art/boards/b/restore", as: client)
            #expect(back.status == (client == .program ? 200 : 303))
            let again = try await server.get("/art/")
            #expect(again.order == ["b"])
            #expect(!again.text.contains("Deleted “Beach”."))
            #expect(again.text.contains("2 emoji"))
        }
    }

    @Test func lastDeletedBoardComesFirstAndOthersAreListed() async throws {
        try await PagesServer.run { server in
            for name in ["One", "Two", "Three"] { try await server.createBoard(name, named: name) }
            for name in ["One", "Three", "Two"] { _ = try await server.post("/art/boards/\(name)/delete") }
            let text = try await server.get("/art/").text
            #expect(text.contains("Deleted “Two”."))
            #expect(text.contains("2 more deleted boards"))
            #expect(text.contains(#"id="undo-Two""#))
            for name in ["One", "Three"] { #expect(text.contains(#"action="/art/boards/\#(name)/restore""#)) }
        }
    }

    // MARK: - Pages

    @Test func pageListsSixtyBoards() async throws {
        try await PagesServer.run { server in
            for number in 1...61 { try await server.createBoard("b\(number)", named: "Board \(number)") }
            let first = try await server.get("/art/")
            #expect(first.order.count == 60)
            #expect(first.order.first == "b61")
            #expect(first.text.contains("Page 1 of 2"))
            #expect(first.text.contains(#"href="/art/?page=2" rel="next""#))
            #expect(!first.text.contains(#"rel="prev""#))
            let second = try await server.get("/art/?page=2")
            #expect(second.order == ["b1"])
            #expect(second.text.contains(#"href="/art/" rel="prev""#))
            #expect(!second.text.contains(#"rel="next""#))
            #expect(second.text.contains(#"data-live="/art/events?page=2""#))
            // A form on the second page redirects to the second page.
            let fields = ["page": "2", "name": "Last"]
            #expect(try await server.post("/art/boards/b1/duplicate", fields).location == "/art/?page=2")
            #expect(try await server.post("/art/boards/b1/delete", fields).location == "/art/?page=2")
        }
    }

    @Test(arguments: ["0", "-1", "99", "x", "", "1e9", "9223372036854775807", "99999999999999999999"])
    func invalidPageNumberShowsNearestPage(page: String) async throws {
        try await PagesServer.run { server in
            try await server.createBoard("b")
            let answer = try await server.get("/art/?page=\(page)")
            #expect(answer.status == 200)
            #expect(answer.order == ["b"])
            #expect(answer.text.contains(#"data-live="/art/events?page=1""#))
        }
    }
}

extension PageResponse {
    /// The IDs of a list's boards, in order.
    fileprivate var order: [String] {
        text.matches(of: /<li class="board" id="board-([^"]+)"/).map { String($0.output.1) }
    }
}
