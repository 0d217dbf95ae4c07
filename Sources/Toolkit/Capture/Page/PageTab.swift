import Egress
import Foundation
import Futures
import Logging

/// One page in a context of its own: opened, followed, captured, closed.
///
/// The context keeps captures apart: cookies, caches and service workers of one are unknown to another.
actor PageTab {
    let connection: DevToolsConnection
    let session: String
    let url: URL
    let options: CaptureOptions
    private let contextID: String
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Duration
    private let logger = Logger(label: "meanwhile.page")
    private let progress: @Sendable (CaptureProgress) -> Void
    /// What follows the events; ended by ``close()``.
    private var pump: Task<Void, Never>?

    /// The page's own frame, which bears the number of its target.
    let mainFrame: String
    private(set) var load: PageLoadStateMachine
    var log = ResourceLog()
    /// The sessions of frames of other sites, by the frame.
    private(set) var frameSessions: [String: String] = [:]
    /// Bodies that have been asked for, by request.
    ///
    /// Each ends by itself, at the latest with its session.
    private(set) var bodies: [String: Task<ResourceBody, Never>] = [:]
    private let keepsBodies: Bool
    /// How requests are answered without the network; `nil` for a live page.
    private let answers: RequestAnswers?
    /// By what the page reaches the network; `nil` where it does not.
    let egress: PinningProxy.Session?
    /// Why the page itself was not loaded, where the proxy says it.
    var egressFailure: EgressError?
    /// The requests that no server has answered, but the proxy.
    var requestsNotLoaded: Set<String> = []
    /// The frames whose documents have been answered from an archive.
    private var framesAnswered: Set<String> = []
    private var ended: DevToolsError?
    /// Why the document that the page shows is not whole.
    private var documentFailure: String?
    /// Resolved at the next event.
    private var change: Promise<Void, Never>?

    private init(connection: DevToolsConnection, blank: BlankPage, request: Request, clock: any Clock<Duration>) {
        self.connection = connection
        self.session = blank.session
        self.mainFrame = blank.target
        self.contextID = blank.context
        self.url = request.url
        self.options = request.options
        self.keepsBodies = request.keepsBodies
        self.answers = request.answers
        self.egress = request.egress
        self.progress = request.progress
        self.clock = clock
        self.now = Self.stopwatch(clock)
        self.load = PageLoadStateMachine(settleLimit: request.options.settleLimit)
    }

    /// What a tab is opened for.
    struct Request: Sendable {
        var url: URL
        var options: CaptureOptions
        /// Whether the bodies of what the page asks for are kept.
        var keepsBodies: Bool
        var answers: RequestAnswers?
        /// By what the page reaches the network; without it the proxy answers nothing.
        var egress: PinningProxy.Session?
        var progress: @Sendable (CaptureProgress) -> Void = { _ in }
    }

    private static func stopwatch<Time: Clock>(_ clock: Time) -> @Sendable () -> Duration
    where Time.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}

// MARK: - Opening and closing

extension PageTab {
    /// Makes an empty page one for this request.
    ///
    /// A blank page that is refused is gone: it may be closed, but not used again.
    static func open(
        _ request: Request, on blank: BlankPage, in connection: DevToolsConnection, clock: any Clock<Duration>
    ) async throws(DevToolsError) -> PageTab {
        let tab = PageTab(connection: connection, blank: blank, request: request, clock: clock)
        do throws(DevToolsError) {
            try await tab.follow()
            return tab
        } catch {
            await tab.stopFollowing()
            blank.close(in: connection)
            throw error
        }
    }

    private func follow() async throws(DevToolsError) {
        let events = connection.events(of: session)
        // Owned by this tab, which cancels it in `close()`.
        pump = Task {
            for await event in events { handle(event) }
            streamEnded()
        }
        connection.post(DevTools.Browser.SetDownloadBehavior(browserContextId: contextID))
        connection.post(DevTools.Page.Enable(), session: session)
        connection.post(DevTools.Page.SetLifecycleEventsEnabled(), session: session)
        connection.post(DevTools.Network.SetBypassServiceWorker(), session: session)
        setViewport(height: options.viewport.height)
        followFrames(of: session)
        presentCredentials()
        // Waited for: what was posted before it is done when this is answered.
        let tree = try await connection.send(DevTools.Page.GetFrameTree(), session: session).frameTree
        load.opened(with: tree.frame.loaderId)
    }

