public import Foundation
public import HealthSamples
public import Persistence

/// What stands between Coffee Tracker and the health store: named as in the talk, and an actor as at its end.
///
/// It holds nothing that its stores do not have: whatever is begun can be broken off at any point, by a cancellation or the
/// end of the process, and the next ``sync()`` goes on from there, in this process or another.
public actor HealthKitController {
    /// What has become of an attempt to be of one mind with the health store.
    public struct Report: Hashable, Sendable {
        /// Whether there is a health store.
        public var isAvailable = true
        /// Whether it may be told what was drunk; if not, that waits until it may.
        public var maySave = true
        /// How many drinks it was told of.
        public var told = 0
        /// What it has refused, with the drinks' numbers; it is told again the next time.
        public var refused: [Drink.ID: String] = [:]
    }

    /// How many changes come in one page, and how many samples are saved at once.
    static let pageSize = 500
    /// How often in a row others may be faster, before it is left to the next time.
    static let patience = 8
    static let query = SampleQuery(types: [.dietaryCaffeine])

    private let samples: any SampleStore
    private let store: any CoffeeStoring
    private let source: SampleSource

    /// Creates a controller.
    ///
    /// - Parameters:
    ///   - samples: The health store of one owner.
    ///   - store: The drinks of the same owner.
    ///   - source: What Coffee Tracker is called in the health store.
    public init(samples: any SampleStore, store: any CoffeeStoring, source: SampleSource = .coffeeTracker) {
        self.samples = samples
        self.store = store
        self.source = source
    }
}

// MARK: - What it may

extension HealthKitController {
    /// Whether there is a health store.
    public nonisolated var isAvailable: Bool { samples.isAvailable }

    /// Whether the health store may be told what was drunk.
    ///
    /// Whether what others say may be read, is told to nobody.
    ///
    /// - Throws: ``CoffeeError/healthStore(_:)``.
    public func authorizationStatus() async throws(CoffeeError) -> WriteAuthorization {
        try await asking { () async throws(SampleStoreError) in
            try await samples.authorizationStatus(for: .dietaryCaffeine, source: source)
        }
    }

    /// Asks to tell the health store what was drunk, and to read what others say.
    ///
    /// - Returns: Whether it may be told.
    /// - Throws: ``CoffeeError/healthStore(_:)``.
    public func requestAuthorization() async throws(CoffeeError) -> WriteAuthorization {
        try await asking { () async throws(SampleStoreError) in
            try await samples.requestAuthorization(
                toShare: [.dietaryCaffeine], read: [.dietaryCaffeine], source: source)
        }
        return try await authorizationStatus()
    }

    /// Tells that ``sync()`` may have something new to hear, also of other processes.
    public nonisolated func updates() -> Updates<Set<SampleType>> {
        samples.updates(Self.query, by: source)
    }
}

// MARK: - Being of one mind

extension HealthKitController {
    /// Hears what has changed in the health store, and tells it what has changed here.
    ///
    /// Several may run at once, in one process or in many: each step is one transaction, and what was done twice is there once.
    ///
    /// - Returns: What has become of it.
    /// - Throws: ``CoffeeError``: what was done until then is done, and the rest is left to the next time.
    public func sync() async throws(CoffeeError) -> Report {
        var report = Report()
        guard samples.isAvailable else {
            report.isAvailable = false
            return report
        }
        for _ in 0..<Self.patience {
            try await hear()
            // Where it knows of greater versions, what was changed here becomes greater yet, and is told again.
            do throws(CoffeeError) {
                guard try await tell(&report) else { return report }
            } catch {
                guard error == .notAuthorized else { throw error }
                // Somebody has taken the permission back meanwhile: what is still to be told waits.
                report.maySave = false
                return report
            }
        }
        return report
    }

    /// Query, then await the save of what came, page by page.
    private func hear() async throws(CoffeeError) {
        var losses = 0
        var anchor = try await store.anchor()
        while losses < Self.patience {
            let (news, hasMore) = try await news(since: anchor)
            // The anchor of a page that is empty has gone on, too.
            if news.anchor == anchor, !hasMore { return }
            if try await store.take(news, after: anchor, own: source) {
                anchor = news.anchor
                guard hasMore else { return }
            } else {
                losses += 1
                anchor = try await store.anchor()
            }
        }
    }

    private func news(since anchor: Anchor?) async throws(CoffeeError) -> (HealthNews, hasMore: Bool) {
        if let anchor {
            do throws(SampleStoreError) {
                let page = try await samples.changes(Self.query, since: anchor, limit: Self.pageSize, by: source)
                return (.page(page), page.hasMore)
            } catch  where error.asksForResync {
                // Below: whatever was missed is found by comparing.
            } catch {
                throw CoffeeError(error)
            }
        }
        let known = try await store.known(own: source)
        let resync = try await asking { () async throws(SampleStoreError) in
            try await samples.resync(Self.query, known: known, by: source)
        }
        return (.resync(resync), false)
    }

