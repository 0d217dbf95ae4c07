import BrowserDriver
import EmojiArtModel
import Foundation
import HTTPTypes
import Persistence
import Testing

@testable import EmojiArtWeb

/// Tests the events that open pages receive for a board.
@Suite(.timeLimit(.minutes(10))) struct BoardEventTests {
    @Test func pageReceivesMissedEntriesThenNewOnes() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await server.addDog("d1")
            try await server.addDog("d2")
            try await server.follow(since: 1) { follower in
                let first = try #require(try await follower.next())
                #expect(first.name == "entries")
                #expect(try BoardServer.entries(first).map(\.revision) == [2])
                let picture = try #require(try await follower.next())
                #expect(picture.name == "picture")
                #expect(try picture.json(PictureStateJSON.self).state == "none")
                let name = try #require(try await follower.next())
                #expect(name == BoardFollower.Event(name: "name", data: #"{"name":"Beach"}"#))
                try await server.addDog("d3")
                let next = try await follower.next("entries")
                #expect(try BoardServer.entries(next).map(\.id) == ["add-d3"])
            }
        }
    }

    @Test func pageWithoutRevisionReceivesOnlyNewEntries() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await server.addDog("d1")
            try await server.follow(since: nil) { follower in
                _ = try await follower.next("name")
                try await server.addDog("d2")
                #expect(try BoardServer.entries(try await follower.next("entries")).map(\.revision) == [2])
            }
        }
    }

    @Test func twoPeopleSeeEachOthersStepsInTheSameOrder() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            let count = 30
            @Sendable func draw(_ name: String) async throws -> [String] {
                try await server.follow { follower in
                    async let sent: Void = {
                        for number in 0..<count { try await server.addDog("\(name)\(number)") }
                    }()
                    var seen: [String] = []
                    while seen.count < 2 * count {
                        let entries = try BoardServer.entries(try await follower.next("entries"))
                        // Like a page, requests the entries that the stream dropped in favour of newer ones.
                        if let first = entries.first, first.revision > seen.count + 1 {
                            let missed: EntriesJSON = try await server.ask(
                                .get, "/art/boards/beach/entries?since=\(seen.count)"
                            ).json()
                            seen += (missed.entries ?? []).map(\.id)
                        } else {
                            seen += entries.filter { $0.revision > seen.count }.map(\.id)
                        }
                    }
                    try await sent
                    return seen
                }
            }
            async let one = draw("a")
            async let other = draw("b")
            let (first, second) = (try await one, try await other)
            #expect(first == second)
            #expect(Set(first).count == 2 * count)
        }
    }

    @Test func batchOfAnotherProcessIsDelivered() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await server.withSecondServer { other in
                try await server.follow { follower in
                    _ = try await follower.next("name")
                    try await other.addDog("d1")
                    #expect(try BoardServer.entries(try await follower.next("entries")).map(\.id) == ["add-d1"])
                }
                try await server.addDog("d2")
                try await eventually("the other server has the change") { try await other.state().revision == 2 }
            }
        }
    }

    @Test func pageWithUnknownRevisionReceivesReloadEvent() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await server.addDog("d1")
            try await server.follow(since: 99) { follower in
                let event = try #require(try await follower.next())
                #expect(event == BoardFollower.Event(name: "board", data: #"{"revision":1}"#))
                try await server.addDog("d2")
                #expect(try BoardServer.entries(try await follower.next("entries")).map(\.revision) == [2])
            }
        }
    }

    @Test func newNameIsDelivered() async throws {
        try await BoardServer.run { server in
            let id = try await server.createBoard()
            try await server.follow { follower in
                _ = try await follower.next("name")
                try await server.store.rename(id, to: "Hill 🏔️ <b>", owner: .local)
                #expect(try await follower.next("name").data.contains("Hill 🏔️ <b>"))
            }
        }
    }

    @Test func deletionAndRestoreAreDelivered() async throws {
        try await BoardServer.run { server in
            let id = try await server.createBoard()
            try await server.follow { follower in
                _ = try await follower.next("name")
                try await server.store.delete(id, owner: .local)
                #expect(try await follower.next("gone").data == "{}")
                #expect(try await server.ask(.get, "/art/boards/beach/state").status == 404)
                #expect(try await server.addDog("d1").status == 404)
                try await server.store.restore(id, owner: .local)
                _ = try await follower.next("board")
                #expect(try await server.ask(.get, "/art/boards/beach/state").status == 200)
            }
        }
    }

    /// The open document is notified a moment after the store has responded.
    @Test func restoredBoardIsServedAtOnce() async throws {
        try await BoardServer.run { server in
            let id = try await server.createBoard()
            #expect(try await server.state().name == "Beach")
            for _ in 0..<20 {
                try await server.store.delete(id, owner: .local)
                try await eventually("the board is gone") {
                    try await server.ask(.get, "/art/boards/beach/state").status == 404
                }
                try await server.store.restore(id, owner: .local)
                #expect(try await server.ask(.get, "/art/boards/beach").status == 200)
            }
        }
    }

    @Test func boardWithoutFollowersIsUnloaded() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await server.follow { follower in
                _ = try await follower.next("name")
                await server.boards.tidy()
                #expect(await server.boards.ids.map(\.rawValue) == ["beach"])
            }
            try await eventually("the board is dropped") {
                await server.boards.tidy()
                return await server.boards.ids.isEmpty
            }
            // A later request finds the board unchanged.
            #expect(try await server.state().name == "Beach")
        }
    }

    @Test func shutdownEndsEventStreams() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            let other = try await BoardServer.start(in: server.folder, allowing: [], shutdownTimeout: .seconds(600))
            try await other.follow { follower in
                _ = try await follower.next("name")
                async let stopped: Void = other.stop()
                // A stream that isn't ended delays the shutdown, and this test with it. On a busy machine, the server closes
                // the connection before it has sent the end.
                try? await follower.readToEnd()
                try await stopped
            }
        }
    }

    @Test func headRequestForEventsOpensNoBoard() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            let answer = try await server.ask(.head, "/art/boards/beach/events?since=0")
            #expect(answer.status == 200)
            await server.boards.tidy()
            #expect(await server.boards.ids.isEmpty)
        }
    }
}
