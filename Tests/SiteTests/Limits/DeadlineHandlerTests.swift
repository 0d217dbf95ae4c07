import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Site

/// Tests the handler in virtual time.
@Suite struct DeadlineHandlerTests {
    /// A connection with the default limits: 20 s for the first header, 60 s otherwise, 500 bytes per second.
    private static func connection() throws -> EmbeddedChannel {
        let limiter = ConnectionLimiter(limits: SiteLimits(), isPerAddress: true)
        let channel = EmbeddedChannel(handler: DeadlineHandler(limiter: limiter))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private static let head = HTTPRequestPart.head(
        HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/"))

    private static func body(_ bytes: Int) -> HTTPRequestPart { .body(ByteBuffer(repeating: 1, count: bytes)) }

    @Test func connectionWithoutARequestIsClosedAfterTheRequestTimeout() throws {
        let channel = try Self.connection()
        channel.embeddedEventLoop.advanceTime(by: .seconds(19))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func answeredConnectionIsClosedAfterTheIdleTimeout() throws {
        let channel = try Self.connection()
        try channel.writeInbound(Self.head)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        // No deadline limits the server's response.
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func connectionWithATrickledBodyIsClosed() throws {
        let channel = try Self.connection()
        try channel.writeInbound(Self.head)
        for _ in 0..<8 {
            channel.read()
            channel.embeddedEventLoop.advanceTime(by: .seconds(10))
            guard channel.isActive else { break }
            try channel.writeInbound(Self.body(1))
        }
        #expect(!channel.isActive)
    }

    @Test func slowSteadyBodyIsReceived() throws {
        let channel = try Self.connection()
        try channel.writeInbound(Self.head)
        for _ in 0..<1_000 {
            channel.read()
            channel.embeddedEventLoop.advanceTime(by: .seconds(30))
            try channel.writeInbound(Self.body(15_000))
        }
        #expect(channel.isActive)
    }

    @Test func deadlineStopsWhileTheServerReadsNothing() throws {
        let channel = try Self.connection()
        channel.read()
        try channel.writeInbound(Self.head)
        // No read: the route is still processing the bytes that it has received.
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        channel.read()
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(!channel.isActive)
    }

    @Test func connectionOfAClientThatReadsNothingIsClosed() throws {
        let channel = try Self.connection()
        try channel.writeInbound(Self.head)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 1, count: 1_000_000)), promise: nil)
        // The deadline also applies after the server has ended the response.
        channel.write(HTTPResponsePart.end(nil), promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func slowReaderGetsAllOfALargeBody() throws {
        let channel = try Self.connection()
        try channel.writeInbound(Self.head)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        for _ in 0..<100 {
            channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 1, count: 20_000)), promise: nil)
            channel.embeddedEventLoop.advanceTime(by: .seconds(40))
            channel.flush()
        }
        #expect(channel.isActive)
    }

    @Test func largeBodyIsWrittenInPartsWithOnePromise() throws {
        let channel = try Self.connection()
        let buffer = ByteBuffer(bytes: (0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        try channel.writeOutbound(HTTPResponsePart.body(buffer))
        var parts: [ByteBuffer] = []
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
            if case .body(let buffer) = part { parts.append(buffer) }
        }
        #expect(parts.map(\.readableBytes) == [65_536, 65_536, 65_536, 3_392])
        #expect(parts.flatMap { Array($0.readableBytesView) } == Array(buffer.readableBytesView))
    }
}
