import Egress
import Foundation

// What a page has to do with the proxy by which it reaches the network.

extension PageTab {
    /// Has the proxy's question for credentials put to this tab.
    ///
    /// Chromium asks with the first request of a context, and keeps what it is told for that context alone: every frame,
    /// worker and socket in it has the credentials then, and no page can read or change them. (Tried with Chromium 156; a
    /// context without them is answered with 407, and nothing of it reaches the network.)
    func presentCredentials() {
        guard egress != nil else { return }
        connection.post(
            DevTools.Fetch.Enable(patterns: [.init(resourceType: "Document")], handleAuthRequests: true),
            session: session)
    }

    /// Lets requests go without coming by here: the proxy has asked.
    func credentialsAreKnown() {
        guard egress != nil else { return }
        connection.post(DevTools.Fetch.Disable(), session: session)
    }

    /// Gives the credentials to the proxy when it asks for them, and to no server.
    func authorize(_ required: PageEvents.AuthRequired, session: String) {
        var response = DevTools.Fetch.ContinueWithAuth.Response(response: "Default")
        if required.authChallenge.source == "Proxy", let egress {
            response = .init(
                response: "ProvideCredentials", username: egress.userName, password: egress.password)
        }
        connection.post(
            DevTools.Fetch.ContinueWithAuth(requestId: required.requestId, authChallengeResponse: response),
            session: session)
    }
}

// MARK: - What was not loaded

extension PageTab {
    /// Notes an answer that is the proxy's own, and not a server's; returns whether it is.
    func notLoaded(_ received: PageEvents.ResponseReceived, session: String) -> Bool {
        let response = received.response
        // Over TLS the proxy cannot answer, and a server could say what it likes.
        guard response.url.hasPrefix("http://"), let headers = response.headers,
            let status = headers.first(where: { $0.key.lowercased() == "proxy-status" })?.value,
            PinningProxy.isOwnAnswer(proxyStatus: status)
        else { return false }
        let failure =
            failure(connectingTo: response.url)
            ?? EgressError(.connectionFailed, "The proxy could not have \(response.url) answered.")
        requestsNotLoaded.insert(received.requestId)
        log.failed(received.requestId, reason: failure.missingReason)
        if received.type == "Document", received.frameId == mainFrame, session == self.session {
            egressFailure = failure
        }
        return true
    }

    /// Why a request failed: what the proxy knows, where Chromium knows no more than that there is no tunnel, or that what
    /// the proxy says is no picture.
    func reason(of request: String, netError: String) -> String {
        guard let entry = log[request], let failure = failure(connectingTo: entry.finalURL),
            failure.refusal != nil || netError.hasSuffix(Self.noTunnel) || netError.hasSuffix("ERR_BLOCKED_BY_ORB")
        else { return netError }
        if entry.kind == "Document", entry.frame == mainFrame, failure.refusal != nil { egressFailure = failure }
        return failure.missingReason
    }

    /// What a network error that ended the way to the page means.
    func failure(of netError: String) -> CaptureError {
        // So far nothing but the page has been asked for, so that the last failure is its.
        if netError.hasSuffix(Self.noTunnel), let failure = egress?.failures.last?.error {
            return CaptureError(failure, url: url)
        }
        return egressFailure.map { CaptureError($0, url: url) } ?? CaptureError(netError: netError, url: url)
    }

    private static let noTunnel = "ERR_TUNNEL_CONNECTION_FAILED"

    private func failure(connectingTo address: String) -> EgressError? {
        guard let url = URL(string: address), let host = url.host(percentEncoded: false)?.lowercased() else {
            return nil
        }
        let isSafe = ["https", "wss"].contains(url.scheme?.lowercased())
        let port = url.port ?? (isSafe ? 443 : 80)
        return egress?.failure(of: host, port: port) ?? egress?.failure(of: "[\(host)]", port: port)
    }
}
