import Egress
import EmojiArtModel
import EmojiArtStore
import Persistence
import StoreTesting
import Testing

@testable import Meanwhile

/// Tests the lookup of boards by the commands.
@Suite(.timeLimit(.minutes(10))) struct ArtPartsTests {
    @Test func everyBoardIsListedWhileOthersChange() async throws {
        let folder = try TemporaryFolder()
        let storage = try await Storage.open(in: try DataFolder.open(at: folder.path))
        let parts = await ArtParts(of: .local, in: storage, blobs: storage.blobs, addressPolicy: .publicOnly)
        let count = 501
        for number in 0..<count {
            let id = try #require(BoardID("board-\(number)"))
            _ = try await parts.store.create(id, named: "A board", art: EmojiArt(), owner: .local)
        }
        // Each change moves the last board to the front.
        let changing = Task {
            while !Task.isCancelled,
                let last = try await parts.store.boards(of: .local, limit: 1, offset: count - 1).first
            {
                try await parts.store.rename(last.id, to: "A changed board", owner: .local)
            }
        }
        for _ in 0..<50 { #expect(try await parts.allBoards().count == count) }
        changing.cancel()
        _ = await changing.result
        await parts.shutDown()
        storage.close()
    }
}
