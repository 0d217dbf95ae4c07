import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Site

@Suite struct RetainedConnectionTests {
    /// Without the retention, NIO ends this process.
    @Test func connectionThatIsNeverHandledCanBeReleased() throws {
        let base = HTTP1Channel { _, _, _ in }
        let channel = EmbeddedChannel()
        _ = try RetainedConnections(base: base).setup(channel: channel, logger: Logger(label: "test")).wait()
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        #expect(channel.isActive)
        _ = try channel.finish()
        #expect(!channel.isActive)
    }
}
