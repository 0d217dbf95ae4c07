public import Foundation
public import HealthSamples
public import Persistence

/// Keeps Coffee Tracker and the health store in sync: named as in the talk, and an actor as at its end.
///
/// It holds no state that its stores do not have: a cancellation or the end of the process may stop it at any point, and the
/// next ``sync()`` goes on from there, in this process or another.
public actor HealthKitController {
    /// What a ``sync()`` has done.
    public struct Report: Hashable, Sendable {
        /// Whether there is a health store.
        public var isAvailable = true
        /// Whether the health store may be told; if not, drinks wait.
        public var maySave = true
        /// How many drinks it was told of.
        public var told = 0
        /// Why it has refused drinks, which it is told of again the next time.
        public var refused: [Drink.ID: String] = [:]
        /// What has changed in the store of drinks.
        public var commits: [CoffeeCommit] = []
        /// The revision of the store of drinks, as far as this has seen.
        public var revision = 0
    }

    /// How many changes a page has, and how many samples are saved at once.
    static let pageSize = 500
    /// How often another process may be faster before the rest is left to the next time.
    static let maximumAttempts = 8
    static let query = SampleQuery(types: [.dietaryCaffeine])

    private let samples: any SampleStore
    private let store: any CoffeeStoring
    private let source: SampleSource

    /// Creates a controller.
    ///
    /// - Parameters:
    ///   - samples: An owner's health store.
    ///   - store: The same owner's drinks.
    ///   - source: Coffee Tracker's source in the health store.
    public init(samples: any SampleStore, store: any CoffeeStoring, source: SampleSource = .coffeeTracker) {
        self.samples = samples
        self.store = store
        self.source = source
    }
}

// MARK: - Permissions

extension HealthKitController {
    /// Whether the health store may be told what was drunk.
    private func authorizationStatus() async throws(CoffeeError) -> WriteAuthorization {
        try await asking { () async throws(SampleStoreError) in
            try await samples.authorizationStatus(for: .dietaryCaffeine, source: source)
        }
    }

    /// Asks for permission to write and read caffeine.
    public func requestAuthorization() async throws(CoffeeError) {
        try await asking { () async throws(SampleStoreError) in
            try await samples.requestAuthorization(
                toShare: [.dietaryCaffeine], read: [.dietaryCaffeine], source: source)
        }
    }

    /// Tells that ``sync()`` may have something new to hear, also of other processes.
    public nonisolated func updates() -> Updates<Set<SampleType>> {
        samples.updates(Self.query, by: source)
    }
}

// MARK: - Syncing

extension HealthKitController {
    /// Reads what has changed in the health store, and tells it what has changed here.
    ///
    /// Several may run at once, in one process or many: each step is one transaction, and doing it twice changes nothing.
    ///
    /// - Returns: What it has done.
    /// - Throws: ``CoffeeError``; the steps until then are done, and the rest is left to the next time.
    public func sync() async throws(CoffeeError) -> Report {
        var report = Report()
        guard samples.isAvailable else {
            report.isAvailable = false
            return report
        }
        for _ in 0..<Self.maximumAttempts {
            guard try await read(&report) > 0 else { return report }
            // If the health store knows a greater version, the drink gets a still greater one, and is told again.
            do throws(CoffeeError) {
                guard try await tell(&report) else { return report }
            } catch {
                guard error == .notAuthorized else { throw error }
                // The permission was taken back meanwhile: the rest waits.
                report.maySave = false
                return report
            }
        }
        return report
    }

    /// Reads page by page, and awaits that each is stored; returns how many drinks are still to be told.
    private func read(_ report: inout Report) async throws(CoffeeError) -> Int {
        var losses = 0
        var progress = try await store.progress()
        while losses < Self.maximumAttempts {
            let (news, hasMore) = try await news(since: progress.anchor)
            // An empty page's anchor has moved on, too.
            if news.anchor == progress.anchor, !hasMore { break }
            if let commit = try await store.take(news, after: progress.anchor, own: source) {
                report.commits.append(commit)
                progress = HealthProgress(revision: commit.revision, anchor: news.anchor, untold: commit.untold)
                guard hasMore else { break }
            } else {
                losses += 1
                progress = try await store.progress()
            }
        }
        report.revision = progress.revision
        return progress.untold
    }

    private func news(since anchor: Anchor?) async throws(CoffeeError) -> (HealthNews, hasMore: Bool) {
        if let anchor {
            do throws(SampleStoreError) {
                let page = try await samples.changes(Self.query, since: anchor, limit: Self.pageSize, by: source)
                return (.page(page), page.hasMore)
            } catch  where error.asksForResync {
                // A comparison, below, finds what was missed.
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

    /// Tells the health store what it is still to be told; returns whether to try again.
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
            if answers.isEmpty { continue }
            let commit = try await store.note(answers)
            report.commits.append(commit)
            report.revision = commit.revision
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
            // These versions and no other: another process may have brought the drink back meanwhile.
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
                // No version can exceed this one.
                if record.answered(record.version, answer) == nil {
                    report.refused[record.drink.id] = CoffeeError.lastVersion.description
                } else {
                    answers.append(ToldDrink(id: record.drink.id, version: record.version, answer: answer))
                }
            }
            return answers
        } catch  where error.code == .invalidSample || error.code == .duplicateIdentifier {
            // The health store refuses one of them, and with it the whole batch.
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
    /// The numbers of all samples that the health store may have of a deleted drink.
    ///
    /// It was told of one version, perhaps of later ones whose answer was lost, and has an earlier one if an older copy of it was
    /// put back, of which its changes need not tell.
    fileprivate var sampleIDs: [UUID] {
        // Only other programs make versions by the billion; of those this store has told the latest alone.
        let last = max(1, version)
        let versions = max(1, last - Self.mostVersions)..<last
        return ([min(told, last - 1)] + versions).map { Drink.sampleID(of: drink.id, version: $0) }
    }

    /// How many versions before the last one to look for.
    private static let mostVersions = 1_000
}

extension ToldDrink.Answer {
    /// `nil` if the outcome says too little: something of that version is there, and only the next page says whether it is this,
    /// or what another installation has made of the drink at the same time.
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
