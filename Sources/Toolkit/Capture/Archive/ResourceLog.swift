import Foundation

/// What a page's frames have asked the network for, in the order asked, and what became of it.
struct ResourceLog: Sendable {
    /// One request, from the address that the page asked for to the end of its last redirect.
    struct Entry: Sendable {
        var id: String
        /// The session that can give the body.
        var session: String
        var frame: String
        /// The address as the page knows it.
        let url: String
        /// The address that answered.
        var finalURL: String
        var kind: String
        var mediaType: String?
        var status: Int?
        /// How many decoded bytes have arrived, by the browser's count.
        var receivedBytes = 0
        var isFinished = false
        var failure: String?
    }

    private var ids: [String] = []
    private var byID: [String: Entry] = [:]

    /// All requests, in the order asked.
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

    mutating func answered(_ id: String, url: String, status: Int, mediaType: String) {
        byID[id]?.finalURL = url
        byID[id]?.status = status
        byID[id]?.mediaType = mediaType
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

    /// The page went on to another document: what earlier ones asked for is not part of it.
    mutating func forgetAll(except id: String) {
        ids = ids.filter { $0 == id }
        byID = byID.filter { $0.key == id }
    }
}
