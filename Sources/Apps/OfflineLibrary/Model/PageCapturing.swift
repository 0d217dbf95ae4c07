public import Capture
public import Foundation
public import Persistence

/// An attempt to capture a page of the library.
public struct CaptureAttempt: Hashable, Sendable {
    /// The page.
    public var page: KeptPage.ID
    /// The page's owner.
    public var owner: OwnerID
    /// The number of the attempt: an older attempt's capture is dropped.
    public var number: Int

    /// Creates the name of an attempt.
    public init(page: KeptPage.ID, owner: OwnerID, number: Int) {
        (self.page, self.owner, self.number) = (page, owner, number)
    }
}

/// Captures pages for the library, in this process or in others.
public protocol PageCapturing: Sendable {
    /// Captures a page in every format, from one load.
    ///
    /// A capture in another process can survive this one. Asked again for the same attempt, the capturer then waits for that
    /// capture instead of beginning another. When the task is cancelled it stops waiting; the library's store ends captures that
    /// are not needed any more.
    ///
    /// - Parameters:
    ///   - request: The page's address, and the formats.
    ///   - attempt: The attempt.
    ///   - options: How to capture it.
    ///   - progress: Called with each progress report, on any thread.
    /// - Returns: The page in every format.
    /// - Throws: ``CaptureFailure``; no output is left then.
    func capture(
        _ request: CaptureRequest, for attempt: CaptureAttempt, options: CaptureOptions,
        progress: @escaping @Sendable (CaptureProgress) -> Void
    ) async throws(CaptureFailure) -> PageCapture

    /// Makes a kept web archive into one page of HTML that asks for nothing and runs nothing.
    func viewerCopy(of archive: KeptFile, options: CaptureOptions) async throws(CaptureFailure) -> Data
}

extension PageCapturer: PageCapturing {
    /// Captures a page with this process's own browser.
    public func capture(
        _ request: CaptureRequest, for attempt: CaptureAttempt, options: CaptureOptions,
        progress: @escaping @Sendable (CaptureProgress) -> Void
    ) async throws(CaptureFailure) -> PageCapture {
        do throws(CaptureError) {
            return try await capture(request.url, formats: request.formats, options: options, progress: progress)
        } catch {
            throw CaptureFailure(error)
        }
    }

    /// Reads a web archive, and makes it into one page of HTML.
    public func viewerCopy(of archive: KeptFile, options: CaptureOptions) async throws(CaptureFailure) -> Data {
        let read = try await Self.archive(in: archive)
        do throws(CaptureError) {
            return try await viewerCopy(of: read, options: options)
        } catch {
            throw CaptureFailure(error)
        }
    }

    @concurrent
    private static func archive(in file: KeptFile) async throws(CaptureFailure) -> WebArchive {
        do {
            return try WebArchive(propertyList: try await file.read())
        } catch {
            throw CaptureFailure(
                code: "unreadable", message: "The web archive of this page cannot be read: \(error)", canRetry: false)
        }
    }
}
