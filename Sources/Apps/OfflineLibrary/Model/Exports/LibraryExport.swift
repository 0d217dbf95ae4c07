import Capture
import Digests
import DurableFiles
import Formats
public import Foundation
import Loading
public import Persistence

/// Which pages of a library to export.
public enum ExportSelection: Sendable {
    /// All pages.
    case all
    /// These pages.
    case pages(Set<SavedPage.ID>)
    /// Those that a search finds.
    case found(LibraryQuery)
}

/// Pages with their files as one ZIP file, in formats that other programs read.
///
/// Each saved page has a folder. `pages.json` describes all pages, `bookmarks.html` lists their addresses, and `index.html`
/// links to everything. Pages without a copy are only in these lists, and deleted ones aren't exported. A file that can't be
/// read is mentioned in `errors.txt` and `pages.json`, and the export continues.
///
/// Writing it needs memory for one piece of a file and for the list of pages, and no space on the disk.
public struct LibraryExport: Sendable {
    /// How much of an export is written.
    public struct Progress: Hashable, Sendable {
        /// The number of pages whose files are written.
        public var donePages = 0
        /// The number of all pages.
        public var totalPages = 0
        /// The number of bytes that are written.
        public var bytes = 0
    }

    /// What an export contains.
    public struct Summary: Hashable, Sendable {
        /// The number of pages.
        public var pages = 0
        /// The number of pages' files.
        public var files = 0
        /// The size of the ZIP file in bytes.
        public var bytes = 0
        /// What is missing or damaged, as sentences.
        public var problems: [String] = []
    }

    /// The path of the bookmarks in the ZIP file.
    package static let bookmarks = "bookmarks.html"

    /// The formats that are exported, the best to read first.
    ///
    /// A single HTML file is exported if the library has it already: making one needs a browser for each page.
    package static let kinds: [(kind: FileKind, name: String, ending: String)] = [
        (.html, "html", "html"), (.pdf, "pdf", "pdf"), (.png, "png", "png"),
        (.webArchive, "webarchive", "webarchive"), (.wacz, "wacz", "wacz"), (.text, "text", "txt"),
        (.thumbnail, "thumbnail", "small.png"),
    ]
    /// How much of a file is read at once, in bytes.
    private static let partBytes = 256 << 10

    private let store: any LibraryStore
    private let owner: OwnerID
    private let items: [LibraryItem]
    private let date: Date
    private let isCutOff: Bool
    private let formats = ReaderFormats.current

    /// - Parameters:
    ///   - items: The pages, the newest first.
    ///   - isCutOff: Whether a search found more pages.
    ///   - store: The store of the pages.
    ///   - owner: The owner of the pages.
    ///   - date: When the export begins.
    init(_ items: [LibraryItem], isCutOff: Bool, from store: any LibraryStore, owner: OwnerID, at date: Date) {
        (self.items, self.isCutOff, self.store, self.owner, self.date) = (items, isCutOff, store, owner, date)
    }

    /// The number of pages.
    public var count: Int { items.count }

    /// The suggested name of the ZIP file, without its ending.
    public var name: String {
        "\(LibraryWords.name) \(date.formatted(.iso8601.year().month().day()))"
    }
}

// MARK: - Choosing pages

extension Library {
    /// Prepares an export.
    ///
    /// - Parameter selection: Which pages to export; deleted ones are left out.
    /// - Returns: The export.
    /// - Throws: ``LibraryError/noSelection`` if a selection has no page; ``LibraryError`` if the store can't be searched.
    public func export(_ selection: ExportSelection) async throws(LibraryError) -> LibraryExport {
        if isShuttingDown { throw .shuttingDown }
        return try await store.export(selection, of: newest, owner: owner, at: configuration.now())
    }
}

extension LibraryStore {
    /// Prepares an export in a command.
    ///
    /// - Parameters:
    ///   - selection: Which pages to export; deleted ones are left out.
    ///   - owner: The owner of the pages.
    ///   - time: When the export begins.
    /// - Returns: The export.
    /// - Throws: ``LibraryError``.
    public func export(
        _ selection: ExportSelection, owner: OwnerID, at time: Date
    ) async throws(LibraryError) -> LibraryExport {
        let table = PageTable(try await pages(ofOwner: owner).lazy.map(Library.Entry.init))
        return try await export(selection, of: table.list, owner: owner, at: time)
    }

