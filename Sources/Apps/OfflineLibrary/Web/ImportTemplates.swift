import Capture
import Formats
import Foundation
import Loading
import OfflineLibraryModel
import Site

/// What the report of an import shows.
struct ImportReport: Sendable {
    /// The maximum number of addresses in each list of a report.
    static let listLength = 100

    var stored: LibraryImport
    /// Why pages can't be added now.
    var problem: LibraryError?
    var failed: [ReportedEntry]
    var unusable: [ReportedEntry]
    /// The addresses whose notes weren't added.
    var otherNotes: [ReportedEntry]

    /// The version of each report, by the name of its event.
    static func versions(of snapshot: LibrarySnapshot) -> [String: String] {
        Dictionary(
            snapshot.imports.map { (event(of: $0), version(of: $0, problem: snapshot.importProblem)) },
            uniquingKeysWith: { first, _ in first })
    }

    static func event(of stored: LibraryImport) -> String { "import-\(stored.id)" }

    /// A text that changes whenever the report does.
    static func version(of stored: LibraryImport, problem: LibraryError?) -> String {
        let counts = stored.counts
        let numbers = [
            counts.waiting, counts.saving, counts.saved, counts.failed, counts.deleted, counts.alreadySaved,
            counts.otherNotes,
        ]
        return numbers.map { "\($0)" }.joined(separator: "-") + (problem == nil ? "" : "!")
    }
}

/// Renders the pages of imports as HTML.
struct ImportTemplates: Sendable {
    private let templates: Templates

    /// Throws an error that describes an invalid template.
    init() throws { templates = try Self.parsed.get() }

    private static let parsed = Result {
        try Templates(
            [
                "imports": PackageResources.imports_mustache, "importform": PackageResources.importform_mustache,
                "importreport": PackageResources.importreport_mustache, "formats": PackageResources.formats_mustache,
                "importtime": PackageResources.importtime_mustache, "uploads": PackageResources.uploads_mustache,
                "createdtime": PackageResources.createdtime_mustache, "usedtime": PackageResources.usedtime_mustache,
            ], words: LibraryWords.importTemplates)
    }

    /// The page with the form and the list of imports.
    func list(_ imports: [LibraryImport], formats: Set<PageFormat>) -> HTML {
        templates.render(
            "imports",
            ImportsView(
                imports: imports.map { Self.view(of: $0) }, isEmpty: imports.isEmpty,
                formats: PageFormat.allCases.map {
                    FormatView(name: $0.rawValue, label: $0.label, isChosen: formats.contains($0))
                }))
    }

    /// The report of an import.
    func report(_ report: ImportReport) -> HTML {
        let counts = report.stored.counts
        var numbers: [(String, Int)] = [
            (LibraryWords.newAddresses, counts.new), (LibraryWords.savedSoFar, counts.saved),
            (LibraryWords.waitingPages, counts.waiting + counts.saving), (LibraryWords.failedPages, counts.failed),
            (LibraryWords.deletedPages, counts.deleted), (LibraryWords.knownPages, counts.alreadySaved),
            (LibraryWords.repeatedAddresses, counts.repeated), (LibraryWords.unusableAddresses, counts.unusable),
        ]
        if counts.otherNotes > 0 { numbers.append((LibraryWords.otherNotes, counts.otherNotes)) }
        return templates.render(
            "importreport",
            ImportReportView(
                stored: Self.view(of: report.stored), event: ImportReport.event(of: report.stored),
                version: ImportReport.version(of: report.stored, problem: report.problem),
                problem: counts.waiting > 0 ? report.problem.map { "\($0)" } : nil,
                total: LibraryWords.addresses(counts.total),
                numbers: numbers.map { NumberView(label: $0, text: LibraryWords.number($1)) },
                failed: EntriesView(report.failed, of: counts.failed),
                unusable: EntriesView(report.unusable, of: counts.unusable),
                otherNotes: EntriesView(report.otherNotes, of: counts.otherNotes, isWhole: true)))
    }

