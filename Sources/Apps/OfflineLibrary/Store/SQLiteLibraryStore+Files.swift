public import Foundation
public import OfflineLibraryModel
public import Persistence

// The files of pages.

extension SQLiteLibraryStore {
    /// A file of a page; `nil` if the page has no file of that kind or is deleted.
    public func file(
        _ kind: FileKind, of id: SavedPage.ID, owner: OwnerID
    ) async throws(LibraryError) -> PageFile? {
        let found = try await read { connection -> PageFile? in
            guard let file = try Self.row(of: kind, id, owner, in: connection), let blob = BlobStore.ID(file.blob)
            else { return nil }
            return try pageFile(blob, bytes: file.bytes, in: connection)
        }
        if let found { try await makeLocal(found) }
        return found
    }

    private static func row(
        of kind: FileKind, _ id: SavedPage.ID, _ owner: OwnerID, in connection: any SQLConnection
    ) throws -> FileRow? {
        try connection.row(
            """
            SELECT \(FileRow.columns) FROM library_file JOIN library_page ON number = page
            WHERE id = ? AND owner = ? AND kind = ? AND deleted_at IS NULL
            """, [id.description, owner, kind.rawValue]
        ).map(FileRow.init)
    }

    /// A URL of a file that is one object of the blobs' store, for five minutes.
    public func downloadURL(
        _ kind: FileKind, of id: SavedPage.ID, owner: OwnerID, type: String, disposition: String
    ) async throws(LibraryError) -> URL? {
        let blob = try await read { try Self.row(of: kind, id, owner, in: $0).flatMap { BlobStore.ID($0.blob) } }
        guard let blob else { return nil }
        do throws(StoreError) {
            return try await blobs.temporaryURL(
                of: blob, lifetime: .seconds(300), type: type, disposition: disposition)
        } catch {
            // The server explains what is wrong with the file.
            return nil
        }
    }

    /// Copies the files of a blob from the blobs' store, unless they exist.
    ///
    /// If that store has lost them, they remain missing, which readers report as they do without that store.
    func makeLocal(_ file: PageFile) async throws(LibraryError) {
        do throws(StoreError) {
            switch file.content {
            case .path(let path): try await blobs.makeLocal([BlobStore.id(ofPath: path)].compactMap(\.self))
            case .pieces(let pieces): try await blobs.makeLocal(pieces)
            case .data: break
            }
        } catch {
            guard ![.missing, .corrupt].contains(error.code) else { return }
            throw LibraryError(error)
        }
    }

    /// A file, which may be stored in pieces.
    func pageFile(_ blob: BlobStore.ID, bytes: Int, in connection: any SQLConnection) throws -> PageFile {
        let pieces = try blobs.pieces(of: blob, in: connection)
        return PageFile(
            content: pieces.isEmpty ? .path(blobs.path(of: blob)) : .pieces(pieces), byteCount: bytes,
            digest: blob.description)
    }
}