    fileprivate func export(
        _ selection: ExportSelection, of items: PageList, owner: OwnerID, at time: Date
    ) async throws(LibraryError) -> LibraryExport {
        var wanted: Set<SavedPage.ID>?
        var isCutOff = false
        switch selection {
        case .all: break
        case .pages(let ids): wanted = ids
        case .found(let query):
            let found = try await find(query, owner: owner, range: 0..<max(items.count, 1))
            wanted = Set(found.pages.map(\.id))
            isCutOff = found.isCutOff
        }
        let chosen: [LibraryItem] = items.filter { !$0.isDeleted && wanted?.contains($0.id) != false }
        if case .pages = selection, chosen.isEmpty { throw .noSelection }
        return LibraryExport(chosen, isCutOff: isCutOff, from: self, owner: owner, at: time)
    }
}

// MARK: - Writing

extension LibraryExport {
    /// Writes the ZIP file.
    ///
    /// - Parameters:
    ///   - progress: Called after each piece.
    ///   - sink: Receives the ZIP file in pieces; its error ends the export.
    /// - Returns: What the ZIP file contains.
    /// - Throws: The sink's error; `CancellationError`; or ``LibraryError`` if the store can't be read.
    @discardableResult
    public func write(
        progress: (Progress) -> Void = { _ in }, to sink: (Data) async throws -> Void
    ) async throws -> Summary {
        do {
            return try await written(progress: progress, to: sink)
        } catch WACZError.failed(let reason) {
            throw LibraryError.storage(LibraryWords.exportFailed(because: reason))
        }
    }

    private func written(progress: (Progress) -> Void, to sink: (Data) async throws -> Void) async throws -> Summary {
        let zip = try Writing(total: items.count)
        var (names, pages) = (ExportNames(), [ExportedPage]())
        var summary = Summary(pages: items.count)
        if isCutOff { summary.problems.append(LibraryWords.exportIsCutOff) }
        for item in items {
            var page = ExportedPage(item)
            if let content = item.state.value {
                let name = page.title.isEmpty ? Self.name(of: content.url) : page.title
                let folder = "pages/\(names.name(of: name, at: content.capturedAt))"
                page.folder = folder
                for (kind, name, ending) in Self.kinds {
                    let file = try await add(kind, of: item, named: name, at: "\(folder)/page.\(ending)", to: zip) {
                        try await zip.send(to: sink, progress)
                    }
                    guard let file else { continue }
                    page.files.append(file)
                    if file.path != nil { summary.files += 1 }
                    if let problem = file.problem {
                        summary.problems.append(LibraryWords.exportProblem("\(folder)/page.\(ending)", problem))
                    }
                }
            }
            pages.append(page)
            zip.done.donePages += 1
        }
        let texts = ExportedTexts(pages: pages, date: date, problems: summary.problems, formats: formats)
        func send() async throws { try await zip.send(to: sink, progress) }
        try await zip.add(texts.index, as: "index.html", at: date, send)
        try await zip.add(texts.bookmarks, as: Self.bookmarks, at: date, send)
        try await zip.add(texts.json, as: "pages.json", at: date, send)
        if !summary.problems.isEmpty { try await zip.add(texts.errors, as: "errors.txt", at: date, send) }
        try zip.stream.finish()
        try await send()
        summary.bytes = zip.done.bytes
        return summary
    }

    /// An address as a name.
    private static func name(of url: URL) -> String {
        (url.host(percentEncoded: false) ?? "") + url.path(percentEncoded: false)
    }

