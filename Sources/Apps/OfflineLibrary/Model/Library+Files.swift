import Foundation
import Futures

// The files of kept pages.

extension Library {
    /// A file of a page.
    ///
    /// - Throws: ``LibraryError/notFound`` if the page has none of that kind, or is deleted, or is another owner's.
    public func file(_ kind: FileKind, of id: KeptPage.ID) async throws(LibraryError) -> KeptFile {
        guard item(id)?.isDeleted == false else { throw .notFound }
        if kind == .viewer { return try await viewer(of: id) }
        guard let file = try await store.file(kind, of: id, owner: owner) else { throw .notFound }
        return file
    }

    /// The page's archive as one page of HTML, made when it is first asked for.
    private func viewer(of id: KeptPage.ID) async throws(LibraryError) -> KeptFile {
        if let viewer = viewers[id] { return try await viewer.value }
        if isEnding { throw .ending }
        let viewer = Promise<KeptFile, LibraryError>(onAbandon: { .ending })
        viewers[id] = viewer.future
        // Shared by all who ask for it, so that one who leaves does not fail the others; its end is that of its parts.
        Task {
            let result: Result<KeptFile, LibraryError>
            do throws(LibraryError) {
                result = .success(try await keptViewer(of: id))
            } catch {
                result = .failure(error)
            }
            // Before those who wait go on: they may ask whether there is one.
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
