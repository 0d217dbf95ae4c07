public import Capture
public import Foundation
import Loading
public import Persistence

// Importing addresses: they are stored at once, and their pages are added to the library as there is room.

extension Library {
    /// Imports the addresses of a file: returns when they are durable, and saves their pages in the background.
    ///
    /// Pages that are saved already are left out, and so are repeated addresses.
    ///
    /// - Parameters:
    ///   - file: The addresses.
    ///   - name: The file's name; `nil` if it has none.
    ///   - formats: The formats in which the pages are saved; the owner's last choice if it is empty.
    /// - Returns: The identifier of the import.
    /// - Throws: ``LibraryError``.
    public func importAddresses(
        of file: AddressFile, name: String?, formats: Set<PageFormat> = []
    ) async throws(LibraryError) -> LibraryImport.ID {
        if isShuttingDown { throw .shuttingDown }
        guard let importStore else { throw .noSuchImport }
        let new = LibraryImport(
            id: LibraryImport.ID(), name: name ?? "", format: file.format,
            formats: formats.isEmpty ? settings.value.formats : formats, createdAt: configuration.now())
        let entries = await ImportEntry.entries(of: file, in: table)
        try await uncancellable { () throws(LibraryError) in
            try await importStore.addImport(new, entries: entries, owner: self.owner)
        }
        await updateImports(from: importStore)
        continueImports()
        return new.id
    }

    /// Adds pages of imports to the library if there is room, in the background.
    ///
    /// Call it also when there may be room again, or when another process may have added an import.
    public func continueImports() {
        guard let importStore, !isShuttingDown else { return }
        areImportsDue = true
        guard importing == nil else { return }
        // It works for later calls, too.
        importing = RequestID.$current.withValue(nil) {
            Task {
                defer { importing = nil }
                while areImportsDue, !isShuttingDown {
                    areImportsDue = false
                    do throws(LibraryError) {
                        try await addPages(from: importStore)
                        importProblem = nil
                    } catch {
                        // The entries keep waiting. The next call tries again: at the latest, after a minute.
                        importProblem = error
                    }
                    await updateImports(from: importStore)
                }
            }
        }
    }

    /// Removes an import with its report; its saved pages stay, and waiting ones aren't saved.
    public func removeImport(_ id: LibraryImport.ID) async throws(LibraryError) {
        guard let importStore else { throw .noSuchImport }
        try await uncancellable { () throws(LibraryError) in
            try await importStore.removeImport(id, owner: self.owner)
        }
        await updateImports(from: importStore)
    }

    /// Reads the entries of a part of an import's report.
    public func entries(
        _ part: ReportedEntry.Part, of id: LibraryImport.ID, limit: Int
    ) async throws(LibraryError) -> [ReportedEntry] {
        guard let importStore else { throw .noSuchImport }
        return try await importStore.entries(part, of: id, owner: owner, limit: limit)
    }

    /// Continues the imports after a capture has ended.
    func captureEnded() {
        if imports.contains(where: { !$0.counts.isFinished }) { continueImports() }
    }

    private func updateImports(from store: any ImportStore) async {
        // If this fails, the numbers are updated after the next change.
        if let imports = try? await store.imports(ofOwner: owner) { self.imports = imports }
    }

    /// Adds the tags of an import to pages that were saved before, and its notes to those that have none.
    ///
    /// A page keeps its own note, and the import's report then has the other one.
    private func addMarks(from store: any ImportStore) async throws(LibraryError) {
        while !isShuttingDown {
            let entries = try await store.notedEntries(ofOwner: owner, limit: ImportLimits.notesAtOnce)
            guard !entries.isEmpty else { return }
            let areAdded = try await addMarks(entries)
            let notes = zip(entries, areAdded).map { (entry: $0, isAdded: $1) }
            try await uncancellable { () throws(LibraryError) in try await store.settle(notes, owner: self.owner) }
        }
    }

