import Foundation

// The files of saved pages.

extension Library {
    /// Returns a file of a page.
    ///
    /// - Throws: ``LibraryError/notFound`` if the page has no file of that kind, is deleted, or belongs to another owner.
    public func file(_ kind: FileKind, of id: KeptPage.ID) async throws(LibraryError) -> KeptFile {
        guard item(id)?.isDeleted == false else { throw .notFound }
        if kind == .viewer { return try await viewer(of: id) }
        guard let file = try await store.file(kind, of: id, owner: owner) else { throw .notFound }
        return file
    }

    /// The page's archive as a single HTML page, created on first use.
    private func viewer(of id: KeptPage.ID) async throws(LibraryError) -> KeptFile {
        if let viewer = viewers[id] { return try await viewer.value.get() }
        if isEnding { throw .ending }
        // All callers share this task, so that cancelling one call doesn't fail the others. It ends when its calls to the store
        // and the capturer end.
        let viewer = Task { () -> Result<KeptFile, LibraryError> in
            // Before the waiting callers resume, because they may check for it.
            defer { viewers[id] = nil }
            do throws(LibraryError) {
                return .success(try await keptViewer(of: id))
            } catch {
                return .failure(error)
            }
        }
        viewers[id] = viewer
        return try await viewer.value.get()
    }

    private func keptViewer(of id: KeptPage.ID) async throws(LibraryError) -> KeptFile {
        if let kept = try await store.file(.viewer, of: id, owner: owner) { return kept }
        guard let file = try await store.file(.webArchive, of: id, owner: owner) else { throw .notFound }
        let html: Data
        do throws(CaptureFailure) {
            html = try await capturer.viewerCopy(of: file, options: configuration.options)
        } catch {
            if isEnding { throw .ending }
            throw .rendering("The web archive could not be made ready to be shown: \(error.message)")
        }
        try await store.keepViewer(html, of: id, owner: owner)
        guard let kept = try await store.file(.viewer, of: id, owner: owner) else { throw .notFound }
        return kept
    }
}
