import Capture
import Foundation
import HTTPTypes
import Hummingbird
import Loading
import OfflineLibraryModel
import Persistence
import Site

// Reading positions, comparisons of versions, and the settings, for scripts.

extension LibraryPages {
    func addReadingAPIRoutes(to api: RouterGroup<SiteContext>) {
        let page = api.group("/pages/:id")
        page.get("/positions") { request, context in
            _ = try APIQuery(request)
            let item = try await item(try Self.page(in: context))
            let positions = item.positions.filter { ReadingView.scrolled.contains($0.key) }
                .sorted { $0.value.changedAt > $1.value.changedAt }
            return try APIJSON.response(try APIList(positions.map { PositionJSON($0.value, in: $0.key) }))
        }
        page.put("/positions/:view") { request, context in
            let id = try Self.page(in: context)
            guard let view = context.parameters.get("view").flatMap({ ReadingView(rawValue: $0) }),
                ReadingView.scrolled.contains(view)
            else { throw LibraryError.notFound }
            let new = try await APIJSON.decode(NewPosition.self, from: request, context)
            try await libraries.use(owner) { try await $0.library.setPosition(new.position(.now), in: view, of: id) }
            guard let stored = try await item(id).positions[view] else { throw LibraryError.notFound }
            return try APIJSON.response(PositionJSON(stored, in: view))
        }
        page.get("/comparison") { request, context in try await compare(request, context) }
        api.get("/events") { request, _ in
            _ = try APIQuery(request)
            return try await followChanges(request)
        }
        api.get("/settings") { request, _ in
            _ = try APIQuery(request)
            return try await settings()
        }
        api.patch("/settings") { request, context in
            let change = try await APIJSON.decode(SettingsChange.self, from: request, context)
            if let order = change.order { try await libraries.use(owner) { try await $0.library.sort(order) } }
            return try await settings()
        }
    }

    private func settings() async throws -> Response {
        let settings = try await libraries.use(owner) { $0.library.settings.value }
        return try APIJSON.response(
            SettingsJSON(order: settings.order, formats: settings.formats.map(\.rawValue).sorted()))
    }

    /// What changed between a page and another version of its address: by default, the version before it.
    private func compare(_ request: Request, _ context: SiteContext) async throws -> Response {
        let query = try APIQuery(request, known: ["with"])
        let other = try query.value("with", takes: LibraryWords.pageID) { SavedPage.ID($0) }
        let id = try Self.page(in: context)
        let previous = try await libraries.use(owner) { open in
            try await open.library.versions(of: id).first { $0.item.id == id }?.previous
        }
        guard let other = other ?? previous, other != id else { throw LibraryError.notFound }
        let shown = try await comparison(of: id, and: other)
        return try APIJSON.response(await Self.json(of: shown))
    }

    @concurrent
    private static func json(of shown: ShownComparison) async -> ComparisonJSON {
        ComparisonJSON(shown, changes(of: shown.texts))
    }
}

// MARK: - Positions and settings

private struct NewPosition: Decodable, Sendable {
    private enum CodingKeys: CodingKey {
        case share, paragraph, changedAt
    }

    private static let maximumParagraph = 1_000_000

    private let share: Double
    private let paragraph: Int?
    /// When the reader was there; `nil` for now.
    private let changedAt: Date?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        share = try container.decode(Double.self, forKey: .share)
        paragraph = try container.decodeIfPresent(Int.self, forKey: .paragraph)
        changedAt = try container.decodeIfPresent(Date.self, forKey: .changedAt)
        guard (0...1).contains(share) else {
            throw DecodingError.dataCorruptedError(
                forKey: .share, in: container, debugDescription: LibraryWords.aShare)
        }
        guard (0...Self.maximumParagraph).contains(paragraph ?? 0) else {
            throw DecodingError.dataCorruptedError(
                forKey: .paragraph, in: container, debugDescription: LibraryWords.aParagraph(Self.maximumParagraph))
        }
    }

    func position(_ now: Date) -> ReadingPosition {
        ReadingPosition(share: share, paragraph: paragraph, changedAt: changedAt ?? now)
    }
}

private struct PositionJSON: Encodable, Sendable {
    var view: ReadingView.RawValue
    var share: Double
    var paragraph: Int?
    var changedAt: Date

    init(_ position: ReadingPosition, in view: ReadingView) {
        self.view = view.rawValue
        (share, paragraph, changedAt) = (position.share, position.paragraph, position.changedAt)
    }
}

private struct SettingsChange: Decodable, Sendable {
    private enum CodingKeys: CodingKey {
        case order
    }

    let order: LibrarySettings.Order?

    init(from decoder: any Decoder) throws {
        order = try decoder.container(keyedBy: CodingKeys.self).choice(.order)
    }
}

private struct SettingsJSON: Encodable, Sendable {
    var order: LibrarySettings.Order
    /// The formats that were chosen last.
    var formats: [String]
}

// MARK: - Comparisons

private struct ComparisonJSON: Encodable, Sendable {
    /// Whether the pictures have been compared.
    enum State: String, Encodable {
        case compared, comparing, failed
    }

    struct Part: Encodable, Sendable {
        /// `same`, `added` or `removed`.
        var kind, text: String

        init(_ part: TextChanges.Part) {
            let kinds: [TextChanges.Part.Kind: String] = [.same: "same", .added: "added", .removed: "removed"]
            (kind, text) = (kinds[part.kind] ?? "", part.text)
        }
    }

    /// Paragraphs in a row: `same`, or `changed`, each as its pieces.
    struct Section: Encodable, Sendable {
        var same: [String]?
        var changed: [[Part]]?

        init(_ section: TextChanges.Section) {
            switch section {
            case .same(let paragraphs): same = paragraphs
            case .changed(let paragraphs): changed = paragraphs.map { $0.map { Part($0) } }
            }
        }
    }

    private enum CodingKeys: CodingKey {
        case old, new, state, problem, words, picture, text
    }

    let old, new: String
    let state: State
    let problem: String?
    /// `nil` if a version has no text.
    let words: TextChanges.Count?
    /// `nil` if a version has no picture, or they haven't been compared.
    let picture: PictureChanges?
    let text: [Section]?

    init(_ shown: ShownComparison, _ changes: TextChanges?) {
        (old, new) = ("\(shown.old.id)", "\(shown.new.id)")
        problem = shown.problem
        state = shown.comparison != nil ? .compared : shown.problem != nil ? .failed : .comparing
        (words, picture) = (changes?.count, shown.comparison?.picture)
        text = changes?.sections.map { Section($0) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(old, forKey: .old)
        try container.encode(new, forKey: .new)
        try container.encode(state, forKey: .state)
        try container.encodeIfPresent(problem, forKey: .problem)
        try container.encode(words, forKey: .words)
        try container.encode(picture, forKey: .picture)
        try container.encode(text, forKey: .text)
    }
}
