public import Foundation
import Futures

// Favourites, tags and notes.

/// A change of the marks of several pages.
public enum MarkChange: Hashable, Sendable {
    /// Makes them favourites, or no longer.
    case favourite(Bool)
    /// Adds tags.
    case add([PageTag])
    /// Removes tags.
    case remove([PageTag])
    /// Marks them as read, or as unread.
    case read(Bool)

    func apply(to marks: inout PageMarks) {
        switch self {
        case .favourite(let isFavourite): marks.isFavourite = isFavourite
        case .add(let tags): marks.tags += tags.filter { !marks.tags.contains($0) }
        case .remove(let tags): marks.tags.removeAll { tags.contains($0) }
        case .read: break
        }
    }
}

/// A change of the marks of several pages that was made, and can be undone.
public struct Marking: Hashable, Sendable {
    /// The marks of a page before and after the change.
    struct Change: Hashable, Sendable {
        let before: PageMarks
        let after: PageMarks
    }

    /// Whether the owner had marked a page as read or unread, before and after the change.
    struct ReadingChange: Hashable, Sendable {
        let before: ReadingPosition?
        let after: ReadingPosition
    }

    /// Identifies the change.
    public let id: UUID
    /// What was changed.
    public let change: MarkChange
    /// When it was changed.
    public let time: Date
    /// The pages that were changed.
    var pages: [SavedPage.ID: Change] = [:]
    /// The pages that were marked as read or unread.
    var reading: [SavedPage.ID: ReadingChange] = [:]

    /// The number of pages that were changed.
    public var count: Int { pages.count + reading.count }
}

extension Library {
    /// The tags of all pages that aren't deleted: the most frequent first, then by name.
    public var tags: [TagCount] { newest.tags }

    /// Replaces the marks of a page, and returns when they are stored.
    ///
    /// A tag that other pages have, too, keeps the name that it has there.
    ///
    /// - Throws: ``LibraryError/notFound`` if the page doesn't exist or is deleted; ``LibraryError`` if it can't be stored.
    public func mark(_ id: SavedPage.ID, _ marks: PageMarks) async throws(LibraryError) {
        try await changeMarks { () throws(LibraryError) in
            guard self.item(id)?.isDeleted == false else { throw .notFound }
            var marks = marks
            marks.tags = self.newest.known(marks.tags)
            try await self.storeMarks([id: marks])
        }
    }

    /// Makes a page a favourite, or no longer; returns when that is stored.
    ///
    /// - Throws: As ``mark(_:_:)``.
    public func setFavourite(_ id: SavedPage.ID, _ isFavourite: Bool) async throws(LibraryError) {
        try await changeMarks { () throws(LibraryError) in
            guard let item = self.item(id), !item.isDeleted else { throw .notFound }
            var marks = item.marks
            marks.isFavourite = isFavourite
            try await self.storeMarks([id: marks])
        }
    }

    /// Changes the marks of several pages together; ``undoMarking(_:)`` undoes it within ``Configuration/undoWindow``.
    ///
    /// Deleted pages are skipped.
    ///
    /// - Returns: The change; `nil` if all pages have these marks already.
    /// - Throws: ``LibraryError/noSelection`` if there is no page; ``LibraryError/invalidMarks(_:)`` if a page would have too
    ///   many tags; ``LibraryError`` if it can't be stored. Nothing was changed then.
    @discardableResult
    public func markAll(
        _ ids: Set<SavedPage.ID>, _ change: MarkChange
    ) async throws(LibraryError) -> Marking? {
        guard !ids.isEmpty else { throw .noSelection }
        if case .read(let isRead) = change { return try await markReading(ids, isRead: isRead) }
        return try await changeMarks { () throws(LibraryError) in
            var change = change
            if case .add(let tags) = change { change = .add(self.newest.known(tags)) }
            var pages: [SavedPage.ID: Marking.Change] = [:]
            for id in ids {
                guard let entry = self.table[id], entry.deletedAt == nil else { continue }
                var marks = entry.marks
                change.apply(to: &marks)
                try marks.check()
                if marks != entry.marks { pages[entry.id] = Marking.Change(before: entry.marks, after: marks) }
            }
            guard !pages.isEmpty else { return nil }
            try await self.storeMarks(pages.mapValues(\.after))
            let marking = Marking(id: UUID(), change: change, time: self.configuration.now(), pages: pages)
            self.marking = marking
            return marking
        }
    }