    /// What a page and each frame of another site need alike.
    private func followFrames(of session: String) {
        connection.post(
            DevTools.Network.Enable(
                maxTotalBufferSize: keepsBodies ? options.maximumArchiveBytes * 2 : 0,
                maxResourceBufferSize: keepsBodies ? options.maximumArchiveBytes : 0), session: session)
        if answers != nil { connection.post(DevTools.Fetch.Enable(), session: session) }
        connection.post(DevTools.Target.SetAutoAttach(), session: session)
    }

    func setViewport(height: Int) {
        connection.post(
            DevTools.Emulation.SetDeviceMetricsOverride(
                width: options.viewport.width, height: height, deviceScaleFactor: options.viewport.scale),
            session: session)
    }

    /// Closes the page and forgets all it kept.
    ///
    /// Not cut short by cancellation.
    ///
    /// - Returns: Whether the browser did it; if not, the browser is not well.
    func close() async -> Bool {
        stopFollowing()
        let closing = Task { [connection, contextID] in
            try await connection.send(
                DevTools.Target.DisposeBrowserContext(browserContextId: contextID), deadline: .seconds(10))
        }
        return (try? await closing.value) != nil
    }

    private func stopFollowing() {
        pump?.cancel()
        for body in bodies.values { body.cancel() }
        connection.forget(session)
        for child in frameSessions.values { connection.forget(child) }
    }
}

// MARK: - Going to the page

extension PageTab {
    /// Goes to the address and waits until the page is ready.
    func waitUntilReady() async throws(CaptureError) -> PageCapture.Readiness {
        while true {
            try checkAlive()
            if load.isLoaded { progress(.settling) }
            switch load.decision(at: now()) {
            case .ready(let readiness): return readiness
            case .wait: try await waitForChange(until: nil)
            case .waitUntil(let time): try await waitForChange(until: time)
            case .tooManyNavigations:
                throw CaptureError(
                    .tooManyRedirects, "\(url.shown) leads in a circle: each page only leads on to another.",
                    url: url)
            }
        }
    }

    /// Waits until the current document has loaded.
    func waitUntilLoaded() async throws(CaptureError) {
        while !load.isLoaded {
            try checkAlive()
            if case .tooManyNavigations = load.decision(at: now()) { _ = try await waitUntilReady() }
            try await waitForChange(until: nil)
        }
    }

    /// Goes to the address; returns when its answer begins.
    func navigate() async throws(CaptureError) {
        let reply = try await send(
            // The capture's own deadline comes first, and says more.
            DevTools.Page.Navigate(url: url.absoluteString), deadline: options.timeout + .seconds(30))
        if reply.isDownload == true {
            throw CaptureError(
                .download,
                "\(url.shown) is a file to download, not a page. Download it with a browser or with "
                    + "curl.", url: url)
        }
        credentialsAreKnown()
        if let error = reply.errorText, !error.isEmpty { throw failure(of: error) }
    }

    private func checkAlive() throws(CaptureError) {
        if Task.isCancelled { throw CaptureError(.cancelled, "The capture was cancelled.", url: url) }
        if let ended { throw CaptureError(ended, url: url) }
        if let egressFailure { throw CaptureError(egressFailure, url: url) }
        if let documentFailure { throw CaptureError(netError: documentFailure, url: url) }
    }

    private func waitForChange(until time: Duration?) async throws(CaptureError) {
        let change = Promise<Void, Never>(onAbandon: nil)
        self.change = change
        // Owned by this call.
        let timer = time.map { time in
            Task { [clock, now] in
                try? await clock.sleep(for: max(time - now(), .zero))
                change.resolve(())
            }
        }
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            await change.future.value
        } onCancel: {
            change.resolve(())
        }
        try checkAlive()
    }
}

// MARK: - Talking to it

