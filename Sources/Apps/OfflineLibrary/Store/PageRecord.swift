import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Persistence

/// A page as it is kept: what was asked for, what has become of it, and which blobs its files are.
struct PageRecord: Codable, Hashable {
    static let format = StoredFormat<PageRecord>("library.page")
    /// What the names of all pages begin with.
    static let prefix = "library/page/"

    /// How many pages an owner has ever asked for, and where that is kept.
    static let count = StoredFormat<Int>("library.count")
    static let countKey: StoreKey = "library/count"

    enum State: String, Codable {
        case fetching, found, failed
    }

    struct Failure: Codable, Hashable {
        var code: String
        var message: String
        var canRetry: Bool
    }

    struct Content: Codable, Hashable {
        var title: String
        var url: URL
        var httpStatus: Int?
        var capturedAt: Date
        var warnings: [String]
    }

    struct File: Codable, Hashable {
        /// The blob's name.
        var blob: String
        var bytes: Int
    }

    var id: String
    var address: URL
    var formats: [String]
    var requestedAt: Date
    /// How many pages there were with it: of two that were asked for at one time, the greater is the newer.
    var number: Int
    var attempt: Int
    var state: State
    var failure: Failure?
    var content: Content?
    /// By the names of their kinds.
    var files: [String: File]
    var deletedAt: Date?
}

extension PageRecord {
    /// The name that a page is kept under.
    static func key(of id: KeptPage.ID) throws(Persistence.PersistenceError) -> StoreKey {
        try StoreKey(prefix + id.description)
    }

    /// What keeps it.
    func write(_ id: KeptPage.ID) throws(Persistence.PersistenceError) -> StoreWrite {
        StoreWrite(try Self.key(of: id), try Self.format.content(of: self))
    }

    /// Whether the first was asked for after the second.
    static func isNewer(_ first: PageRecord, _ second: PageRecord) -> Bool {
        (first.requestedAt, first.number) > (second.requestedAt, second.number)
    }

    /// A page that is asked for.
    init(_ page: KeptPage, number: Int) {
        self.init(
            id: page.id.description, address: page.request.url,
            formats: page.request.formats.map(\.rawValue).sorted(), requestedAt: page.requestedAt, number: number,
            attempt: page.attempt, state: .fetching, files: [:])
    }

    /// Whether this attempt at it is the one that runs.
    func isFetching(attempt: Int) -> Bool {
        state == .fetching && self.attempt == attempt
    }

    /// Whether it was deleted before that.
    func wasDeleted(before time: Date) -> Bool {
        deletedAt.map { $0 < time } ?? false
    }

    /// The blobs that it refers to.
    var blobs: [BlobStore.ID] {
        files.keys.sorted().compactMap { files[$0].flatMap { BlobStore.ID($0.blob) } }
    }
}

extension PageRecord.Content {
    init(_ content: PageContent) {
        self.init(
            title: content.title, url: content.url, httpStatus: content.httpStatus, capturedAt: content.capturedAt,
            warnings: content.warnings)
    }
}

extension KeptPage {
    /// The page that is kept so.
    ///
    /// - Throws: ``LibraryError/storage(_:)`` if it has no number.
    init(_ record: PageRecord) throws(LibraryError) {
        guard let id = ID(record.id) else {
            throw .storage("A kept page has the number “\(record.id)”, which is none.")
        }
        let request = CaptureRequest(
            url: record.address, formats: Set(record.formats.compactMap(PageFormat.init(rawValue:))))
        var sizes: [FileKind: Int] = [:]
        for (name, file) in record.files { FileKind(rawValue: name).map { sizes[$0] = file.bytes } }
        let content = record.content.map { content in
            PageContent(
                title: content.title, url: content.url, httpStatus: content.httpStatus,
                capturedAt: content.capturedAt, warnings: content.warnings, sizes: sizes)
        }
        let state: State =
            switch (record.state, content) {
            case (.found, let content?): .found(content)
            case (.failed, let content):
                .failed(
                    CaptureFailure(
                        code: record.failure?.code ?? "unknown", message: record.failure?.message ?? "",
                        canRetry: record.failure?.canRetry ?? true), previous: content)
            case (.fetching, let content), (.found, let content): .fetching(request, previous: content)
            }
        self.init(
            id: id, request: request, requestedAt: record.requestedAt, attempt: record.attempt,
            state: state, deletedAt: record.deletedAt)
    }
}
