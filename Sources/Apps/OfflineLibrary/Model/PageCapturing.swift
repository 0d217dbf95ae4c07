public import Capture
public import Foundation

/// What captures pages for the library.
public protocol PageCapturing: Sendable {
    /// Captures a page in every format, from one load.
    func capture(
        _ url: URL, formats: Set<PageFormat>, options: CaptureOptions,
        progress: @escaping @Sendable (CaptureProgress) -> Void
    ) async throws(CaptureError) -> PageCapture

    /// Makes a web archive into one page of HTML that asks for nothing and runs nothing.
    func viewerCopy(of archive: WebArchive, options: CaptureOptions) async throws(CaptureError) -> Data
}

extension PageCapturer: PageCapturing {}
