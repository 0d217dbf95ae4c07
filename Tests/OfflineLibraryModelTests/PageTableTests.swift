import Capture
import Foundation
import Loading
import SeededChance
import Testing

@testable import OfflineLibraryModel

/// Compares tables of pages with plain arrays that are searched from the start.
@Suite(.timeLimit(.minutes(10))) struct PageTableTests {
    private var chance = SeededChance(seed: 28)
    private var table = PageTable()
    /// The same pages, the newest first.
    private var entries: [Library.Entry] = []

    private static let addresses = (0..<4).flatMap {
        [
            "https://\($0).example", "https://\($0).example/", "https://\($0).example/#part",
            "https://\($0).example/#!app",
        ]
    }
    private static let tags = ["Café", "cafe", "two", "three"].compactMap { PageTag($0) }

    @Test(arguments: [0, 1, 30]) mutating func tableAgreesWithArrays(loaded: Int) throws {
        for seed in 0..<40 {
            chance = SeededChance(seed: seed)
            entries = []
            for _ in 0..<loaded { entries.append(try randomEntry()) }
            entries.sort { $0.requestedAt > $1.requestedAt }
            table = PageTable(entries)
            try compare()
            for _ in 0..<60 {
                try changeSomething()
                try compare()
            }
        }
    }

    @Test mutating func earlierListsStayAsTheyWere() throws {
        for _ in 0..<20 { insert(try randomEntry()) }
        let (list, items) = (table.list, Array(table.list))
        for _ in 0..<60 { try changeSomething() }
        #expect(Array(list) == items)
        #expect(Array(table.list) != items)
    }

    private mutating func url() throws -> URL {
        let address = try #require(Self.addresses.randomElement(using: &chance))
        return try #require(URL(string: address))
    }

    private mutating func randomEntry() throws -> Library.Entry {
        let request = CaptureRequest(url: try url(), formats: Bool.random(using: &chance) ? [.png] : [.pdf])
        var entry = Library.Entry(
            id: SavedPage.ID(), request: request,
            requestedAt: Date(timeIntervalSince1970: Double(Int.random(in: 0..<10, using: &chance))), attempt: 1,
            machine: Library.Machine(state: .fetching(request, previous: nil)))
        try change(&entry)
        return entry
    }

    private mutating func change(_ entry: inout Library.Entry) throws {
        switch Int.random(in: 0..<5, using: &chance) {
        case 0:
            let content = PageContent(
                title: "\(Int.random(in: 0..<3, using: &chance))", url: try url(),
                httpStatus: Bool.random(using: &chance) ? 200 : 404, capturedAt: .now, warnings: [], sizes: [:])
            _ = entry.machine.succeeded(content, of: entry.machine.fetch(entry.request))
        case 1:
            let failure = CaptureFailure(code: "broken", message: "It broke.")
            _ = entry.machine.failed(failure, of: entry.machine.fetch(entry.request))
        case 2: _ = entry.machine.fetch(entry.request)
        case 3: entry.marks.tags = Self.tags.filter { _ in Bool.random(using: &chance) }.prefix(1).map(\.self)
        default:
            entry.deletedAt =
                entry.deletedAt == nil
                ? Date(timeIntervalSince1970: Double(Int.random(in: 0..<3, using: &chance))) : nil
        }
    }

    private mutating func insert(_ entry: Library.Entry) {
        table.insert(entry)
        entries.insert(
            entry, at: entries.firstIndex { $0.requestedAt <= entry.requestedAt } ?? entries.endIndex)
    }

    private mutating func changeSomething() throws {
        switch Int.random(in: 0..<8, using: &chance) {
        case 0, 1: insert(try randomEntry())
        case 2:
            let new = [try randomEntry(), try randomEntry()].sorted { $0.requestedAt > $1.requestedAt }
            table.append(new)
            entries = (entries + new).sorted { $0.requestedAt > $1.requestedAt }
        case 3:
            let removed = entries.filter { _ in Int.random(in: 0..<6, using: &chance) == 0 }.map(\.id)
            table.remove(removed + [SavedPage.ID()])
            entries.removeAll { removed.contains($0.id) }
        default:
            guard let index = entries.indices.randomElement(using: &chance) else { return }
            var new = entries[index]
            try change(&new)
            entries[index] = new
            let isFound: Void? = table.change(new.id) { [new] in $0 = new }
            #expect(isFound != nil)
        }
    }

    private mutating func compare() throws {
        let items = entries.map(\.item)
        let list = table.list
        #expect(Array(list) == items)
        for entry in entries { #expect(table[entry.id]?.item == entry.item) }
        #expect(table[SavedPage.ID()] == nil)
        let visible = items.filter { !$0.isDeleted }
        #expect(list.countWithoutDeleted == visible.count)
        #expect(list.savedCount == visible.count { $0.state.value != nil })
        #expect(Set(list.fetchingItems) == Set(visible.filter(\.state.isFetching)))
        #expect(Set(list.deletedItems) == Set(items.filter(\.isDeleted)))
        let latest = items.compactMap(\.deletedAt).max()
        let together = items.filter { $0.deletedAt == latest && latest != nil }
        #expect(Set(list.deletedTogether) == (together.count > 1 ? Set(together) : []))
        var tags: [String: Int] = [:]
        for tag in visible.flatMap(\.marks.tags) { tags[tag.key, default: 0] += 1 }
        #expect(list.tags.reduce(into: [:]) { $0[$1.tag.key] = $1.count } == tags)
        let key = try url().pageKey
        let saved = visible.filter { item in
            guard case .found(let content) = item.state, content.errorStatus == nil else { return false }
            return item.request.url.pageKey == key || content.url.pageKey == key
        }
        // Of pages that are equally new, any may be found.
        #expect(table.saved(at: key)?.requestedAt == saved.first?.requestedAt)
        let known = visible.first { item in
            item.state.isFetching && item.request.url.pageKey == key || saved.contains(item)
        }
        #expect(table.savedOrFetching(at: key).flatMap { table[$0]?.requestedAt } == known?.requestedAt)
        let copies = visible.filter { $0.state.value != nil && $0.request.url.pageKey == key }
        #expect(table.copies(from: key).map(\.requestedAt) == copies.map(\.requestedAt))
        #expect(Set(table.copies(from: key).map(\.id)) == Set(copies.map(\.id)))
    }
}
