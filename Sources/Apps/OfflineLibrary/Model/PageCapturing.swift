public import Capture
public import Foundation
import Futures
public import Persistence

/// An attempt to capture a page of the library.
public struct CaptureAttempt: Hashable, Sendable {
    /// The page's identifier.
    public var page: SavedPage.ID
    /// The page's owner.
    public var owner: OwnerID
    /// The number of the attempt; the capture of an older attempt is discarded.
    public var number: Int

    /// Creates an attempt.
    public init(page: SavedPage.ID, owner: OwnerID, number: Int) {
        (self.page, self.owner, self.number) = (page, owner, number)
    }
}

/// Captures pages for the library, in this process or another.
public protocol PageCapturing: Sendable {
    /// Captures a page in all requested formats, from a single load.
    ///
    /// A capture in another process can outlive this process. If called again for the same attempt, the capturer waits
    /// for that capture instead of starting another. Cancelling the task only stops waiting; the library's store ends
    /// captures that are no longer needed.
    ///
    /// - Parameters:
    ///   - request: The page's URL, and the formats.
    ///   - attempt: The attempt.
    ///   - options: The options for the capture.
    ///   - progress: Called with each progress report, on any thread.
    /// - Returns: The page in all requested formats.
    /// - Throws: ``CaptureFailure``; no output remains then.
    func capture(
        _ request: CaptureRequest, for attempt: CaptureAttempt, options: CaptureOptions,
        progress: @escaping @Sendable (CaptureProgress) -> Void
    ) async throws(CaptureFailure) -> PageCapture

    /// Converts a stored web archive into a single HTML page that makes no requests and runs no scripts.
    func viewerCopy(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> Data

    /// Converts a stored web archive into an HTML page with its article; the data is empty if it has none.
    func article(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> Data

    /// Reads the text of a stored web archive, as in `PageCapture.text`.
    func text(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> String

    /// Compares the pictures of two versions of a page.
    ///
    /// - Throws: ``CaptureFailure``, which can't be retried if a picture can't be read.
    func pictureChanges(from old: PageFile, to new: PageFile) async throws(CaptureFailure) -> PictureChanges
}

extension PageCapturer: PageCapturing {
    /// Captures a page with this process's own browser.
    public func capture(
        _ request: CaptureRequest, for attempt: CaptureAttempt, options: CaptureOptions,
        progress: @escaping @Sendable (CaptureProgress) -> Void
    ) async throws(CaptureFailure) -> PageCapture {
        try await rethrowing(CaptureFailure.init) { () async throws(CaptureError) in
            try await capture(request.url, formats: request.formats, options: options, progress: progress)
        }
    }

    /// Reads a web archive and converts it into a single HTML page.
    public func viewerCopy(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> Data {
        let read = try await Self.archive(in: archive)
        return try await rethrowing(CaptureFailure.init) { () async throws(CaptureError) in
            try await viewerCopy(of: read, options: options)
        }
    }

    /// Reads a web archive and finds the article of its page.
    public func article(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> Data {
        let read = try await Self.archive(in: archive)
        return try await rethrowing(CaptureFailure.init) { () async throws(CaptureError) in
            try await article(of: read, options: options)
        }
    }

    /// Reads a web archive and the text of its page.
    public func text(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> String {
        let read = try await Self.archive(in: archive)
        return try await rethrowing(CaptureFailure.init) { () async throws(CaptureError) in
            try await text(of: read, options: options)
        }
    }

    @concurrent
    private static func archive(in file: PageFile) async throws(CaptureFailure) -> WebArchive {
        do {
            return try WebArchive(propertyList: try await file.read())
        } catch {
            throw CaptureFailure(
                code: "unreadable", message: LibraryWords.unreadableArchive(because: "\(error)"), canRetry: false)
        }
    }
}
