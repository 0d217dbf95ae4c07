import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OfflineLibraryModel
import Persistence
import Site

// Downloads of several pages in open formats.

extension LibraryPages {
    static let exportPath = "/library/export.zip"

    /// The pages of the list's form.
    private struct ExportForm: Decodable {
        var page: [String]?
        /// As in ``SelectionForm``.
        var every: String?
        /// Whether the form was sent, also without a page.
        var selected: String?
    }

    /// Which pages a request asks for: those that are selected, those of a search, or all.
    private static func selection(in query: String?) throws -> ExportSelection {
        guard let query else { return .all }
        let form = try FormDecoder.form(ExportForm.self, from: query)
        if form.selected != nil || form.page != nil {
            return ExportSelection(pages: form.page, every: form.every)
        }
        return LibrarySearchRequest(query: query).map { .found($0.query) } ?? .all
    }

    /// Sends the pages that a request of the list's form asks for.
    func export(_ request: Request) async throws -> Response {
        try await export(try Self.selection(in: request.uri.query))
    }

    /// Sends pages as a ZIP file, which is made while the client receives it.
    func export(_ selection: ExportSelection) async throws -> Response {
        guard let running = libraries.exports.begin() else {
            throw Problem(
                .serviceUnavailable, title: LibraryWords.tooManyExportsTitle, detail: LibraryWords.tooManyExports)
        }
        let export = try await libraries.use(owner) { try await $0.library.export(selection) }
        let body = ResponseBody { writer in
            // If the client disconnects, writing throws, which ends the export.
            let client = SoleWriter(writer)
            try await export.write { bytes in
                try running.check()
                try await client.write(ByteBuffer(bytes: bytes))
            }
            try await client.finish()
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/zip", .cacheControl: "no-store",
                .contentDisposition: DownloadName(export.name, ending: "zip").disposition,
            ], body: body)
    }
}

extension ExportSelection {
    /// The pages that are selected in a list.
    ///
    /// - Parameters:
    ///   - pages: The identifiers of the selected pages.
    ///   - every: The search all of whose results are selected, or an empty text for all pages; `nil` for neither.
    init(pages: [String]?, every: String?) {
        guard let every else {
            self = .pages(Set((pages ?? []).compactMap { SavedPage.ID($0) }))
            return
        }
        self = every.isEmpty ? .all : LibrarySearchRequest(query: every).map { .found($0.query) } ?? .pages([])
    }

    /// The selected pages of a library.
    @MainActor
    func pages(of library: Library) async throws(LibraryError) -> Set<SavedPage.ID> {
        switch self {
        case .all: Set(library.newest.ids)
        case .pages(let ids): ids
        case .found(let query):
            Set(try await library.find(query, range: 0..<max(library.newest.count, 1)).items.map(\.item.id))
        }
    }
}
