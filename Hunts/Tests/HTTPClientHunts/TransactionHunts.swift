import HuntSupport
import Interleaving
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import AsyncHTTPClient

/// The request of async-http-client's `execute`, between the task that waits for the response and the connection.
///
/// A task plays the connection's event loop. Pools, sockets and timeouts are out of reach: they need a real event loop.
@Suite struct TransactionHunts {
    @Test func responseArrivesOnceInOrder() {
        hunt("HTTPClient Transaction", "every part of the response arrives once, in order") {
            let exchange = Exchange()
            let waiting = exchange.start(HTTPClientRequest(url: "http://localhost/"))
            async let served: Void = exchange.respond(parts: 4)
            let response = try await waiting.value
            var parts: [Int] = []
            for try await part in response.body { parts.append(Int(part.readableBytesView.first ?? 0)) }
            await served
            check(parts == [1, 2, 3, 4], "received \(parts)")
            check(exchange.connection.cancellations.count == 0, "cancelled")
        }
    }

    @Test func cancellationDeadlineAndResponseRace() {
        hunt("HTTPClient Transaction", "with cancellation, deadline and response at once, there is one result") {
            let exchange = Exchange()
            let waiting = exchange.start(HTTPClientRequest(url: "http://localhost/"))
            let transaction = await exchange.transaction()
            async let cancelled: Void = { transaction.cancel() }()
            async let late: Void = { transaction.deadlineExceeded() }()
            async let served: Void = exchange.respond(parts: 1)
            let result = await waiting.result
            exchange.end()
            _ = await (cancelled, late, served)
            switch result {
            case .success(let response): check(response.status == .ok, "\(response.status)")
            case .failure(let error):
                check(error is CancellationError || error is HTTPClientError, "threw \(error)")
            }
        }
    }

    @Test func requestBodyIsWrittenOnceInOrder() {
        hunt("HTTPClient Transaction", "every part of the request's body is written once, in order") {
            let exchange = Exchange()
            let waiting = exchange.start(upload(parts: 4))
            let transaction = await exchange.transaction()
            transaction.willExecuteRequest(exchange.connection)
            transaction.requestHeadSent()
            transaction.resumeRequestBodyStream()
            for _ in 0..<3 {
                transaction.pauseRequestBodyStream()
                await Task.yield()
                transaction.resumeRequestBodyStream()
                await Task.yield()
            }
            await waitForOtherTasks()
            let written = exchange.connection.written.elements
            check(written == [1, 2, 3, 4], "wrote \(written)")
            check(exchange.connection.ends.count == 1, "ended \(exchange.connection.ends.count) times")
            transaction.fail(HTTPClientError.cancelled)
            _ = await waiting.result
        }
    }

    @Test func cancelledUploadEnds() {
        hunt("HTTPClient Transaction", "cancellation ends an upload that waits for the connection") {
            let exchange = Exchange()
            let waiting = exchange.start(upload(parts: 3))
            let transaction = await exchange.transaction()
            transaction.willExecuteRequest(exchange.connection)
            transaction.requestHeadSent()
            async let cancelled: Void = { transaction.cancel() }()
            transaction.resumeRequestBodyStream()
            transaction.pauseRequestBodyStream()
            await Task.yield()
            transaction.resumeRequestBodyStream()
            let result = await waiting.result
            await cancelled
            if case .success = result { check(false, "returned a response") }
            check(
                exchange.connection.cancellations.count == 1, "\(exchange.connection.cancellations.count) cancellations"
            )
        }
    }

    @Test func unreadResponseCancelsTheRequest() {
        hunt("HTTPClient Transaction", "a response whose body isn't read cancels the request at most once") {
            let exchange = Exchange()
            let waiting = exchange.start(HTTPClientRequest(url: "http://localhost/"))
            async let served: Void = exchange.respond(parts: 2)
            do {
                let response = try await waiting.value
                check(response.status == .ok, "\(response.status)")
            }
            exchange.end()
            await served
            check(exchange.connection.cancellations.count <= 1, "cancelled several times")
        }
    }

