import Foundation

/// The requests of a page and the responses to them, collected from the browser's events.
///
/// The browser reports each request and response twice: as the page sees it, and with the fields as they were sent and
/// received. The two reports can arrive in either order. The hops of a redirected request have one ID.
struct ExchangeLog: Sendable {
    /// A request to one URL.
    private struct Hop {
        var sent: PageEvents.RequestWillBeSent
        var response: PageEvents.ResponseReceived.Response?
        var hasExtraInfo = false
        var isRedirect = false
    }

    private struct Request {
        var hops: [Hop] = []
        var sentFields: [PageEvents.RequestExtraInfo] = []
        var receivedFields: [PageEvents.ResponseExtraInfo] = []
        var isCached = false
    }

    /// The maximum size of all fields and request bodies together, in bytes.
    private let limit: Int
    private var spent = 0
    private var ids: [String] = []
    private var requests: [String: Request] = [:]
    /// Whether something was left out because of the limit.
    private(set) var isCut = false

    /// Creates an empty log.
    ///
    /// - Parameter limit: The maximum size of all fields and request bodies together, in bytes.
    init(limit: Int = 64 << 20) {
        self.limit = limit
    }

    mutating func sent(_ event: PageEvents.RequestWillBeSent) {
        let body = event.request.postDataEntries?.reduce(0) { $0 + ($1.bytes?.utf8.count ?? 0) } ?? 0
        guard spend(event.request.url.utf8.count + Self.size(event.request.headers) + body) else {
            // The response to a hop that isn't recorded must not be taken for that to an earlier one.
            requests[event.requestId] = nil
            return
        }
        update(event.requestId) { request in
            if let redirect = event.redirectResponse, let last = request.hops.indices.last {
                request.hops[last].response = redirect
                request.hops[last].hasExtraInfo = event.redirectHasExtraInfo ?? false
                request.hops[last].isRedirect = true
            }
            request.hops.append(Hop(sent: event))
        }
    }

    mutating func received(_ event: PageEvents.ResponseReceived) {
        guard requests[event.requestId]?.hops.isEmpty == false, spend(Self.size(event.response.headers)) else { return }
        update(event.requestId) { request in
            let last = request.hops.count - 1
            request.hops[last].response = event.response
            request.hops[last].hasExtraInfo = event.hasExtraInfo ?? false
        }
    }

    mutating func sentFields(_ event: PageEvents.RequestExtraInfo) {
        guard spend(Self.size(event.headers)) else { return }
        update(event.requestId) { $0.sentFields.append(event) }
    }

    mutating func receivedFields(_ event: PageEvents.ResponseExtraInfo) {
        guard spend(Self.size(event.headers) + (event.headersText?.utf8.count ?? 0)) else { return }
        update(event.requestId) { $0.receivedFields.append(event) }
    }

    /// Records that a request was answered from the page's cache, without the network.
    mutating func servedFromCache(_ id: String) {
        if requests[id] != nil { update(id) { $0.isCached = true } }
    }

    /// Removes the requests of earlier documents when the page navigates.
    mutating func forgetAll(except id: String) {
        ids = ids.filter { $0 == id }
        requests = requests.filter { $0.key == id }
    }

    private mutating func update(_ id: String, _ change: (inout Request) -> Void) {
        if requests[id] == nil { ids.append(id) }
        change(&requests[id, default: Request()])
    }

    private mutating func spend(_ bytes: Int) -> Bool {
        // Counts the memory of an event without fields, too.
        let (cost, overflows) = bytes.addingReportingOverflow(512)
        guard !overflows, cost <= limit - spent else {
            isCut = true
            return false
        }
        spent += cost
        return true
    }

    private static func size(_ fields: [String: String]?) -> Int {
        fields?.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } ?? 0
    }
}

// MARK: - The exchanges

extension ExchangeLog {
    /// The requests with responses from the network, in order.
    var exchanges: [HTTPExchange] {
        ids.flatMap { id -> [HTTPExchange] in
            guard let request = requests[id] else { return [] }
            var sent = request.sentFields[...]
            var received = request.receivedFields[...]
            return request.hops.compactMap { hop in
                guard let response = hop.response, response.isFromNetwork, hop.isRedirect || !request.isCached,
                    // An upgrade to HTTPS inside the browser is reported as a redirect, too.
                    hop.hasExtraInfo
                else { return nil }
                let requestFields = Self.take(from: &sent) { Self.belongs($0, to: hop.sent) }
                let responseFields = Self.take(from: &received) {
                    $0.statusCode == response.status || $0.statusCode == 304 && response.status == 200
                }
                return Self.exchange(id, hop, response, requestFields, responseFields)
            }
        }
    }

