package import Foundation
import Futures

/// The events of a session and of its frames, in order, for one reader.
///
/// Unread events are stored up to a limit, because the page decides how many events there are and how long they are. Beyond
/// the limit the connection ends the session, and the sequence ends at once.
package struct DevToolsEvents: AsyncSequence, Sendable {
    package typealias Element = DevToolsEvent

    let queue: DevToolsEventQueue
    private let stream: AsyncStream<DevToolsEvent>

    /// - Parameter limit: The most bytes of unread events.
    init(limit: Int) {
        let (stream, continuation) = AsyncStream.makeStream(of: DevToolsEvent.self)
        self.stream = stream
        self.queue = DevToolsEventQueue(continuation, limit: limit)
    }

    /// Takes the events one by one.
    package struct AsyncIterator: AsyncIteratorProtocol {
        let queue: DevToolsEventQueue
        var events: AsyncStream<DevToolsEvent>.Iterator

        /// Returns the next event; `nil` at the end, or when the task is cancelled.
        package mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> DevToolsEvent? {
            guard let event = await events.next(isolation: actor) else { return nil }
            return queue.take(event) ? event : nil
        }
    }

    /// Begins to read.
    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(queue: queue, events: stream.makeAsyncIterator())
    }
}

/// The connection's end of ``DevToolsEvents``: counts the bytes that are unread.
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

    /// How many bytes of events are unread.
    var unreadBytes: Int { state.withLock { $0.unreadBytes } }

    /// Adds an event; a single one may be of any length.
    ///
    /// - Returns: Whether there was room. If not, the reader gets no more events, and the stored ones are dropped.
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

    /// Counts an event that the reader has taken; returns whether it is still wanted.
    fileprivate func take(_ event: DevToolsEvent) -> Bool {
        state.withLock { state in
            state.unreadBytes -= event.storedBytes
            return !state.isOverflown
        }
    }

    /// There will be no more events.
    func finish() {
        events.finish()
    }

    /// Calls back when the reader has left, or the sequence has ended.
    func onEnd(_ callback: @escaping @Sendable () -> Void) {
        events.onTermination = { _ in callback() }
    }
}

/// Something that happened in the browser, its parameters not decoded yet.
package struct DevToolsEvent: Sendable {
    /// The event's name, such as `Page.lifecycleEvent`.
    package var method: String
    /// The session in which it happened; `nil` for the browser itself.
    package var sessionID: String?
    /// The event's parameters as JSON.
    package var parameters: Data

    /// Decodes the parameters.
    ///
    /// - Returns: `nil` if they are not what the type is made of: a browser of another version says less, or other things.
    package func decode<Parameters: Decodable>(_ type: Parameters.Type) -> Parameters? {
        try? JSONDecoder().decode(type, from: parameters)
    }

    /// About how much memory it takes, in bytes; an event without parameters takes some too.
    fileprivate var storedBytes: Int { parameters.count + 512 }
}
