import Egress
import Foundation
import Futures
import Logging

/// A page in its own browser context, from opening to closing.
///
/// Contexts isolate captures: they don't share cookies, caches or service workers.
actor PageTab {
    let connection: DevToolsConnection
    let session: String
    let url: URL
    let options: CaptureOptions
    private let contextID: String
    let stopwatch: Stopwatch
    private let logger = Logger(label: "meanwhile.page")
    private let progress: @Sendable (CaptureProgress) -> Void
    let didBeginRendering: @Sendable () -> Void
    /// The last reported progress.
    private(set) var stage = CaptureProgress.starting
    /// The task that handles events; cancelled by ``close()``.
    private var pump: Task<Void, Never>?

    /// The main frame, whose ID is that of the page's target.
    let mainFrame: String
    var load: PageLoadStateMachine
    var log = ResourceLog()
    /// The DevTools sessions of cross-site frames, by frame.
    var frameSessions: [String: String] = [:]
    /// The requested bodies, by request.
    ///
    /// Each task ends on its own, at the latest with its session.
    var bodies: [String: Task<ResourceBody, Never>] = [:]
    /// The budget for these bodies.
    var budget: BodyBudget
    /// The formats to create that contain the page's resources.
    let archives: Set<PageFormat>
    /// The requests and responses; `nil` if no format needs them.
    var recorder: ExchangeLog?
    /// Descriptions of what was left out because of a limit, for warnings.
    var omissions: [String] = []
    /// The number of bytes of all requests' URLs.
    var addressBytes = 0
    /// The length of the documents that were read, in UTF-16 code units.
    var documentLength = 0
    /// Whether further requests are blocked.
    var isBlocked = false
    /// Whether loading was stopped.
    var isStopped = false
    /// The error to throw if the page exceeds a limit and can't be captured.
    var limitFailure: CaptureError?
    /// The archive that requests are answered from; `nil` for a live page.
    let archivedResponses: ArchivedResponses?
    /// The proxy session that the page's requests use; `nil` for a page without network access.
    let egress: PinningProxy.Session?
    /// The proxy's reason why the page itself wasn't loaded.
    var egressFailure: EgressError?
    /// The requests that the proxy answered in place of a server.
    var requestsNotLoaded: Set<String> = []
    /// The frames whose documents were answered from an archive.
    var framesAnswered: Set<String> = []
    /// The reason why the page no longer exists.
    var endReason: DevToolsError?
    /// The reason why the current document is incomplete.
    var documentFailure: String?
    /// The document for which the window was last enlarged.
    var shownDocument: String?
    /// The height of the window in CSS pixels; `nil` before it is set.
    private(set) var windowHeight: Int?
    /// The isolated world of this library's scripts in the main frame, and the document that it belongs to.
    private var world: (document: String, id: Int)?
    /// The type of the event by which this library's scripts ask whether a frame's own are going to run.
    ///
    /// A page that knew it could only make its own picture incomplete.
    let restEvent = "meanwhile-\(UUID())"
    /// Resolved at the next event.
    var change: Promise<Void, Never>?

    private init(connection: DevToolsConnection, blank: BlankPage, request: Request, clock: any Clock<Duration>) {
        self.connection = connection
        self.session = blank.session
        self.mainFrame = blank.target
        self.contextID = blank.context
        self.url = request.url
        self.options = request.options
        self.archives = request.archives
        self.recorder = request.archives.contains(.wacz) ? ExchangeLog() : nil
        self.budget = BodyBudget(limit: request.options.maximumArchiveBytes)
        self.archivedResponses = request.archivedResponses
        self.egress = request.egress
        self.progress = request.progress
        self.didBeginRendering = request.didBeginRendering
        self.stopwatch = Stopwatch(clock)
        self.load = PageLoadStateMachine(settleLimit: request.options.settleLimit)
    }

    /// The parameters of a new tab.
    struct Request: Sendable {
        var url: URL
        var options: CaptureOptions
        /// The formats to create that contain the page's resources.
        var archives: Set<PageFormat>
        var archivedResponses: ArchivedResponses?
        /// The proxy session to use; without one, the proxy refuses all requests.
        var egress: PinningProxy.Session?
        var progress: @Sendable (CaptureProgress) -> Void = { _ in }
        /// Called when the browser has begun to render the page, so that there is time for other work.
        var didBeginRendering: @Sendable () -> Void = {}
    }
}

