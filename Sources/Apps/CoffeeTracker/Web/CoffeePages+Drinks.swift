import CoffeeTrackerModel
import Digests
import Foundation
import Hummingbird
import Persistence
import Site

// Adding, editing, duplicating and deleting drinks; undoing an action, and dismissing a failure.

extension CoffeePages {
    private struct ActionForm: Decodable, Sendable {
        /// The id of the action to undo; `nil` for the last action.
        var step: String?
        /// The page with the form; see ``returnPath(_:)``.
        var back: String?
    }

    func addDrinkRoutes(to coffee: RouterGroup<SiteContext>, layout: Layout) {
        // Without scripts, a browser is at this URL after a rejected form, and may reload it.
        coffee.get("/drinks") { _, _ in Response.redirect(to: Self.app.path, type: .normal) }
        coffee.post("/drinks") { request, context in
            let form = try await request.decode(as: DrinkForm.self, context: context)
            return try await submit(request, form, to: Self.app.path, layout) { document in
                try await add(form, to: document)
            } orElse: { form in
                TodayView(try await view(), templates, form: form, head: head(.today))
            }
        }
        coffee.post("/undo") { request, context in
            try await act(request, context) { document, form in _ = try await document.data.undo(form.step) }
        }
        coffee.post("/dismiss") { _, _ in
            try await documents.use(owner) { $0.data.dismissFailure() }
            return Response.redirect(to: Self.app.path, type: .normal)
        }
        let drink = coffee.group("/drinks/:id")
        drink.get("/") { request, context in
            let (drink, view) = try await find(Self.drink(in: context))
            var form = FilledForm(fields: EditView.fields(of: drink, view.settings))
            form.fields["back"] = request.uri.queryParameters["back"].map { String($0) }
            return page(layout, EditView(drink, view.settings, form: form, head: head(.today)))
        }
        drink.post("/") { request, context in
            let id = try Self.drink(in: context)
            let form = try await request.decode(as: DrinkForm.self, context: context)
            return try await submit(request, form, to: Self.returnPath(form.back), layout) { document in
                try await change(id, form, in: document)
            } orElse: { form in
                let (drink, view) = try await find(id)
                var form = form
                form.fields["from"] = drink.fingerprint
                return EditView(drink, view.settings, form: form, head: head(.today))
            }
        }
        drink.post("/duplicate") { request, context in
            let id = try Self.drink(in: context)
            return try await act(request, context) { document, _ in
                _ = try await document.data.duplicate(try await document.drink(id))
            }
        }
        drink.post("/delete") { request, context in
            let id = try Self.drink(in: context)
            return try await act(request, context) { document, _ in
                try await document.data.delete(try await document.drink(id))
            }
        }
    }

    /// Performs an action, and redirects to the page with its form.
    private func act(
        _ request: Request, _ context: SiteContext,
        _ body: @MainActor (CoffeeDocument, ActionForm) async throws -> Void
    ) async throws -> Response {
        let form = try await request.decode(as: ActionForm.self, context: context)
        try await documents.use(owner) { document in try await body(document, form) }
        return .redirect(to: Self.returnPath(form.back), type: .normal)
    }

    static func drink(in context: SiteContext) throws -> Drink.ID {
        guard let id = context.parameters.get("id").flatMap(UUID.init(uuidString:)) else { throw CoffeeError.notFound }
        return id
    }

    private func find(_ id: Drink.ID) async throws -> (Drink, CoffeeView) {
        try await documents.use(owner) { document in
            (try await document.drink(id), CoffeeView(document.data))
        }
    }

    @MainActor
    private func add(_ form: DrinkForm, to document: CoffeeDocument) async throws {
        let data = document.data
        var kind = try data.kind(form.kind ?? "").sized(form.size.flatMap(DrinkSize.init(rawValue:)) ?? .medium)
        if let milligrams = try FormNumber.read(form.milligrams, CoffeeWords.caffeineField, field: "milligrams") {
            kind.milligrams = milligrams
        }
        let start = try form.start(now: data.now, settings: data.settings)
        try await data.add(kind, at: start, sipping: try form.sipping)
    }

    @MainActor
    private func change(_ id: Drink.ID, _ form: DrinkForm, in document: CoffeeDocument) async throws {
        let before = try await document.drink(id)
        if let from = form.from, !from.isEmpty, from != before.fingerprint { throw CoffeeError.changedElsewhere }
        var drink = before
        drink.name = form.name ?? drink.name
        drink.emoji = form.emoji ?? drink.emoji
        drink.milligrams = try FormNumber.required(form.milligrams, CoffeeWords.caffeineField, field: "milligrams")
        drink.millilitres = try form.volume(shown: before.millilitres)
        drink.start = try form.start(
            shown: drink.start, now: document.data.now, settings: document.data.settings)
        drink.sipping = try form.sipping
        try await document.data.edit(drink, over: before)
    }
}

extension CoffeeDocument {
    /// A drink, including one that is too old to be shown.
    func drink(_ id: Drink.ID) async throws(CoffeeError) -> Drink {
        if let drink = data.drink(id) { return drink }
        guard let drink = try await data.drinks(withIDPrefix: id.uuidString).first else { throw .notFound }
        return drink
    }
}

extension Drink {
    /// A text that changes with each edit.
    var fingerprint: String {
        let parts = [
            name, emoji, "\(milligrams)", millilitres.map { "\($0)" } ?? "", "\(start.timeIntervalSince1970)",
            "\(sipping)", timeZone,
        ]
        return String(XXH64.hash(parts.joined(separator: "\n").utf8), radix: 16)
    }
}
