import Foundation
import Futures
import Persistence
import Testing

@testable import HealthSamples

/// Tests of permissions in every kind of store.
@Suite(.timeLimit(.minutes(20))) struct PermissionTests {
    @Test(arguments: SampleStoreKind.allCases)
    func writeFailsUntilPermissionIsGranted(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).open()
        func status() async throws -> WriteAuthorization {
            try await store.authorizationStatus(for: .dietaryCaffeine, source: .app)
        }
        #expect(try await status() == .notDetermined)
        #expect(await code { _ = try await store.save(.caffeine(), by: .app) } == .notAuthorized)
        // A source doesn't learn whether it may read.
        try await store.grant(.read, to: [.dietaryCaffeine], source: .app)
        #expect(try await status() == .notDetermined)
        try await store.grant(.share, to: [.dietaryCaffeine], source: .app)
        #expect(try await status() == .granted)
        try await store.save(.caffeine(), by: .app)
        #expect(await code { _ = try await store.save(.caffeine(by: .watch), by: .watch) } == .notAuthorized)
        try await store.revoke(.share, to: [.dietaryCaffeine], source: .app)
        #expect(try await status() == .denied)
        #expect(await code { _ = try await store.save(.caffeine(), by: .app) } == .notAuthorized)
        #expect(await code { _ = try await store.delete(.query(.caffeine), by: .app) } == .notAuthorized)
        #expect(try await store.samples(.caffeine, by: .app).count == 1)
        #expect(
            try await store.authorizations() == [
                SampleAuthorization(source: .app, type: .dietaryCaffeine, share: .denied, read: .granted)
            ])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func deniedReadReturnsOnlyOwnSamples(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        try await store.save([.caffeine(1, 10), .caffeine(2, 20)], by: .app)
        try await store.save(.caffeine(3, 30, by: .watch), by: .watch)
        #expect(try await store.milligrams() == [3, 2, 1])
        try await store.revoke(.read, to: [.dietaryCaffeine], source: .app)
        #expect(try await store.milligrams() == [2, 1])
        #expect(try await store.allChanges().added.count == 2)
        let days = try SampleDays(timeZone: "UTC")
        #expect(try await store.statistics(.caffeine, perDay: days, in: .milligram, by: .app).map(\.sum) == [3])
        // Deletions by the other source aren't reported either.
        let anchor = try await store.latestAnchor(.caffeine, by: .app)
        try await store.delete(.query(.caffeine), by: .watch)
        #expect(try await store.allChanges(since: anchor).deleted == [])
        let stranger = SampleSource(identifier: "nobody", name: "Nobody")
        #expect(try await store.samples(.caffeine, by: stranger) == [])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func readRevokedBetweenPagesReturnsNoMoreForeignSamples(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        try await store.save((0..<10).map { .caffeine(Double($0), by: .watch) }, by: .watch)
        try await store.save(.caffeine(99), by: .app)
        let first = try await store.changes(.caffeine, since: nil, limit: 4, by: .app)
        #expect(first.added.count == 4 && first.hasMore)
        try await store.revoke(.read, to: [.dietaryCaffeine], source: .app)
        let rest = try await store.changes(.caffeine, since: first.anchor, limit: 100, by: .app)
        #expect(rest.added.map(\.quantity.value) == [99] && !rest.hasMore)
        // Once reading is granted again, the source sees more than the anchor covers, so the anchor expires.
        try await store.grant(.read, to: [.dietaryCaffeine], source: .app)
        for anchor in [first.anchor, rest.anchor] {
            #expect(
                await code { _ = try await store.changes(.caffeine, since: anchor, limit: 1, by: .app) }
                    == .anchorExpired)
        }
        #expect(try await store.allChanges().added.count == 11)
        // Granting an existing permission again changes nothing.
        let anchor = try await store.latestAnchor(.caffeine, by: .app)
        try await store.grant(.read, to: [.dietaryCaffeine], source: .app)
        #expect(try await store.changes(.caffeine, since: anchor, limit: 1, by: .app).added == [])
        // Anchors of queries for only the source's own samples stay valid.
        var own = SampleQuery.caffeine
        own.sources = .only(["app"])
        let ownAnchor = try await store.latestAnchor(own, by: .app)
        try await store.revoke(.read, to: [.dietaryCaffeine], source: .app)
        try await store.grant(.read, to: [.dietaryCaffeine], source: .app)
        #expect(try await store.changes(own, since: ownAnchor, limit: 1, by: .app).added == [])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func decidedPermissionsAreNotRequestedAgain(kind: SampleStoreKind) async throws {
        let log = Log()
        let fixture = try SampleStoreFixture(
            kind,
            consent: SampleConsent { request in
                log.requests.withLock { $0.append(request) }
                return SampleConsent.Answer(
                    granted: AuthorizationRequest(source: request.source, share: [.dietaryCaffeine], read: []),
                    refusesOthers: true)
            })
        let store = try await fixture.open()
        let (caffeine, water) = (SampleType.dietaryCaffeine, SampleType.dietaryWater)
        for _ in 0..<2 {
            try await store.requestAuthorization(toShare: [caffeine, water], read: [caffeine], source: .app)
        }
        #expect(
            log.requests.withLock { $0 } == [
                AuthorizationRequest(source: .app, share: [caffeine, water], read: [caffeine])
            ]
        )
        #expect(
            try await store.authorizations() == [
                SampleAuthorization(source: .app, type: caffeine, share: .granted, read: .denied),
                SampleAuthorization(source: .app, type: water, share: .denied, read: nil),
            ])
        // Only undecided permissions are requested.
        try await store.requestAuthorization(toShare: [caffeine], read: [caffeine, water], source: .app)
        #expect(log.requests.withLock { $0.last } == AuthorizationRequest(source: .app, share: [], read: [water]))
    }

    /// A wrapper, because a closure can't capture a lock.
    private final class Log: Sendable {
        let requests = Lock<[AuthorizationRequest]>([])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func undecidedRequestIsRecordedAndDecidedLater(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).open()
        try await store.requestAuthorization(toShare: [.dietaryCaffeine], read: [.dietaryCaffeine], source: .app)
        #expect(
            try await store.authorizations() == [
                SampleAuthorization(source: .app, type: .dietaryCaffeine, share: .asked, read: .asked)
            ])
        #expect(try await store.authorizationStatus(for: .dietaryCaffeine, source: .app) == .notDetermined)
        try await store.grant(.share, to: [.dietaryCaffeine], source: .app)
        #expect(try await store.authorizationStatus(for: .dietaryCaffeine, source: .app) == .granted)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func decisionDuringARequestIsNotOverruled(kind: SampleStoreKind) async throws {
        let (question, answer) = (Promise<Void, Never>(), Promise<Void, Never>())
        let fixture = try SampleStoreFixture(
            kind,
            consent: SampleConsent { request in
                question.resolve(())
                await answer.future.value
                return SampleConsent.Answer(granted: request, refusesOthers: false)
            })
        let store = try await fixture.open()
        let asking = Task {
            try await store.requestAuthorization(toShare: [.dietaryCaffeine], read: [], source: .app)
        }
        await question.future.value
        try await store.revoke(.share, to: [.dietaryCaffeine], source: .app)
        answer.resolve(())
        try await asking.value
        #expect(try await store.authorizationStatus(for: .dietaryCaffeine, source: .app) == .denied)
    }

    /// A call that is given a source stores the source's newest name, so every call must validate the source first.
    @Test(arguments: SampleStoreKind.allCases)
    func invalidSourceIsRefusedByEveryCall(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        try await store.save(.caffeine(sync: "a"), by: .app)
        let days = try SampleDays(timeZone: "UTC")
        let types: Set<SampleType> = [.dietaryCaffeine]
        for source in [
            SampleSource(identifier: "app", name: ""), SampleSource(identifier: "", name: "App"),
            SampleSource(identifier: "a\u{308}pp", name: "App"), SampleSource(identifier: "app", name: "A\n"),
        ] {
            let calls: [() async throws -> Void] = [
                { _ = try await store.authorizationStatus(for: .dietaryCaffeine, source: source) },
                { try await store.requestAuthorization(toShare: types, read: types, source: source) },
                { try await store.grant(.share, to: types, source: source) },
                { try await store.revoke(.share, to: types, source: source) },
                { _ = try await store.save([], by: source) },
                { _ = try await store.delete(.ids([]), by: source) },
                { _ = try await store.delete(.syncIdentifiers(["a"]), by: source) },
                { _ = try await store.samples(.caffeine, by: source) },
                { _ = try await store.statistics(.caffeine, perDay: days, in: .milligram, by: source) },
                { _ = try await store.changes(.caffeine, since: nil, limit: 1, by: source) },
                { _ = try await store.latestAnchor(.caffeine, by: source) },
            ]
            for (number, call) in calls.enumerated() {
                #expect(await code(call) == .invalidSample, "\(number) as \(source)")
            }
            var updates = store.updates(.caffeine, by: source).makeAsyncIterator()
            #expect(await updates.next() == nil)
        }
        #expect(try await store.samples(.caffeine, by: .app).map(\.source) == [.app])
        #expect(try await store.authorizations().count == 4)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func fixedConsentGrantsOrDeniesEveryRequest(kind: SampleStoreKind) async throws {
        for (consent, expected) in [(SampleConsent.always, WriteAuthorization.granted), (.never, .denied)] {
            let store = try await SampleStoreFixture(kind, consent: consent).open()
            try await store.requestAuthorization(toShare: [.dietaryCaffeine], read: [], source: .app)
            #expect(try await store.authorizationStatus(for: .dietaryCaffeine, source: .app) == expected)
        }
    }
}