extension PageTab {
    func send<Command: DevToolsCommand>(
        _ command: Command, to session: String? = nil, deadline: Duration = .seconds(30)
    ) async throws(CaptureError) -> Command.Reply {
        do {
            return try await connection.send(command, session: session ?? self.session, deadline: deadline)
        } catch {
            throw CaptureError(ended ?? error, url: url)
        }
    }

    /// Runs a script of ours in a frame, where the page cannot see it.
    func evaluate<Value: Decodable & Sendable>(
        _ script: String, as type: Value.Type, frame: String? = nil, session: String? = nil,
        deadline: Duration = .seconds(30)
    ) async throws(CaptureError) -> Value {
        let frame = frame ?? mainFrame
        let world = try await send(DevTools.Page.CreateIsolatedWorld(frameId: frame), to: session, deadline: deadline)
        let reply = try await send(
            DevTools.Runtime.Evaluate<Value>(expression: script, contextId: world.executionContextId), to: session,
            deadline: deadline)
        guard let value = reply.result.value else {
            let said = reply.exceptionDetails.map { $0.exception?.description ?? $0.text } ?? "nothing"
            throw CaptureError(.renderingFailed, "A script in \(url.shown) failed: \(said)", url: url)
        }
        return value
    }

    func report(_ progress: CaptureProgress) {
        self.progress(progress)
    }
}

// MARK: - What happens in it

extension PageTab {
    private func streamEnded() {
        if ended == nil {
            ended = connection.closedReason ?? DevToolsError(.detached, "The page was closed.")
        }
        change?.resolve(())
    }

    private func handle(_ event: DevToolsEvent) {
        let isMain = event.sessionID == session
        switch event.method {
        case "Page.lifecycleEvent":
            guard isMain, let lifecycle = event.decode(PageEvents.Lifecycle.self), lifecycle.frameId == mainFrame else {
                return
            }
            // A page that gets another process is shown an empty document there first. The page itself was asked for.
            guard load.document != nil || log[lifecycle.loaderId] != nil else { return }
            let step: PageLoadStateMachine.Step =
                lifecycle.name == "load" ? .loaded : .begun
            load.reached(step, of: lifecycle.loaderId, at: now())
        case "Page.javascriptDialogOpening":
            guard let session = event.sessionID, let dialog = event.decode(PageEvents.DialogOpening.self) else {
                return
            }
            // An open dialog stops the page and every command to it.
            let accept = dialog.type == "alert" || dialog.type == "beforeunload"
            connection.post(DevTools.Page.HandleJavaScriptDialog(accept: accept), session: session)
        case "Target.attachedToTarget":
            guard let target = event.decode(PageEvents.AttachedToTarget.self) else { return }
            guard target.targetInfo.type == "iframe" else {
                connection.post(DevTools.Runtime.RunIfWaitingForDebugger(), session: target.sessionId)
                return
            }
            frameSessions[target.targetInfo.targetId] = target.sessionId
            connection.post(DevTools.Page.Enable(), session: target.sessionId)
            followFrames(of: target.sessionId)
            connection.post(DevTools.Runtime.RunIfWaitingForDebugger(), session: target.sessionId)
        case "Target.detachedFromTarget":
            guard let target = event.decode(PageEvents.DetachedFromTarget.self) else { return }
            frameSessions = frameSessions.filter { $0.value != target.sessionId }
            load.sessionEnded(target.sessionId, at: now())
            if target.sessionId == session { ended = DevToolsError(.detached, "The page was closed.") }
        case "Inspector.targetCrashed":
            if isMain {
                ended = DevToolsError(.crashed, "The page's process crashed.")
            } else if let session = event.sessionID {
                load.sessionEnded(session, at: now())
            }
        case "Fetch.requestPaused":
            guard let paused = event.decode(PageEvents.RequestPaused.self), let session = event.sessionID else {
                return
            }
            if answers == nil {
                connection.post(DevTools.Fetch.ContinueRequest(requestId: paused.requestId), session: session)
            } else {
                answer(paused, session: session)
            }
        case "Fetch.authRequired":
            guard let required = event.decode(PageEvents.AuthRequired.self), let session = event.sessionID else {
                return
            }
            authorize(required, session: session)
        default:
            guard event.method.hasPrefix("Network."), handleNetwork(event) else { return }
        }
        if !load.isLoaded {
            progress(.loading(finished: load.finished, started: load.started, bytes: load.bytes))
        }
        change?.resolve(())
    }