    @Test func cancelledReaderEnds() {
        hunt("HTTPClient Transaction", "cancellation ends a task that reads the response, and the request") {
            let exchange = Exchange()
            let waiting = exchange.start(HTTPClientRequest(url: "http://localhost/"))
            async let served: Void = exchange.respond(parts: 2, ends: false)
            let response = try await waiting.value
            let reader = Task { for try await _ in response.body {} }
            async let cancelled: Void = { reader.cancel() }()
            _ = await reader.result
            await cancelled
            exchange.end()
            await served
            check(
                exchange.connection.cancellations.count == 1, "\(exchange.connection.cancellations.count) cancellations"
            )
        }
    }
}

// MARK: - Parts

private let silent = Logger(label: "hunt", factory: { _ in SwiftLogNoOpLogHandler() })

private func upload(parts: Int) -> HTTPClientRequest {
    let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    for part in 1...parts { continuation.yield(ByteBuffer(integer: UInt8(part))) }
    continuation.finish()
    var request = HTTPClientRequest(url: "http://localhost/")
    request.method = .POST
    request.body = .stream(stream, length: .unknown)
    return request
}

/// Records what the request asks of its connection.
private final class RecordingConnection: HTTPRequestExecutor {
    let written = Log<Int>()
    let ends = Log<Int>()
    let cancellations = Log<Int>()
    let demand = AsyncStream.makeStream(of: Void.self)

    func writeRequestBodyPart(_ data: IOData, request: any HTTPExecutableRequest, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let buffer) = data else { return }
        written.append(Int(buffer.readableBytesView.first ?? 0))
    }

    func finishRequestBodyStream(
        trailers: HTTPHeaders?, request: any HTTPExecutableRequest, promise: EventLoopPromise<Void>?
    ) {
        ends.append(1)
    }

    func demandResponseBodyStream(_ task: any HTTPExecutableRequest) { demand.continuation.yield() }

    func cancelRequest(_ task: any HTTPExecutableRequest) {
        cancellations.append(1)
        demand.continuation.finish()
    }
}

/// A request, and the connection that executes it.
private final class Exchange: Sendable {
    let connection = RecordingConnection()
    private let created = AsyncStream.makeStream(of: Transaction.self)
    private let own = Mutex<Transaction?>(nil)

    func start(_ request: HTTPClientRequest) -> Task<HTTPClientResponse, any Error> {
        let continuation = created.continuation
        return Task {
            let prepared = try HTTPClientRequest.Prepared(request)
            return try await withCheckedThrowingContinuation { response in
                continuation.yield(
                    Transaction(
                        request: prepared,
                        requestOptions: RequestOptions(idleReadTimeout: nil, idleWriteTimeout: nil, dnsOverride: [:]),
                        logger: silent, connectionDeadline: .distantFuture, preferredEventLoop: EmbeddedEventLoop(),
                        responseContinuation: response))
            }
        }
    }

    /// Waits until the request exists.
    func transaction() async -> Transaction {
        if let transaction = own.withLock({ $0 }) { return transaction }
        var iterator = created.stream.makeAsyncIterator()
        guard let transaction = await iterator.next() else { preconditionFailure("No request was made.") }
        own.withLock { $0 = transaction }
        return transaction
    }

    /// Executes the request, and sends a part of the response for each demand.
    func respond(parts: Int, ends: Bool = true) async {
        let transaction = await transaction()
        transaction.willExecuteRequest(connection)
        guard connection.cancellations.count == 0 else { return }
        transaction.requestHeadSent()
        transaction.receiveResponseHead(HTTPResponseHead(version: .http1_1, status: .ok))
        var demands = connection.demand.stream.makeAsyncIterator()
        var part = 0
        while part < parts, await demands.next() != nil {
            part += 1
            transaction.receiveResponseBodyParts([ByteBuffer(integer: UInt8(part))])
        }
        if ends, part == parts { transaction.receiveResponseEnd(nil, trailers: nil) }
    }

    /// Ends the wait for demand.
    func end() { connection.demand.continuation.finish() }
}
