import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Persistence

/// A row of the table `library_page`.
struct PageRow: Sendable {
    enum State: String {
        case fetching, found, failed
    }

    var number: Int64?
    let id: String
    let owner: OwnerID
    let address: URL
    /// The names of the formats.
    let formats: [String]
    let requestedAt: Date
    var attempt: Int
    var state = State.fetching
    private var failureCode: String?
    private var failureMessage: String?
    private var failureCanRetry: Bool?
    private var title: String?
    private var url: URL?
    private var httpStatus: Int?
    private var capturedAt: Date?
    private var warnings: [String]?
    private var isComplete: Bool?
    var deletedAt: Date?
    var isFavourite = false
    var note = ""
    /// The host by which the page is found.
    private(set) var host: String?
    /// The kind of the uploaded file; `nil` for a captured page.
    var source: String?
    /// What the addresses of the same page have in common.
    private var versionKey: String?
    /// When the owner first opened the page.
    var openedAt: Date?
}

extension PageRow {
    /// The columns, in the order in which a row is read: finding each by its name, as `Decodable` does, takes most of the
    /// time of reading a large library.
    static let columns = "number, \(storedColumns)"

    /// The columns that are written.
    private static let storedColumns = """
        id, owner, address, formats, requested_at, attempt, state, failure_code, failure_message, failure_can_retry,
        title, url, http_status, captured_at, warnings, is_complete, deleted_at, is_favourite, note, host, source,
        version_key, opened_at
        """

    /// Reads a row with the ``columns``.
    ///
    /// - Throws: An error if a value isn't valid.
    init(row: SQLRow) throws {
        func value<Value: SQLConvertible>(_ index: Int) throws -> Value {
            try row.decode(Value.self, atIndex: index)
        }
        func optional<Value: SQLConvertible>(_ index: Int) throws -> Value? {
            try row.decode(Value?.self, atIndex: index)
        }
        func url(_ text: String) throws -> URL {
            guard let url = URL(string: text) else { throw InvalidPageRow() }
            return url
        }
        func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
        func texts(_ json: String) throws -> [String] {
            if let texts = Self.plainTexts(in: json) { return texts }
            return try JSONDecoder().decode([String].self, from: Data(json.utf8))
        }
        guard let state = State(rawValue: try value(7)) else {
            throw InvalidPageRow()
        }
        self.number = try value(0)
        self.id = try value(1)
        self.owner = try value(2)
        self.address = try url(value(3))
        self.formats = try texts(value(4))
        self.requestedAt = date(try value(5))
        self.attempt = try value(6)
        self.state = state
        self.failureCode = try optional(8)
        self.failureMessage = try optional(9)
        self.failureCanRetry = try optional(10)
        self.title = try optional(11)
        self.url = try optional(12).map(url)
        self.httpStatus = try optional(13)
        self.capturedAt = try optional(14).map(date)
        self.warnings = try optional(15).map(texts)
        self.isComplete = try optional(16)
        self.deletedAt = try optional(17).map(date)
        self.isFavourite = try value(18)
        self.note = try value(19)
        self.host = try optional(20)
        self.source = try optional(21)
        self.versionKey = try optional(22)
        self.openedAt = try optional(23).map(date)
    }

    /// The values of the ``storedColumns``.
    private var arguments: SQLArguments {
        get throws {
            func json(_ texts: [String]) throws -> String {
                String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
            }
            let values: SQLArguments = [
                id, owner, address.absoluteString, try json(formats), requestedAt.timeIntervalSinceReferenceDate,
                attempt, state.rawValue, failureCode, failureMessage, failureCanRetry,
            ]
            return values + [
                title, url?.absoluteString, httpStatus, capturedAt?.timeIntervalSinceReferenceDate,
                try warnings.map(json), isComplete, deletedAt?.timeIntervalSinceReferenceDate, isFavourite, note, host,
                source, versionKey, openedAt?.timeIntervalSinceReferenceDate,
            ]
        }
    }

    /// Inserts the row, which gets a number.
    mutating func insert(in transaction: any SQLConnection) throws {
        let arguments = try arguments
        let places = Array(repeating: "?", count: arguments.values.count).joined(separator: ", ")
        number = try transaction.value(
            "INSERT INTO library_page (\(Self.storedColumns)) VALUES (\(places)) RETURNING number", arguments)
    }

    /// Writes all values of the row.
    func update(in transaction: any SQLConnection) throws {
        let arguments = try arguments
        let places = Array(repeating: "?", count: arguments.values.count).joined(separator: ", ")
        try transaction.execute(
            "UPDATE library_page SET (\(Self.storedColumns)) = (\(places)) WHERE number = ?", arguments + [number])
    }

