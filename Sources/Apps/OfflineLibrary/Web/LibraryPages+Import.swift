import Capture
import Foundation
import Hummingbird
import OfflineLibraryModel
import Persistence
import Site

// The pages of imports.

extension LibraryPages {
    private static let path = "/library/import"

    func addImportRoutes(to library: RouterGroup<SiteContext>, layout: Layout) {
        library.get("/import") { request, _ in try await imports(request, layout: layout) }
        library.post("/import") { request, _ in try await importFile(request) }
        library.get("/import/:import") { _, context in try await report(context, layout: layout) }
        library.post("/import/:import/remove") { _, context in
            let id = try Self.importID(in: context)
            try await libraries.use(owner) { try await $0.library.removeImport(id) }
            return Response.redirect(to: Self.path, type: .normal)
        }
    }

    static func importID(in context: SiteContext) throws -> LibraryImport.ID {
        guard let id = context.parameters.get("import").flatMap({ LibraryImport.ID($0) }) else {
            throw LibraryError.noSuchImport
        }
        return id
    }

    /// The page with the form and the list of imports.
    private func imports(_ request: Request, layout: Layout) async throws -> Response {
        let (imports, stored) = try await libraries.use(owner) {
            ($0.library.imports, $0.library.settings.value.formats)
        }
        let content = importTemplates.list(imports, formats: ChosenFormats.formats(in: request) ?? stored)
        return page(layout, title: LibraryWords.importTitle, content)
    }

    /// Imports a file, and redirects to the report.
    private func importFile(_ request: Request) async throws -> Response {
        let read = try await uploads.reading.read(try await uploads.form(in: request))
        guard !read.formats.isEmpty else { throw LibraryError.noFormat }
        switch try await importFile(read, formats: read.formats) {
        case .addresses(let id): return .redirect(to: "\(Self.path)/\(id)", type: .normal)
        case .pages(let outcome): return try Self.response(to: outcome)
        }
    }

    /// What a file became.
    enum ImportedFile: Sendable {
        /// An import of addresses, whose pages are saved in the background.
        case addresses(LibraryImport.ID)
        /// Pages that the file contained.
        case pages(UploadOutcome)
    }

    /// Imports a file that was read.
    func importFile(_ read: ReadUpload, formats: Set<PageFormat>) async throws -> ImportedFile {
        switch read.content {
        case .addresses(let file):
            .addresses(
                try await libraries.use(owner) {
                    try await $0.library.importAddresses(of: file, name: read.fileName, formats: formats)
                })
        case .pages(let pages):
            .pages(
                try await UploadOutcome.saving(pages) { page in
                    try await libraries.use(owner) { try await $0.library.save(page, formats: formats) }
                })
        case .exported(let pages):
            .pages(
                try await UploadOutcome.restoring(pages) { page in
                    try await libraries.use(owner) { try await $0.library.restore(page) }
                })
        }
    }

    /// Leads to the list if all pages of a file were saved.
    private static func response(to outcome: UploadOutcome) throws(Problem) -> Response {
        if let refusal = outcome.refused.first {
            let status = (refusal.error as? any PresentableError)?.problem.status ?? .internalServerError
            throw Problem(status, title: LibraryWords.notAllPagesSavedTitle, detail: "\(outcome)")
        }
        return .redirect(to: Self.app.path, type: .normal)
    }

    /// The page with the report of an import.
    private func report(_ context: SiteContext, layout: Layout) async throws -> Response {
        let report = try await importReport(try Self.importID(in: context))
        return page(layout, title: ImportTemplates.name(of: report.stored), importTemplates.report(report))
    }

    /// The report of an import.
    func importReport(_ id: LibraryImport.ID) async throws -> ImportReport {
        let limit = ImportReport.listLength
        return try await libraries.use(owner) { open in
            let library = open.library
            guard let stored = library.imports.first(where: { $0.id == id }) else { throw LibraryError.noSuchImport }
            return ImportReport(
                stored: stored, problem: library.importProblem,
                failed: stored.counts.failed > 0 ? try await library.entries(.failed, of: id, limit: limit) : [],
                unusable: stored.counts.unusable > 0 ? try await library.entries(.unusable, of: id, limit: limit) : [],
                otherNotes: stored.counts.otherNotes > 0
                    ? try await library.entries(.otherNotes, of: id, limit: limit) : [])
        }
    }

    private func page(_ layout: Layout, title: String, _ content: HTML) -> Response {
        layout.page(title: title, heading: title, app: Self.app, content: content, styles: Self.styles)
    }
}
