import Futures

/// An empty page that is opened while another one comes to rest, for the capture that comes next.
final class SparePage: Sendable {
    let process: ChromiumProcess
    let window: CaptureOptions.Viewport
    private let start = Promise<Void, Never>()
    private let opened = Promise<BlankPage?, Never>(valueOnAbandon: { nil })

    /// Nothing is opened before ``begin()``.
    init(window: CaptureOptions.Viewport, in process: ChromiumProcess) {
        self.window = window
        self.process = process
        // Not cancelled: what has been opened must be known, to be closed. It ends by itself, at the latest with the browser.
        Task { [start = start.future, opened, connection = process.connection] in
            await start.value
            // If it cannot be opened, the next capture opens a page itself, and throws the error.
            opened.resolve(try? await BlankPage.open(window: window, in: connection))
        }
    }

    deinit {
        begin()
    }

    var isBegun: Bool { start.future.isComplete }

    func begin() {
        start.resolve(())
    }

    /// The page, as soon as it is open; `nil` if it could not be opened.
    func page() async -> BlankPage? {
        await opened.future.value
    }

    /// Closes it, now or when it is open.
    func discard() {
        begin()
        opened.future.onSuccess { [connection = process.connection] in $0?.close(in: connection) }
    }
}

/// An unused empty page in a context of its own.
struct BlankPage: Sendable {
    let context: String
    let target: String
    let session: String
    let window: CaptureOptions.Viewport

    /// Opens one.
    static func open(
        window: CaptureOptions.Viewport, in connection: DevToolsConnection
    ) async throws(DevToolsError) -> BlankPage {
        let context = try await connection.send(DevTools.Target.CreateBrowserContext()).browserContextId
        do throws(DevToolsError) {
            let target = try await connection.send(
                DevTools.Target.CreateTarget(
                    url: "about:blank", browserContextId: context, width: window.width, height: window.height)
            ).targetId
            let session = try await connection.send(DevTools.Target.AttachToTarget(targetId: target)).sessionId
            return BlankPage(context: context, target: target, session: session, window: window)
        } catch {
            connection.post(DevTools.Target.DisposeBrowserContext(browserContextId: context))
            throw error
        }
    }

    /// Closes it, without waiting for that.
    func close(in connection: DevToolsConnection) {
        connection.post(DevTools.Target.DisposeBrowserContext(browserContextId: context))
    }
}
