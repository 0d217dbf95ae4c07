import Foundation
import Futures

// Handles the events of a page.

extension PageTab {
    /// Handles the end of the event stream.
    func streamEnded() {
        if endReason == nil {
            endReason = connection.endReason(of: session) ?? DevToolsError(.detached, "The page was closed.")
        }
        change?.resolve(())
    }

    /// Handles an event, and responds to it if the browser waits for that.
    func handle(_ event: DevToolsEvent) {
        let isMain = event.sessionID == session
        switch event.method {
        case "Page.lifecycleEvent":
            guard isMain, let lifecycle = event.decode(PageEvents.Lifecycle.self), lifecycle.frameId == mainFrame else {
                return
            }
            // A page that moves to another process starts there with an empty document, which isn't the requested one.
            guard load.document != nil || log[lifecycle.loaderId] != nil else { return }
            let step: PageLoadStateMachine.Step =
                lifecycle.name == "load" ? .loaded : .begun
            load.reached(step, of: lifecycle.loaderId, at: stopwatch.elapsed)
        case "Page.javascriptDialogOpening":
            guard let session = event.sessionID, let dialog = event.decode(PageEvents.DialogOpening.self) else {
                return
            }
            // An open dialog blocks the page and all commands to it.
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
            load.sessionEnded(target.sessionId, at: stopwatch.elapsed)
            if target.sessionId == session { endReason = DevToolsError(.detached, "The page was closed.") }
        case "Inspector.targetCrashed":
            if isMain {
                endReason = DevToolsError(.crashed, "The page's process crashed.")
            } else if let session = event.sessionID {
                load.sessionEnded(session, at: stopwatch.elapsed)
            }
        case "Fetch.requestPaused":
            guard let paused = event.decode(PageEvents.RequestPaused.self), let session = event.sessionID else {
                return
            }
            if archivedResponses == nil {
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
            guard event.method.hasPrefix("Network.") else { return }
            record(event)
            guard handleNetwork(event) else { return }
        }
        if !load.isLoaded {
            report(.loading(finished: min(load.finished, load.started), started: load.started, bytes: load.bytes))
        }
        change?.resolve(())
    }

    /// - Returns: Whether the page's state changed.
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
            if exceedsRequestLimit(sent.requestId) { return false }
            let (sum, overflows) = addressBytes.addingReportingOverflow(sent.request.url.utf8.count)
            addressBytes = overflows ? .max : sum
            if isPage, sent.loaderId != load.document { forgetAll(except: sent.requestId) }
            // On a busy machine, the browser may request a page's usual icon while the page is being rendered. The capture
            // doesn't wait for that icon.
            if !ResourceLog.isOwnIcon(kind: kind, url: sent.request.url) {
                load.requestStarted(
                    sent.requestId, url: sent.request.url, kind: kind, session: session, isNavigation: isPage,
                    at: stopwatch.elapsed)
            }
            log.requested(
                sent.requestId, url: sent.request.url, kind: kind, frame: sent.frameId ?? mainFrame, session: session)
            enforceLoadedBytes()
        case "Network.responseReceived":
            guard let received = event.decode(PageEvents.ResponseReceived.self) else { return false }
            let response = received.response
            if recordProxyResponse(received, session: session) { return true }
            log.answered(
                received.requestId, url: response.url, status: response.status, mediaType: response.mimeType,
                charset: response.charset)
        case "Network.dataReceived":
            guard let data = event.decode(PageEvents.DataReceived.self) else { return false }
            load.received(bytes: data.dataLength)
            if let id = data.requestId { log.received(id, bytes: data.dataLength) }
            enforceLoadedBytes()
        case "Network.loadingFinished":
            guard let finished = event.decode(PageEvents.LoadingFinished.self) else { return false }
            load.requestEnded(finished.requestId, at: stopwatch.elapsed)
            log.finished(finished.requestId, session: session)
            if collectsBodies { fetchBody(of: finished.requestId, session: session) }
        case "Network.loadingFailed":
            guard let failed = event.decode(PageEvents.LoadingFailed.self) else { return false }
            load.requestEnded(failed.requestId, at: stopwatch.elapsed)
            // A document's request has the document's ID. If its response ends early, the document never loads.
            if failed.requestId == load.document, !load.isLoaded { documentFailure = failed.errorText }
            log.failed(
                failed.requestId,
                reason: failed.blockedReason ?? reason(of: failed.requestId, netError: failed.errorText))
        default:
            return false
        }
        return true
    }

    /// Fetches a body as soon as it has loaded, because the browser may discard it later.
    ///
    /// A body over the budget isn't fetched, because the browser would send all of it.
    private func fetchBody(of request: String, session: String) {
        let limit = budget.limit
        guard budget.reserve(log[request]?.receivedBytes ?? 0, for: request) else {
            bodies[request] = Task { .overBudget(limit: limit) }
            return
        }
        bodies[request] = Task { [connection, weak self] in
            let body: ResourceBody
            do throws(DevToolsError) {
                let reply = try await connection.send(
                    DevTools.Network.GetResponseBody(requestId: request), session: session)
                body = ResourceBody(reply)
            } catch {
                body = error.code == .overflow ? .overBudget(limit: limit) : .missing("\(error)")
            }
            return await self?.applyBudget(to: body, of: request) ?? body
        }
    }

    /// Counts a body that has arrived, and drops it if it exceeds the budget.
    private func applyBudget(to body: ResourceBody, of request: String) -> ResourceBody {
        guard let count = body.data?.count else {
            budget.release(request)
            return body
        }
        return budget.adjust(count, for: request) ? body : .overBudget(limit: budget.limit)
    }

    /// Discards the resources of earlier documents when the page navigates.
    private func forgetAll(except request: String) {
        log.forgetAll(except: request)
        recorder?.forgetAll(except: request)
        for (id, body) in bodies where id != request { body.cancel() }
        bodies = bodies.filter { $0.key == request }
        budget.releaseAll(except: request)
    }

    private func answer(_ paused: PageEvents.RequestPaused, session: String) {
        let isRecorded = archivedResponses?.isRecorded == true
        if !isRecorded, paused.resourceType == "Document", !framesAnswered.insert(paused.frameId).inserted {
            // A document from an archive must not navigate, for example by a refresh. A response without content
            // prevents it.
            connection.post(
                DevTools.Fetch.FulfillRequest(
                    requestId: paused.requestId, responseCode: 204, responseHeaders: [], body: Data()),
                session: session)
            return
        }
        guard let answer = archivedResponses?.answer(to: paused.request.url, method: paused.request.method ?? "GET")
        else {
            connection.post(DevTools.Fetch.FailRequest(requestId: paused.requestId), session: session)
            return
        }
        connection.post(
            DevTools.Fetch.FulfillRequest(
                requestId: paused.requestId, responseCode: answer.status, responseHeaders: answer.headers,
                body: answer.body), session: session)
    }
}
