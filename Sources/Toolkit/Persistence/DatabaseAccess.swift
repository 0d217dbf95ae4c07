/// A read or write of an ``AppDatabase`` that has ended, for metrics.
package struct DatabaseAccess: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case read, write
    }

    package let kind: Kind
    /// How long it waited for a connection: a write waits for all earlier ones.
    package let waited: Duration
    /// How long it had the connection; a write until it was durable.
    package let ran: Duration

    package init(kind: Kind, waited: Duration, ran: Duration) {
        (self.kind, self.waited, self.ran) = (kind, waited, ran)
    }
}