    /// - Returns: Whether anything has changed.
    private func handleNetwork(_ event: DevToolsEvent) -> Bool {
        guard let session = event.sessionID else { return false }
        switch event.method {
        case "Network.requestWillBeSent":
            guard let sent = event.decode(PageEvents.RequestWillBeSent.self), !sent.request.url.hasPrefix("data:")
            else {
                return false
            }
            let kind = sent.type ?? "Other"
            let isPage = kind == "Document" && sent.frameId == mainFrame && session == self.session
            if isPage, sent.loaderId != load.document { log.forgetAll(except: sent.requestId) }
            load.requestStarted(sent.requestId, url: sent.request.url, kind: kind, session: session, at: now())
            log.requested(
                sent.requestId, url: sent.request.url, kind: kind, frame: sent.frameId ?? mainFrame, session: session)
        case "Network.responseReceived":
            guard let received = event.decode(PageEvents.ResponseReceived.self) else { return false }
            let response = received.response
            if notLoaded(received, session: session) { return true }
            log.answered(
                received.requestId, url: response.url, status: response.status, mediaType: response.mimeType)
        case "Network.dataReceived":
            guard let data = event.decode(PageEvents.DataReceived.self) else { return false }
            load.received(bytes: data.dataLength)
        case "Network.loadingFinished":
            guard let finished = event.decode(PageEvents.LoadingFinished.self) else { return false }
            load.requestEnded(finished.requestId, at: now())
            log.finished(finished.requestId, session: session)
            if keepsBodies { fetchBody(of: finished.requestId, session: session) }
        case "Network.loadingFailed":
            guard let failed = event.decode(PageEvents.LoadingFailed.self) else { return false }
            load.requestEnded(failed.requestId, at: now())
            // A document's request bears its document's number. It never loads when its answer ends too early.
            if failed.requestId == load.document, !load.isLoaded { documentFailure = failed.errorText }
            log.failed(
                failed.requestId,
                reason: failed.blockedReason ?? reason(of: failed.requestId, netError: failed.errorText))
        default:
            return false
        }
        return true
    }

    /// Asks for a body as soon as it is there: later the browser may have thrown it away.
    private func fetchBody(of request: String, session: String) {
        bodies[request] = Task { [connection] in
            do throws(DevToolsError) {
                let reply = try await connection.send(
                    DevTools.Network.GetResponseBody(requestId: request), session: session)
                return ResourceBody(reply)
            } catch {
                return .missing("\(error)")
            }
        }
    }

    private func answer(_ paused: PageEvents.RequestPaused, session: String) {
        if paused.resourceType == "Document", !framesAnswered.insert(paused.frameId).inserted {
            // What an archive shows does not lead on to anything else, by a refresh for one. Without content it stays.
            connection.post(
                DevTools.Fetch.FulfillRequest(
                    requestId: paused.requestId, responseCode: 204, responseHeaders: [], body: Data()),
                session: session)
            return
        }
        guard let answer = answers?.answer(to: paused.request.url) else {
            connection.post(DevTools.Fetch.FailRequest(requestId: paused.requestId), session: session)
            return
        }
        connection.post(
            DevTools.Fetch.FulfillRequest(
                requestId: paused.requestId,
                responseHeaders: [
                    DevTools.Fetch.Header(name: "Content-Type", value: answer.contentType),
                    // Fonts and the like of another site are refused without it; the archive holds what was let in.
                    DevTools.Fetch.Header(name: "Access-Control-Allow-Origin", value: "*"),
                    // The document is as its scripts left it. Not by switching scripts off: that stops ours too.
                    DevTools.Fetch.Header(name: "Content-Security-Policy", value: "script-src 'none'"),
                ],
                body: answer.data), session: session)
    }
}
