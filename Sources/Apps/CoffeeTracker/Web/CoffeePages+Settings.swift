import Accounts
import CoffeeTrackerModel
import Foundation
public import HealthSamples
import Hummingbird
import Persistence
public import Site

// The settings, the kinds of drinks, and the health store's permissions.

extension CoffeePages {
    private struct KindForm: Decodable, Sendable {
        var kind: String?
        var favourite: String?
    }

    private struct AccessForm: Decodable, Sendable {
        var source: String?
        var type: String?
        var direction: String?
        var decision: String?
    }

    func addSettingsRoutes(to coffee: RouterGroup<SiteContext>, layout: Layout) {
        coffee.get("/settings") { _, _ in
            page(layout, SettingsView(try await view().settings, head: head(.settings)))
        }
        coffee.post("/settings") { request, context in
            let form = try await request.decode(as: SettingsForm.self, context: context)
            return try await submit(request, form, to: CoffeeTab.settings.path, layout) { document in
                let settings = try form.applied(to: document.data.settings)
                try await document.data.choose { $0 = settings }
            } orElse: { form in
                SettingsView(try await view().settings, form: form, head: head(.settings))
            }
        }
        coffee.get("/catalogue") { request, _ in
            let shown = try await view()
            // The name of a drink that wasn't found, or the id of a drink to edit.
            let name = request.uri.queryParameters["name"].map { String($0.prefix(Drink.maximumNameLength)) }
            let edited = request.uri.queryParameters["edit"].flatMap { id in
                shown.settings.kinds.first { $0.id == String(id) }
            }
            let fields = edited.map { CatalogueView.fields(of: $0, shown.settings) } ?? name.map { ["name": $0] }
            let form = fields.map { FilledForm(fields: $0) }
            return page(layout, CatalogueView(shown, form: form, head: head(.catalogue)))
        }
        coffee.post("/catalogue") { request, context in
            let form = try await request.decode(as: DrinkForm.self, context: context)
            return try await submit(request, form, to: CoffeeTab.catalogue.path, layout) { document in
                try await saveKind(form, in: document)
            } orElse: { form in
                CatalogueView(try await view(), form: form, head: head(.catalogue))
            }
        }
        coffee.post("/catalogue/delete") { request, context in
            let form = try await request.decode(as: KindForm.self, context: context)
            return try await change { try await $0.removeKind(form.kind ?? "") }
        }
        coffee.post("/favourites") { request, context in
            let form = try await request.decode(as: KindForm.self, context: context)
            return try await change { try await $0.setFavourite(form.kind ?? "", form.favourite == "yes") }
        }
        coffee.get("/health") { _, _ in try await health(layout) }
        coffee.post("/health/hint") { _, _ in
            try await documents.use(owner) { try await Self.endSharingHint(in: $0.data) }
            return Response.redirect(to: Self.app.path, type: .normal)
        }
        coffee.post("/health") { request, context in
            try await decide(try await request.decode(as: AccessForm.self, context: context), context)
        }
    }

    /// Changes the kinds of drinks, and redirects to the page that lists them.
    private func change(_ body: @MainActor (CoffeeData) async throws -> Void) async throws -> Response {
        try await documents.use(owner) { try await body($0.data) }
        return .redirect(to: CoffeeTab.catalogue.path, type: .normal)
    }

    @MainActor
    private func saveKind(_ form: DrinkForm, in document: CoffeeDocument) async throws {
        let emoji = (form.emoji ?? "").trimmingCharacters(in: .whitespaces)
        let id = (form.kind ?? "").isEmpty ? nil : form.kind
        let before = document.data.settings.kinds.first { $0.id == id }
        try await document.data.keepKind(
            id, name: form.name ?? "", emoji: emoji.isEmpty ? "☕️" : emoji,
            milligrams: try FormNumber.required(form.milligrams, CoffeeWords.caffeineField, field: "milligrams"),
            millilitres: try form.volume(shown: before?.millilitres))
    }
}

// MARK: - Permissions

extension CoffeePages {
    private func health(_ layout: Layout) async throws -> Response {
        let (samples, withheld) = try await documents.use(owner) { ($0.samples, CoffeeView($0.data).withheld) }
        let authorizations = samples.isAvailable ? try await samples.authorizations() : []
        return page(
            layout,
            HealthView(
                authorizations, isAvailable: samples.isAvailable, withheld: withheld, head: head(.health)))
    }

    /// Ends the hint that drinks can be shared.
    @MainActor
    private static func endSharingHint(in data: CoffeeData) async throws(CoffeeError) {
        if !data.settings.knowsSharing { try await data.choose { $0.knowsSharing = true } }
    }

    private func decide(_ form: AccessForm, _ context: SiteContext) async throws -> Response {
        if let access = form.direction.flatMap(SampleAccess.init(rawValue:)) {
            let isGranted = ["grant": true, "revoke": false][form.decision ?? ""]
            try await decide(access, source: form.source, type: form.type, isGranted: isGranted, context)
        }
        return .redirect(to: CoffeeTab.health.path, type: .normal)
    }

    /// Grants or revokes a permission.
    ///
    /// - Parameters:
    ///   - access: The kind of access.
    ///   - source: The identifier of the program.
    ///   - type: The name of the type of samples.
    ///   - isGranted: Whether it is granted; `nil` changes nothing.
    ///   - context: The request's context, which records the decision.
    /// - Returns: Whether the program has asked for the permission, or has it; only then it can be granted or revoked.
    /// - Throws: A `SampleStoreError`.
    @discardableResult
    func decide(
        _ access: SampleAccess, source: String?, type: String?, isGranted: Bool?, _ context: SiteContext
    ) async throws -> Bool {
        let samples = try await documents.use(owner) { $0.samples }
        let known = try await samples.authorizations().first {
            $0.source.identifier == source && $0.type.rawValue == type
        }
        if let known {
            switch isGranted {
            case true?:
                try await samples.grant(access, to: [known.type], source: known.source)
                context.record(.accessGranted, known.source.name)
            case false?:
                try await samples.revoke(access, to: [known.type], source: known.source)
                context.record(.accessRevoked, known.source.name)
            case nil: break
            }
        }
        let isKnown = known != nil
        try? await documents.use(owner) { document in
            // The owner has decided, and needs no hint.
            if isKnown { try? await Self.endSharingHint(in: document.data) }
            // Send the waiting drinks now; if that fails, the page Today shows the error.
            try await document.refresh()
        }
        return isKnown
    }
}

extension SampleStoreError: PresentableError {
    /// The page that shows the error.
    public var problem: Problem {
        Problem(.internalServerError, title: CoffeeWords.healthTitle, detail: message)
    }
}
