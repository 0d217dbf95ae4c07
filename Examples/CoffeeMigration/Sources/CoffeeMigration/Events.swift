@testable import AppDriver

/// What an app does, in order, each with the place where it happened.
@MainActor
final class Events {
    struct Event: Sendable {
        let text: String
        let remark: String?
        let place: Place
    }

    private nonisolated let continuation: AsyncStream<Event>.Continuation
    private let events: AsyncStream<Event>

    init() {
        (events, continuation) = AsyncStream.makeStream(of: Event.self)
    }

    /// Notes what happens, on the thread where it does.
    nonisolated func note(_ text: String, _ remark: String? = nil) {
        continuation.yield(Event(text: text, remark: remark, place: .current))
    }

    /// The event after the one before; waits for it.
    func next() async -> Event {
        await events.first { _ in true } ?? Event(text: "nothing", remark: nil, place: .task)
    }
}
