import AsyncHTTPClient
public import Foundation
import Futures
import HTTPTypes
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

extension Fetching {
    /// Asks for something, follows where servers lead, and hands on what comes.
    func stream<Outcome: Sendable>(
        _ request: FetchRequest,
        _ body: @escaping @Sendable (FetchedHead, FetchedBytes) async throws -> Outcome
    ) async throws -> Outcome {
        let handle = TaskHandle()
        let trail = try RedirectTrail(request, limit: (request.limits ?? limits).redirects)
        let result: Result<Outcome, any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Owned by whoever waits here; a task of its own, because limits of time cancel it.
                let task = Task {
                    do {
                        continuation.resume(returning: .success(try await follow(request, trail, handle, body)))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
                handle.attach(task)
            }
        } onCancel: {
            handle.cancel()
        }
        return try result.get()
    }

    private func follow<Outcome: Sendable>(
        _ request: FetchRequest, _ trail: RedirectTrail, _ handle: TaskHandle,
        _ body: @Sendable (FetchedHead, FetchedBytes) async throws -> Outcome
    ) async throws -> Outcome {
        let limits = request.limits ?? limits
        let watch = watchdog.watch(handle, whole: limits.whole)
        defer { watch.end() }
        let transfer = Transfer(request: request, limits: limits, watch: watch, report: { _ in })
        var trail = trail
        while true {
            var hop = trail.hop
            hop.headers = sent(hop)
            let begun: Exchange.Begun
            do throws(FetchError) {
                begun = try await exchange.send(hop, [:], transfer)
            } catch {
                throw transfer.failure(error, at: hop.url)
            }
            let (status, headers) = (begun.status, begun.headers)
            if try trail.follow(status: status, headers: headers) { continue }
            let isPlain = headers[.contentEncoding] == nil
            let head = FetchedHead(
                status: status, headers: headers, url: hop.url,
                contentLength: isPlain ? headers.announcedLength : nil)
            if let length = head.contentLength, length > limits.bytes, hop.method != .head {
                throw FetchError.tooLarge(hop.url, limits.bytes)
            }
            watch.pause()
            return try await body(head, FetchedBytes(begun: begun, transfer: transfer, url: hop.url))
        }
    }
}

/// The content of an answer, as it arrives.
///
/// It is read once. Nothing more is taken from the server than is asked for.
public struct FetchedBytes: AsyncSequence, Sendable {
    let begun: Exchange.Begun
    let transfer: Transfer
    let url: URL

    /// Reads the content, from its beginning.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            pieces: begun.response.body.makeAsyncIterator(), client: begun.client, transfer: transfer, url: url)
    }

    /// Where reading is.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: HTTPClientResponse.Body.AsyncIterator
        let client: PinnedClient
        let transfer: Transfer
        let url: URL
        var count = 0

        /// The next piece.
        ///
        /// - Returns: The piece; `nil` after the last.
        /// - Throws: ``FetchError``: `tooLarge`, `timedOut`, `cutOff`, `cancelled`, or what else went wrong.
        public mutating func next() async throws -> Data? {
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
