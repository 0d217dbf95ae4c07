import Egress
import EmojiArtModel
import EmojiArtReading
import EmojiArtStore
import HTTPFetching
import Persistence

extension ArtParts {
    /// Creates the parts for a command, which fetches pictures in its own process; no board is loaded yet.
    @MainActor
    init(of owner: OwnerID, in storage: Storage, blobs: BlobStore, addressPolicy: AddressPolicy) {
        let fetcher = HTTPFetcher(
            addresses: AddressChecker(policy: addressPolicy),
            limits: FetchLimits { $0.bytes = BoardLimits.pictureBytes })
        let fetching = ArtFetcher(fetcher: fetcher)
        self.init(
            of: owner, in: storage, store: SQLiteBoardStore(in: storage.database, blobs: blobs), files: fetching,
            boards: fetching, fetcher: fetcher)
    }
}
