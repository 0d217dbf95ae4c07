import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOFoundationCompat

/// The content of a response, as it arrives.
///
/// It is read once. Nothing more is taken from the server than is asked for.
public struct FetchedBytes: AsyncSequence, Sendable {
    let begun: HTTPFetcher.BegunResponse
    let transfer: HTTPFetcher.Transfer
    let url: URL

    /// Reads the content, from its beginning.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: begun.response.body.makeAsyncIterator(), bytes: self)
    }

    /// Where reading is.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: HTTPClientResponse.Body.AsyncIterator
        /// Holds the client, which closes its connections when its last reference goes.
        let bytes: FetchedBytes
        var count = 0

        /// The next piece.
        ///
        /// - Returns: The piece; `nil` after the last.
        /// - Throws: ``FetchError``: `tooLarge`, `timedOut`, `cutOff`, `cancelled`, or what else went wrong.
        public mutating func next() async throws -> Data? {
            let (transfer, url) = (bytes.transfer, bytes.url)
            transfer.watch.enter(.idle, transfer.limits.idle)
            defer { transfer.watch.pause() }
            do {
                guard let piece = try await pieces.next(isolation: #isolation) else {
                    if Task.isCancelled { throw FetchError.cancelled }
                    return nil
                }
                count += piece.readableBytes
                guard count <= transfer.limits.bytes else { throw FetchError.tooLarge(url, transfer.limits.bytes) }
                return Data(buffer: piece)
            } catch {
                throw transfer.failure(FetchError(error, fetching: url), at: url)
            }
        }
    }
}