    /// Removes and returns the first element that satisfies the condition, with all before it.
    private static func take<Element>(
        from elements: inout ArraySlice<Element>, where isWanted: (Element) -> Bool
    ) -> Element? {
        guard let index = elements.firstIndex(where: isWanted) else { return nil }
        defer { elements = elements[(index + 1)...] }
        return elements[index]
    }

    /// Whether fields were sent to the host of a request.
    private static func belongs(_ fields: PageEvents.RequestExtraInfo, to sent: PageEvents.RequestWillBeSent) -> Bool {
        let host = fields.headers.first { ["host", ":authority"].contains($0.key.lowercased()) }?.value
        let url = HTTPExchange.host(of: HTTPExchange.recordedURL(sent.request.url))
        return host.map { $0.lowercased() == url.lowercased() } ?? true
    }

    private static func exchange(
        _ id: String, _ hop: Hop, _ response: PageEvents.ResponseReceived.Response,
        _ sent: PageEvents.RequestExtraInfo?, _ received: PageEvents.ResponseExtraInfo?
    ) -> HTTPExchange {
        let url = HTTPExchange.recordedURL(hop.sent.request.url)
        let fields = (sent?.headers ?? hop.sent.request.headers ?? [:]).filter { $0.key.lowercased() != "host" }
        var requestFields = [HTTPExchange.Field(name: "Host", value: HTTPExchange.host(of: url))]
        requestFields += Self.fields(fields)
        return HTTPExchange(
            id: id, url: url, method: hop.sent.request.method ?? "GET",
            date: Date(timeIntervalSince1970: hop.sent.wallTime ?? Date().timeIntervalSince1970),
            fields: requestFields, requestBody: body(of: hop.sent.request), response: Self.response(response, received),
            isRedirect: hop.isRedirect)
    }

    private static func body(of request: PageEvents.RequestWillBeSent.Request) -> HTTPExchange.RequestBody {
        guard request.hasPostData == true else { return .none }
        var body = Data()
        for entry in request.postDataEntries ?? [] {
            guard let bytes = entry.bytes.flatMap({ Data(base64Encoded: $0) }) else { return .unavailable }
            body += bytes
        }
        return body.isEmpty ? .unavailable : .data(body)
    }

    private static func response(
        _ response: PageEvents.ResponseReceived.Response, _ received: PageEvents.ResponseExtraInfo?
    ) -> HTTPExchange.Response {
        let status = received?.statusCode ?? response.status
        let isNewer = response.protocol.map { !$0.lowercased().hasPrefix("http/") } ?? false
        var result = HTTPExchange.Response(
            status: status,
            statusLine: "HTTP/1.1 \(status) \(status == response.status ? response.statusText ?? "" : "")",
            fields: fields(received?.headers ?? response.headers ?? [:]), mediaType: response.mimeType,
            isDecodedByByte: true,
            newerProtocol: isNewer ? response.protocol : nil)
        guard let text = received?.headersText, !isNewer else { return result }
        if let head = Self.head(text, expecting: received?.headers ?? [:]) {
            (result.statusLine, result.fields) = head
            result.isDecodedByByte = false
        }
        return result
    }

    /// Sorts fields by name; Chromium joins the values of repeated fields by line breaks.
    private static func fields(_ fields: [String: String]) -> [HTTPExchange.Field] {
        fields.sorted { $0.key < $1.key }.flatMap { name, value in
            value.split(separator: "\n", omittingEmptySubsequences: false).map { .init(name: name, value: String($0)) }
        }
    }

    /// Parses the lines of a response; `nil` if they don't have exactly the expected fields.
    ///
    /// Chromium's text lacks the rest of a line behind a byte that isn't UTF-8; its list of fields has it.
    private static func head(
        _ text: String, expecting expected: [String: String]
    ) -> (String, [HTTPExchange.Field])? {
        var lines = text.components(separatedBy: "\r\n").filter { !$0.isEmpty }
        guard let first = lines.first, first.hasPrefix("HTTP/") else { return nil }
        lines.removeFirst()
        let fields = lines.compactMap { line -> HTTPExchange.Field? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...]
            return .init(name: String(line[..<colon]), value: value.trimmingCharacters(in: .whitespaces))
        }
        let values = Dictionary(
            fields.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { "\($0)\n\($1)" })
        let expected = Dictionary(
            expected.map { ($0.key.lowercased(), $0.value.trimmingCharacters(in: .whitespaces)) },
            uniquingKeysWith: { "\($0)\n\($1)" })
        let isComplete =
            values.count == expected.count
            && values.allSatisfy { name, value in
                guard let expected = expected[name] else { return false }
                return expected == value || HTTPExchange.bytes(of: expected) == Data(value.utf8)
            }
        return isComplete ? (first, fields) : nil
    }
}

extension PageEvents.ResponseReceived.Response {
    fileprivate var isFromNetwork: Bool {
        fromDiskCache != true && fromServiceWorker != true && fromPrefetchCache != true
    }
}
