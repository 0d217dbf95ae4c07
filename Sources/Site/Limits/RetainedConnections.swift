import HummingbirdCore
import Logging
import NIOCore

/// Keeps what handles a connection until the connection is closed.
///
/// While a server ends, it may have accepted a connection that it never handles. That connection's `NIOAsyncChannel` would
/// be released while it is open, and NIO ends a program that does this.
struct RetainedConnections<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger).map { value in
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
