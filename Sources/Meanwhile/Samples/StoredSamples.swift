import Foundation
import Persistence
import Site

/// The sample data of an app, whose identifiers are stored, so that exactly this data is removed.
struct StoredSamples: SampleData {
    private static let format = "samples"
    private static let version = 1

    let summary: String
    private let key: StoreKey
    private let store: SQLiteStore
    private let newIDs: @Sendable () -> [String]
    private let adding: @Sendable ([String]) async throws -> Void
    private let removing: @Sendable ([String]) async throws -> Void

    /// Describes the sample data of an app.
    ///
    /// - Parameters:
    ///   - summary: A description of the sample data, for use within a sentence.
    ///   - key: The key under which the identifiers are stored.
    ///   - owner: The owner of the sample data.
    ///   - storage: The database with the identifiers.
    ///   - newIDs: Makes the identifiers of new sample data.
    ///   - adding: Adds data with these identifiers.
    ///   - removing: Removes the data with these identifiers; some of it may be missing.
    init(
        _ summary: String, key: StoreKey, of owner: OwnerID, in storage: Storage,
        newIDs: @escaping @Sendable () -> [String],
        adding: @escaping @Sendable ([String]) async throws -> Void,
        removing: @escaping @Sendable ([String]) async throws -> Void
    ) {
        self.summary = summary
        self.key = key
        self.store = storage.values(of: owner)
        self.newIDs = newIDs
        self.adding = adding
        self.removing = removing
    }
}

extension StoredSamples {
    var isPresent: Bool {
        get async throws { try await store.read(key) != nil }
    }

    func add() async throws {
        let ids = newIDs()
        let content = StoredContent(
            format: Self.format, version: Self.version, payload: try JSONEncoder().encode(ids))
        // The identifiers are stored first, so that everything added can be removed. Of two concurrent requests, only
        // one stores them.
        guard case .committed = try await store.commit([StoreWrite(key, content, expecting: .nothing)]) else { return }
        do {
            try await adding(ids)
        } catch {
            try? await remove()
            throw error
        }
    }

    func remove() async throws {
        guard let record = try await store.read(key) else { return }
        try await removing(try JSONDecoder().decode([String].self, from: record.content.payload))
        _ = try await store.commit([StoreWrite(key, nil, expecting: .revision(record.revision))])
    }
}
