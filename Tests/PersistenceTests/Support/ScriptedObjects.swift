import Foundation
import Futures
import S3

@testable import Persistence

/// Objects of S3, whose requests a test counts, delays or lets fail.
struct ScriptedObjects: BlobObjects {
    /// A kind of request.
    enum Request: String, Sendable {
        case contains, put, get, delete, list, claim
    }

    let objects: S3Blobs
    /// Called before each request, which fails with the error that this throws.
    let before: @Sendable (Request) async throws(StoreError) -> Void

    var description: String { objects.description }

    func contains(_ id: BlobStore.ID, byteCount: Int) async throws(StoreError) -> Bool {
        try await before(.contains)
        return try await objects.contains(id, byteCount: byteCount)
    }

    func put(_ id: BlobStore.ID, file path: String, byteCount: Int) async throws(StoreError) {
        try await before(.put)
        try await objects.put(id, file: path, byteCount: byteCount)
    }

    func get(_ id: BlobStore.ID, byteCount: Int, into path: String) async throws(StoreError) {
        try await before(.get)
        try await objects.get(id, byteCount: byteCount, into: path)
    }

    func delete(_ ids: [BlobStore.ID]) async throws(StoreError) {
        try await before(.delete)
        try await objects.delete(ids)
    }

    func forEachPage(_ body: @Sendable ([BlobObject]) async throws(StoreError) -> Void) async throws(StoreError) {
        try await before(.list)
        try await objects.forEachPage(body)
    }

    func claims() async throws(StoreError) -> [String] {
        try await before(.claim)
        return try await objects.claims()
    }

    func claim(by database: String) async throws(StoreError) {
        try await before(.claim)
        try await objects.claim(by: database)
    }

    func withdrawClaim(by database: String) async throws(StoreError) {
        try await before(.claim)
        try await objects.withdrawClaim(by: database)
    }

    func abandonUploads(begunBefore limit: Date) async throws(StoreError) {
        try await objects.abandonUploads(begunBefore: limit)
    }

    func temporaryURL(of id: BlobStore.ID, lifetime: Duration, type: String?, disposition: String?) -> URL? {
        objects.temporaryURL(of: id, lifetime: lifetime, type: type, disposition: disposition)
    }
}

/// Counts requests.
final class RequestCounts: Sendable {
    private let counts = Lock<[ScriptedObjects.Request: Int]>([:])

    subscript(request: ScriptedObjects.Request) -> Int { counts.withLock { $0[request] ?? 0 } }

    func add(_ request: ScriptedObjects.Request) {
        counts.withLock { $0[request, default: 0] += 1 }
    }
}
