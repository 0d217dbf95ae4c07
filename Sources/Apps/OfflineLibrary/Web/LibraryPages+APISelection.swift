import Capture
import Formats
import Foundation
import HTTPTypes
import Hummingbird
import OfflineLibraryModel
import Persistence
import Site

// Several pages at once, for scripts.

extension LibraryPages {
    func addSelectionAPIRoutes(to api: RouterGroup<SiteContext>) {
        api.post("/pages/several") { request, context in
            let new = try await APIJSON.decode(NewPages.self, from: request, context)
            let list = try AddressList(lines: new.urls)
            let saved = try await libraries.use(owner) { try await new.save(list, in: $0.library) }
            return try APIJSON.response(saved)
        }
        api.post("/selection") { request, context in
            let change = try await APIJSON.decode(SelectionChange.self, from: request, context)
            return try APIJSON.response(try await libraries.use(owner) { try await change.apply(to: $0.library) })
        }
        api.post("/selection/undo") { request, context in
            let undo = try await APIJSON.decode(UndoneSelection.self, from: request, context).undo
            guard let id = UUID(uuidString: undo) else { throw LibraryError.tooLateToUndo }
            try await libraries.use(owner) { try await $0.library.undoMarking(id) }
            return Response(status: .noContent)
        }
        // Deletions have routes of their own, which the audit log records.
        api.post("/selection/delete") { request, context in
            let selected = try await APIJSON.decode(SelectedPages.self, from: request, context)
            return try APIJSON.response(try await libraries.use(owner) { try await selected.delete(in: $0.library) })
        }
        api.post("/selection/restore") { request, context in
            let undo = try await APIJSON.decode(UndoneSelection.self, from: request, context).undo
            guard let time = LibraryTemplates.time(ofDeletion: undo), time <= .now else { throw LibraryError.tooLate }
            try await libraries.use(owner) { try await $0.library.restoreAll(deletedAt: time) }
            return Response(status: .noContent)
        }
    }
}

/// The addresses of several pages to save.
private struct NewPages: Decodable, Sendable {
    var urls: [String]
    var formats: [FormatName]?

    @MainActor
    func save(_ list: AddressList, in library: Library) async throws -> SavedPagesJSON {
        let chosen = formats.map { Set($0.map(\.format)) } ?? library.settings.value.formats
        let (new, saved) = list.divided(in: library)
        let outcome = try await UploadOutcome.saving(addresses: new) { try await library.save($0, formats: chosen) }
        return SavedPagesJSON(
            items: outcome.saved.compactMap { library.item($0) }.map { PageJSON($0) }, alreadySaved: saved,
            refused: outcome.refused.map { RefusedPageJSON($0) })
    }
}

private struct SavedPagesJSON: Encodable, Sendable {
    var items: [PageJSON]
    /// The addresses whose pages were saved before.
    var alreadySaved: [String]
    var refused: [RefusedPageJSON]
}

/// A page that wasn't saved.
struct RefusedPageJSON: Encodable, Sendable {
    var url, reason: String

    init(_ refusal: UploadOutcome.Refusal) {
        (url, reason) = (refusal.address, "\(refusal.error)")
    }
}

private struct UndoneSelection: Decodable, Sendable {
    var undo: String
}

// MARK: - Selections

/// Several pages: those with identifiers, those that a search finds, or all.
private struct SelectedPages: Decodable, Sendable {
    private enum CodingKeys: CodingKey {
        case pages, search, all
    }

    let selection: ExportSelection

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func invalid(_ detail: String) -> DecodingError {
            DecodingError.dataCorruptedError(forKey: .pages, in: container, debugDescription: detail)
        }
        var selections: [ExportSelection] = []
        if container.contains(.pages) {
            let ids = try container.decode([String].self, forKey: .pages).map { text in
                guard let id = SavedPage.ID(text) else { throw invalid(LibraryWords.notAPageID) }
                return id
            }
            selections.append(.pages(Set(ids)))
        }
        if container.contains(.search) {
            selections.append(.found(try container.decode(SearchJSON.self, forKey: .search).query))
        }
        if container.contains(.all), try container.decode(Bool.self, forKey: .all) { selections.append(.all) }
        guard selections.count == 1 else { throw invalid(LibraryWords.oneSelection) }
        selection = selections[0]
    }

    @MainActor
    func delete(in library: Library) async throws -> ChangedSelectionJSON {
        let time = try await library.deleteAll(try await selection.pages(of: library))
        let count = library.newest.deleted(at: time).count
        return ChangedSelectionJSON(count: count, undo: count > 0 ? "\(time.timeIntervalSinceReferenceDate)" : nil)
    }
}

