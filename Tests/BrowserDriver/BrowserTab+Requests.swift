import Capture

// The requests of a page, as the browser's network panel shows them.

/// A request of a page.
package struct PageRequest: Sendable, CustomStringConvertible {
    fileprivate let id: String
    /// The load of the page that it belongs to.
    fileprivate let load: String
    /// The address without its fragment.
    package let url: String
    /// Whether it is an event stream, which doesn't end.
    package let isStream: Bool
    /// Whether the browser took the response from its cache, without asking the server.
    package fileprivate(set) var isFromCache = false
    /// The number of bytes on the wire, headers included; a compressed body counts with its compressed size.
    package fileprivate(set) var bytes = 0
    /// Whether the response has been received completely, the request has failed, or the tab has left its page.
    package fileprivate(set) var hasEnded = false

    package var description: String { "\(url) (\(isFromCache ? "cached" : "\(bytes) bytes"))" }
}

extension BrowserTab {
    /// From now on, records the requests of the tab's pages.
    package func recordRequests() async throws {
        _ = try await connection.ask(Network.Enable(), session: session)
        // A worker that is active only later must make no difference.
        _ = try await connection.ask(Network.BypassWorkers(), session: session)
    }

    /// Limits how fast the tab's pages send from now on.
    package func limitSending(toBytesPerSecond bytes: Double) async throws {
        try await recordRequests()
        _ = try await connection.ask(Network.EmulateConditions(uploadThroughput: bytes), session: session)
    }

    /// Waits until no request but event streams is open, then removes and returns the recorded requests.
    package func takeRequests() async throws -> [PageRequest] {
        let end = ContinuousClock.now + .seconds(240)
        while requests.contains(where: { !$0.hasEnded && !$0.isStream }) {
            guard ContinuousClock.now < end else { throw DriverError("These requests don't end: \(requests)") }
            try await Self.pauseBetweenPolls()
        }
        defer { requests = [] }
        return requests
    }

    /// Records a network event; ignores other events.
    func noteRequest(_ event: DevToolsEvent) {
        switch event.method {
        case "Network.requestWillBeSent":
            // Addresses with their content, such as `data:`, aren't requests to a server.
            guard let sent = event.decode(Network.RequestWillBeSent.self), sent.request.url.hasPrefix("http") else {
                return
            }
            requests.append(
                PageRequest(
                    id: sent.requestId, load: sent.loaderId, url: sent.request.url,
                    isStream: sent.type == "EventSource"))
        case "Network.requestServedFromCache":
            guard let served = event.decode(Network.RequestEvent.self) else { return }
            change(served.requestId) { $0.isFromCache = true }
        case "Network.responseReceived":
            guard let received = event.decode(Network.ResponseReceived.self) else { return }
            change(received.requestId) {
                $0.bytes = Int(received.response.encodedDataLength)
                if received.response.fromDiskCache == true { $0.isFromCache = true }
            }
        case "Network.loadingFinished":
            guard let finished = event.decode(Network.LoadingFinished.self) else { return }
            change(finished.requestId) {
                $0.bytes = Int(finished.encodedDataLength)
                $0.hasEnded = true
            }
        case "Network.loadingFailed":
            guard let failed = event.decode(Network.RequestEvent.self) else { return }
            change(failed.requestId) { $0.hasEnded = true }
        case "Page.frameNavigated":
            guard let frame = event.decode(Page.FrameNavigated.self)?.frame, frame.parentId == nil else { return }
            // The browser doesn't always report how the requests of a page end that the tab has left.
            for index in requests.indices where requests[index].load != frame.loaderId {
                requests[index].hasEnded = true
            }
        default: break
        }
    }

    private func change(_ id: String, _ body: (inout PageRequest) -> Void) {
        guard let index = requests.lastIndex(where: { $0.id == id }) else { return }
        body(&requests[index])
    }
}

// MARK: - DevTools commands

private enum Network {
    struct Enable: DevToolsCommand {
        static let method = "Network.enable"
    }

    struct BypassWorkers: DevToolsCommand {
        static let method = "Network.setBypassServiceWorker"
        var bypass = true
    }

    struct EmulateConditions: DevToolsCommand {
        static let method = "Network.emulateNetworkConditions"
        var offline = false
        var latency = 0.0
        /// In bytes per second; -1 is without a limit.
        var downloadThroughput = -1.0
        var uploadThroughput: Double
    }

    struct RequestWillBeSent: Decodable {
        struct Request: Decodable {
            var url: String
        }
        var requestId: String
        var loaderId: String
        var request: Request
        var type: String?
    }

    struct RequestEvent: Decodable {
        var requestId: String
    }

    struct ResponseReceived: Decodable {
        struct Response: Decodable {
            var encodedDataLength: Double
            var fromDiskCache: Bool?
        }
        var requestId: String
        var response: Response
    }

    struct LoadingFinished: Decodable {
        var requestId: String
        var encodedDataLength: Double
    }
}

extension Page {
    fileprivate struct FrameNavigated: Decodable {
        struct Frame: Decodable {
            var loaderId: String
            var parentId: String?
        }
        var frame: Frame
    }
}
