import Foundation
import SeededChance
import StoreTesting
import Testing

@testable import HealthSamples

/// The changes that every store reports.
@Suite(.timeLimit(.minutes(20))) struct ChangesTests {
    @Test(arguments: SampleStoreKind.allCases)
    func pagesReportEachChangeOnceAndInOrder(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let all = (0..<25).map { Sample.caffeine(Double($0), Double($0 * 7 % 25)) }
        for sample in all { try await store.save(sample, by: .app) }
        for limit in [1, 2, 24, 25, 26] {
            var anchor: Anchor?
            var reported: [Sample] = []
            var pages = 0
            while true {
                let page = try await store.changes(.caffeine, since: anchor, limit: limit, by: .app)
                #expect(page.added.count <= limit)
                reported += page.added
                anchor = page.anchor
                pages += 1
                guard page.hasMore else { break }
            }
            #expect(reported == all)
            #expect(pages == (25 + limit - 1) / limit)
            let after = try await store.changes(.caffeine, since: anchor, limit: limit, by: .app)
            #expect(after.added == [] && !after.hasMore && after.anchor == anchor)
        }
        #expect(await code { _ = try await store.changes(.caffeine, since: nil, limit: 0, by: .app) } == .invalidQuery)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func additionsAndDeletionsAreReportedSeparately(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let sample = Sample.caffeine(sync: "a")
        let begin = try await store.latestAnchor(.caffeine, by: .app)
        try await store.save(sample, by: .app)
        let added = try await store.changes(.caffeine, since: begin, limit: 9, by: .app)
        #expect(added.added == [sample] && added.deleted == [])
        try await store.delete(.ids([sample.id]), by: .app)
        let gone = DeletedSample(id: sample.id, sync: sample.sync, source: "app")
        let deleted = try await store.changes(.caffeine, since: added.anchor, limit: 9, by: .app)
        #expect(deleted.added == [] && deleted.deleted == [gone])
        // A reader that saw neither gets the deletion; a reader that starts from the beginning gets neither.
        #expect(try await store.changes(.caffeine, since: begin, limit: 9, by: .app).deleted == [gone])
        #expect(try await store.changes(.caffeine, since: nil, limit: 9, by: .app).deleted == [])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func replacedSampleIsAlsoReportedAsDeleted(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let first = Sample.caffeine(100, 30, sync: "a")
        var near = SampleQuery.caffeine
        near.window = .last(3_600)
        try await store.save(first, by: .app)
        let anchor = try await store.latestAnchor(.caffeine, by: .app)
        let nearAnchor = try await store.latestAnchor(near, by: .app)
        // The same identifier, at a time that matches one query but not the other.
        let second = Sample.caffeine(100, 90, sync: "a", version: 2, id: first.id)
        try await store.save(second, by: .app)
        let changes = try await store.changes(.caffeine, since: anchor, limit: 9, by: .app)
        #expect(changes.added == [second] && changes.deleted.map(\.sync?.version) == [1])
        let nearby = try await store.changes(near, since: nearAnchor, limit: 9, by: .app)
        #expect(nearby.added == [] && nearby.deleted.map(\.id) == [first.id])
        // Additional metadata doesn't change whether a query matches.
        var third = second
        third.sync?.version = 3
        third.metadata["name"] = .text("Espresso")
        try await store.save(third, by: .app)
        let more = try await store.changes(.caffeine, since: changes.anchor, limit: 9, by: .app)
        #expect(more.added == [third] && more.deleted == [])
        var known = [first.key: first]
        changes.apply(to: &known)
        more.apply(to: &known)
        #expect(known == [third.key: third])
        // Applying it again, out of order, changes nothing.
        changes.apply(to: &known)
        #expect(known == [third.key: third])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func backdatedSamplesAreReported(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind)
        let store = try await fixture.openForAll()
        var day = SampleQuery.caffeine
        day.window = .last(86_400)
        try await store.save(.caffeine(1, 10), by: .app)
        var page = try await store.changes(day, since: nil, limit: 9, by: .app)
        // As the window moves on, the anchor stays valid, and backdated samples are reported.
        for hour in 1...30 {
            fixture.advance(by: 3_600)
            let minutes = -Double(hour) * 60 + 23 * 60
            try await store.save([.caffeine(Double(hour), minutes), .caffeine(99, minutes + 120)], by: .app)
            page = try await store.changes(day, since: page.anchor, limit: 9, by: .app)
            #expect(page.added.map(\.quantity.value) == [Double(hour)])
        }
        // A sample may start a few minutes in the future, and is in the window at once.
        try await store.save(.caffeine(7, -30 * 60 - 5), by: .app)
        #expect(try await store.changes(day, since: page.anchor, limit: 9, by: .app).added.count == 1)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func anchorIsValidOnlyForItsQuerySourceAndStore(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let anchor = try await store.latestAnchor(.caffeine, by: .app)
        var others: [SampleQuery] = Array(repeating: .caffeine, count: 7)
        others[0].types = [.dietaryWater]
        others[1].window = .last(86_400)
        others[2].window = .between(nil, .noon)
        others[3].match = .start
        others[4].sources = .only(["app"])
        others[5].sources = .allExcept([])
        others[6].minimum = Quantity(1, .gram)
        for query in others {
            #expect(
                await code { _ = try await store.changes(query, since: anchor, limit: 1, by: .app) } == .anchorMismatch)
        }
        #expect(Set(others.map { $0.digest(for: "app") }).count == 7)
        #expect(
            await code { _ = try await store.changes(.caffeine, since: anchor, limit: 1, by: .watch) }
                == .anchorMismatch)
        let another = try await SampleStoreFixture(kind).openForAll()
        do {
            _ = try await another.changes(.caffeine, since: anchor, limit: 1, by: .app)
            Issue.record("Another store took the anchor.")
        } catch {
            #expect(error.code == .anchorMismatch && error.requiresResync)
        }
        // It can be encoded and decoded.
        let data = try JSONEncoder().encode([anchor])
        #expect(try JSONDecoder().decode([Anchor].self, from: data) == [anchor])
        #expect(Anchor(anchor.description) == anchor)
        for text in ["", "1:2", anchor.description + ":", "2" + anchor.description.dropFirst()] {
            #expect(Anchor(text) == nil)
        }
    }

    @Test(arguments: SampleStoreKind.allCases)
    func anchorOlderThanPurgedDeletionsExpires(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind, tombstoneAge: 1_000)
        let store = try await fixture.openForAll()
        let sample = Sample.caffeine(1)
        try await store.save([sample, .caffeine(2), .caffeine(3)], by: .app)
        let old = try await store.latestAnchor(.caffeine, by: .app)
        try await store.delete(.ids([sample.id]), by: .app)
        let new = try await store.latestAnchor(.caffeine, by: .app)
        fixture.advance(by: 999)
        #expect(try await store.purge() == 0)
        #expect(try await store.changes(.caffeine, since: old, limit: 9, by: .app).deleted.count == 1)
        fixture.advance(by: 2)
        #expect(try await store.purge() == 1)
        #expect(await code { _ = try await store.changes(.caffeine, since: old, limit: 9, by: .app) } == .anchorExpired)
        #expect(try await store.changes(.caffeine, since: new, limit: 9, by: .app).deleted == [])
        // Reading page by page from the beginning starts after the purged deletions.
        var page = try await store.changes(.caffeine, since: nil, limit: 1, by: .app)
        #expect(page.hasMore)
        page = try await store.changes(.caffeine, since: page.anchor, limit: 1, by: .app)
        #expect(page.added.map(\.quantity.value) == [3])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func oldDeletionsArePurgedAutomatically(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind, tombstoneAge: 10_000)
        let store = try await fixture.openForAll()
        try await store.save((0..<4).map { .caffeine(1, sync: "\($0)") }, by: .app)
        let old = try await store.latestAnchor(.caffeine, by: .app)
        try await store.delete(.syncIdentifiers(["0"]), by: .app)
        fixture.advance(by: 10_001)
        try await store.delete(.syncIdentifiers(["1"]), by: .app)
        #expect(await code { _ = try await store.changes(.caffeine, since: old, limit: 9, by: .app) } == .anchorExpired)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func resyncComparesKnownSamplesWithTheStore(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind)
        let store = try await fixture.openForAll()
        let samples = (0..<5).map { Sample.caffeine(Double($0), sync: "\($0)") }
        try await store.save(samples, by: .app)
        let plain = Sample.caffeine(50)
        try await store.save(plain, by: .app)
        let known = (samples + [plain]).map(\.known)
        try await store.delete(.syncIdentifiers(["1"]), by: .app)
        let changed = Sample.caffeine(22, sync: "2", version: 2)
        let added = Sample.caffeine(60, by: .watch)
        try await store.save(changed, by: .app)
        try await store.save(added, by: .watch)
        let resync = try await store.resync(.caffeine, known: known, by: .app)
        #expect(resync.added == [added])
        #expect(resync.changed == [changed])
        #expect(resync.deleted == [samples[1].known])
        #expect(try await store.changes(.caffeine, since: resync.anchor, limit: 1, by: .app).added == [])
        let nothing = try await store.resync(.caffeine, known: [], by: .app)
        #expect(nothing.added.count == 6 && nothing.changed == [] && nothing.deleted == [])
        // After a restore, a known version that is greater than the stored one also counts as changed.
        var later = changed.known
        later.sync?.version = 9
        #expect(try await store.resync(.caffeine, known: [later], by: .app).changed == [changed])
    }

    /// A permission granted between two pages of a resync expires their anchor, and the resync restarts.
    @Test(arguments: SampleStoreKind.allCases)
    func resyncRestartsWhenItsAnchorExpires(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let caffeine: Set<SampleType> = [.dietaryCaffeine]
        try await store.revoke(.read, to: caffeine, source: .app)
        let own = (0..<5).map { Sample.caffeine(Double($0), sync: "\($0)") }
        try await store.save(own, by: .app)
        try await store.save([.caffeine(10, by: .watch), .caffeine(11, by: .watch)], by: .watch)
        let granting = InterceptingStore(store) { (page: Int) async throws(SampleStoreError) in
            if page == 1 { try await store.grant(.read, to: caffeine, source: .app) }
        }
        let resync = try await granting.resync(.caffeine, known: [own[0].known], by: .app, pageSize: 2)
        #expect(resync.added.map(\.quantity.value) == [1, 2, 3, 4, 10, 11])
        #expect(resync.changed == [] && resync.deleted == [])
        #expect(try await store.changes(.caffeine, since: resync.anchor, limit: 1, by: .app).added == [])
        #expect(granting.pageCount == 5)
        // The number of attempts is limited.
        let restless = InterceptingStore(store) { (page: Int) async throws(SampleStoreError) in
            try await store.revoke(.read, to: caffeine, source: .app)
            try await store.grant(.read, to: caffeine, source: .app)
        }
        #expect(
            await code { _ = try await restless.resync(.caffeine, known: [], by: .app, pageSize: 2) } == .anchorExpired)
        #expect(restless.pageCount == SampleResync.maximumAttempts)
    }

    /// A reader that applies pages of any size at any time, some of them twice, ends with the store's contents.
    @Test(arguments: SampleStoreKind.allCases, [1, 2, 3])
    func readerThatAppliesEveryPageMatchesTheStore(kind: SampleStoreKind, seed: UInt64) async throws {
        var random = SeededChance(seed: seed)
        let store = try await SampleStoreFixture(kind).openForAll()
        var known: [SampleKey: Sample] = [:]
        var anchors: [Anchor] = []
        var versions: [String: Int] = [:]
        // The number of pages that are read grows with the square of the steps.
        for _ in 0..<(isSoak ? 600 : 200) {
            let name = "\(Int.random(in: 0..<12, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                versions[name, default: 0] += Int.random(in: 0...2, using: &random)
                let value = Double.random(in: 1...200, using: &random)
                try await store.save(
                    .caffeine(value, sync: name, version: versions[name] ?? 0), by: .app)
            case 5: try await store.delete(.syncIdentifiers([name]), by: .app)
            case 6: try await store.save(.caffeine(1, by: .watch), by: .watch)
            case 7:
                let all = try await store.samples(.caffeine, by: .watch).filter { $0.source == .watch }
                if let one = all.randomElement(using: &random) { try await store.delete(.ids([one.id]), by: .watch) }
            default:
                // Read to the end from the last anchor, or again from an earlier one.
                var page: SampleChanges
                var anchor = anchors.last
                if Bool.random(using: &random) { anchor = anchors.randomElement(using: &random) }
                repeat {
                    let limit = Int.random(in: 1...5, using: &random)
                    page = try await store.changes(.caffeine, since: anchor, limit: limit, by: .app)
                    page.apply(to: &known)
                    anchor = page.anchor
                    anchors.append(page.anchor)
                } while page.hasMore
            }
        }
        let last = try await store.allChanges(since: anchors.last, limit: 7)
        last.apply(to: &known)
        let stored = try await store.samples(.caffeine, by: .app)
        #expect(Set(known.values) == Set(stored))
    }

    @Test(arguments: SampleStoreKind.allCases)
    func concurrentWritersLoseNoSamples(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind)
        let stores = [try await fixture.openForAll(), try await fixture.open(), try await fixture.open()]
        let count = isSoak ? 1_000 : 100
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (writer, store) in stores.enumerated() {
                group.addTask {
                    for number in 1...count {
                        // One sample of its own, and one that all writers write, each version once.
                        try await store.save(
                            [
                                .caffeine(1, sync: "\(writer)-\(number)"),
                                .caffeine(2, sync: "shared", version: number * stores.count + writer),
                            ], by: .app)
                        if number % 10 == 0 {
                            try await store.delete(.syncIdentifiers(["\(writer)-\(number)"]), by: .app)
                        }
                    }
                }
            }
            // A reader follows the changes at the same time.
            group.addTask {
                let reader = try await fixture.open()
                var known: [SampleKey: Sample] = [:]
                var anchor: Anchor?
                while known.count < count / 10 * 9 * stores.count + 1 {
                    // A writer that throws cancels this task.
                    try Task.checkCancellation()
                    let page = try await reader.changes(.caffeine, since: anchor, limit: 17, by: .app)
                    page.apply(to: &known)
                    anchor = page.anchor
                }
            }
            try await group.waitForAll()
        }
        let changes = try await stores[0].allChanges(limit: 1_000)
        var known: [SampleKey: Sample] = [:]
        changes.apply(to: &known)
        #expect(known.count == count / 10 * 9 * stores.count + 1)
        #expect(known[.sync(source: "app", identifier: "shared")]?.sync?.version == count * stores.count + 2)
    }
}
