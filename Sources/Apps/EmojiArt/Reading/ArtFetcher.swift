package import EmojiArtModel
package import Foundation
package import HTTPFetching
package import Loading

/// Fetches background pictures by HTTP, only from allowed addresses.
///
/// Pictures are parsed in this process, so the server uses this type only in jobs. Nothing is cached here: the store
/// has the fetched pictures, and a failed fetch must be requested again.
package struct ArtFetcher: BackgroundFetching {
    private let fetcher: HTTPFetcher
    private let limits: FetchLimits
    private let onRefusal: @Sendable () -> Void

    /// Creates a fetcher with these limits, except the byte limit, which each call sets.
    ///
    /// - Parameters:
    ///   - fetcher: The HTTP client.
    ///   - limits: The limits.
    ///   - onRefusal: Called before a fetch fails because the picture's address isn't public.
    package init(
        fetcher: HTTPFetcher, limits: FetchLimits = FetchLimits(), onRefusal: @escaping @Sendable () -> Void = {}
    ) {
        self.fetcher = fetcher
        self.limits = limits
        self.onRefusal = onRefusal
    }

    @concurrent
    private static func checked(_ data: Data) async throws(BackgroundError) -> CheckedPicture {
        try CheckedPicture(fetched: data)
    }

    /// Fetches a picture; refuses a response whose first bytes aren't an image's.
    package func fetch(
        _ address: String, limit: Int, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> CheckedPicture {
        guard let url = URL(string: address), url.host()?.isEmpty == false else {
            throw .fetch(ArtWords.notAWebAddress(address.prefix(200)), .never)
        }
        var limits = limits
        limits.bytes = limit
        let data: Data
        do throws(FetchError) {
            let request = FetchRequest(url, expecting: .image, limits: limits)
            data = try await fetcher.fetch(request, progress: progress).data
        } catch {
            if error.refusal != nil { onRefusal() }
            throw .fetch(error.message, error.retryAdvice)
        }
        return try await Self.checked(data)
    }

    /// Validates a stored picture in this process.
    @concurrent
    package func check(_ stored: Data) async throws(PictureError) -> CheckedPicture {
        try CheckedPicture(stored)
    }
}
