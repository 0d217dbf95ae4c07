import Foundation
import Loading
public import OfflineLibraryModel
public import Persistence

/// An entry of an import in a ``MemoryLibraryStore``.
struct StoredEntry {
    var number: Int64
    var entry: ImportEntry
    /// The page that was added for it.
    var page: SavedPage.ID?
    /// Whether the tags and the note must still be added to the page.
    var isNoteDue = false
}

extension MemoryLibraryStore: ImportStore {
    /// Adds an import.
    public func addImport(
        _ new: LibraryImport, entries: [ImportEntry], owner: OwnerID
    ) throws(LibraryError) {
        if let refusal = OwnerBudget.refusalOfImport(at: imports.count { $0.owner == owner }) {
            throw .overBudget(refusal)
        }
        let first = (imports.flatMap(\.entries).map(\.number).max() ?? 0) + 1
        let stored = entries.enumerated().map { index, entry in
            var isSaved = false
            if case .alreadySaved = entry.state { isSaved = true }
            return StoredEntry(
                number: first + Int64(index), entry: entry, isNoteDue: isSaved && entry.address.hasMarks)
        }
        imports.append((owner, new, stored))
    }

    /// Returns an owner's imports with the current numbers, newest first.
    public func imports(ofOwner owner: OwnerID) -> [LibraryImport] {
        imports.filter { $0.owner == owner }.reversed().map { one in
            var result = one.stored
            result.counts = LibraryImport.Counts()
            for entry in one.entries { count(entry, in: &result.counts) }
            return result
        }
    }

    private func count(_ entry: StoredEntry, in counts: inout LibraryImport.Counts) {
        if entry.otherNote != nil { counts.otherNotes += 1 }
        switch entry.entry.state {
        case .waiting where entry.page == nil: counts.waiting += 1
        case .waiting:
            guard let page = entry.page.flatMap({ rows[$0] })?.page, page.deletedAt == nil else {
                counts.deleted += 1
                return
            }
            switch page.state {
            case .idle, .fetching: counts.saving += 1
            case .found: counts.saved += 1
            case .failed: counts.failed += 1
            }
        case .alreadySaved: counts.alreadySaved += 1
        case .repeated: counts.repeated += 1
        case .unusable: counts.unusable += 1
        }
    }

    /// Returns the entries of a part of a report.
    public func entries(
        _ part: ReportedEntry.Part, of id: LibraryImport.ID, owner: OwnerID, limit: Int
    ) -> [ReportedEntry] {
        let all = imports.first { $0.owner == owner && $0.stored.id == id }?.entries ?? []
        return all.compactMap { stored -> ReportedEntry? in
            let address = stored.entry.address
            var reason: String?
            switch stored.entry.state {
            case .unusable(let text) where part == .unusable: reason = text
            case .waiting where part == .failed:
                let page = stored.page.flatMap { rows[$0] }?.page
                if page?.deletedAt == nil { reason = page?.state.failureReason?.message }
            default: break
            }
            if part == .otherNotes { reason = stored.otherNote }
            return reason.map {
                ReportedEntry(place: address.place, address: address.address, title: address.title, reason: $0)
            }
        }.prefix(limit).map(\.self)
    }

    /// Returns the owners of imports with waiting entries.
    public func ownersWithWaitingEntries() -> [OwnerID] {
        let owners = imports.filter { $0.entries.contains { $0.request != nil || $0.isNoteDue } }.map(\.owner)
        return Set(owners).sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns an owner's next waiting entries.
    public func waitingEntries(ofOwner owner: OwnerID, limit: Int) -> [WaitingEntry] {
        imports.filter { $0.owner == owner }.flatMap { one in
            one.entries.compactMap { stored in
                stored.request.map {
                    WaitingEntry(
                        number: stored.number, request: CaptureRequest(url: $0, formats: one.stored.formats),
                        addedAt: stored.entry.address.addedAt, tags: stored.entry.address.tags,
                        note: stored.entry.address.note, title: stored.entry.address.title)
                }
            }
        }.prefix(limit).map(\.self)
    }

    /// Returns an owner's next entries with tags and notes for saved pages.
    public func notedEntries(ofOwner owner: OwnerID, limit: Int) -> [NotedEntry] {
        imports.filter { $0.owner == owner }.flatMap(\.entries).compactMap { stored in
            guard stored.isNoteDue, case .alreadySaved(let page) = stored.entry.state, rows[page] != nil else {
                return nil
            }
            let address = stored.entry.address
            return NotedEntry(number: stored.number, page: page, note: address.note, tags: address.tags)
        }.prefix(limit).map(\.self)
    }

    /// Records what became of notes.
    public func settle(_ notes: [(entry: NotedEntry, isAdded: Bool)], owner: OwnerID) {
        for (entry, isAdded) in notes {
            for (index, one) in imports.enumerated() where one.owner == owner {
                guard let place = one.entries.firstIndex(where: { $0.number == entry.number }) else { continue }
                imports[index].entries[place].isNoteDue = false
                if isAdded { imports[index].entries[place].entry.address.note = "" }
            }
        }
    }

    /// Adds the pages of waiting entries.
    public func start(
        _ pages: [(entry: WaitingEntry, page: SavedPage)], known: [(entry: WaitingEntry, page: SavedPage.ID)],
        owner: OwnerID
    ) throws(LibraryError) -> [SavedPage] {
        for (entry, page) in known {
            change(entry.number) {
                $0.entry.state = .alreadySaved(page)
                $0.isNoteDue = $0.entry.address.hasMarks
            }
        }
        var started: [SavedPage] = []
        for (entry, page) in pages {
            guard waitingEntries(ofOwner: owner, limit: .max).contains(where: { $0.number == entry.number }) else {
                continue
            }
            do throws(LibraryError) {
                try add(page, owner: owner)
            } catch {
                if started.isEmpty, known.isEmpty { throw error }
                break
            }
            change(entry.number) {
                $0.page = page.id
                $0.entry.address.note = ""
            }
            started.append(page)
        }
        return started
    }

    /// Removes an import.
    public func removeImport(_ id: LibraryImport.ID, owner: OwnerID) throws(LibraryError) {
        guard imports.contains(where: { $0.owner == owner && $0.stored.id == id }) else { throw .noSuchImport }
        imports.removeAll { $0.owner == owner && $0.stored.id == id }
    }

    private func change(_ number: Int64, _ body: (inout StoredEntry) -> Void) {
        for (index, one) in imports.enumerated() {
            guard let place = one.entries.firstIndex(where: { $0.number == number }) else { continue }
            if imports[index].entries[place].request != nil { body(&imports[index].entries[place]) }
        }
    }
}

extension ImportedAddress {
    fileprivate var hasMarks: Bool { !note.isEmpty || !tags.isEmpty }
}

extension StoredEntry {
    /// The note that wasn't added to the page; `nil` if there is none.
    fileprivate var otherNote: String? {
        let note = entry.address.note
        guard !note.isEmpty, !isNoteDue else { return nil }
        switch entry.state {
        case .alreadySaved, .repeated: return note
        case .waiting, .unusable: return nil
        }
    }

    /// The URL of a waiting entry; `nil` if it isn't waiting.
    fileprivate var request: URL? {
        guard case .waiting(let url) = entry.state, page == nil else { return nil }
        return url
    }
}
