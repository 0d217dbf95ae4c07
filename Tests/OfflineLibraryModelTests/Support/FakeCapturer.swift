import Foundation
import Futures
import OfflineLibraryModel
import Synchronization

@testable import Capture

/// A capturer whose results are determined by the test.
final class FakeCapturer: Sendable {
    /// A capture that the library has requested.
    struct Call: Sendable {
        let url: URL
        let attempt: CaptureAttempt
        let formats: Set<PageFormat>
        let progress: @Sendable (CaptureProgress) -> Void
        let outcome = Promise<PageCapture, CaptureError>(onAbandon: { CaptureError(.closed, "The test ended.") })
        let cancellation = Promise<Void, any Error>()
    }

    /// A viewer copy that the library has requested.
    struct ViewerCall: Sendable {
        let archive: PageFile
        let linkPath: String?
        let outcome = Promise<Data, CaptureError>(onAbandon: { CaptureError(.closed, "The test ended.") })
    }

    /// Whether captures continue after they are cancelled.
    let ignoresCancellation: Bool
    private let calls = AsyncStream.makeStream(of: Call.self)
    private let viewerCalls = AsyncStream.makeStream(of: ViewerCall.self)
    private let counts = Mutex((calls: 0, viewerCalls: 0))

    init(ignoresCancellation: Bool = false) {
        self.ignoresCancellation = ignoresCancellation
    }
}

extension FakeCapturer {
    /// The number of requested captures.
    var callCount: Int { counts.withLock { $0.calls } }

    /// The number of requested viewer copies.
    var viewerCallCount: Int { counts.withLock { $0.viewerCalls } }

    /// Returns the next requested capture that the test hasn't seen yet, waiting for it if necessary.
    ///
    /// - Throws: `CancellationError` if the test's time limit cancels the task.
    func call() async throws -> Call {
        for await call in calls.stream { return call }
        throw CancellationError()
    }

    /// Returns the next requested viewer copy that the test hasn't seen yet, waiting for it if necessary.
    ///
    /// - Throws: `CancellationError` if the test's time limit cancels the task.
    func viewerCall() async throws -> ViewerCall {
        for await call in viewerCalls.stream { return call }
        throw CancellationError()
    }
}

extension FakeCapturer: PageCapturing {
    func capture(
        _ request: CaptureRequest, for attempt: CaptureAttempt, options: CaptureOptions,
        progress: @escaping @Sendable (CaptureProgress) -> Void
    ) async throws(CaptureFailure) -> PageCapture {
        let call = Call(url: request.url, attempt: attempt, formats: request.formats, progress: progress)
        counts.withLock { $0.calls += 1 }
        calls.continuation.yield(call)
        let result = await withTaskCancellationHandler {
            await call.outcome.future.result
        } onCancel: {
            if !ignoresCancellation { call.outcome.reject(CaptureError(.cancelled, "The capture was cancelled.")) }
            call.cancellation.resolve(())
        }
        return try result.mapError(CaptureFailure.init).get()
    }

    func viewerCopy(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> Data {
        let call = ViewerCall(archive: archive, linkPath: options.viewerLinkPath)
        counts.withLock { $0.viewerCalls += 1 }
        viewerCalls.continuation.yield(call)
        return try await call.outcome.future.result.mapError(CaptureFailure.init).get()
    }

    func article(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> Data {
        try await viewerCopy(of: archive, options: options)
    }

    func text(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> String {
        let call = ViewerCall(archive: archive, linkPath: options.viewerLinkPath)
        viewerCalls.continuation.yield(call)
        let text = try await call.outcome.future.result.mapError(CaptureFailure.init).get()
        return String(decoding: text, as: UTF8.self)
    }
}

extension FakeCapturer.Call {
    /// Completes the capture.
    func succeed(title: String = "A page", status: Int = 200, text: String? = nil, picture: Data? = nil) {
        var capture = capture(title: title, status: status)
        capture.text = text
        if let picture { capture.data[.png] = picture }
        outcome.resolve(capture)
    }

    /// Fails the capture.
    func fail(_ code: CaptureError.Code = .connectionFailed, _ message: String = "It broke.") {
        fail(CaptureError(code, message))
    }

    func fail(_ error: CaptureError) {
        outcome.reject(error)
    }

    private func capture(title: String, status: Int) -> PageCapture {
        var data: [PageFormat: Data] = [:]
        for format in formats {
            data[format] = format == .webArchive ? .archive(of: url) : Data("\(format.rawValue) of \(title)".utf8)
        }
        return PageCapture(
            requestedURL: url, url: url, title: title, httpStatus: status, contentSize: (800, 600),
            readiness: .almostIdle, data: data, thumbnail: Data("small \(title)".utf8), resources: [], warnings: [],
            duration: .seconds(1))
    }
}

extension Data {
    /// A web archive of a minimal page.
    fileprivate static func archive(of url: URL) -> Data {
        let resource = WebArchive.Resource(
            data: Data("<p>A page</p>".utf8), url: url.absoluteString, mediaType: "text/html", textEncodingName: "UTF-8"
        )
        return (try? WebArchive(mainResource: resource).propertyList()) ?? Data()
    }
}