    /// The texts of a JSON array as this program writes it, without escaped characters; `nil` for any other.
    ///
    /// Takes a tenth of the time of a JSON decoder.
    private static func plainTexts(in json: String) -> [String]? {
        if json == "[]" { return [] }
        guard json.hasPrefix("[\""), json.hasSuffix("\"]"), json.utf8.count >= 4 else { return nil }
        let texts = json.dropFirst(2).dropLast(2).split(separator: "\",\"", omittingEmptySubsequences: false)
        let isPlain = texts.allSatisfy { text in
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        }
        return isPlain ? texts.map(String.init) : nil
    }

    /// Creates the row of a new request.
    init(_ page: SavedPage, owner: OwnerID) {
        self.id = page.id.description
        self.owner = owner
        self.address = page.request.url
        self.formats = page.request.formats.map(\.rawValue).sorted()
        self.requestedAt = page.requestedAt
        self.attempt = page.attempt
        self.host = PageSite(of: page.request.url)?.host
        self.versionKey = page.request.url.pageKey
        self.title = page.givenTitle.isEmpty ? nil : page.givenTitle
        self.isFavourite = page.marks.isFavourite
        self.note = page.marks.note
    }

    /// The title that an import gives the page, until it is saved; empty if there is none.
    var givenTitle: String { capturedAt == nil ? title ?? "" : "" }

    /// The captured URL and formats.
    var request: CaptureRequest {
        CaptureRequest(url: address, formats: Set(formats.compactMap(PageFormat.init(rawValue:))))
    }

    /// The uploaded file; `nil` for a captured page.
    var uploaded: PageSource? { source.flatMap(PageSource.init) }

    /// Whether its capture is running or waiting.
    var isWaiting: Bool { state == .fetching && deletedAt == nil }

    /// Whether this attempt is the current one and unfinished.
    func isFetching(attempt: Int) -> Bool {
        state == .fetching && self.attempt == attempt
    }

    /// The reason why the last attempt failed.
    var failure: CaptureFailure? {
        get {
            failureMessage.map {
                CaptureFailure(code: failureCode ?? "unknown", message: $0, canRetry: failureCanRetry ?? true)
            }
        }
        set {
            failureCode = newValue?.code
            failureMessage = newValue?.message
            failureCanRetry = newValue?.canRetry
        }
    }

    /// The captured content, with the sizes of its files.
    func content(_ sizes: [FileKind: Int]) -> PageContent? {
        guard let url, let capturedAt else { return nil }
        return PageContent(
            title: title ?? "", url: url, httpStatus: httpStatus, capturedAt: capturedAt, warnings: warnings ?? [],
            isComplete: isComplete, sizes: sizes)
    }

    /// The texts by which the page is found.
    func searchedTexts(body: String?) -> SearchedTexts {
        SearchedTexts(title: title ?? "", addresses: [address, url].compactMap(\.self), body: body)
    }

    /// Records a finished capture.
    mutating func setContent(_ content: PageContent) {
        state = .found
        title = content.title
        url = content.url
        host = PageSite(of: content.url)?.host ?? host
        httpStatus = content.httpStatus
        capturedAt = content.capturedAt
        warnings = content.warnings
        isComplete = content.isComplete
    }
}

/// A row has a value that no version of this program writes.
private struct InvalidPageRow: Error {}

/// A row of the table `library_file`.
struct FileRow: Sendable {
    /// The columns that are decoded, in order.
    static let columns = "library_file.page, library_file.kind, library_file.blob, library_file.bytes"

    let page: Int64
    let kind: String
    let blob: String
    let bytes: Int

    init(page: Int64, kind: String, blob: String, bytes: Int) {
        (self.page, self.kind, self.blob, self.bytes) = (page, kind, blob, bytes)
    }

    init(row: SQLRow) throws {
        page = try row.decode(atIndex: 0)
        kind = try row.decode(atIndex: 1)
        blob = try row.decode(atIndex: 2)
        bytes = try row.decode(atIndex: 3)
    }

    func insert(in transaction: any SQLConnection) throws {
        try transaction.execute(
            "INSERT INTO library_file (page, kind, blob, bytes) VALUES (?, ?, ?, ?)", [page, kind, blob, bytes])
    }

    func delete(in transaction: any SQLConnection) throws {
        try transaction.execute("DELETE FROM library_file WHERE page = ? AND kind = ?", [page, kind])
    }
}

extension SavedPage {
    /// Creates a page from its row, the sizes of its files, and its tags; `nil` if the row has no valid identifier.
    init?(_ row: PageRow, _ sizes: [FileKind: Int], _ tags: [PageTag]) {
        guard let id = ID(row.id) else { return nil }
        let state: State =
            switch (row.state, row.failure, row.content(sizes)) {
            case (.found, _, let content?): .found(content)
            case (.failed, let failure?, let content): .failed(failure, previous: content)
            case (_, _, let content): .fetching(row.request, previous: content)
            }
        self.init(
            id: id, request: row.request, requestedAt: row.requestedAt, attempt: row.attempt, state: state,
            deletedAt: row.deletedAt)
        givenTitle = row.givenTitle
        marks.isFavourite = row.isFavourite
        marks.note = row.note
        marks.tags = tags
    }
}