    /// - Returns: Whether there is something to be told again.
    private func tell(_ report: inout Report) async throws(CoffeeError) -> Bool {
        let outbox = try await store.outbox()
        if outbox.isEmpty { return false }
        report.maySave = try await authorizationStatus() == .granted
        guard report.maySave else { return false }
        var isAgain = false
        var records = outbox[...]
        while !records.isEmpty {
            let batch = Array(records.prefix(Self.pageSize))
            records = records.dropFirst(Self.pageSize)
            let answers = try await tell(batch, &report, &isAgain)
            try await store.note(answers)
            report.told += answers.count { $0.answer == .done }
            if answers.contains(where: { $0.answer != .done }) { isAgain = true }
        }
        return isAgain
    }

    private func tell(
        _ batch: [DrinkRecord], _ report: inout Report, _ isAgain: inout Bool
    ) async throws(CoffeeError) -> [ToldDrink] {
        let deleted = batch.filter(\.isDeleted)
        if !deleted.isEmpty {
            // Those versions and no other: it may have been brought back meanwhile, by another process.
            let ids = Set(deleted.flatMap { record in record.sampleIDs })
            try await asking { () async throws(SampleStoreError) in
                _ = try await samples.delete(.ids(ids), by: source)
            }
        }
        let answers = deleted.map { ToldDrink(id: $0.drink.id, version: $0.version, answer: .done) }
        return answers + (try await save(batch.filter { !$0.isDeleted }, &report, &isAgain))
    }

    private func save(
        _ records: [DrinkRecord], _ report: inout Report, _ isAgain: inout Bool
    ) async throws(CoffeeError) -> [ToldDrink] {
        if records.isEmpty { return [] }
        let samples = records.map { $0.drink.sample(version: $0.version, source: source) }
        do throws(SampleStoreError) {
            let outcomes = try await self.samples.save(samples, by: source)
            var answers: [ToldDrink] = []
            for (record, outcome) in zip(records, outcomes) {
                guard let answer = ToldDrink.Answer(outcome) else {
                    isAgain = true
                    continue
                }
                // Nothing comes of an answer that no version can exceed.
                if record.answered(record.version, answer) == nil {
                    report.refused[record.drink.id] = CoffeeError.lastVersion.description
                } else {
                    answers.append(ToldDrink(id: record.drink.id, version: record.version, answer: answer))
                }
            }
            return answers
        } catch  where error.code == .invalidSample || error.code == .duplicateIdentifier {
            // One of them is not to its liking, and keeps the others from it.
            guard records.count > 1 else {
                report.refused[records[0].drink.id] = error.message
                return []
            }
            var answers: [ToldDrink] = []
            for record in records { answers += try await save([record], &report, &isAgain) }
            return answers
        } catch {
            throw CoffeeError(error)
        }
    }

    private func asking<Value: Sendable>(
        _ body: () async throws(SampleStoreError) -> Value
    ) async throws(CoffeeError) -> Value {
        do throws(SampleStoreError) {
            return try await body()
        } catch {
            throw CoffeeError(error)
        }
    }
}

extension DrinkRecord {
    /// The numbers of all samples that the health store may have of a drink that was deleted.
    ///
    /// It was told of one version, perhaps of later ones without our knowing, and has an earlier one if it was put back from
    /// an older copy, which need not be news.
    fileprivate var sampleIDs: [UUID] {
        // Of versions by the billion, which come from elsewhere, none is ours but the latest.
        let last = max(1, version)
        let versions = max(1, last - Self.mostVersions)..<last
        return ([min(told, last - 1)] + versions).map { Drink.sampleID(of: drink.id, version: $0) }
    }

    /// How many versions before the last one are looked for, at the most.
    private static let mostVersions = 1_000
}

extension ToldDrink.Answer {
    /// `nil` if it says nothing: something of that version is there, and only what is heard next says whether it is
    /// this, or what another installation has made of the drink at the same time.
    fileprivate init?(_ outcome: SaveOutcome) {
        switch outcome {
        case .added, .replaced: self = .done
        case .alreadyThere: return nil
        case .outdated(by: let greater): self = .outdated(by: greater)
        case .deleted: self = .deleted
        }
    }
}

extension CoffeeError {
    init(_ error: SampleStoreError) {
        self =
            switch error.code {
            case .notAuthorized: .notAuthorized
            case .newerFormat: .newerVersion(error.message)
            default: .healthStore(error.message)
            }
    }
}