    private func addPages(from store: any ImportStore) async throws(LibraryError) {
        try await addMarks(from: store)
        while !isShuttingDown {
            let room = ImportLimits.waitingCaptures - newest.fetchingCount
            // Adds many pages in one transaction, or none.
            guard room >= ImportLimits.waitingCaptures / 2 else { return }
            let next = try await store.waitingEntries(ofOwner: owner, limit: room)
            guard !next.isEmpty else { return }
            let (now, list) = (configuration.now(), newest)
            var (pages, known): ([(entry: WaitingEntry, page: SavedPage)], [(entry: WaitingEntry, page: SavedPage.ID)])
            (pages, known) = ([], [])
            var keys: Set<String> = []
            for entry in next {
                let key = entry.request.url.pageKey
                if let saved = table.savedOrFetching(at: key) {
                    known.append((entry, saved))
                } else if keys.insert(key).inserted {
                    // The list is ordered by the time of the bookmark, as it was where the import comes from.
                    var page = SavedPage(
                        request: entry.request, requestedAt: min(entry.addedAt ?? now, now),
                        state: .fetching(entry.request, previous: nil))
                    page.givenTitle = entry.title
                    page.marks = PageMarks(importedTags: entry.tags, note: entry.note, in: list)
                    pages.append((entry, page))
                }
                // An address that two imports wait for is known in the next round.
            }
            let new = pages
            let found = known
            let started = try await uncancellable { () throws(LibraryError) in
                try await store.start(new, known: found, owner: self.owner)
            }
            add(started)
            if !found.isEmpty { try await addMarks(from: store) }
            // A budget allows no more, or another process has changed the entries.
            if started.count < new.count { return }
        }
    }

    /// Shows pages that the store has added, and waits for their captures.
    func add(_ pages: [SavedPage]) {
        // Opening the library again may have shown them already.
        let pages = pages.filter { item($0.id) == nil }
        guard !pages.isEmpty else { return }
        table.append(pages.map(Entry.init))
        for page in pages {
            let generation = change(page.id) { $0.machine.fetch(page.request) }
            if let generation { capture(page.id, page.request, attempt: page.attempt, generation: generation) }
        }
    }
}

// MARK: - In a command

extension ImportStore where Self: LibraryStore {
    /// Imports the addresses of a file; the server saves their pages.
    ///
    /// - Parameters:
    ///   - file: The addresses.
    ///   - name: The file's name; empty if it has none.
    ///   - formats: The formats in which the pages are saved.
    ///   - owner: The owner.
    ///   - time: The time of the import.
    /// - Returns: The import.
    /// - Throws: ``LibraryError``.
    public func importAddresses(
        of file: AddressFile, name: String, formats: Set<PageFormat>, owner: OwnerID, at time: Date
    ) async throws(LibraryError) -> LibraryImport {
        let table = PageTable(try await pages(ofOwner: owner).lazy.map(Library.Entry.init))
        let new = LibraryImport(
            id: LibraryImport.ID(), name: name, format: file.format, formats: formats, createdAt: time)
        try await addImport(new, entries: await ImportEntry.entries(of: file, in: table), owner: owner)
        guard let stored = try await imports(ofOwner: owner).first(where: { $0.id == new.id }) else {
            throw .noSuchImport
        }
        return stored
    }
}

// MARK: - Which pages are saved already

extension ImportEntry {
    /// Determines what becomes of each address of a file.
    ///
    /// - Parameters:
    ///   - file: The addresses.
    ///   - table: The pages of the library.
    /// - Returns: The entries, in the order of the file.
    @concurrent
    static func entries(of file: AddressFile, in table: PageTable) async -> [ImportEntry] {
        /// The index of the first entry of each page.
        var first: [String: Int] = [:]
        var entries: [ImportEntry] = []
        entries.reserveCapacity(file.addresses.count)
        for var address in file.addresses {
            let url: URL
            do throws(LibraryError) {
                url = try PageAddress(address.address).url
            } catch {
                entries.append(ImportEntry(address, .unusable("\(error)")))
                continue
            }
            let key = url.pageKey
            if let index = first[key] {
                entries[index].address.add(tags: address.tags)
                // The page gets the first note; another one stays in the report.
                if entries[index].address.note.isEmpty { entries[index].address.note = address.note }
                if entries[index].address.note == address.note { address.note = "" }
                entries.append(ImportEntry(address, .repeated))
                continue
            }
            first[key] = entries.count
            let saved = table.savedOrFetching(at: key)
            entries.append(ImportEntry(address, saved.map { .alreadySaved($0) } ?? .waiting(url)))
        }
        return entries
    }
}
