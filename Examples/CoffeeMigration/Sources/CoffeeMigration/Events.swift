@testable import AppDriver

/// The events of one run of an app in order, each with the place where it happened.
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

    /// Records an event with the place of the calling code.
    nonisolated func note(_ text: String, _ remark: String? = nil) {
        continuation.yield(Event(text: text, remark: remark, place: .current))
    }

    /// Waits for the next event.
    func next() async -> Event {
        await events.first { _ in true } ?? Event(text: "nothing", remark: nil, place: .task)
    }
}
