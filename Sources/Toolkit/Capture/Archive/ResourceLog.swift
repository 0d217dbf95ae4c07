import Foundation

/// The requests of a page's frames and their outcomes, in order.
struct ResourceLog: Sendable {
    /// Whether the browser requests an address by itself, as the usual icon of a page, which is complete without it.
    static func isOwnIcon(kind: String = "Other", url: String) -> Bool {
        kind == "Other" && URL(string: url)?.path() == "/favicon.ico"
    }

    /// One request, including its redirects.
    struct Entry: Sendable {
        var id: String
        /// The DevTools session that the body can be requested from.
        var session: String
        var frame: String
        /// The URL that the page requested.
        let url: String
        /// The URL after redirects.
        var finalURL: String
        var kind: String
        var mediaType: String?
        /// The character encoding that the response declares.
        var charset: String?
        var status: Int?
        /// The number of decoded bytes received, as reported by the browser.
        var receivedBytes = 0
        var isFinished = false
        var failure: String?
    }

    private var ids: [String] = []
    private var byID: [String: Entry] = [:]

    /// All requests, in order.
    var entries: [Entry] { ids.compactMap { byID[$0] } }

    subscript(id: String) -> Entry? { byID[id] }

    mutating func requested(_ id: String, url: String, kind: String, frame: String, session: String) {
        if byID[id] == nil {
            ids.append(id)
            byID[id] = Entry(id: id, session: session, frame: frame, url: url, finalURL: url, kind: kind)
        } else {
            byID[id]?.finalURL = url
        }
    }

    mutating func answered(_ id: String, url: String, status: Int, mediaType: String, charset: String? = nil) {
        byID[id]?.finalURL = url
        byID[id]?.status = status
        byID[id]?.mediaType = mediaType
        byID[id]?.charset = charset.flatMap { $0.isEmpty ? nil : $0 }
    }

    mutating func received(_ id: String, bytes: Int) {
        guard let entry = byID[id] else { return }
        let (sum, overflows) = entry.receivedBytes.addingReportingOverflow(max(bytes, 0))
        byID[id]?.receivedBytes = overflows ? .max : sum
    }

    mutating func finished(_ id: String, session: String) {
        byID[id]?.isFinished = true
        byID[id]?.session = session
    }

    mutating func failed(_ id: String, reason: String) {
        byID[id]?.failure = reason
    }

    /// Removes the requests of earlier documents when the page navigates.
    mutating func forgetAll(except id: String) {
        ids = ids.filter { $0 == id }
        byID = byID.filter { $0.key == id }
    }
}
