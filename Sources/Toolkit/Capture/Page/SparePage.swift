import Futures

/// An empty page that is opened while another page is rendered, for the next capture to use.
final class SparePage: Sendable {
    let process: ChromiumProcess
    let window: CaptureOptions.Viewport
    private let start = Promise<Void, Never>()
    private let opened = Promise<BlankPage?, Never>(valueOnAbandon: { nil })

    /// Opens nothing before ``begin()``.
    init(window: CaptureOptions.Viewport, in process: ChromiumProcess) {
        self.window = window
        self.process = process
        // Never cancelled, because a page that was opened must be closed. The task ends on its own, at the latest with
        // the browser.
        Task { [start = start.future, opened, connection = process.connection] in
            await start.value
            // If the page can't be opened, the next capture opens one itself and throws the error.
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

    /// Waits until the page is open; returns `nil` if it couldn't be opened.
    func page() async -> BlankPage? {
        await opened.future.value
    }

    /// Closes the page, now or once it's open.
    func discard() {
        begin()
        opened.future.onSuccess { [connection = process.connection] in $0?.close(in: connection) }
    }
}

/// An unused empty page in its own browser context.
struct BlankPage: Sendable {
    let context: String
    let target: String
    let session: String
    let window: CaptureOptions.Viewport

    /// Opens an empty page.
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

    /// Closes the page without waiting for the browser's reply.
    func close(in connection: DevToolsConnection) {
        connection.post(DevTools.Target.DisposeBrowserContext(browserContextId: context))
    }
}
