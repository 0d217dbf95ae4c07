import Egress
import EmojiArtModel
import EmojiArtReading
import HTTPFetching
import Persistence

extension ArtParts {
    /// Puts it together for a command, which fetches by itself; no board is read yet.
    @MainActor
    init(in database: AppDatabase, blobs: BlobStore, addressPolicy: AddressPolicy) {
        let fetcher = HTTPFetcher(
            addresses: AddressChecker(policy: addressPolicy),
            limits: FetchLimits { $0.bytes = BoardLimits.pictureBytes })
        let fetching = ArtFetcher(fetcher: fetcher)
        self.init(in: database, blobs: blobs, files: fetching, boards: fetching, fetcher: fetcher)
    }
}
