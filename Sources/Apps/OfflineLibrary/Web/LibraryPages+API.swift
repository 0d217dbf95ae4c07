import Capture
import Formats
import Foundation
import HTTPTypes
import Hummingbird
import Loading
import OfflineLibraryModel
import Persistence
import Site

// What the pages can do, for scripts.

extension LibraryPages {
    /// The app's part of the API.
    static let api = SiteAPI(name: "library", description: PackageResources.api_json)

    func addAPIRoutes(to router: some RouterMethods<SiteContext>) {
        let api = router.api(Self.api)
        api.get("/pages") { request, _ in try await listPages(request) }
        api.post("/pages") { request, context in
            let new = try await APIJSON.decode(NewPage.self, from: request, context)
            let (item, isNew) = try await libraries.use(owner) { try await new.save(in: $0.library) }
            return try Self.response(
                PageJSON(item), status: isNew ? .created : .ok,
                headers: [.location: "\(Self.api.path)/pages/\(item.id)"])
        }
        api.get("/tags") { request, _ in
            _ = try APIQuery(request)
            let tags = try await libraries.use(owner) { $0.library.tags }
            return try APIJSON.response(try APIList(tags.map { TagJSON(name: $0.tag.name, count: $0.count) }))
        }
        let page = api.group("/pages/:id")
        page.get { request, context in
            _ = try APIQuery(request)
            let json = PageJSON(try await item(try Self.page(in: context)))
            return try APIVersion(of: json).response(to: request, with: json)
        }
        page.patch { request, context in
            let id = try Self.page(in: context)
            let change = try await APIJSON.decode(PageChange.self, from: request, context)
            try await check(request, id)
            try await libraries.use(owner) { try await change.apply(to: id, in: $0.library) }
            return try Self.response(PageJSON(try await item(id)))
        }
        page.delete { request, context in
            let id = try Self.page(in: context)
            try await check(request, id)
            try await libraries.use(owner) { try await $0.library.delete(id) }
            return Response(status: .noContent)
        }
        page.post("/restore") { _, context in try await act(context) { try await $0.restore($1) } }
        page.post("/retry") { _, context in try await act(context) { try await $0.retry($1) } }
        page.post("/stop") { _, context in try await act(context) { try await $0.stop($1) } }
        page.get("/files/:kind") { request, context in
            _ = try APIQuery(request)
            guard let kind = context.parameters.get("kind").flatMap({ FileKind(apiName: $0) }) else {
                throw LibraryError.notFound
            }
            return try await file(kind, request, context)
        }
        addVersionAPIRoutes(to: page)
        addSelectionAPIRoutes(to: api)
        addReadingAPIRoutes(to: api)
        addImportAPIRoutes(to: api, files: router.api(Self.api, isRepeatable: false))
    }

    private func addVersionAPIRoutes(to page: RouterGroup<SiteContext>) {
        page.get("/versions") { request, context in
            _ = try APIQuery(request)
            let id = try Self.page(in: context)
            let versions = try await libraries.use(owner) { try await $0.library.versions(of: id) }
            return try APIJSON.response(try APIList(versions.map { VersionJSON($0) }))
        }
        page.get("/schedule") { request, context in
            _ = try APIQuery(request)
            return try await schedule(of: try Self.page(in: context))
        }
        page.put("/schedule") { request, context in
            let id = try Self.page(in: context)
            let interval = try await APIJSON.decode(ScheduleJSON.self, from: request, context).interval
            try await libraries.use(owner) {
                try await $0.library.schedule(id, interval, zone: ReaderFormats.current.zone.identifier)
            }
            return try await schedule(of: id)
        }
    }

    private func schedule(of id: SavedPage.ID) async throws -> Response {
        let item = try await item(id)
        return try APIJSON.response(
            try await libraries.use(owner) { open in
                let schedule = open.library.schedule(of: item)
                return ScheduleJSON(interval: schedule?.interval, nextAt: schedule?.nextAt)
            })
    }

    func item(_ id: SavedPage.ID) async throws -> LibraryItem {
        guard let item = try await libraries.use(owner, { $0.library.item(id) }), !item.isDeleted else {
            throw LibraryError.notFound
        }
        return item
    }

    private func check(_ request: Request, _ id: SavedPage.ID) async throws {
        try APIVersion(of: PageJSON(try await item(id))).check(request)
    }

    /// Changes a page, and responds with it.
    private func act(
        _ context: SiteContext, _ body: @MainActor (Library, SavedPage.ID) async throws -> Void
    ) async throws -> Response {
        let id = try Self.page(in: context)
        try await libraries.use(owner) { try await body($0.library, id) }
        return try Self.response(PageJSON(try await item(id)))
    }

    private static func response(
        _ page: PageJSON, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        var headers = headers
        headers[.eTag] = try APIVersion(of: page).text
        return try APIJSON.response(page, status: status, headers: headers)
    }
}

// MARK: - Lists

