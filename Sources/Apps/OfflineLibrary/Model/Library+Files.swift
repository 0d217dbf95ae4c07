import Capture
public import Foundation

// The files of saved pages.

extension Library {
    /// Returns a file of a page.
    ///
    /// - Throws: ``LibraryError``: `notFound` if the page has no file of that kind, is deleted, or belongs to another
    ///   owner; for a copy that is made from the archive also `rendering` or `shuttingDown`; and the errors of the store.
    public func file(_ kind: FileKind, of id: SavedPage.ID) async throws(LibraryError) -> PageFile {
        guard item(id)?.isDeleted == false else { throw .notFound }
        if kind.isMadeFromArchive { return try await viewer(kind, of: id) }
        guard let file = try await store.file(kind, of: id, owner: owner) else { throw .notFound }
        return file
    }

    /// A URL at which a browser downloads a file itself, instead of asking the server; `nil` if there is none.
    ///
    /// - Throws: As ``file(_:of:)``.
    public func downloadURL(
        _ kind: FileKind, of id: SavedPage.ID, type: String, disposition: String
    ) async throws(LibraryError) -> URL? {
        guard item(id)?.isDeleted == false else { throw .notFound }
        if kind.isMadeFromArchive { return nil }
        return try await store.downloadURL(kind, of: id, owner: owner, type: type, disposition: disposition)
    }

    /// The page's article; `nil` if it has none.
    ///
    /// - Throws: As ``file(_:of:)``.
    public func article(of id: SavedPage.ID) async throws(LibraryError) -> PageFile? {
        let article = try await file(.article, of: id)
        return article.byteCount > 0 ? article : nil
    }

    /// The page's archive as a single HTML page, its article or its text, created on first use.
    private func viewer(_ kind: FileKind, of id: SavedPage.ID) async throws(LibraryError) -> PageFile {
        let key = ViewerKey(page: id, kind: kind)
        if let viewer = viewers[key] { return try await viewer.value.get() }
        if isShuttingDown { throw .shuttingDown }
        // All callers share this task, so that cancelling one call doesn't fail the others. It ends when its calls to
        // the store and the capturer end.
        let viewer = Task { () -> Result<PageFile, LibraryError> in
            // Removes the task before the waiting callers resume, because they may look for it.
            defer { viewers[key] = nil }
            do throws(LibraryError) {
                return .success(try await storedViewer(kind, of: id))
            } catch {
                return .failure(error)
            }
        }
        viewers[key] = viewer
        return try await viewer.value.get()
    }

    private func storedViewer(_ kind: FileKind, of id: SavedPage.ID) async throws(LibraryError) -> PageFile {
        if let stored = try await store.file(kind, of: id, owner: owner) { return stored }
        guard let file = try await store.file(.webArchive, of: id, owner: owner) else { throw .notFound }
        var options = configuration.options
        // A downloaded page may be opened where the library isn't, so its links lead to the web.
        options.viewerLinkPath = kind == .html ? nil : configuration.linkPath
        options.articleStylePath = configuration.articleStylePath
        let content: Data
        do throws(CaptureFailure) {
            switch kind {
            case .article: content = try await capturer.article(of: file, options: options)
            case .text: content = Data(try await capturer.text(of: file, options: options).utf8)
            default: content = try await capturer.viewerCopy(of: file, options: options)
            }
        } catch {
            if isShuttingDown { throw .shuttingDown }
            throw .rendering(LibraryWords.unpreparedArchive(because: error.message))
        }
        // A retry may have replaced the archive meanwhile.
        guard try await store.saveViewer(content, as: kind, from: file, of: id, owner: owner) else {
            return try await storedViewer(kind, of: id)
        }
        guard let stored = try await store.file(kind, of: id, owner: owner) else { throw .notFound }
        return stored
    }
}
