import EmojiArtModel
import Foundation
import MemoryStores
import Persistence
import RealPictures
import Site
import Testing

@testable import EmojiArtWeb

/// The thumbnails of the list; the tests count renderings and measure no time.
@Suite(.timeLimit(.minutes(10))) struct ListThumbnailTests {
    @Test func thumbnailIsRenderedOncePerRevision() async throws {
        try await PagesServer.run { server in
            for number in 0..<60 { try await server.createBoard("b\(number)", emojis: 3) }
            let thumbnails = server.pages.thumbnails
            _ = try await server.get("/art/")
            #expect(thumbnails.renders == 60)
            _ = try await server.get("/art/")
            #expect(thumbnails.renders == 60)
            try await server.addEmoji(to: try #require(BoardID("b7")))
            _ = try await server.get("/art/")
            #expect(thumbnails.renders == 61)
            // A new name doesn't change the picture.
            _ = try await server.post("/art/boards/b8/rename", ["name": "Zoo"])
            _ = try await server.get("/art/")
            #expect(thumbnails.renders == 61)
        }
    }

    @Test func leastRecentlyUsedThumbnailIsEvicted() async throws {
        let store: any BoardStoring = MemoryBoardStore()
        let thumbnails = ListThumbnails(store: store, owner: .local)
        var boards: [BoardSummary] = []
        for number in 0...ListThumbnails.capacity {
            let id = try #require(BoardID("b\(number)"))
            boards.append(try await store.create(id, named: "Beach", art: EmojiArt(), owner: .local))
        }
        for board in boards { _ = await thumbnails.html(of: board) }
        #expect(thumbnails.renders == boards.count)
        // Only the least recently used thumbnail was evicted.
        for board in boards.dropFirst() { _ = await thumbnails.html(of: board) }
        #expect(thumbnails.renders == boards.count)
        _ = await thumbnails.html(of: boards[0])
        #expect(thumbnails.renders == boards.count + 1)
    }

    @Test func thumbnailShowsAtMostTwoHundredEmoji() async throws {
        try await PagesServer.run { server in
            let board = try await server.createBoard("b", emojis: 300)
            let svg = await server.pages.thumbnails.html(of: board).markup
            #expect(svg.matches(of: /<text\b/).count == 200)
            #expect(try await server.get("/art/").text.contains("300 emoji"))
        }
    }

    @Test func emojiTextIsEscapedInThumbnail() async throws {
        try await PagesServer.run { server in
            try await server.createBoard("b", emojis: 1, text: "</svg><b>")
            let text = try await server.get("/art/").text
            #expect(!text.contains("</svg><b>"))
            #expect(text.contains("&lt;/svg&gt;&lt;b&gt;"))
        }
    }

    @Test func smallContentIsNotMagnified() async throws {
        try await PagesServer.run { server in
            let board = try await server.createBoard("b", emojis: 1)
            let svg = await server.pages.thumbnails.html(of: board).markup
            #expect(svg.contains(#"viewBox="-160 -100 320 200""#), "\(svg)")
        }
    }

    @Test func thumbnailLinksToStoredPicture() async throws {
        try await PagesServer.run { server in
            let board = try await server.createBoard("b", emojis: 1)
            let stored = try await server.store.add(
                PictureContent(
                    data: SamplePictures.png, type: "image/png", size: PictureSize(width: 640, height: 480)),
                for: board.id, owner: .local)
            let batch = OperationBatch(
                id: "background", name: "Set Background", operations: [.setBackground(.picture(stored))])
            _ = try await server.store.apply(batch, to: board.id, owner: .local, author: "")
            let current = try #require(try await server.store.summary(of: board.id, owner: .local))
            let svg = await server.pages.thumbnails.html(of: current).markup
            #expect(
                svg.contains(
                    #"<image href="/art/boards/b/picture/\#(stored)" x="-320" y="-240" width="640" height="480"/>"#),
                "\(svg)")
        }
    }

    @Test func pictureFetchedLaterAppearsInThumbnail() async throws {
        try await PagesServer.run { server in
            let address = "https://example.org/beach.png"
            let board = try await server.createBoard("b", emojis: 1, background: .address(address))
            let thumbnails = server.pages.thumbnails
            let before = await thumbnails.html(of: board).markup
            #expect(!before.contains("<image") && before.contains("🐶"))
            #expect(await thumbnails.html(of: board).markup == before)
            #expect(thumbnails.renders == 1)
            let stored = try await server.store.add(
                PictureContent(
                    data: SamplePictures.png, type: "image/png", size: PictureSize(width: 640, height: 480)),
                fetchedFrom: address, for: board.id,
                owner: .local)
            let after = await thumbnails.html(of: board).markup
            #expect(after.contains("/art/boards/b/picture/\(stored)"))
            #expect(!after.contains("example.org"))
            #expect(await thumbnails.html(of: board).markup == after)
            #expect(thumbnails.renders == 2)
        }
    }

    @Test func pictureFetchedAgainReplacesTheOldOneInThumbnail() async throws {
        try await PagesServer.run { server in
            let address = "https://example.org/beach.png"
            let board = try await server.createBoard("b", emojis: 1, background: .address(address))
            let thumbnails = server.pages.thumbnails
            let sizes = [(640, 480), (320, 200)]
            for (width, height) in sizes {
                let picture = PictureContent(
                    data: SamplePictures.png(width, height), type: "image/png",
                    size: PictureSize(width: width, height: height))
                let stored = try await server.store.add(
                    picture, fetchedFrom: address, for: board.id, owner: .local)
                let svg = await thumbnails.html(of: board).markup
                #expect(svg.contains("/art/boards/b/picture/\(stored)"), "\(svg)")
                #expect(await thumbnails.html(of: board).markup == svg)
            }
            #expect(thumbnails.renders == sizes.count)
        }
    }

    @Test func pictureIsLeftOutUntilItsSizeIsKnown() async throws {
        try await PagesServer.run { server in
            let address = "https://example.org/beach.png"
            let board = try await server.createBoard("b", emojis: 1, background: .address(address))
            let stored = try await server.store.add(
                PictureContent(data: SamplePictures.png, type: "image/png"), fetchedFrom: address, for: board.id,
                owner: .local)
            let svg = await server.pages.thumbnails.html(of: board).markup
            #expect(!svg.contains("<image") && svg.contains("🐶"))
            try await server.store.setSize(
                try #require(PictureSize(width: 640, height: 480)), of: stored, on: board.id, owner: .local)
            #expect(await server.pages.thumbnails.html(of: board).markup.contains("/art/boards/b/picture/\(stored)"))
        }
    }

    /// These bytes have no recognizable type or size.
    @Test func storedPictureIsNotParsedForThumbnail() async throws {
        try await PagesServer.run { server in
            let address = "https://example.org/beach.png"
            let board = try await server.createBoard("b", emojis: 1, background: .address(address))
            let stored = try await server.store.add(
                PictureContent(data: Data("nothing".utf8), type: "image/png", size: PictureSize(width: 70, height: 50)),
                fetchedFrom: address, for: board.id, owner: .local)
            let svg = await server.pages.thumbnails.html(of: board).markup
            #expect(svg.contains(#"picture/\#(stored)" x="-35" y="-25" width="70" height="50"/>"#), "\(svg)")
        }
    }

    @Test func deletedBoardHasNoThumbnail() async throws {
        try await PagesServer.run { server in
            let board = try await server.createBoard("b", emojis: 1)
            try await server.store.delete(board.id, owner: .local)
            #expect(await server.pages.thumbnails.html(of: board).markup == "")
        }
    }
}
