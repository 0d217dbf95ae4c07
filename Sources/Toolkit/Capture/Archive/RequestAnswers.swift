import Foundation
import Futures

/// Answers a page's requests from an archive instead of the network, and keeps what it could not answer.
final class RequestAnswers: Sendable {
    /// By their addresses without fragments.
    let resources: [String: WebArchive.Resource]
    private let unansweredURLs = Lock<[String]>([])

    init(_ archive: WebArchive) {
        // Of the same address in several frames, the outermost; a fragment is not part of a request.
        self.resources = Dictionary(
            archive.allResources.map { (Self.withoutFragment($0.url), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The addresses that were asked for in vain.
    var unanswered: [String] { unansweredURLs.withLock { $0 } }

    /// What a request is answered with.
    func answer(to url: String) -> (data: Data, contentType: String)? {
        guard let resource = resources[Self.withoutFragment(url)] else {
            unansweredURLs.withLock { $0.append(url) }
            return nil
        }
        let charset = resource.textEncodingName.map { "; charset=\($0)" } ?? ""
        return (resource.data, resource.mediaType + charset)
    }

    private static func withoutFragment(_ url: String) -> String {
        String(url.prefix { $0 != "#" })
    }
}
