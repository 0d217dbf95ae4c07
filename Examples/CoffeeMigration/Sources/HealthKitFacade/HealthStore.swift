public import HealthSamples

/// A `SampleStore` with the callback interface that HealthKit had before Swift had `async`.
///
/// Each call returns at once, and its handler runs on an arbitrary queue. As in HealthKit, saving and requesting
/// authorization have an asynchronous form too; the query has none.
public struct HealthStore: Sendable {
    /// The app that makes the requests.
    public let source: SampleSource
    private let samples: any SampleStore
    private let callbackQueue: WorkQueue
    private let isEntitled: Bool
    private let willQuery: @Sendable () throws -> Void

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - samples: The store of the samples.
    ///   - source: The app that makes the requests.
    ///   - callbackQueue: The queue of the completion handlers; several may run at the same time.
    ///   - isEntitled: Whether the app is signed with the entitlement; if not, requesting authorization fails.
    ///   - willQuery: Called before each query; the query fails with the error that this throws.
    public init(
        _ samples: any SampleStore, source: SampleSource, callbackQueue: WorkQueue, isEntitled: Bool = true,
        willQuery: @escaping @Sendable () throws -> Void = {}
    ) {
        self.samples = samples
        self.source = source
        self.callbackQueue = callbackQueue
        self.isEntitled = isEntitled
        self.willQuery = willQuery
    }

    /// Whether a health store is available on this machine.
    public var isAvailable: Bool { samples.isAvailable }
}

/// The error of an authorization request by an app without the entitlement.
public struct MissingEntitlement: Error, CustomStringConvertible {
    /// A message that says what to do.
    public var description: String {
        "The app was not signed for the health store. Add the entitlement, and build it again."
    }
}

// MARK: - Callbacks

extension HealthStore {
    /// Requests authorization.
    ///
    /// - Parameters:
    ///   - toShare: The types to write.
    ///   - read: The types to read.
    ///   - completion: Called once, on an arbitrary queue, with whether the request succeeded, and the error if it
    ///     failed.
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
    ///   - completion: Called once, on an arbitrary queue, with whether the sample was saved, and the error if not.
    public func save(
        _ sample: Sample, completion: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void
    ) {
        answer({ try await save(sample) }, completion)
    }

    /// Runs a query, and passes the results to its handler.
    ///
    /// - Parameter query: The query.
    public func execute(_ query: AnchoredQuery) {
        Task {
            do {
                try willQuery()
                let changes = try await samples.changes(
                    query.query, since: query.anchor, limit: query.limit, by: source)
                callbackQueue.async { query.resultsHandler(changes.added, changes.deleted, changes.anchor, nil) }
            } catch {
                callbackQueue.async { query.resultsHandler(nil, nil, nil, error) }
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
                callbackQueue.async { completion(true, nil) }
            } catch {
                callbackQueue.async { completion(false, error) }
            }
        }
    }
}

// MARK: - Async functions

extension HealthStore {
    /// Requests authorization, and returns when the request has ended.
    ///
    /// - Parameters:
    ///   - toShare: The types to write.
    ///   - read: The types to read.
    /// - Throws: ``MissingEntitlement``, or the error of the sample store.
    public func requestAuthorization(toShare: Set<SampleType>, read: Set<SampleType>) async throws {
        guard isEntitled else { throw MissingEntitlement() }
        try await samples.requestAuthorization(toShare: toShare, read: read, source: source)
    }

    /// Saves a sample, and returns when it is saved.
    ///
    /// - Parameter sample: The sample.
    /// - Throws: The error of the sample store.
    public func save(_ sample: Sample) async throws {
        try await samples.save(sample, by: source)
    }
}
