public import ChecklistModel
import Foundation
import HTTPTypes
public import Hummingbird
public import Persistence
public import Site

/// The server module of Checklist: its page, events and forms.
public struct ChecklistModule: SiteModule {
    private static let app = SiteApp(
        name: "Checklist", path: "/checklist/", summary: "Write down what to do, and tick it off.",
        files: ["checklist.css": PackageResources.checklist_css])

    private let documents: OpenDocuments<ChecklistDocument>
    private let templates: ChecklistTemplates
    private let events = EventStream()

    /// Creates the module.
    ///
    /// - Parameter data: Creates the lists of an owner. It is called whenever they are opened: for the first request,
    ///   and again after they were closed because no tab showed them.
    /// - Throws: An error that describes an invalid template.
    public init(data: @escaping @MainActor (_ owner: OwnerID) -> ChecklistData) async throws {
        let templates = try ChecklistTemplates()
        self.templates = templates
        documents = await OpenDocuments<ChecklistDocument> { owner in
            ChecklistDocument(data(owner), templates: templates)
        }
    }

    /// The app's entry on the home page.
    public var app: SiteApp? { Self.app }
    /// Closes lists that no tab shows.
    public func tidy() async throws { await documents.tidy() }
    /// Opens no more lists.
    public func beginShutdown() async { await documents.beginShutdown() }
    /// Closes all lists.
    public func shutDown() async { await documents.shutDown() }
}

// MARK: - Routes

extension ChecklistModule {
    /// The fields of all forms.
    private struct Form: Decodable {
        var list: String?
        var text: String?
        var done: String?
    }

    /// Adds the routes of the page.
    public func addRoutes(to router: SiteRouter, layout: Layout) {
        let checklist = router.group("/checklist")
        checklist.get("/") { _, _ in
            let lists = try await documents.use(.local) { $0.data.lists }
            return layout.page(
                title: Self.app.name, heading: Self.app.name, app: Self.app, content: templates.page(lists),
                styles: ["checklist/checklist.css"])
        }
        checklist.get("/events") { request, _ in
            // Open the document first: if that fails, the response is an error page instead of a stream.
            try await documents.use(.local) { _ in }
            return events.response(to: request, sending: DocumentEvents(of: documents, key: .local))
        }
        checklist.post("/items") { request, context in
            let form = try await request.decode(as: Form.self, context: context)
            return try await edit { lists throws(ChecklistError) in
                try lists.add(form.text ?? "", to: form.list ?? "")
            }
        }
        let item = checklist.group("/items/:id")
        item.post("/done") { request, context in
            let form = try await request.decode(as: Form.self, context: context)
            return try await edit(context) { lists, id throws(ChecklistError) in
                try lists.mark(id, isDone: form.done == "true")
            }
        }
        item.post("/delete") { _, context in
            try await edit(context) { lists, id throws(ChecklistError) in try lists.delete(id) }
        }
        item.post("/restore") { _, context in
            try await edit(context) { lists, id throws(ChecklistError) in try lists.restore(id) }
        }
    }

    /// Changes the lists, and redirects to the page.
    private func edit(_ change: @Sendable (inout Checklists) throws(ChecklistError) -> Void) async throws -> Response {
        try await documents.use(.local) { try await $0.data.edit(change) }
        return .redirect(to: Self.app.path, type: .normal)
    }

    /// Changes the item that the path names.
    private func edit(
        _ context: SiteContext, _ change: @Sendable (inout Checklists, Item.ID) throws(ChecklistError) -> Void
    ) async throws -> Response {
        guard let id = context.parameters.get("id").flatMap(UUID.init(uuidString:)) else {
            throw ChecklistError.notFound
        }
        return try await edit { lists throws(ChecklistError) in try change(&lists, id) }
    }
}

// MARK: - Errors

extension ChecklistError: PresentableError {
    /// The page that shows the error.
    public var problem: Problem {
        switch self {
        case .invalidText: Problem(.unprocessableContent, title: "Check the text", detail: description)
        case .full: Problem(.conflict, title: "That’s the limit", detail: description)
        case .notFound: Problem(.notFound, title: "Item not found", detail: description)
        case .storage: Problem(.internalServerError, title: "Can’t read or save your lists", detail: description)
        case .shuttingDown: Problem(.serviceUnavailable, title: "The server is stopping", detail: description)
        }
    }
}
