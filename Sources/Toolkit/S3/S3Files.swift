package import Persistence

/// The objects of a ``TemporaryObjects`` in a bucket, below `jobs/`, which is no name of a blob.
package struct S3Files: TemporaryObjects {
    private let client: S3Client
    private static let folder = "jobs/"

    /// - Parameter client: The client of the bucket.
    package init(_ client: S3Client) {
        self.client = client
    }

    package func put(_ name: String, file path: String, byteCount: Int) async throws(StoreError) {
        try await client.put(file: path, byteCount: byteCount, as: Self.folder + name)
    }

    package func get(_ name: String, byteCount: Int, into path: String) async throws(StoreError) {
        try await client.get(Self.folder + name, byteCount: byteCount, into: path)
    }

    package func delete(_ names: [String]) async throws(StoreError) {
        try await client.deleteAll(names.map { Self.folder + $0 })
    }

    package func list(_ prefix: String) async throws(StoreError) -> [TemporaryObject] {
        var objects: [TemporaryObject] = []
        var token: String?
        repeat {
            let page = try await client.list(beginningWith: Self.folder + prefix, from: token)
            objects += page.objects.map {
                TemporaryObject(
                    name: String($0.key.dropFirst(Self.folder.count)), byteCount: $0.byteCount, modified: $0.modified)
            }
            token = page.next
        } while token != nil
        return objects
    }
}