    /// Adds a file of a page.
    ///
    /// - Returns: The file, or what is wrong with it; `nil` if the page has no such file.
    private func add(
        _ kind: FileKind, of item: LibraryItem, named name: String, at path: String, to zip: Writing,
        _ send: () async throws -> Void
    ) async throws -> ExportedPage.File? {
        var file = ExportedPage.File(kind: name)
        guard let stored = try await store.file(kind, of: item.id, owner: owner) else {
            // The page may have been deleted or captured again since the export began.
            guard item.state.value?.sizes[kind] != nil else { return nil }
            file.problem = LibraryWords.exportFileMissing
            return file
        }
        guard let content = await ReadableFile.open(stored) else {
            file.problem = LibraryWords.exportFileMissing
            return file
        }
        (file.path, file.bytes) = (path, content.byteCount)
        var hash = BlobHash()
        var offset = 0
        var isWhole = content.byteCount == stored.byteCount
        let date = item.state.value?.capturedAt ?? date
        try zip.stream.begin(
            ZipStream.Header(
                path: path, size: content.byteCount, isCompressed: [.html, .text].contains(kind), date: date))
        while offset < content.byteCount {
            try Task.checkCancellation()
            let length = min(Self.partBytes, content.byteCount - offset)
            var part = await content.part(at: offset, length: length)
            if part.count < length {
                // The size is written already, so the rest is filled.
                isWhole = false
                part.append(Data(count: length - part.count))
            }
            hash.add(part)
            try zip.stream.append(part)
            try await send()
            offset += length
        }
        try zip.stream.end()
        let sum = hash.id.description
        file.sha256 = sum
        // A blob's digest is the SHA-256 of its content.
        if stored.digest.isHexadecimal(bytes: 32), stored.digest != sum { isWhole = false }
        if !isWhole { file.problem = LibraryWords.exportFileDamaged }
        return file
    }
}

/// The ZIP file of an export while it is written.
private final class Writing {
    let stream: ZipStream
    var done: LibraryExport.Progress

    /// How much of a text is collected before it is sent, in bytes.
    private static let partBytes = 64 << 10

    init(total: Int) throws(WACZError) {
        stream = try ZipStream()
        done = LibraryExport.Progress(totalPages: total)
    }

    /// Sends the bytes that are complete.
    func send(to sink: (Data) async throws -> Void, _ progress: (LibraryExport.Progress) -> Void) async throws {
        let bytes = stream.takeBytes()
        if !bytes.isEmpty { try await sink(bytes) }
        done.bytes += bytes.count
        progress(done)
    }

    /// Adds a text.
    func add(
        _ pieces: some Sequence<String>, as path: String, at date: Date, _ send: () async throws -> Void
    ) async throws {
        try stream.begin(ZipStream.Header(path: path, size: nil, isCompressed: true, date: date))
        var bytes = Data()
        for piece in pieces {
            bytes.append(contentsOf: piece.utf8)
            guard bytes.count >= Self.partBytes else { continue }
            try Task.checkCancellation()
            try stream.append(bytes)
            try await send()
            bytes.removeAll(keepingCapacity: true)
        }
        try stream.append(bytes)
        try stream.end()
        try await send()
    }
}

/// A file of a page that is read in parts.
private enum ReadableFile: Sendable {
    case file(OpenFile, byteCount: Int)
    case pieces(BlobReader)
    case data(Data)

    /// Opens a file; `nil` if it can't be.
    static func open(_ file: PageFile) async -> ReadableFile? {
        switch file.content {
        case .data(let data): return .data(data)
        case .path(let path):
            return await DiskWork.run {
                guard let file = try? OpenFile(path, .reading), let stamp = try? file.stamp() else { return nil }
                return .file(file, byteCount: Int(stamp.bytes))
            }
        case .pieces(let pieces):
            let reader = BlobReader(pieces)
            return await reader.isComplete() ? .pieces(reader) : nil
        }
    }

    var byteCount: Int {
        switch self {
        case .file(_, let byteCount): byteCount
        case .pieces(let reader): reader.byteCount
        case .data(let data): data.count
        }
    }

    /// A part of the content; shorter if it can't be read or has become shorter.
    func part(at offset: Int, length: Int) async -> Data {
        switch self {
        case .data(let data): return data.dropFirst(offset).prefix(length)
        case .file(let file, _):
            return await DiskWork.run { (try? file.read(length, at: Int64(offset))) ?? Data() }
        case .pieces(let reader):
            return (try? await reader.load(at: offset, count: length)) ?? Data()
        }
    }
}