    private func markReading(_ ids: Set<SavedPage.ID>, isRead: Bool) async throws(LibraryError) -> Marking? {
        try await changeMarks { () throws(LibraryError) in
            let state = isRead ? ReadingState.finished : .unread
            var reading: [SavedPage.ID: Marking.ReadingChange] = [:]
            for id in ids {
                guard let entry = self.table[id], entry.deletedAt == nil, entry.positions.state != state else {
                    continue
                }
                // The mark is later than every position, whatever clocks say.
                let last = entry.positions.values.map(\.changedAt).max() ?? .distantPast
                let time = max(self.configuration.now(), last.addingTimeInterval(0.001))
                let mark = ReadingPosition(share: isRead ? 1 : 0, paragraph: nil, changedAt: time)
                reading[id] = Marking.ReadingChange(before: entry.positions[.marked], after: mark)
            }
            guard !reading.isEmpty else { return nil }
            try await self.storeReadingMarks(reading.mapValues(\.after))
            let marking = Marking(
                id: UUID(), change: .read(isRead), time: self.configuration.now(), reading: reading)
            self.marking = marking
            return marking
        }
    }

    private func storeReadingMarks(_ marks: [SavedPage.ID: ReadingPosition?]) async throws(LibraryError) {
        try await store.setReadingMarks(marks, owner: owner)
        for (id, mark) in marks { change(id) { $0.positions[.marked] = mark } }
    }

    /// The latest change of several pages' marks, if it can still be undone.
    public var latestMarking: Marking? {
        marking.flatMap { isRecent($0.time) ? $0 : nil }
    }

    private func isRecent(_ time: Date) -> Bool {
        configuration.now().timeIntervalSince(time) < configuration.undoWindow
    }

    /// Undoes a change of several pages' marks, except on pages whose marks were changed again since then.
    ///
    /// - Throws: ``LibraryError/tooLateToUndo`` if it isn't the latest change, or was made too long ago; ``LibraryError`` if
    ///   it can't be stored. Nothing was changed then.
    public func undoMarking(_ id: UUID) async throws(LibraryError) {
        try await changeMarks { () throws(LibraryError) in
            guard let marking = self.latestMarking, marking.id == id else { throw .tooLateToUndo }
            var marks: [SavedPage.ID: PageMarks] = [:]
            for (id, change) in marking.pages {
                guard let entry = self.table[id], entry.deletedAt == nil, change.after == entry.marks else { continue }
                marks[id] = change.before
            }
            var reading: [SavedPage.ID: ReadingPosition?] = [:]
            for (id, change) in marking.reading {
                guard let entry = self.table[id], entry.deletedAt == nil, change.after == entry.positions[.marked]
                else { continue }
                reading.updateValue(change.before, forKey: id)
            }
            if !marks.isEmpty { try await self.storeMarks(marks) }
            if !reading.isEmpty { try await self.storeReadingMarks(reading) }
            self.marking = nil
        }
    }

    /// Adds the tags and notes of an import to pages; a deleted page isn't changed.
    ///
    /// A page gets tags up to its maximum number of them. It gets the first note if it has none.
    ///
    /// - Parameter entries: The tags and notes.
    /// - Returns: For each note, whether its page has it now.
    /// - Throws: ``LibraryError`` if they can't be stored. Nothing was changed then.
    func addMarks(_ entries: [NotedEntry]) async throws(LibraryError) -> [Bool] {
        try await changeMarks { () throws(LibraryError) in
            var changed: [SavedPage.ID: PageMarks] = [:]
            var areAdded: [Bool] = []
            let list = self.newest
            for new in entries {
                guard let entry = self.table[new.page], entry.deletedAt == nil else {
                    areAdded.append(false)
                    continue
                }
                var marks = changed[new.page] ?? entry.marks
                marks.tags =
                    PageMarks(
                        importedTags: marks.tags.map(\.name) + new.tags, note: "", in: list
                    ).tags
                if marks.note.isEmpty { marks.note = new.note }
                if marks != entry.marks { changed[new.page] = marks }
                areAdded.append(new.note.isEmpty || marks.note.contains(new.note))
            }
            if !changed.isEmpty { try await self.storeMarks(changed) }
            return areAdded
        }
    }

    private func storeMarks(_ marks: [SavedPage.ID: PageMarks]) async throws(LibraryError) {
        try await store.setMarks(marks, owner: owner)
        for (id, new) in marks { change(id) { $0.marks = new } }
    }

    /// Performs changes of marks one after another, because each depends on the marks before it.
    private func changeMarks<Value: Sendable>(
        _ body: @escaping @MainActor () async throws(LibraryError) -> Value
    ) async throws(LibraryError) -> Value {
        if isShuttingDown { throw .shuttingDown }
        let previous = pendingMarks
        let task = Task { () -> Result<Value, LibraryError> in
            await previous?.value
            do throws(LibraryError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        let pending = Task { _ = await task.value }
        pendingMarks = pending
        defer { if pendingMarks == pending { pendingMarks = nil } }
        return try await task.value.get()
    }
}