// MARK: - Opening and closing

extension PageTab {
    /// Whether to collect the bodies of responses.
    var collectsBodies: Bool { !archives.isEmpty }
    /// The bytes of bodies that the browser may still store after the page is closed.
    var storedBytes: Int { recorder == nil ? 0 : load.bytes }

    /// Prepares an empty page for a request.
    ///
    /// If this throws, the page has been closed and can't be used again.
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
        // The tab owns the task and cancels it in `close()`.
        pump = Task {
            for await event in events { handle(event) }
            streamEnded()
        }
        connection.post(DevTools.Browser.SetDownloadBehavior(browserContextId: contextID))
        connection.post(DevTools.Page.Enable(), session: session)
        connection.post(DevTools.Page.SetLifecycleEventsEnabled(), session: session)
        connection.post(DevTools.Network.SetBypassServiceWorker(), session: session)
        setWindow(height: options.viewport.height)
        followFrames(of: session)
        enableAuthRequests()
        // Commands are processed in order, so this reply means that all posted commands are done.
        let tree = try await connection.send(DevTools.Page.GetFrameTree(), session: session).frameTree
        load.opened(with: tree.frame.loaderId)
    }

    /// Enables what both the page and each cross-site frame need.
    func followFrames(of session: String) {
        connection.post(
            DevTools.Network.Enable(
                maxTotalBufferSize: collectsBodies ? min(options.maximumArchiveBytes, .max / 2) * 2 : 0,
                maxResourceBufferSize: collectsBodies ? options.maximumArchiveBytes : 0,
                maxPostDataSize: recorder == nil ? 0 : 1 << 20, enableDurableMessages: recorder != nil),
            session: session)
        connection.post(
            DevTools.Page.AddScriptToEvaluateOnNewDocument(source: PageScripts.watchSources(event: restEvent)),
            session: session)
        if archivedResponses != nil { connection.post(DevTools.Fetch.Enable(), session: session) }
        if isBlocked { block(session) }
        connection.post(DevTools.Target.SetAutoAttach(), session: session)
    }

    /// Sets the height of the window, in CSS pixels.
    func setWindow(height: Int) {
        guard height != windowHeight else { return }
        windowHeight = height
        connection.post(
            DevTools.Emulation.SetDeviceMetricsOverride(
                width: options.viewport.width, height: height, deviceScaleFactor: options.viewport.scale),
            session: session)
    }

    /// Closes the page and discards its context.
    ///
    /// Ignores cancellation.
    ///
    /// - Returns: Whether the browser confirmed it. If not, the browser isn't healthy.
    func close() async -> Bool {
        stopFollowing()
        let closing = Task { [connection, contextID] in
            try await connection.send(
                DevTools.Target.DisposeBrowserContext(browserContextId: contextID), deadline: .seconds(30))
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

// MARK: - Navigation

extension PageTab {
    /// Waits until the page is ready.
    func waitUntilReady() async throws(CaptureError) -> PageCapture.Readiness {
        while true {
            if let readiness = try await readiness() { return readiness }
        }
    }

    /// Waits until the page is ready; returns `nil` if it isn't at that time, or once a condition no longer holds.
    func readiness(
        until end: Duration? = nil, while isWaiting: () -> Bool = { true }
    ) async throws(CaptureError) -> PageCapture.Readiness? {
        while true {
            try checkAlive()
            if load.isLoaded { report(.settling) }
            let now = stopwatch.elapsed
            var next = end
            switch load.decision(at: now) {
            case .ready(let readiness): return readiness
            case .wait: break
            case .waitUntil(let time): next = min(end ?? time, time)
            case .tooManyNavigations:
                throw CaptureError(
                    .tooManyRedirects, "\(url.shown) redirects too many times: each page leads to another.",
                    url: url)
            }
            if !isWaiting() || end.map({ now >= $0 }) == true { return nil }
            try await waitForChange(until: next)
        }
    }

    /// Waits until the current document has loaded.
    func waitUntilLoaded() async throws(CaptureError) {
        while true {
            try checkAlive()
            if load.isLoaded { return }
            if case .tooManyNavigations = load.decision(at: stopwatch.elapsed) { _ = try await waitUntilReady() }
            try await waitForChange(until: nil)
        }
    }

    /// Navigates to the URL; returns when its response begins.
    func navigate() async throws(CaptureError) {
        let reply = try await send(
            // The capture's own deadline is earlier, and has a better error message.
            DevTools.Page.Navigate(url: url.absoluteString), deadline: options.timeout + .seconds(30))
        if reply.isDownload == true {
            throw CaptureError(
                .download,
                "\(url.shown) is a file to download, not a web page. Download it with a browser or with "
                    + "curl.", url: url)
        }
        stopPausingRequests()
        if let limitFailure { throw limitFailure }
        if let error = reply.errorText, !error.isEmpty { throw failure(of: error) }
    }

    /// Throws if the page can't be captured.
    func checkAlive() throws(CaptureError) {
        if Task.isCancelled { throw CaptureError(.cancelled, "The capture was cancelled.", url: url) }
        if let limitFailure { throw limitFailure }
        if let endReason { throw CaptureError(endReason, url: url) }
        if let egressFailure { throw CaptureError(egressFailure, url: url) }
        if let documentFailure { throw CaptureError(netError: documentFailure, url: url) }
    }

    private func waitForChange(until time: Duration?) async throws(CaptureError) {
        let change = Promise<Void, Never>()
        self.change = change
        // This call owns the task.
        let timer = time.map { time in
            Task { [stopwatch] in
                try? await stopwatch.sleep(until: time)
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

// MARK: - Commands and scripts

extension PageTab {
    func send<Command: DevToolsCommand>(
        _ command: Command, to session: String? = nil, deadline: Duration = .seconds(30)
    ) async throws(CaptureError) -> Command.Reply {
        do {
            return try await connection.send(command, session: session ?? self.session, deadline: deadline)
        } catch {
            throw CaptureError(endReason ?? error, url: url)
        }
    }

    /// Runs one of this library's scripts in a frame, in an isolated world that the page can't access.
    func evaluate<Value: Decodable & Sendable>(
        _ script: String, as type: Value.Type, frame: String? = nil, session: String? = nil,
        deadline: Duration = .seconds(30)
    ) async throws(CaptureError) -> Value {
        let reply = try await evaluated(script, as: type, frame: frame, session: session, deadline: deadline)
        guard let value = reply.result.value else {
            let reason = reply.exceptionDetails.map { $0.exception?.description ?? $0.text } ?? "nothing"
            throw CaptureError(.renderingFailed, "A script in \(url.shown) failed: \(reason)", url: url)
        }
        return value
    }

    private func evaluated<Value: Decodable & Sendable>(
        _ script: String, as type: Value.Type, frame: String?, session: String?, deadline: Duration
    ) async throws(CaptureError) -> DevTools.Runtime.Evaluate<Value>.Reply {
        func run(in world: Int) async throws(CaptureError) -> DevTools.Runtime.Evaluate<Value>.Reply {
            try await send(
                DevTools.Runtime.Evaluate<Value>(expression: script, contextId: world), to: session, deadline: deadline)
        }
        let frame = frame ?? mainFrame
        let document = frame == mainFrame ? load.document : nil
        if let world, world.document == document {
            do {
                return try await run(in: world.id)
            } catch  where error.code == .renderingFailed {
                // The world may have ended with its document.
                self.world = nil
            }
        }
        let command = DevTools.Page.CreateIsolatedWorld(frameId: frame)
        let new = try await send(command, to: session, deadline: deadline).executionContextId
        // The result may belong to a later document, in which case the next use of the world fails.
        if let document { world = (document, new) }
        return try await run(in: new)
    }

    func report(_ progress: CaptureProgress) {
        stage = progress
        self.progress(progress)
    }
}
