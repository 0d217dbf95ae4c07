import Digests
package import Foundation
package import Persistence

/// The objects of a ``BlobStore`` in a bucket: `ab/abcdef…`, after the prefix of the address.
package struct S3Blobs: BlobObjects {
    let client: S3Client
    /// The beginning of the names of objects that claim the bucket.
    private static let claims = "database-"

    /// - Parameter client: The client of the bucket.
    package init(_ client: S3Client) {
        self.client = client
    }

    package var description: String { "\(client.address)" }

    package func contains(_ id: BlobStore.ID, byteCount: Int) async throws(StoreError) -> Bool {
        try await client.size(of: Self.key(id)) == byteCount
    }

    package func put(_ id: BlobStore.ID, file path: String, byteCount: Int) async throws(StoreError) {
        try await client.put(file: path, byteCount: byteCount, as: Self.key(id))
    }

    package func get(_ id: BlobStore.ID, byteCount: Int, into path: String) async throws(StoreError) {
        try await client.get(Self.key(id), byteCount: byteCount, into: path)
    }

    package func delete(_ ids: [BlobStore.ID]) async throws(StoreError) {
        try await client.deleteAll(ids.map(Self.key))
    }

    package func forEachPage(
        _ body: @Sendable ([BlobObject]) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        var token: String?
        repeat {
            let page = try await client.list(from: token)
            try await body(
                page.objects.compactMap { object in
                    Self.id(object.key).map {
                        BlobObject(id: $0, byteCount: object.byteCount, modified: object.modified)
                    }
                })
            token = page.next
        } while token != nil
    }

    package func claims() async throws(StoreError) -> [String] {
        try await client.list(beginningWith: Self.claims).objects.map { String($0.key.dropFirst(Self.claims.count)) }
            .filter { $0.isHexadecimal(bytes: 16) }
    }

    package func claim(by database: String) async throws(StoreError) {
        try await client.put(Data(), as: Self.claims + database)
    }

    package func withdrawClaim(by database: String) async throws(StoreError) {
        try await client.delete([Self.claims + database])
    }

    package func abandonUploads(begunBefore limit: Date) async throws(StoreError) {
        try await client.abandonUploads(begunBefore: limit)
    }

    package func temporaryURL(
        of id: BlobStore.ID, lifetime: Duration, type: String?, disposition: String?
    ) -> URL? {
        guard client.address.allowsDirectDownloads else { return nil }
        return client.presignedURL(of: Self.key(id), lifetime: lifetime, type: type, disposition: disposition)
    }

    static func key(_ id: BlobStore.ID) -> String { "\(id.description.prefix(2))/\(id)" }

    /// The blob of an object; `nil` if the object isn't one of a blob.
    private static func id(_ key: String) -> BlobStore.ID? {
        BlobStore.ID(String(key.suffix(64))).flatMap { self.key($0) == key ? $0 : nil }
    }
}
