import Foundation
import Futures

/// Answers a page's requests from a file instead of the network, and records those that it can't answer.
final class ArchivedResponses: Sendable {
    struct Answer {
        var status = 200
        var headers: [DevTools.Fetch.Header]
        var body: Data
    }

    /// The resources by URL, without fragments; empty for a file of recorded responses.
    let resources: [String: WebArchive.Resource]
    /// Whether the responses are those that a live page received, so that its scripts run as they did then.
    let isRecorded: Bool
    /// The recorded responses to the same request, in order, by method and URL.
    private let recorded: Lock<[String: [WARCRecord.Response]]>
    private let unansweredURLs = Lock<[String]>([])
    /// The maximum number of recorded URLs without an answer, because a script may request any number of them.
    private static let unansweredLimit = 10_000

    init(_ archive: WebArchive) {
        // If several frames have the same URL, the outermost resource is used. Requests don't include fragments.
        self.resources = Dictionary(
            archive.allResources.map { (Self.withoutFragment($0.url), $0) }, uniquingKeysWith: { first, _ in first })
        self.isRecorded = false
        self.recorded = Lock([:])
    }

    init(_ file: WACZFile) {
        self.resources = [:]
        self.isRecorded = true
        self.recorded = Lock(
            Dictionary(grouping: file.items) { "\($0.method) \(Self.withoutFragment($0.url))" }
                .mapValues { $0.map(\.response) })
    }

    /// The requested URLs that the file doesn't contain.
    var unanswered: [String] { unansweredURLs.withLock { $0 } }

    /// Returns the response to a request, or `nil` if the file doesn't contain it.
    func answer(to url: String, method: String) -> Answer? {
        let answer = isRecorded ? recordedAnswer(to: url, method: method) : archivedAnswer(to: url)
        if answer == nil {
            unansweredURLs.withLock { if $0.count < Self.unansweredLimit { $0.append(url) } }
        }
        return answer
    }

    private func archivedAnswer(to url: String) -> Answer? {
        guard let resource = resources[Self.withoutFragment(url)] else { return nil }
        let charset = resource.textEncodingName.map { "; charset=\($0)" } ?? ""
        return Answer(
            headers: [
                DevTools.Fetch.Header(name: "Content-Type", value: resource.mediaType + charset),
                // Cross-origin fonts need this header; the archive contains only resources that were allowed.
                DevTools.Fetch.Header(name: "Access-Control-Allow-Origin", value: "*"),
                // The archive has the document as its scripts left it, so they must not run again. Disabling scripts
                // entirely would stop this library's scripts too.
                DevTools.Fetch.Header(name: "Content-Security-Policy", value: "script-src 'none'"),
            ], body: resource.data)
    }

    /// The next response to a request; the last one is repeated.
    private func recordedAnswer(to url: String, method: String) -> Answer? {
        let key = "\(method) \(Self.withoutFragment(url))"
        let response = recorded.withLock { recorded -> WARCRecord.Response? in
            guard let responses = recorded[key], let first = responses.first else { return nil }
            if responses.count > 1 { recorded[key]?.removeFirst() }
            return first
        }
        return response.map { response in
            Answer(
                status: response.status,
                headers: response.fields.filter { Self.isReplayed($0.name, $0.value) }
                    .map { DevTools.Fetch.Header(name: $0.name, value: $0.value) }, body: response.body)
        }
    }

    /// The fields that describe the original connection or body.
    private static let droppedFields: Set<String> = [
        "content-encoding", "transfer-encoding", "content-length", "set-cookie", "strict-transport-security", "alt-svc",
        "report-to", "nel", "reporting-endpoints",
    ]

    /// Whether a field is replayed: Chromium refuses responses with fields that aren't valid.
    private static func isReplayed(_ name: String, _ value: String) -> Bool {
        !name.isEmpty && !droppedFields.contains(name) && !name.hasPrefix("x-orig-")
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"()<>@,;:\\\"/[]?={}".utf8.contains($0) }
            && value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F }
    }

    private static func withoutFragment(_ url: String) -> String {
        String(url.prefix { $0 != "#" })
    }
}
