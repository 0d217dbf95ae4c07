import ChecklistModel
import Observation
import Persistence
import Site

/// An owner's open lists, which update every open tab when they change.
@MainActor
final class ChecklistDocument: LiveDocument {
    typealias Key = OwnerID

    static let shuttingDownError = ChecklistError.shuttingDown

    /// The HTML of the lists, by event name.
    nonisolated let parts = Broadcast<LiveParts>()
    let data: ChecklistData
    private let templates: ChecklistTemplates
    /// Cancelled by ``close()``.
    private var following: Task<Void, Never>?

    init(_ data: ChecklistData, templates: ChecklistTemplates) {
        self.data = data
        self.templates = templates
    }

    var isBusy: Bool { !data.isSaved }

    func open() async throws(ChecklistError) {
        try await data.open()
        let changes = Observations { [data] in data.lists }
        following = Task { [parts, templates] in await Self.follow(changes, templates: templates, parts: parts) }
    }

    func close() async {
        following?.cancel()
        parts.finish()
    }

    @concurrent
    private static func follow(
        _ changes: Observations<Checklists, Never>, templates: ChecklistTemplates, parts: Broadcast<LiveParts>
    ) async {
        for await lists in changes { parts.send(["lists": templates.lists(lists).markup]) }
    }
}
