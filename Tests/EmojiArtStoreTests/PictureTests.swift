import EmojiArtModel
import Foundation
import Persistence
import StoreTesting
import Testing

@testable import EmojiArtStore

/// Tests of pictures, run against every store.
@Suite(.timeLimit(.minutes(10))) struct PictureTests {
    private static let day: TimeInterval = 86_400

    @Test(arguments: StoreKind.allCases)
    func pictureIsStoredForItsBoardOnly(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board")
        try await store.create("other")
        let id = try await store.add(.test("abc", type: "image/gif"), for: "board", owner: "ann")
        #expect(id.rawValue == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(try await store.picture(id, of: "board", owner: "ann") == .test("abc", type: "image/gif"))
        #expect(try await store.picture(id, of: "other", owner: "ann") == nil)
        #expect(try await store.picture(id, of: "board", owner: "bob") == nil)
        // Stored again, it keeps its id; its type may change.
        #expect(try await store.add(.test("abc"), for: "board", owner: "ann") == id)
        #expect(try await store.picture(id, of: "board", owner: "ann") == .test("abc"))
        #expect(try await store.apply("b1", .setBackground(.picture(id))).refused == [])
        // A picture belongs to one board.
        #expect(
            try await store.apply("b1", .setBackground(.picture(id)), to: "other").refused.map(\.reason) == [.picture])
        #expect(try await store.add(.test("abc"), for: "other", owner: "ann") == id)
        #expect(try await store.apply("b2", .setBackground(.picture(id)), to: "other").refused == [])
        // Storing a picture isn't a change of a board's contents.
        #expect(try await store.changes(since: 0).entries?.map(\.batch.id) == ["b1"])
    }

    @Test(arguments: StoreKind.allCases)
    func pictureIsStoredWithItsSize(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board")
        let size = try #require(PictureSize(width: 640, height: 480))
        let address = "https://example.org/a.png"
        let id = try await store.add(.test("abc", size: size), fetchedFrom: address, for: "board", owner: "ann")
        #expect(try await store.picture(id, of: "board", owner: "ann") == .test("abc", size: size))
        let stored = StoredPicture(id: id, type: "image/png", size: size)
        for background in [Background.picture(id), .address(address)] {
            #expect(try await store.storedPicture(of: background, on: "board", owner: "ann") == stored)
            #expect(try await store.storedPicture(of: background, on: "board", owner: "bob") == nil)
        }
        #expect(try await store.storedPicture(of: .blank, on: "board", owner: "ann") == nil)
        #expect(try await store.storedPicture(of: .address("https://a.b"), on: "board", owner: "ann") == nil)
        // The same bytes have the same size, even if a later caller doesn't know it.
        _ = try await store.add(.test("abc"), for: "board", owner: "ann")
        #expect(try await store.picture(id, of: "board", owner: "ann")?.size == size)
        _ = try await store.duplicate("board", as: "copy", named: "Copy", owner: "ann")
        #expect(try await store.storedPicture(of: .address(address), on: "copy", owner: "ann") == stored)
    }

    @Test(arguments: StoreKind.allCases)
    func sizeFoundLaterIsStored(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board")
        let id = try await store.add(.test("abc"), for: "board", owner: "ann")
        #expect(try await store.picture(id, of: "board", owner: "ann") == .test("abc"))
        #expect(
            try await store.storedPicture(of: .picture(id), on: "board", owner: "ann")
                == StoredPicture(id: id, type: "image/png", size: nil))
        let size = try #require(PictureSize(width: 1, height: BoardLimits.picturePixels))
        try await store.setSize(size, of: id, on: "board", owner: "ann")
        #expect(try await store.picture(id, of: "board", owner: "ann")?.size == size)
        // For a picture that the board doesn't have, nothing is stored.
        let other = try #require(PictureID(String(repeating: "0", count: 64)))
        try await store.setSize(size, of: other, on: "board", owner: "ann")
        #expect(try await store.storedPicture(of: .picture(other), on: "board", owner: "ann") == nil)
        #expect(
            await error { try await store.setSize(size, of: id, on: "board", owner: "bob") } == .notFound("board"))
        // Storing a size isn't a change of a board's contents.
        #expect(try await store.board()?.summary.revision == 0)
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, -1), (8_000, 8_001), (Int.max, 2), (Int.min, Int.min)])
    func invalidPictureSizeIsNil(width: Int, height: Int) {
        #expect(PictureSize(width: width, height: height) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func fetchedPictureIsFoundByItsAddress(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board")
        let address = "https://example.org/é?a=\"b\"&c=\u{0}"
        #expect(try await store.fetched(address) == nil)
        let old = try await store.add(.test("old"), fetchedFrom: address, for: "board", owner: "ann")
        #expect(try await store.fetched(address) == StoredPicture(id: old, type: "image/png", size: nil))
        let new = try await store.add(
            .test("new", type: "image/webp"), fetchedFrom: address, for: "board", owner: "ann")
        #expect(try await store.fetched(address) == StoredPicture(id: new, type: "image/webp", size: nil))
        #expect(try await store.picture(new, of: "board", owner: "ann") == .test("new", type: "image/webp"))
        // Pages that still show the old picture can load it.
        #expect(try await store.picture(old, of: "board", owner: "ann") == .test("old"))
        #expect(try await store.fetched(address, for: "other") == nil)
        #expect(try await store.fetched(address + "#") == nil)
        #expect(try await store.fetched("https://example.org/é?a=\"b\"&c=") == nil)
        // Two addresses can have the same picture.
        #expect(try await store.add(.test("new"), fetchedFrom: "https://b.c", for: "board", owner: "ann") == new)
        #expect(try await store.fetched(address)?.id == new)
    }

    @Test(arguments: StoreKind.allCases)
    func invalidPictureIsRefused(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board")
        func isRefused(_ picture: PictureContent, _ address: String? = nil) async -> Bool {
            let error = await error {
                if let address {
                    _ = try await store.add(picture, fetchedFrom: address, for: "board", owner: "ann")
                } else {
                    _ = try await store.add(picture, for: "board", owner: "ann")
                }
            }
            if case .invalid(let words) = error { return !words.isEmpty } else { return false }
        }
        #expect(await isRefused(.test("")))
        #expect(await isRefused(.test(type: "")))
        #expect(await isRefused(.test(type: "image/png\r\nSet-Cookie: a=b")))
        #expect(await isRefused(PictureContent(data: Data(count: BoardLimits.pictureBytes + 1), type: "image/png")))
        #expect(await isRefused(.test(), ""))
        #expect(await isRefused(.test(), "https://" + String(repeating: "a", count: BoardLimits.addressBytes)))
        #expect(await !isRefused(.test(), "https://a.b"))
    }

    @Test(arguments: StoreKind.allCases)
    func shownPictureIsNotDeleted(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        try await store.create("board")
        try await store.create("web")
        let dropped = try await store.add(.test("dropped"), for: "board", owner: "ann")
        try await store.apply("b1", .setBackground(.picture(dropped)))
        let fetched = try await store.add(.test("fetched"), fetchedFrom: "https://a.b", for: "web", owner: "ann")
        try await store.apply("b1", .setBackground(.address("https://a.b")), to: "web")
        fixture.time.advance(by: 100 * Self.day)
        try await store.tidy()
        #expect(try await store.picture(dropped, of: "board", owner: "ann") != nil)
        #expect(try await store.fetched("https://a.b", for: "web")?.id == fetched)
        // Pictures are also retained while the board can be restored.
        try await store.delete("board", owner: "ann")
        fixture.time.advance(by: 599)
        try await store.tidy()
        try await store.restore("board", owner: "ann")
        #expect(try await store.picture(dropped, of: "board", owner: "ann") == .test("dropped"))
    }

    @Test(arguments: StoreKind.allCases)
    func formerBackgroundIsDeletedADayAfterLastUse(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        try await store.create("board")
        let dropped = try await store.add(.test("dropped"), for: "board", owner: "ann")
        try await store.apply("b1", .setBackground(.picture(dropped)))
        fixture.time.advance(by: 10 * Self.day)
        try await store.apply("b2", .setBackground(.address("https://a.b")))
        let fetched = try await store.add(.test("fetched"), fetchedFrom: "https://a.b", for: "board", owner: "ann")
        fixture.time.advance(by: 0.9 * Self.day)
        try await store.tidy()
        // An undo shows the first picture again, and the next change removes it.
        #expect(try await store.apply("b3", .setBackground(.picture(dropped))).refused == [])
        try await store.apply("b4", .setBackground(.blank))
        fixture.time.advance(by: 0.9 * Self.day)
        try await store.tidy()
        #expect(try await store.picture(dropped, of: "board", owner: "ann") != nil)
        #expect(try await store.picture(fetched, of: "board", owner: "ann") != nil)
        fixture.time.advance(by: 0.2 * Self.day)
        try await store.tidy()
        #expect(try await store.picture(dropped, of: "board", owner: "ann") == nil)
        #expect(try await store.picture(fetched, of: "board", owner: "ann") == nil)
        #expect(try await store.fetched("https://a.b") == nil)
        #expect(try await store.apply("b5", .setBackground(.picture(dropped))).refused.map(\.reason) == [.picture])
    }

    @Test(arguments: StoreKind.allCases)
    func unusedPictureIsDeletedAfterADay(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        try await store.create("board")
        let id = try await store.add(.test(), for: "board", owner: "ann")
        fixture.time.advance(by: 0.9 * Self.day)
        try await store.tidy()
        #expect(try await store.picture(id, of: "board", owner: "ann") != nil)
        fixture.time.advance(by: 0.2 * Self.day)
        try await store.tidy()
        #expect(try await store.picture(id, of: "board", owner: "ann") == nil)
    }
}
