/// An empty page in a context of its own, which nobody has used yet.
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