/// A change of the marks of several pages.
private struct SelectionChange: Decodable, Sendable {
    enum Change: String, CaseIterable {
        case favourite, unfavourite, read, unread, tag, untag
    }

    private enum CodingKeys: CodingKey {
        case change, tags
    }

    let change: MarkChange
    let selected: SelectedPages

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func invalid(_ key: CodingKeys, _ detail: String) -> DecodingError {
            DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: detail)
        }
        guard let name = Change(rawValue: try container.decode(String.self, forKey: .change)) else {
            throw invalid(.change, APIJSON.oneOf(Change.allCases.map(\.rawValue)))
        }
        let names = container.contains(.tags) ? try container.decode([String].self, forKey: .tags) : []
        let tags = try names.map { name in
            guard let tag = PageTag(name) else { throw invalid(.tags, LibraryWords.noTag) }
            return tag
        }
        if [.tag, .untag].contains(name), tags.isEmpty { throw invalid(.tags, LibraryWords.noTag) }
        change =
            switch name {
            case .favourite: .favourite(true)
            case .unfavourite: .favourite(false)
            case .read: .read(true)
            case .unread: .read(false)
            case .tag: .add(tags)
            case .untag: .remove(tags)
            }
        selected = try SelectedPages(from: decoder)
    }

    @MainActor
    func apply(to library: Library) async throws -> ChangedSelectionJSON {
        let marking = try await library.markAll(try await selected.selection.pages(of: library), change)
        return ChangedSelectionJSON(count: marking?.count ?? 0, undo: marking.map { "\($0.id)" })
    }
}

private struct ChangedSelectionJSON: Encodable, Sendable {
    private enum CodingKeys: CodingKey {
        case count, undo
    }

    /// The number of pages that were changed.
    var count: Int
    /// What undoes the change; `nil` if there was none.
    var undo: String?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(count, forKey: .count)
        try container.encode(undo, forKey: .undo)
    }
}

/// A search, with the same names as the parameters of the list of pages.
///
/// An unknown name is an error: with a misspelt filter, a change would be one of more pages than the script expects.
private struct SearchJSON: Decodable, Sendable {
    let query: LibraryQuery

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func invalid(_ name: String, _ detail: String) -> DecodingError {
            DecodingError.dataCorruptedError(forKey: Key(name), in: container, debugDescription: detail)
        }
        func text<Read>(_ name: String, _ form: String, _ read: (String) -> Read?) throws -> Read? {
            guard let text: String = try container.value(Key(name)) else { return nil }
            guard let value = read(text) else { throw invalid(name, form) }
            return value
        }
        if let unknown = container.allKeys.first(where: { !LibraryPages.searchParameters.contains($0.stringValue) }) {
            throw invalid(unknown.stringValue, LibraryWords.unknownFilter)
        }
        var filter = PageFilter()
        filter.tag = try text("tag", LibraryWords.noTag) { PageTag($0) }
        filter.isFavourite = try container.value(Key("favourite")) ?? false
        filter.hasNote = try container.value(Key("note")) ?? false
        filter.isChanged = try container.value(Key("changed")) ?? false
        filter.site = try text("host", LibraryWords.aHost) { LibraryPages.site($0) }
        filter.outcome = try container.choice(Key("state"))
        filter.reading = try container.choice(Key("reading"))
        filter.since = try container.value(Key("since"))
        filter.before = try container.value(Key("before"))
        query = LibraryQuery(words: LibraryPages.words(try container.value(Key("q"))), filter: filter)
        guard !query.isEmpty else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: container.codingPath, debugDescription: LibraryWords.emptySearch))
        }
    }
}
