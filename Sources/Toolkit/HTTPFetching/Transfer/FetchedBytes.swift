import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOFoundationCompat

/// The content of a response, as it arrives.
///
/// It can be iterated once. Backpressure applies: reading from the server stops until the next piece is requested.
public struct FetchedBytes: AsyncSequence, Sendable {
    let begun: HTTPFetcher.BegunResponse
    let transfer: HTTPFetcher.Transfer
    let url: URL

    /// Creates an iterator that starts at the beginning of the content.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: begun.response.body.makeAsyncIterator(), bytes: self)
    }

    /// An iterator over the pieces of the content.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: HTTPClientResponse.Body.AsyncIterator
        /// Retains the client, which closes its connections when its last reference is released.
        let bytes: FetchedBytes
        var count = 0

        /// Waits for the next piece.
        ///
        /// - Returns: The piece; `nil` after the last.
        /// - Throws: ``FetchError`` with the code `tooLarge`, `timedOut`, `cutOff`, `cancelled`, or one for another
        ///   failure.
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
