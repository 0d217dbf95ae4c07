import Foundation
import Futures

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
        if let viewer = viewers[id] { return try await viewer.value }
        if isEnding { throw .ending }
        let viewer = Promise<KeptFile, LibraryError>(onAbandon: { .ending })
        viewers[id] = viewer.future
        // All callers share this task, so that cancelling one call doesn't fail the others. It ends when its calls to the store
        // and the capturer end.
        Task {
            let result: Result<KeptFile, LibraryError>
            do throws(LibraryError) {
                result = .success(try await keptViewer(of: id))
            } catch {
                result = .failure(error)
            }
            // Remove the entry before the waiting callers resume, because they may check for it.
            viewers[id] = nil
            switch result {
            case .success(let file): viewer.resolve(file)
            case .failure(let error): viewer.reject(error)
            }
        }
        return try await viewer.future.value
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
