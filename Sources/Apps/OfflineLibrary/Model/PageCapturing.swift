public import Capture
public import Foundation

/// What captures pages for the library: in this process, or in others.
public protocol PageCapturing: Sendable {
    /// Captures a page in every format, from one load.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - options: How.
    ///   - progress: Told how far it is, often, on any thread.
    /// - Returns: The page in every format.
    /// - Throws: Why there is none; nothing is left behind then.
    func capture(
        _ request: CaptureRequest, options: CaptureOptions, progress: @escaping @Sendable (CaptureProgress) -> Void
    ) async throws(CaptureFailure) -> PageCapture

    /// Makes a kept web archive into one page of HTML that asks for nothing and runs nothing.
    func viewerCopy(of archive: KeptFile, options: CaptureOptions) async throws(CaptureFailure) -> Data
}

extension PageCapturer: PageCapturing {
    /// Captures a page with this process's own browser.
    public func capture(
        _ request: CaptureRequest, options: CaptureOptions, progress: @escaping @Sendable (CaptureProgress) -> Void
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