    /// The page with the settings for programs that upload pages.
    ///
    /// - Parameters:
    ///   - token: The current token.
    ///   - newToken: The text of the token, if it was just created.
    ///   - address: The address to which programs upload pages.
    /// - Returns: The content of the page.
    func uploads(_ token: UploadToken?, newToken: String?, address: String) -> HTML {
        templates.render(
            "uploads",
            UploadsView(
                address: address, newToken: newToken, hasToken: token != nil,
                created: token.map { HTML.time($0.createdAt) }, used: token?.usedAt.map { HTML.time($0) }))
    }

    /// An import whose pages are being saved, in the list.
    static func running(_ stored: LibraryImport) -> RunningImportView {
        let view = view(of: stored)
        return RunningImportView(
            report: view.path, name: view.name, progress: view.progress, done: view.done, new: view.new)
    }

    /// The name of an import.
    static func name(of stored: LibraryImport) -> String {
        stored.name.isEmpty ? LibraryWords.unnamedImport : stored.name.shortened(to: 100)
    }

    private static func view(of stored: LibraryImport) -> ImportView {
        let counts = stored.counts
        let done = counts.new - counts.waiting - counts.saving
        return ImportView(
            path: Link("/library/import/\(stored.id)"), name: name(of: stored), format: stored.format.label,
            time: HTML.time(stored.createdAt), isRunning: !counts.isFinished,
            progress: counts.isFinished
                ? LibraryWords.importDone(counts.saved) : LibraryWords.importProgress(done, of: counts.new),
            done: done, new: counts.new)
    }
}

// MARK: - Values of the templates

private struct UploadsView {
    let address: String
    let newToken: String?
    let hasToken: Bool
    let created: HTML?
    let used: HTML?
}

private struct ImportsView {
    let imports: [ImportView]
    let isEmpty: Bool
    let formats: [FormatView]
}

private struct ImportView {
    let path: Link
    let name: String
    let format: String
    let time: HTML
    let isRunning: Bool
    let progress: String
    let done: Int
    let new: Int
}

private struct ImportReportView {
    let stored: ImportView
    let event: String
    let version: String
    let problem: String?
    let total: String
    let numbers: [NumberView]
    let failed: EntriesView?
    let unusable: EntriesView?
    let otherNotes: EntriesView?
}

private struct NumberView {
    let label: String
    let text: String
}

/// A list of addresses in a report.
private struct EntriesView {
    let entries: [EntryView]
    /// The number of addresses that aren't listed; `nil` if all are.
    let more: String?

    /// Creates the list of some of `count` addresses, with shortened reasons unless `isWhole`.
    init?(_ entries: [ReportedEntry], of count: Int, isWhole: Bool = false) {
        guard !entries.isEmpty else { return nil }
        self.entries = entries.map { EntryView($0, isWhole: isWhole) }
        more = count > entries.count ? LibraryWords.moreEntries(count - entries.count) : nil
    }
}

private struct EntryView {
    let place: String
    /// The title, or the address if there is none.
    let name: String
    let address: String?
    let reason: String

    init(_ entry: ReportedEntry, isWhole: Bool) {
        let shown = entry.address.withoutScheme.shortened(to: 160)
        place = LibraryWords.place(entry.place)
        name = entry.title.isEmpty ? shown : entry.title.shortened(to: 160)
        address = entry.title.isEmpty ? nil : shown
        reason = isWhole ? entry.reason : entry.reason.shortened(to: 500)
    }
}

extension AddressFormat {
    /// The display name.
    var label: String {
        switch self {
        case .bookmarks: LibraryWords.bookmarksFormat
        case .list: LibraryWords.listFormat
        case .csv: LibraryWords.tableFormat
        case .karakeep: LibraryWords.karakeep
        case .linkwarden: LibraryWords.linkwarden
        case .omnivore: LibraryWords.omnivore
        case .pocket: LibraryWords.pocket
        }
    }
}
