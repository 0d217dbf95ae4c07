import Accounts
import HTTPTypes
import Hummingbird
import Persistence

/// The page “Activity”: the entries of the audit log that concern a person, and for an administrator also the server's.
struct AuditPages: Sendable {
    static let path = "/activity"
    /// The number of entries on a page.
    private static let pageLength = 50

    private let log: AuditLog
    private let layout: Layout
    private let templates: Templates

    init(_ log: AuditLog, layout: Layout) throws {
        (self.log, self.layout) = (log, layout)
        self.templates = try Self.parsed.get()
    }

    private static let parsed = Result {
        try Templates(["activity": PackageResources.activity_mustache], words: AuditWords.templates)
    }

    func addRoutes(to router: SiteRouter) {
        router.get("/activity") { request, context in try await page(request, context) }
    }

    private func page(_ request: Request, _ context: SiteContext) async throws -> Response {
        let query = ActivityQuery(request, context)
        // So that what has just happened is on the page. If it can't be written, what was written before is shown.
        try? await log.write()
        let filter = AuditLog.Filter(
            of: query.owners(of: context), topic: query.topic, session: query.isHere ? context.person?.session.id : nil,
            before: query.before)
        let entries = try await log.entries(filter, limit: Self.pageLength + 1)
        let shown = entries.prefix(Self.pageLength)
        let view = ActivityView(
            query, context, entries: shown.map { EntryView($0, session: context.person?.session.id) },
            older: entries.count > Self.pageLength ? shown.last.map { query.link(before: $0.id) } : nil)
        var response = layout.page(
            title: AuditWords.activity, heading: AuditWords.activity, content: templates.render("activity", view))
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

/// The query of the page.
private struct ActivityQuery {
    enum Whose: String, CaseIterable {
        case all, mine, server
    }

    let topic: AuditAction.Topic?
    let whose: Whose
    let isHere: Bool
    let before: AuditEntry.ID?

    init(_ request: Request, _ context: SiteContext) {
        func value(_ name: Substring) -> String? { request.uri.queryParameters[name].map(String.init) }
        topic = value("topic").flatMap { AuditAction.Topic(rawValue: $0) }
        whose = context.isAdministrator ? value("of").flatMap { Whose(rawValue: $0) } ?? .all : .mine
        isHere = value("here") == "1" && context.person != nil
        before = value("before").flatMap { AuditEntry.ID($0) }
    }

    /// The owners whose entries the request may see.
    func owners(of context: SiteContext) -> Set<OwnerID> {
        switch whose {
        case .all: [context.owner, AuditEvent.server]
        case .mine: [context.owner]
        case .server: [AuditEvent.server]
        }
    }

    func link(before entry: AuditEntry.ID) -> Link {
        var query = ["before=\(entry)"]
        if let topic { query.append("topic=\(topic.rawValue)") }
        if whose != .all { query.append("of=\(whose.rawValue)") }
        if isHere { query.append("here=1") }
        return Link("\(AuditPages.path)?\(query.joined(separator: "&"))")
    }
}

// MARK: - Values of the template

private struct ActivityView {
    struct Choice {
        let value: String
        let text: String
        let isChosen: Bool
    }

    let filterLabel = AuditWords.filterLabel
    let topics: [Choice]
    let whose: [Choice]
    let isAdministrator: Bool
    let hasSession: Bool
    let isHere: Bool
    let entries: [EntryView]
    let isEmpty: Bool
    let older: Link?

    init(_ query: ActivityQuery, _ context: SiteContext, entries: [EntryView], older: Link?) {
        topics =
            [Choice(value: "", text: AuditWords.everything, isChosen: query.topic == nil)]
            + AuditAction.Topic.allCases.map {
                Choice(value: $0.rawValue, text: AuditWords.text($0), isChosen: query.topic == $0)
            }
        whose = ActivityQuery.Whose.allCases.map { choice in
            let text =
                switch choice {
                case .all: AuditWords.mine
                case .mine: AuditWords.onlyMine
                case .server: AuditWords.onlyServer
                }
            return Choice(value: choice.rawValue, text: text, isChosen: query.whose == choice)
        }
        isAdministrator = context.isAdministrator
        hasSession = context.person != nil
        isHere = query.isHere
        self.entries = entries
        isEmpty = entries.isEmpty
        self.older = older
    }
}

private struct EntryView {
    let action: String
    let subject: String?
    let device: String?
    let address: String?
    let isHere: Bool
    let isServer: Bool
    let isRepeated: Bool
    let times: String
    let first: HTML
    let last: HTML

    init(_ entry: AuditEntry, session: Session.ID?) {
        action = AuditWords.text(entry.action)
        subject = entry.subject.isEmpty ? nil : entry.subject
        device = entry.device.isEmpty ? nil : entry.device
        address = entry.address.isEmpty ? nil : entry.address
        isHere = session != nil && entry.session == session
        isServer = entry.owner == AuditEvent.server
        isRepeated = entry.count > 1
        times = AuditWords.times(entry.count)
        (first, last) = (HTML.time(entry.firstAt), HTML.time(entry.lastAt))
    }
}
