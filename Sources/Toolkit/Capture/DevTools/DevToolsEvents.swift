package import Foundation
import Futures

/// The events of a session and of its frames, in order, for a single reader.
///
/// Unread events are stored up to a limit, because the page determines their number and size. When it's exceeded, the
/// connection ends the session, and the sequence ends at once.
package struct DevToolsEvents: AsyncSequence, Sendable {
    package typealias Element = DevToolsEvent

    let queue: DevToolsEventQueue
    private let stream: AsyncStream<DevToolsEvent>

    /// - Parameter limit: The maximum size of unread events, in bytes.
    init(limit: Int) {
        let (stream, continuation) = AsyncStream.makeStream(of: DevToolsEvent.self)
        self.stream = stream
        self.queue = DevToolsEventQueue(continuation, limit: limit)
    }

    /// An iterator over the events.
    package struct AsyncIterator: AsyncIteratorProtocol {
        let queue: DevToolsEventQueue
        var events: AsyncStream<DevToolsEvent>.Iterator

        /// Returns the next event; `nil` at the end, or when the task is cancelled.
        package mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> DevToolsEvent? {
            guard let event = await events.next(isolation: actor) else { return nil }
            return queue.take(event) ? event : nil
        }
    }

    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(queue: queue, events: stream.makeAsyncIterator())
    }
}

/// The connection's side of ``DevToolsEvents``, which counts unread bytes.
final class DevToolsEventQueue: Sendable {
    private struct State {
        var unreadBytes = 0
        var isOverflown = false
    }

    private let state = Lock(State())
    private let events: AsyncStream<DevToolsEvent>.Continuation
    private let limit: Int

    fileprivate init(_ events: AsyncStream<DevToolsEvent>.Continuation, limit: Int) {
        self.events = events
        self.limit = limit
    }

    /// The size of the unread events in bytes.
    var unreadBytes: Int { state.withLock { $0.unreadBytes } }

    /// Adds an event; a single event may have any size.
    ///
    /// - Returns: Whether the event fits. If not, the reader receives no more events, and stored ones are dropped.
    func add(_ event: DevToolsEvent) -> Bool {
        let isAdded = state.withLock { state in
            guard !state.isOverflown else { return false }
            let (sum, overflows) = state.unreadBytes.addingReportingOverflow(event.storedBytes)
            guard state.unreadBytes == 0 || (!overflows && sum <= limit) else {
                state.isOverflown = true
                return false
            }
            state.unreadBytes = sum
            return true
        }
        guard isAdded else { return false }
        events.yield(event)
        return true
    }

    /// Counts an event that was read; returns `false` if the event must be dropped.
    fileprivate func take(_ event: DevToolsEvent) -> Bool {
        state.withLock { state in
            state.unreadBytes -= event.storedBytes
            return !state.isOverflown
        }
    }

    /// Finishes the sequence.
    func finish() {
        events.finish()
    }

    /// Registers a callback for the end of the sequence, or of its reader.
    func onEnd(_ callback: @escaping @Sendable () -> Void) {
        events.onTermination = { _ in callback() }
    }
}

/// An event of the browser, with undecoded parameters.
package struct DevToolsEvent: Sendable {
    /// The event's name, such as `Page.lifecycleEvent`.
    package var method: String
    /// The session of the event; `nil` for the browser itself.
    package var sessionID: String?
    /// The event's parameters as JSON.
    package var parameters: Data

    /// Decodes the parameters.
    ///
    /// - Returns: The parameters; `nil` if they don't match the type, for example in another version of the browser.
    package func decode<Parameters: Decodable>(_ type: Parameters.Type) -> Parameters? {
        try? JSONDecoder().decode(type, from: parameters)
    }

    /// The approximate memory use in bytes, including a constant for an event without parameters.
    fileprivate var storedBytes: Int { parameters.count + 512 }
}
