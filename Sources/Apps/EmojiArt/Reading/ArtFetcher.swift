package import EmojiArtModel
package import Foundation
package import HTTPFetching
package import Loading

/// Fetches the pictures that boards are drawn on by HTTP, from nowhere but where it may.
///
/// Pictures are parsed in this process: the server fetches in jobs.
///
/// Nothing is kept here: what was fetched for a board is in the store, and what failed is to be asked for anew.
package struct ArtFetcher: BackgroundFetching {
    private let fetcher: HTTPFetcher
    private let limits: FetchLimits

    /// Creates a fetcher; the limits are those of a picture in time: its bytes are limited by each call.
    package init(fetcher: HTTPFetcher, limits: FetchLimits = FetchLimits()) {
        self.fetcher = fetcher
        self.limits = limits
    }

    @concurrent
    private static func checked(_ data: Data) async throws(BackgroundError) -> CheckedPicture {
        try CheckedPicture(fetched: data)
    }

    /// Fetches a picture; what is none is refused by its first bytes.
    package func fetch(
        _ address: String, limit: Int, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> CheckedPicture {
        guard let url = URL(string: address), url.host()?.isEmpty == false else {
            throw .fetch("\(address.prefix(200)) is no address. Check it.", .never)
        }
        var limits = limits
        limits.bytes = limit
        let data: Data
        do throws(FetchError) {
            let request = FetchRequest(url, expecting: .image, limits: limits)
            data = try await fetcher.fetch(request, progress: progress).data
        } catch {
            throw .fetch(error.message, error.retryAdvice)
        }
        return try await Self.checked(data)
    }

    /// Checks a stored picture in this process.
    @concurrent
    package func check(_ stored: Data) async throws(PictureError) -> CheckedPicture {
        try CheckedPicture(stored)
    }
}
