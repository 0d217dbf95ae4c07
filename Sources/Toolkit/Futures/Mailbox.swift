/// Contents that one reader hasn't received yet, and coalesced signals to read them.
///
/// A reader that is slow or has stopped reading thus takes no more memory than the contents.
package final class Mailbox<Contents: Sendable>: Sendable {
    private let contents: Lock<Contents>
    private let signal: AsyncStream<Void>.Continuation

    private init(_ contents: Contents, _ signal: AsyncStream<Void>.Continuation) {
        self.contents = Lock(contents)
        self.signal = signal
    }

    /// Creates a mailbox, and the sequence of its signals for the one reader.
    ///
    /// The mailbox doesn't retain the sequence: `onEnd` is called when the reader releases it, or its task is
    /// cancelled.
    package static func make(
        _ contents: Contents, onEnd: (@Sendable () -> Void)? = nil
    ) -> (mailbox: Mailbox, signals: AsyncStream<Void>) {
        let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        if let onEnd { signal.onTermination = { _ in onEnd() } }
        return (Mailbox(contents, signal), signals)
    }

    /// Changes the contents, and signals the reader.
    package func put(_ change: (inout Contents) -> Void) {
        contents.withLock(change)
        signal.yield()
    }

    /// Reads or changes the contents without a signal.
    package func take<Value: Sendable>(_ body: (inout Contents) -> Value) -> Value {
        contents.withLock(body)
    }

    /// Ends the signals; the contents can still be read.
    package func finish() {
        signal.finish()
    }
}
