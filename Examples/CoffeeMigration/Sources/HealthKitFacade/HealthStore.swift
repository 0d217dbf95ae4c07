public import HealthSamples

/// A `SampleStore` with the face that HealthKit had before Swift had `async`: who asks goes on at once, and is answered on
/// whatever queue it happens to be.
///
/// As in HealthKit, saving and asking for permission have an asynchronous form too; the query has none.
public struct HealthStore: Sendable {
    /// Who asks.
    public let source: SampleSource
    private let samples: any SampleStore
    private let answers: WorkQueue
    private let isEntitled: Bool
    private let willQuery: @Sendable () throws -> Void

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - samples: Where the samples are.
    ///   - source: Who asks.
    ///   - answers: Where completion handlers run; several may run at the same time.
    ///   - isEntitled: Whether the app has been signed for it; if not, asking for permission fails.
    ///   - willQuery: Called before each query; the query fails with the error that this throws.
    public init(
        _ samples: any SampleStore, source: SampleSource, answers: WorkQueue, isEntitled: Bool = true,
        willQuery: @escaping @Sendable () throws -> Void = {}
    ) {
        self.samples = samples
        self.source = source
        self.answers = answers
        self.isEntitled = isEntitled
        self.willQuery = willQuery
    }

    /// Whether there is a health store on this machine at all.
    public var isAvailable: Bool { samples.isAvailable }
}

/// Why there is no permission to be had.
public struct MissingEntitlement: Error, CustomStringConvertible {
    /// What to do.
    public var description: String {
        "The app was not signed for the health store. Add the entitlement, and build it again."
    }
}

// MARK: - As it was

extension HealthStore {
    /// Asks for permission.
    ///
    /// - Parameters:
    ///   - toShare: What is to be written.
    ///   - read: What is to be read.
    ///   - completion: Told, once and anywhere, whether it was asked, and if not, why.
    public func requestAuthorization(
        toShare: Set<SampleType>, read: Set<SampleType>,
        completion: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void
    ) {
        answer({ try await requestAuthorization(toShare: toShare, read: read) }, completion)
    }

    /// Saves a sample.
    ///
    /// - Parameters:
    ///   - sample: The sample.
    ///   - completion: Told, once and anywhere, whether it was saved, and if not, why.
    public func save(
        _ sample: Sample, completion: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void
    ) {
        answer({ try await save(sample) }, completion)
    }

    /// Runs a query; its own handler is told what comes of it.
    ///
    /// - Parameter query: The query.
    public func execute(_ query: AnchoredQuery) {
        Task {
            do {
                try willQuery()
                let changes = try await samples.changes(
                    query.query, since: query.anchor, limit: query.limit, by: source)
                answers.async { query.resultsHandler(changes.added, changes.deleted, changes.anchor, nil) }
            } catch {
                answers.async { query.resultsHandler(nil, nil, nil, error) }
            }
        }
    }

    private func answer(
        _ work: @escaping @Sendable () async throws -> Void,
        _ completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        Task {
            do {
                try await work()
                answers.async { completion(true, nil) }
            } catch {
                answers.async { completion(false, error) }
            }
        }
    }
}

// MARK: - As it became

extension HealthStore {
    /// Asks for permission, and returns when it was asked.
    ///
    /// - Parameters:
    ///   - toShare: What is to be written.
    ///   - read: What is to be read.
    /// - Throws: ``MissingEntitlement``, or what the store says.
    public func requestAuthorization(toShare: Set<SampleType>, read: Set<SampleType>) async throws {
        guard isEntitled else { throw MissingEntitlement() }
        try await samples.requestAuthorization(toShare: toShare, read: read, source: source)
    }

    /// Saves a sample, and returns when it is saved.
    ///
    /// - Parameter sample: The sample.
    /// - Throws: What the store says.
    public func save(_ sample: Sample) async throws {
        try await samples.save(sample, by: source)
    }
}
