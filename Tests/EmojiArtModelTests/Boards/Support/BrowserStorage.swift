import EmojiArtModel
import Futures
import Interleaving

/// The storage that the pages of one browser share.
///
/// It checks that no change is removed before the server has received it, unless another batch there contains it.
final class BrowserStorage: Sendable {
    private struct Item: Sendable {
        let tab: String
        let place: Int
        let batch: PendingBatch

        func isStored(under id: PendingBatch.ID, of tab: String) -> Bool { batch.id == id && self.tab == tab }
    }

    private let items = Lock<[Item]>([])
    private let server: BoardServer

    init(of server: BoardServer) {
        self.server = server
    }

    var isEmpty: Bool { items.withLock { $0.isEmpty } }

    /// The batches of a tab in its order.
    func batches(of tab: String) -> [PendingBatch] {
        items.withLock { items in
            items.filter { $0.tab == tab }.sorted { $0.place < $1.place }.map(\.batch)
        }
    }

    /// Stores what a page stores of a batch, in place of an earlier version.
    func store(_ batch: PendingBatch, at place: Int, of tab: String) {
        let stored = PendingBatch(
            id: batch.id, name: batch.name, operations: batch.operations, parts: batch.parts)
        items.withLock { items in
            items.removeAll { $0.isStored(under: batch.id, of: tab) }
            items.append(Item(tab: tab, place: place, batch: stored))
        }
    }

    func remove(_ id: PendingBatch.ID, of tab: String) {
        let lost = items.withLock { items -> [ArtOperation] in
            let removed = items.filter { $0.isStored(under: id, of: tab) }.flatMap(\.batch.operations)
            items.removeAll { $0.isStored(under: id, of: tab) }
            let left = Set(items.flatMap(\.batch.operations))
            return removed.filter { !left.contains($0) }
        }
        let isReceived = lost.allSatisfy { server.hasReceived($0) }
        check(isReceived, "\(lost) was removed from the storage before the server had received it")
    }
}
