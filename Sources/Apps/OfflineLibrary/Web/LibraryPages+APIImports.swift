import Capture
import Foundation
import HTTPTypes
import Hummingbird
import OfflineLibraryModel
import Persistence
import Site

// Imports and exports, for scripts.

extension LibraryPages {
    /// Adds the routes.
    ///
    /// - Parameters:
    ///   - api: The app's routes.
    ///   - files: The app's routes whose bodies aren't received in memory.
    func addImportAPIRoutes(to api: RouterGroup<SiteContext>, files: RouterGroup<SiteContext>) {
        api.get("/imports") { request, _ in
            _ = try APIQuery(request)
            let imports = try await libraries.use(owner) { $0.library.imports }
            return try APIJSON.response(try APIList(imports.map { ImportJSON($0) }))
        }
        files.post("/imports") { request, _ in
            _ = try APIQuery(request)
            return try await importedFile(request)
        }
        api.get("/imports/:import") { request, context in
            _ = try APIQuery(request)
            let report = try await importReport(try Self.importID(in: context))
            return try APIJSON.response(ImportReportJSON(report))
        }
        api.delete("/imports/:import") { _, context in
            let id = try Self.importID(in: context)
            try await libraries.use(owner) { open in
                guard open.library.imports.contains(where: { $0.id == id }) else { throw LibraryError.noSuchImport }
                try await open.library.removeImport(id)
            }
            return Response(status: .noContent)
        }
        api.get("/export.zip") { request, _ in
            let query = try APIQuery(request, known: Self.searchParameters.union(["pages"]))
            let pages = try query.value("pages", takes: LibraryWords.pageIDs) { text in
                let names = text.split(separator: ",", omittingEmptySubsequences: false)
                let ids = names.compactMap { SavedPage.ID(String($0)) }
                return ids.count == names.count ? ids : nil
            }
            let search = try Self.search(query)
            if let pages { return try await export(.pages(Set(pages))) }
            return try await export(search.isEmpty ? .all : .found(search))
        }
    }

    private func importedFile(_ request: Request) async throws -> Response {
        let read = try await uploads.reading.read(try await uploads.form(in: request))
        let stored = try await libraries.use(owner) { $0.library.settings.value.formats }
        switch try await importFile(read, formats: read.formats.isEmpty ? stored : read.formats) {
        case .addresses(let id):
            return try APIJSON.response(
                ImportReportJSON(try await importReport(id)), status: .created,
                headers: [.location: "\(Self.api.path)/imports/\(id)"])
        case .pages(let outcome):
            return try APIJSON.response(
                ImportedPagesJSON(
                    saved: outcome.saved.map { "\($0)" }, alreadySaved: outcome.known,
                    refused: outcome.refused.map { RefusedPageJSON($0) }))
        }
    }
}

// MARK: - Responses

private struct ImportJSON: Encodable, Sendable {
    struct Counts: Encodable, Sendable {
        var total, waiting, saving, saved, failed, deleted, alreadySaved, repeated, unusable, otherNotes: Int

        init(_ counts: LibraryImport.Counts) {
            (total, waiting, saving, saved) = (counts.total, counts.waiting, counts.saving, counts.saved)
            (failed, deleted, alreadySaved) = (counts.failed, counts.deleted, counts.alreadySaved)
            (repeated, unusable, otherNotes) = (counts.repeated, counts.unusable, counts.otherNotes)
        }
    }

    var id, name: String
    var format: AddressFormat
    var formats: [String]
    var createdAt: Date
    /// Whether no page is waiting or being saved.
    var isFinished: Bool
    var counts: Counts

    init(_ stored: LibraryImport) {
        (id, name, format) = ("\(stored.id)", stored.name, stored.format)
        (formats, createdAt) = (stored.formats.map(\.rawValue).sorted(), stored.createdAt)
        (isFinished, counts) = (stored.counts.isFinished, Counts(stored.counts))
    }
}

/// An import with the first addresses of each part of its report.
private struct ImportReportJSON: Encodable, Sendable {
    struct Entry: Encodable, Sendable {
        /// The number of its line or entry in the file.
        var place: Int
        var address, title, reason: String

        init(_ entry: ReportedEntry) {
            (place, address, title, reason) = (entry.place, entry.address, entry.title, entry.reason)
        }
    }

    private enum CodingKeys: CodingKey {
        case problem, failed, unusable, otherNotes
    }

    let stored: ImportJSON
    /// Why pages can't be added now.
    let problem: String?
    let failed, unusable, otherNotes: [Entry]

    init(_ report: ImportReport) {
        stored = ImportJSON(report.stored)
        problem = report.problem.map { "\($0)" }
        failed = report.failed.map { Entry($0) }
        unusable = report.unusable.map { Entry($0) }
        otherNotes = report.otherNotes.map { Entry($0) }
    }

    func encode(to encoder: any Encoder) throws {
        try stored.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(problem, forKey: .problem)
        try container.encode(failed, forKey: .failed)
        try container.encode(unusable, forKey: .unusable)
        try container.encode(otherNotes, forKey: .otherNotes)
    }
}

private struct ImportedPagesJSON: Encodable, Sendable {
    /// The identifiers of the pages.
    var saved: [String]
    /// The number of pages that were in the library already.
    var alreadySaved: Int
    var refused: [RefusedPageJSON]
}
