import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import Persistence

/// The pages on which a person shares something, and lists and ends what is shared.
struct SharePages: Sendable {
    static let path = "/sharing"

    private let sharing: SiteSharing
    private let kinds: [ShareableKind]
    private let layout: Layout
    private let templates: Templates

    init(_ sharing: SiteSharing, kinds: [ShareableKind], layout: Layout) throws {
        (self.sharing, self.kinds, self.layout) = (sharing, kinds, layout)
        self.templates = try Self.parsed.get()
    }

    private static let parsed = Result {
        try Templates(
            [
                "share": PackageResources.share_mustache, "shares": PackageResources.shares_mustache,
                "sharelist": PackageResources.sharelist_mustache,
            ], words: SiteWords.sharingTemplates)
    }

    func addRoutes(to router: SiteRouter) {
        router.get("/sharing") { _, context in try await list(context) }
        router.get(RouterPath(SiteSharing.eventsPath)) { request, context in
            EventStream().response(to: request, sending: ShareEvents(sharing: sharing, owner: context.owner))
        }
        router.get("/sharing/:kind/:item") { request, context in
            try await page(request, context, of: try thing(context))
        }
        router.post("/sharing/:kind/:item/links") { request, context in try await addLink(request, context) }
        router.post("/sharing/:kind/:item/people") { request, context in try await addPerson(request, context) }
        router.post("/sharing/revoke") { request, context in
            let form = try await request.decode(as: EndForm.self, context: context)
            let shares = try await sharing.store.shares(of: context.owner, at: sharing.now())
            try await sharing.store.revoke(form.share ?? "", of: context.owner)
            if let ended = shares.first(where: { $0.share.id == form.share })?.share {
                context.record(.shareRevoked, try await name(of: ended) ?? SiteWords.deletedThing)
            }
            return Response.redirect(to: form.returnPath, type: .normal)
        }
        router.post("/sharing/leave") { request, context in
            let form = try await request.decode(as: EndForm.self, context: context)
            guard let person = context.person?.account.owner else { throw Problem.notShared }
            let share = try await sharing.store.share(form.share ?? "", with: person, at: sharing.now())
            try await sharing.store.leave(form.share ?? "", as: person)
            if let share {
                // Only in this person's log: the owner's would show this browser and its address.
                context.record(.shareRevoked, try await name(of: share) ?? SiteWords.deletedThing)
            }
            return Response.redirect(to: form.returnPath, type: .normal)
        }
    }

    private struct EndForm: Decodable {
        var share: String?
        /// The path of the page with the form.
        var back: String?

        var returnPath: String { back.map { ReturnPath.path($0) } ?? SharePages.path }
    }
}

// MARK: - One thing

extension SharePages {
    /// Something that the visitor owns.
    private struct Thing {
        let kind: ShareableKind
        let item: SharedItem
        let name: String

        var path: String { "\(SharePages.path)/\(item.kind)/\(item.id)" }
    }

    private func thing(_ context: SiteContext) async throws -> Thing {
        guard let word = context.parameters.get("kind"), let kind = kinds.first(where: { $0.kind == word }),
            let id = context.parameters.get("item"), let name = try await kind.name(id, context.owner)
        else { throw Problem.nothingToShare }
        return Thing(kind: kind, item: SharedItem(kind: kind.kind, id: id), name: name)
    }

    /// The name of what is shared; `nil` if it doesn't exist anymore.
    private func name(of share: Share) async throws -> String? {
        try await kinds.first { $0.kind == share.item.kind }?.name(share.item.id, share.owner)
    }

    private func page(
        _ request: Request, _ context: SiteContext, of thing: Thing, newLink: String? = nil, name: String = "",
        problem: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let shares = try await sharing.store.shares(of: context.owner, at: sharing.now())
        let own = shares.filter { $0.share.item == thing.item }
        let view = ShareView(
            name: thing.name, kind: thing.kind.word, path: Link(thing.path), back: Link(thing.kind.path(thing.item.id)),
            newLink: newLink, allowsEditing: thing.kind.allowsEditing,
            allowsPeople: thing.kind.peoplePath != nil && context.person != nil,
            isWithoutAccounts: context.person == nil, person: name, problem: problem,
            shares: own.map { ShareRow($0, name: nil, path: nil, back: thing.path) }, hasShares: !own.isEmpty)
        return respond(
            SiteWords.share(thing.name), "share", view, scripts: ["site/sharing.js"], status: status)
    }

    private func respond(
        _ title: String, _ template: String, _ view: Any, scripts: [String] = [], status: HTTPResponse.Status = .ok
    ) -> Response {
        var response = layout.page(
            title: title, heading: title, content: templates.render(template, view), scripts: scripts, status: status)
        response.headers[.cacheControl] = "no-store"
        return response
    }

    private struct LinkForm: Decodable {
        var access: String?
        var days: String?
    }

    private func addLink(_ request: Request, _ context: SiteContext) async throws -> Response {
        let thing = try await thing(context)
        let form = try await request.decode(as: LinkForm.self, context: context)
        let token = RandomToken()
        let share = Share(
            owner: context.owner, item: thing.item, allowsEditing: try Self.allowsEditing(form.access, thing.kind),
            createdAt: sharing.now(), expiresAt: try end(form.days))
        try await sharing.store.add(share, tokenHash: token.hash)
        context.record(.shareMade, SiteWords.sharedByLink(thing.name))
        let link = "\(context.siteAddress(in: request))\(SharedPath.prefix)\(token.text)/\(thing.item.kind)"
        return try await page(request, context, of: thing, newLink: link)
    }

