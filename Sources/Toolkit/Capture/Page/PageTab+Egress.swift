import Egress
import Foundation

// Authenticates a page to the proxy through which it reaches the network, and records the proxy's refusals.

extension PageTab {
    /// Makes Chromium report the proxy's request for credentials to this tab; ``authorize(_:session:)`` responds to it.
    ///
    /// Chromium asks at the first request of a browser context, and stores the credentials for that context only. All
    /// frames, workers and sockets of the context then use them, and no page can read or change them. (Tested with
    /// Chromium 156. A context without credentials receives status 407, and none of its requests reach the network.)
    func enableAuthRequests() {
        guard egress != nil else { return }
        connection.post(
            DevTools.Fetch.Enable(patterns: [.init(resourceType: "Document")], handleAuthRequests: true),
            session: session)
    }

    /// Stops pausing requests, once the proxy has asked for credentials.
    func stopPausingRequests() {
        guard egress != nil else { return }
        connection.post(DevTools.Fetch.Disable(), session: session)
    }

    /// Responds to a request for credentials: to the proxy's with the credentials, to a server's without them.
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

// MARK: - Requests that failed

extension PageTab {
    /// Records the request as failed if its response comes from the proxy, not from a server; returns whether it does.
    func recordProxyResponse(_ received: PageEvents.ResponseReceived, session: String) -> Bool {
        let response = received.response
        // Over TLS, the proxy can't respond, and a server could forge the header.
        guard response.url.hasPrefix("http://"), let headers = response.headers,
            let status = headers.first(where: { $0.key.lowercased() == "proxy-status" })?.value,
            PinningProxy.isOwnResponse(proxyStatus: status)
        else { return false }
        let failure =
            failure(connectingTo: response.url)
            ?? EgressError(.limitExceeded, "The proxy got no response for \(response.url).")
        requestsNotLoaded.insert(received.requestId)
        log.failed(received.requestId, reason: failure.missingReason)
        if received.type == "Document", received.frameId == mainFrame, session == self.session {
            egressFailure = failure
        }
        return true
    }

    /// The reason why a request failed.
    ///
    /// Prefers the proxy's reason if Chromium's error says only that the tunnel failed, or that the proxy's response
    /// isn't an image.
    func reason(of request: String, netError: String) -> String {
        guard let entry = log[request], let failure = failure(connectingTo: entry.finalURL),
            failure.refusal != nil || netError.hasSuffix(Self.noTunnel) || netError.hasSuffix("ERR_BLOCKED_BY_ORB")
        else { return netError }
        if entry.kind == "Document", entry.frame == mainFrame, failure.refusal != nil { egressFailure = failure }
        return failure.missingReason
    }

    /// Converts the network error that ended the navigation, with the proxy's reason if there is one.
    func failure(of netError: String) -> CaptureError {
        // Only the page itself has been requested so far, so the last failure is the page's.
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
        let isSecure = ["https", "wss"].contains(url.scheme?.lowercased())
        let port = url.port ?? (isSecure ? 443 : 80)
        return egress?.failure(of: host, port: port) ?? egress?.failure(of: "[\(host)]", port: port)
    }
}
