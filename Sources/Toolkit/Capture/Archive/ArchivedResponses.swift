import Foundation
import Futures

/// Answers a page's requests from an archive instead of the network, and records those that it can't answer.
final class ArchivedResponses: Sendable {
    /// The resources by URL, without fragments.
    let resources: [String: WebArchive.Resource]
    private let unansweredURLs = Lock<[String]>([])

    init(_ archive: WebArchive) {
        // If several frames have the same URL, the outermost resource is used. Requests don't include fragments.
        self.resources = Dictionary(
            archive.allResources.map { (Self.withoutFragment($0.url), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The requested URLs that the archive doesn't contain.
    var unanswered: [String] { unansweredURLs.withLock { $0 } }

    /// Returns the response to a request, or `nil` if the archive doesn't contain the URL.
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
