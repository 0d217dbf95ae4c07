public import DurableFiles
public import Foundation
import Futures
import HTTPTypes

/// What was fetched before, and whether it may be served again: a private cache by RFC 9111.
///
/// Nothing that goes wrong with it keeps anything from being fetched: it is reported, and the fetch goes on without.
public struct HTTPCache: Sendable {
    let storage: any HTTPCacheStorage
    let now: @Sendable () -> Date
    let policy = CachePolicy()
    let backgroundLimit: Int
    private let faults: Faults

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - storage: Where it keeps things.
    ///   - backgroundLimit: How many fetches may be under way that nobody waits for, because what was served may be out of
    ///     date.
    ///   - now: The time.
    ///   - reportFault: Told when the storage fails, and again after it has worked and fails anew. Called on any thread.
    public init(
        storage: any HTTPCacheStorage, backgroundLimit: Int = 4, now: @escaping @Sendable () -> Date = { Date() },
        reportFault: @escaping @Sendable (FileError) -> Void = { _ in }
    ) {
        self.storage = storage
        self.backgroundLimit = backgroundLimit
        self.now = now
        self.faults = Faults(report: reportFault)
    }

    /// Why the storage failed the last time that it was asked; `nil` if it did not.
    public var fault: FileError? { faults.last }

    /// Drops everything.
    ///
    /// - Throws: `FileError` if it cannot be removed.
    public func removeAll() async throws(FileError) {
        try await perform { storage throws(FileError) in try storage.removeAll() }
    }
}

extension HTTPCache {
    /// What is known of a request before the server is asked.
    enum Answer: Sendable {
        /// Nothing that is there is of use.
        case decided(CachePolicy.Decision)
        /// It is to be served, or asked about.
        case found(CachePolicy.Decision, CacheRecord, Data)
    }

    /// Decides about a request, and reads what is to be served.
    func look(_ question: CacheQuestion, _ url: URL) async -> Answer {
        if question.isForTheServer { return .decided(.fetch) }
        let key = Self.key(url)
        let (policy, now) = (policy, now())
        let answer = await attempt { storage throws(FileError) -> Answer in
            let records = try storage.records(of: key)
            let decision = policy.decide(question, records, at: now)
            switch decision {
            case .fetch, .notCached:
                return .decided(decision)
            case .revalidate(let record), .serve(let record), .serveStale(let record),
                .serveWhileRevalidating(let record):
                if let data = try storage.content(of: record, of: key) { return .found(decision, record, data) }
                // What is left of the records may still do.
                return .decided(policy.decide(question, records.filter { $0 != record }, at: now))
            }
        }
        switch answer {
        case .decided(.serve), .decided(.serveStale), .decided(.serveWhileRevalidating), .decided(.revalidate), nil:
            return .decided(question.staysHere ? .notCached : .fetch)
        case .decided(let decision): return .decided(decision)
        case .found(let decision, let record, let data): return .found(decision, record, data)
        }
    }

    /// What may be served because the server could not be asked.
    func lookAfterError(_ question: CacheQuestion, _ url: URL) async -> (CacheRecord, Data)? {
        let key = Self.key(url)
        let (policy, now) = (policy, now())
        return await attempt { storage throws(FileError) -> (CacheRecord, Data)? in
            guard let record = policy.select(question, try storage.records(of: key)),
                policy.mayServeAfterError(record, for: question, at: now),
                let data = try storage.content(of: record, of: key)
            else { return nil }
            return (record, data)
        } ?? nil
    }

    /// Keeps an answer, if it may be kept, in place of what was kept for such a request.
    func keep(_ reply: Reply, for question: CacheQuestion, _ url: URL) async {
        if question.isForTheServer { return }
        let key = Self.key(url)
        let mayKeep = policy.mayKeep(question, status: reply.status, headers: reply.headers)
        // Whether or not it is kept: what it takes the place of is out of date. A failure takes no place.
        guard mayKeep || CachePolicy.takesPlace(reply.status) else { return }
        let policy = policy
        _ = await attempt(isWrite: true) { storage throws(FileError) in
            let record = mayKeep ? policy.record(of: question, reply) : nil
            try storage.change(key, adding: record == nil ? nil : reply.data) { records in
                records.removeAll { CachePolicy.fits(question, $0) }
                if let record { records.append(record) }
                records.removeFirst(max(0, records.count - Self.mostVariants))
            }
        }
    }

    /// Takes the place of a record by what it has become after the server said that it is still good.
    func replace(_ record: CacheRecord, by new: CacheRecord, _ url: URL) async {
        let key = Self.key(url)
        _ = await attempt(isWrite: true) { storage throws(FileError) in
            try storage.change(key, adding: nil) { records in
                guard let index = records.firstIndex(of: record) else { return }
                records[index] = new
            }
        }
    }

    /// Drops what is kept of addresses.
    func drop(_ urls: [URL]) async {
        for url in urls {
            let key = Self.key(url)
            _ = await attempt(isWrite: true) { storage throws(FileError) in
                try storage.change(key, adding: nil) { $0.removeAll() }
            }
        }
    }

    /// How many answers of one address are kept that differ by what was asked for.
    private static let mostVariants = 16

    /// The address as far as it matters to a server.
    static func key(_ url: URL) -> String {
        guard let origin = WebOrigin(url) else { return url.absoluteString }
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        let path = parts?.percentEncodedPath ?? url.path
        let query = (parts?.percentEncodedQuery).map { "?\($0)" } ?? ""
        return "\(origin.scheme)://\(origin.host):\(origin.port)\(path.isEmpty ? "/" : path)\(query)"
    }
}

extension CachePolicy {
    fileprivate func record(of question: CacheQuestion, _ reply: HTTPCache.Reply) -> CacheRecord? {
        record(
            of: question, status: reply.status, headers: reply.headers, requested: reply.requested,
            received: reply.received, body: CacheRecord.Body(of: reply.data))
    }
}

extension HTTPCache {
    /// An answer as the cache is given it: whole.
    struct Reply: Sendable {
        var status: Int
        var headers: HTTPFields
        var requested: Date
        var received: Date
        var data: Data
    }

    private func attempt<Value: Sendable>(
        isWrite: Bool = false,
        _ work: @escaping @Sendable (any HTTPCacheStorage) throws(FileError) -> Value
    ) async -> Value? {
        do throws(FileError) {
            let value = try await perform(work)
            // Where nothing can be written, nothing can be read either, and that is no failure.
            if isWrite { faults.worked() }
            return value
        } catch {
            faults.failed(error)
            return nil
        }
    }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (any HTTPCacheStorage) throws(FileError) -> Value
    ) async throws(FileError) -> Value {
        guard storage.waitsForDisk else { return try work(storage) }
        return try await DiskWork.run { [storage] () throws(FileError) in try work(storage) }
    }
}

/// What the storage has failed of.
private final class Faults: Sendable {
    private let state = Lock<FileError?>(nil)
    private let report: @Sendable (FileError) -> Void

    init(report: @escaping @Sendable (FileError) -> Void) {
        self.report = report
    }

    var last: FileError? { state.withLock { $0 } }

    func worked() {
        state.withLock { $0 = nil }
    }

    func failed(_ error: FileError) {
        let isNew = state.withLock { last in
            defer { last = error }
            return last?.code != error.code
        }
        if isNew { report(error) }
    }
}
