public import Observation
public import Persistence

/// An owner's lists, observable and stored.
///
/// Changes by other processes are loaded automatically.
@MainActor @Observable
public final class ChecklistData {
    /// The maximum time that ``edit(_:)`` waits until the change is stored.
    private static let timeout = Duration.seconds(5)

    @ObservationIgnored @Stored private var stored: Checklists

    /// Creates the lists in a store; they are empty until ``open()`` has read them.
    public init(in store: any Store) {
        _stored = Stored("checklist", in: store, format: StoredFormat("checklist"), default: Checklists())
    }
}

extension ChecklistData {
    /// The current lists.
    public var lists: Checklists { stored }

    /// Whether all changes are stored.
    public var isSaved: Bool { $stored.status.isSaved }

    /// Reads the stored lists, if they weren't read yet.
    public func open() async throws(ChecklistError) {
        await $stored.load()
        if let failure = $stored.status.failure { throw .storage(failure.message) }
    }

    /// Changes the lists, visibly at once, and returns when the change is stored.
    ///
    /// If the closure throws, nothing is changed. If storing fails, the change stays visible, and writing is retried.
    public func edit(_ change: (inout Checklists) throws(ChecklistError) -> Void) async throws(ChecklistError) {
        var changed = stored
        try change(&changed)
        stored = changed
        // `Stored` ignores changes if a newer version of the program has written the data.
        if stored != changed, let failure = $stored.status.failure { throw .storage(failure.message) }
        do throws(StoreError) {
            try await $stored.flush(within: Self.timeout)
        } catch {
            throw .storage(error.message)
        }
    }
}
