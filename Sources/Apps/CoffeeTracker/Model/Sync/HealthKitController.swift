public import Foundation
import Futures
public import HealthSamples
public import Persistence

/// Syncs Coffee Tracker with the health store; the name and the actor follow the WWDC21 session.
///
/// All of its state is in its stores. It may be interrupted at any point by a cancellation or the end of the process;
/// the next ``sync()``, in this process or another, resumes from there.
public actor HealthKitController {
    /// The result of a ``sync()``.
    public struct Report: Hashable, Sendable {
        /// Whether there is a health store.
        public var isAvailable = true
        /// Whether Coffee Tracker may write to the health store; if not, the drinks stay in the outbox.
        public var maySave = true
        /// The number of drinks that wait for permission to be sent; deleted drinks aren't counted.
        public var withheld = 0
        /// The number of drinks sent.
        public var sentCount = 0
        /// Why drinks were rejected; the next sync sends them again.
        public var refused: [Drink.ID: String] = [:]
        /// The commits of this sync to the store of drinks.
        public var commits: [CoffeeCommit] = []
        /// The latest revision of the store of drinks that this sync has seen.
        public var revision = 0
    }

    /// The page size for reading changes and for saving samples.
    static let pageSize = 500
    /// The maximum number of rounds of a sync, and of lost races against other processes in each round.
    ///
    /// The next sync continues.
    static let maximumAttempts = 8
    static let query = SampleQuery(types: [.dietaryCaffeine])

    private let samples: any SampleStore
    private let store: any CoffeeStoring
    private let source: SampleSource

    /// Creates a controller.
    public init(samples: any SampleStore, store: any CoffeeStoring, source: SampleSource = .coffeeTracker) {
        self.samples = samples
        self.store = store
        self.source = source
    }
}

// MARK: - Permissions

extension HealthKitController {
    /// Whether Coffee Tracker may write to the health store.
    private func authorizationStatus() async throws(CoffeeError) -> WriteAuthorization {
        try await convertingErrors { () async throws(SampleStoreError) in
            try await samples.authorizationStatus(for: .dietaryCaffeine, source: source)
        }
    }

    /// Requests permission to write and read caffeine.
    public func requestAuthorization() async throws(CoffeeError) {
        try await convertingErrors { () async throws(SampleStoreError) in
            try await samples.requestAuthorization(
                toShare: [.dietaryCaffeine], read: [.dietaryCaffeine], source: source)
        }
    }

    /// Reports when ``sync()`` may have new changes to read, including those of other processes.
    public nonisolated func updates() -> Updates<Set<SampleType>> {
        samples.updates(Self.query, by: source)
    }
}

// MARK: - Syncing

extension HealthKitController {
    /// Reads the changes of the health store, and sends it the local changes.
    ///
    /// Several syncs may run concurrently, in one process or many: each step is one transaction and idempotent.
    ///
    /// - Returns: A report.
    /// - Throws: ``CoffeeError``; completed steps remain, and the rest is left to the next sync.
    public func sync() async throws(CoffeeError) -> Report {
        var report = Report()
        guard samples.isAvailable else {
            report.isAvailable = false
            return report
        }
        for _ in 0..<Self.maximumAttempts {
            guard try await read(&report) > 0 else { return report }
            // If the health store has a greater version of a drink, this gives the drink an even greater one, and the
            // next round sends it.
            do throws(CoffeeError) {
                guard try await send(&report) else { return report }
            } catch {
                guard error == .notAuthorized else { throw error }
                // The permission was revoked meanwhile; the remaining drinks wait.
                let outbox = try await store.outbox()
                report.withhold(outbox)
                return report
            }
        }
        return report
    }

    /// Reads and stores changes page by page, and returns the number of drinks still to be sent.
    private func read(_ report: inout Report) async throws(CoffeeError) -> Int {
        var losses = 0
        var progress = try await store.progress()
        while losses < Self.maximumAttempts {
            let (changes, hasMore) = try await readChanges(since: progress.anchor)
            // An empty page may advance the anchor, and is then stored too.
            if changes.anchor == progress.anchor, !hasMore { break }
            if let commit = try await store.apply(changes, after: progress.anchor, own: source) {
                report.commits.append(commit)
                progress = HealthProgress(
                    revision: commit.revision, anchor: changes.anchor, unsyncedCount: commit.unsyncedCount)
                guard hasMore else { break }
            } else {
                losses += 1
                progress = try await store.progress()
            }
        }
        report.revision = progress.revision
        return progress.unsyncedCount
    }

    private func readChanges(since anchor: Anchor?) async throws(CoffeeError) -> (HealthChanges, hasMore: Bool) {
        if let anchor {
            do throws(SampleStoreError) {
                let page = try await samples.changes(Self.query, since: anchor, limit: Self.pageSize, by: source)
                return (.page(page), page.hasMore)
            } catch  where error.requiresResync {
                // The full comparison below finds the missed changes.
            } catch {
                throw CoffeeError(error)
            }
        }
        let known = try await store.known(own: source)
        let resync = try await convertingErrors { () async throws(SampleStoreError) in
            try await samples.resync(Self.query, known: known, by: source)
        }
        return (.resync(resync), false)
    }