extension LibraryPages {
    /// Where a part of a list begins: after a page, or after a number of pages that a search has found.
    private struct Position: Codable {
        /// The largest number of found pages before a part.
        static let maximumOffset = 100_000

        var id: String?
        var time: Double?
        var offset: Int?
    }

    private func listPages(_ request: Request) async throws -> Response {
        let query = try APIQuery(request, known: Self.searchParameters.union(["deleted", "limit", "cursor"]))
        let limit = try query.limit
        let position = try query.cursor(Position.self)
        let search = try Self.search(query)
        let isOfDeleted = try query.flag("deleted")
        guard !isOfDeleted || search.isEmpty else {
            throw Problem.wrongParameter("deleted", LibraryWords.deletedWithFilter)
        }
        guard search.isEmpty else { return try await find(search, from: position?.offset ?? 0, limit: limit) }
        let list = try await libraries.use(owner) { $0.library.newest }
        if isOfDeleted {
            return try APIJSON.response(try APIList(list.deletedItems.map { PageJSON($0) }))
        }
        var index = 0
        if let position, let id = position.id.flatMap({ SavedPage.ID($0) }) {
            // The page may have been removed meanwhile.
            index =
                list.ids.enumerated().first { $0.element == id }.map { $0.offset + 1 }
                ?? list.firstIndex { $0.requestedAt.timeIntervalSince1970 < position.time ?? 0 } ?? list.endIndex
        }
        let items = Array(list[index...].lazy.filter { !$0.isDeleted }.prefix(limit + 1))
        let shown: [PageJSON] = items.prefix(limit).map { PageJSON($0) }
        let next = items.count > limit ? shown.last : nil
        return try APIJSON.response(
            try APIList(
                shown, next: next.map { Position(id: $0.id, time: $0.requestedAt.timeIntervalSince1970) }))
    }

    /// The parameters of a search.
    static let searchParameters: Set<String> = [
        "q", "tag", "favourite", "note", "changed", "host", "state", "reading", "since", "before",
    ]

    static func search(_ query: APIQuery) throws -> LibraryQuery {
        var filter = PageFilter()
        filter.tag = try query.value("tag", takes: LibraryWords.aTag) { PageTag($0) }
        filter.isFavourite = try query.flag("favourite")
        filter.hasNote = try query.flag("note")
        filter.isChanged = try query.flag("changed")
        filter.site = try query.value("host", takes: LibraryWords.aHost) { Self.site($0) }
        filter.outcome = try query.choice("state", of: PageFilter.Outcome.self)
        filter.reading = try query.choice("reading", of: ReadingState.self)
        filter.since = try query.date("since")
        filter.before = try query.date("before")
        return LibraryQuery(words: words(query["q"]), filter: filter)
    }

    /// The words of a search, as far as they are read.
    static func words(_ text: String?) -> SearchWords {
        SearchWords(String(String.UnicodeScalarView((text ?? "").unicodeScalars.prefix(SearchWords.maximumLength))))
    }

    /// The host in a parameter; `nil` if the text isn't one.
    static func site(_ text: String) -> PageSite? {
        text.contains("/") ? nil : PageSite(text)
    }

    private func find(_ search: LibraryQuery, from start: Int, limit: Int) async throws -> Response {
        let start = min(max(start, 0), Position.maximumOffset)
        let (items, found) = try await libraries.use(owner) {
            try await $0.library.find(search, range: start..<(start + limit))
        }
        return try APIJSON.response(
            try APIList(
                items.map { PageJSON($0.item) },
                next: found.hasMore && start < Position.maximumOffset ? Position(offset: start + limit) : nil))
    }
}

// MARK: - Requests

private struct NewPage: Decodable, Sendable {
    var url: String
    var formats: [FormatName]?
    /// Whether a page that is saved already is saved again.
    var again: Bool?

    /// Saves the page; returns it, and whether it is new.
    @MainActor
    func save(in library: Library) async throws -> (item: LibraryItem, isNew: Bool) {
        if again != true, let item = library.saved(at: url) { return (item, false) }
        let chosen = formats.map { Set($0.map(\.format)) } ?? library.settings.value.formats
        let id = try await library.save(url, formats: chosen)
        guard let item = library.item(id) else { throw LibraryError.notFound }
        return (item, true)
    }
}

/// A format of a page, in a request.
struct FormatName: Decodable, Sendable {
    let format: PageFormat

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let format = PageFormat(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: APIJSON.oneOf(PageFormat.allCases.map(\.rawValue)))
        }
        self.format = format
    }
}

/// The properties of a page that change.
private struct PageChange: Decodable, Sendable {
    private enum CodingKeys: CodingKey {
        case favourite, tags, note, reading
    }

