/// Announces to scripts that a document has changed: an event `changed` at the beginning, and after each change.
///
/// An event doesn't contain what changed, so that a script reads it by the API, as its token allows at that time.
public struct APIChangeEvents<Document: LiveDocument>: DocumentEventMaker {
    /// The event.
    public static var event: ServerSentEvent { ServerSentEvent(data: "{}", name: "changed") }

    /// Creates a maker of events.
    public init() {}

    /// Returns the event if a part has changed.
    public func events(
        for changed: [String: String], of parts: [String: String], in document: Document
    ) async -> [ServerSentEvent] {
        changed.isEmpty ? [] : [Self.event]
    }
}