    private struct PersonForm: Decodable {
        var name: String?
        var access: String?
    }

    private func addPerson(_ request: Request, _ context: SiteContext) async throws -> Response {
        let thing = try await thing(context)
        let form = try await request.decode(as: PersonForm.self, context: context)
        guard thing.kind.peoplePath != nil, context.person != nil else { throw Problem.nothingToShare }
        let name = (form.name ?? "").trimmingCharacters(in: .whitespaces)
        let share = Share(
            owner: context.owner, item: thing.item, allowsEditing: try Self.allowsEditing(form.access, thing.kind),
            createdAt: sharing.now())
        do throws(ShareError) {
            try await sharing.store.add(share, withPersonNamed: name)
            context.record(.shareMade, SiteWords.shared(thing.name, with: name))
            return Response.redirect(to: thing.path, type: .normal)
        } catch {
            if request.prefersJSON { throw error }
            let problem = error.problem
            return try await page(
                request, context, of: thing, name: String(name.prefix(100)), problem: problem.detail,
                status: problem.status)
        }
    }

    private static func allowsEditing(_ access: String?, _ kind: ShareableKind) throws(Problem) -> Bool {
        switch access {
        case "view": return false
        case "edit" where kind.allowsEditing: return true
        default: throw .invalidShare
        }
    }

    /// When a link ends that is valid for a number of days; `nil` for no end.
    private func end(_ days: String?) throws(Problem) -> Date? {
        guard let days, !days.isEmpty else { return nil }
        guard let count = Int(days), 1...3_650 ~= count else { throw .invalidShare }
        return sharing.now() + Double(count) * 86_400
    }
}

// MARK: - All

extension SharePages {
    private func list(_ context: SiteContext) async throws -> Response {
        let now = sharing.now()
        // Read first: if something changes meanwhile, the event stream announces another version.
        let version = try await sharing.version(for: context.owner)
        var (given, received): ([ShareRow], [ShareRow]) = ([], [])
        for named in try await sharing.store.shares(of: context.owner, at: now) {
            let item = named.share.item
            guard let kind = kinds.first(where: { $0.kind == item.kind }) else { continue }
            let name = try await kind.name(item.id, context.owner)
            given.append(
                ShareRow(
                    named, name: name ?? SiteWords.deletedThing,
                    path: name == nil ? nil : Link("\(Self.path)/\(item.kind)/\(item.id)"), back: Self.path))
        }
        if let person = context.person?.account.owner {
            for named in try await sharing.store.shares(with: person, at: now) {
                let item = named.share.item
                guard let kind = kinds.first(where: { $0.kind == item.kind }), let path = kind.peoplePath,
                    let name = try await kind.name(item.id, named.share.owner)
                else { continue }
                received.append(
                    ShareRow(named, name: name, path: Link("\(path)/\(named.share.id)"), back: Self.path))
            }
        }
        return respond(
            SiteWords.sharing, "shares",
            SharesView(
                events: Link(SiteSharing.eventsPath), version: version, given: given, hasGiven: !given.isEmpty,
                received: received, hasReceived: !received.isEmpty,
                hasAccount: context.person != nil))
    }
}

extension Problem {
    fileprivate static let nothingToShare = Problem(
        .notFound, title: SiteWords.nothingToShareTitle, detail: SiteWords.nothingToShare)
    fileprivate static let invalidShare = Problem(
        .unprocessableContent, title: SiteWords.notSharedNow, detail: SiteWords.invalidShare)
}

// MARK: - Values of the templates

private struct ShareView {
    let name, kind: String
    let path, back: Link
    /// The address of the link that was just made; `nil` for none.
    let newLink: String?
    let allowsEditing, allowsPeople, isWithoutAccounts: Bool
    /// The name that was typed.
    let person: String
    let problem: String?
    let shares: [ShareRow]
    let hasShares: Bool
}

private struct SharesView {
    let events: Link
    let version: String
    let given: [ShareRow]
    let hasGiven: Bool
    let received: [ShareRow]
    let hasReceived, hasAccount: Bool
}

/// A link, or a share with a person.
private struct ShareRow {
    let id: String
    // No name is that of a value of the page: a template would show that one in place of `nil`.
    /// What is shared; `nil` if the page is about it.
    let thing: String?
    let opens: Link?
    /// The person with whom it is shared, who is `nil` for a link; and the owner.
    let taker, giver: String?
    let right: String
    let created: HTML
    let ends, used: HTML?
    /// The page to return to.
    let origin: String

    init(_ named: NamedShare, name: String?, path: Link?, back: String) {
        let share = named.share
        (id, thing, opens, origin) = (share.id, name, path, back)
        (taker, giver) = (named.personName, named.ownerName)
        right = share.allowsEditing ? SiteWords.canEdit : SiteWords.canView
        created = HTML.time(share.createdAt)
        ends = share.expiresAt.map { HTML.time($0) }
        used = share.usedAt.map { HTML.time($0) }
    }
}