    private var favourite: Bool?
    private var tags: [PageTag]?
    private var note: String?
    private var isRead: Bool?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
            container.contains(key) ? try container.decode(Value.self, forKey: key) : nil
        }
        favourite = try value(.favourite)
        note = try value(.note)
        tags = try (try value(.tags) as [String]?)?.map { text in
            guard let tag = PageTag(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .tags, in: container, debugDescription: LibraryWords.noTag)
            }
            return tag
        }
        if let state: String = try value(.reading) {
            guard let isRead = ["unread": false, "finished": true][state] else {
                throw DecodingError.dataCorruptedError(
                    forKey: .reading, in: container, debugDescription: APIJSON.oneOf(["unread", "finished"]))
            }
            self.isRead = isRead
        }
    }

    @MainActor
    func apply(to id: SavedPage.ID, in library: Library) async throws {
        guard let item = library.item(id), !item.isDeleted else { throw LibraryError.notFound }
        if favourite != nil || tags != nil || note != nil {
            let marks = try PageMarks(
                isFavourite: favourite ?? item.marks.isFavourite, tags: tags ?? item.marks.tags,
                note: note ?? item.marks.note)
            try await library.mark(id, marks)
        }
        if let isRead { try await library.markAll([id], .read(isRead)) }
    }
}

private struct ScheduleJSON: Codable, Sendable {
    private enum CodingKeys: CodingKey {
        case interval, nextAt
    }

    /// `nil` for never.
    var interval: RecaptureSchedule.Interval?
    var nextAt: Date?

    init(interval: RecaptureSchedule.Interval?, nextAt: Date?) {
        (self.interval, self.nextAt) = (interval, nextAt)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.contains(.interval) else {
            throw DecodingError.keyNotFound(
                CodingKeys.interval, .init(codingPath: container.codingPath, debugDescription: ""))
        }
        guard let text = try container.decodeIfPresent(String.self, forKey: .interval) else { return }
        interval = RecaptureSchedule.Interval(rawValue: text)
        if interval == nil {
            throw DecodingError.dataCorruptedError(
                forKey: .interval, in: container,
                debugDescription: APIJSON.oneOf(RecaptureSchedule.Interval.allCases.map(\.rawValue)))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(interval, forKey: .interval)
        try container.encodeIfPresent(nextAt, forKey: .nextAt)
    }
}

// MARK: - Responses

/// A page in a response.
struct PageJSON: Encodable, Sendable {
    struct Failure: Encodable, Sendable {
        var code, message: String
        var canRetry: Bool
    }

    var id, url: String
    var formats: [String]
    var requestedAt: Date
    /// `saving`, `saved` or `failed`.
    var state: String
    var title, finalURL: String?
    var httpStatus: Int?
    var capturedAt: Date?
    var isComplete: Bool?
    var warnings: [String]?
    /// The sizes of the files in bytes, by their names.
    var files: [String: Int]
    var failure: Failure?
    var favourite: Bool
    var tags: [String]
    var note: String
    var reading: ReadingState.RawValue
    var deletedAt: Date?

    init(_ item: LibraryItem) {
        (id, url) = ("\(item.id)", item.request.url.absoluteString)
        formats = item.request.formats.map(\.rawValue).sorted()
        requestedAt = item.requestedAt
        state = item.state.isFetching ? "saving" : item.state.failureReason != nil ? "failed" : "saved"
        let content = item.state.value
        (title, finalURL) = (content?.title, content?.url.absoluteString)
        (httpStatus, capturedAt) = (content?.httpStatus, content?.capturedAt)
        (isComplete, warnings) = (content?.isComplete, content?.warnings)
        files = (content?.sizes ?? [:]).reduce(into: [:]) { files, file in
            if let name = file.key.apiName { files[name] = file.value }
        }
        failure = item.state.failureReason.map { Failure(code: $0.code, message: $0.message, canRetry: $0.canRetry) }
        favourite = item.marks.isFavourite
        (tags, note) = (item.marks.tags.map(\.name), item.marks.note)
        reading = item.positions.state.rawValue
        deletedAt = item.deletedAt
    }
}

private struct TagJSON: Encodable, Sendable {
    var name: String
    var count: Int
}

private struct VersionJSON: Encodable, Sendable {
    var id: String
    var capturedAt: Date
    /// The version before it.
    var previous: String?
    /// The size of the files without what older versions have too, in bytes.
    var newBytes: Int
    /// When captures by a schedule found no change, the newest first.
    var unchangedAt: [Date]

    init(_ version: PageVersion) {
        (id, capturedAt) = ("\(version.item.id)", version.item.versionTime)
        (previous, newBytes) = (version.previous.map { "\($0)" }, version.newBytes)
        unchangedAt = version.checks
    }
}

extension FileKind {
    /// The name in paths; `nil` for a file that only the site's own pages show.
    fileprivate var apiName: String? {
        switch self {
        case .viewer: nil
        case .html: "html"
        default: rawValue
        }
    }

    fileprivate init?(apiName: String) {
        guard let kind = FileKind.allCases.first(where: { $0.apiName == apiName }) else { return nil }
        self = kind
    }
}