    /// Sends the outbox to the health store, and returns whether to try again.
    private func send(_ report: inout Report) async throws(CoffeeError) -> Bool {
        let outbox = try await store.outbox()
        if outbox.isEmpty { return false }
        guard try await authorizationStatus() == .granted else {
            report.withhold(outbox)
            return false
        }
        var needsAnotherRound = false
        var records = outbox[...]
        while !records.isEmpty {
            let batch = Array(records.prefix(Self.pageSize))
            records = records.dropFirst(Self.pageSize)
            let answers = try await send(batch, &report, &needsAnotherRound)
            if answers.isEmpty { continue }
            let commit = try await store.recordAnswers(answers)
            report.commits.append(commit)
            report.revision = commit.revision
            report.sentCount += answers.count { $0.answer == .done }
            if answers.contains(where: { $0.answer != .done }) { needsAnotherRound = true }
        }
        return needsAnotherRound
    }

    private func send(
        _ batch: [DrinkRecord], _ report: inout Report, _ needsAnotherRound: inout Bool
    ) async throws(CoffeeError) -> [SentDrink] {
        let deleted = batch.filter(\.isDeleted)
        if !deleted.isEmpty {
            // Delete only these versions: another process may have restored the drink meanwhile, as a greater version.
            let ids = Set(deleted.flatMap { record in record.sampleIDs })
            try await convertingErrors { () async throws(SampleStoreError) in
                _ = try await samples.delete(.ids(ids), by: source)
            }
        }
        let answers = deleted.map { SentDrink(id: $0.drink.id, version: $0.version, answer: .done) }
        return answers + (try await save(batch.filter { !$0.isDeleted }, &report, &needsAnotherRound))
    }

    private func save(
        _ records: [DrinkRecord], _ report: inout Report, _ needsAnotherRound: inout Bool
    ) async throws(CoffeeError) -> [SentDrink] {
        if records.isEmpty { return [] }
        let samples = records.map { $0.drink.sample(version: $0.version, source: source) }
        do throws(SampleStoreError) {
            let outcomes = try await self.samples.save(samples, by: source)
            var answers: [SentDrink] = []
            for (record, outcome) in zip(records, outcomes) {
                guard let answer = SentDrink.Answer(outcome) else {
                    needsAnotherRound = true
                    continue
                }
                // `nil` means that the drink needs a greater version, but already has the greatest possible one.
                if record.answered(record.version, answer) == nil {
                    report.refused[record.drink.id] = CoffeeError.lastVersion.description
                } else {
                    answers.append(SentDrink(id: record.drink.id, version: record.version, answer: answer))
                }
            }
            return answers
        } catch  where error.code == .invalidSample || error.code == .duplicateIdentifier {
            // The health store rejects the whole batch if one sample is invalid: send each sample alone.
            guard records.count > 1 else {
                report.refused[records[0].drink.id] = error.message
                return []
            }
            var answers: [SentDrink] = []
            for record in records { answers += try await save([record], &report, &needsAnotherRound) }
            return answers
        } catch {
            throw CoffeeError(error)
        }
    }

    private func convertingErrors<Value: Sendable>(
        _ body: () async throws(SampleStoreError) -> Value
    ) async throws(CoffeeError) -> Value {
        try await rethrowing(CoffeeError.init) { () async throws(SampleStoreError) in
            try await body()
        }
    }
}

extension HealthKitController.Report {
    /// Records that writing to the health store isn't allowed, and how many drinks wait for permission.
    ///
    /// A deleted drink waits too, because the health store may have it, but it isn't counted: it has nothing to share.
    fileprivate mutating func withhold(_ outbox: [DrinkRecord]) {
        maySave = false
        withheld = outbox.count { !$0.isDeleted }
    }
}

extension DrinkRecord {
    /// The identifiers of all samples that the health store may have of a deleted drink.
    ///
    /// The last acknowledged version was sent, and perhaps later ones whose answer was lost. A restored older copy of
    /// the health store may have an earlier version that its changes don't report.
    fileprivate var sampleIDs: [UUID] {
        // Limited, because another program can raise a version to billions. This store has then sent only the latest
        // of these versions.
        let last = max(1, version)
        let versions = max(1, last - Self.maximumVersions)..<last
        return ([min(syncedVersion, last - 1)] + versions).map { Drink.sampleID(of: drink.id, version: $0) }
    }

    /// The maximum number of versions before the last one to include.
    private static let maximumVersions = 1_000
}

extension SentDrink.Answer {
    /// Creates an answer from an outcome; `nil` if the outcome is inconclusive.
    ///
    /// After `unchanged`, only the next page shows whether the stored version is this one or another installation's
    /// concurrent change.
    fileprivate init?(_ outcome: SaveOutcome) {
        switch outcome {
        case .added, .replaced: self = .done
        case .unchanged: return nil
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
