public import Egress
public import Foundation

/// A snapshot of a page in all requested formats.
public struct PageCapture: Sendable {
    /// The reason why the page was considered ready.
    public enum Readiness: String, Codable, Hashable, Sendable {
        /// The page loaded and made no request, and nothing was due on it within half a second.
        ///
        /// If a script could run sooner, the page was watched for half a second while it was rendered, and neither changed
        /// nor made a request.
        case atRest
        /// The page loaded, and then had almost no network activity for half a second.
        case almostIdle
        /// The page loaded, but kept making requests until ``CaptureOptions/settleLimit``.
        case settleLimit
    }

    /// A problem of the capture that users should know about.
    public struct Warning: Hashable, Codable, Sendable {
        /// The kind of problem.
        public enum Kind: String, Codable, Hashable, Sendable {
            /// The server responded with an HTTP error status (404, 500, …).
            case httpStatus
            /// The page shows nothing.
            case blank
            /// The picture is cut off, because the page is too tall.
            case cut
            /// The single-page PDF has several pages, because the page is too tall.
            case severalPages
            /// A resource didn't load, couldn't be decoded, or exceeds the archive's size limit.
            case missingResources
            /// The address policy refused a resource.
            case refusedAddresses
            /// A part of the page exceeded one of the ``CaptureLimits`` and was left out.
            case limited
            /// The page never settled.
            case unsettled

            /// Whether something is missing from the page or one of its files.
            public var meansPartial: Bool {
                switch self {
                case .cut, .missingResources, .refusedAddresses, .limited: true
                case .httpStatus, .blank, .severalPages, .unsettled: false
                }
            }
        }

        /// The kind of problem.
        public var kind: Kind
        /// A description of the problem.
        public var message: String
    }

    /// A resource of the page: a style sheet, picture, font, script or frame.
    public struct Resource: Hashable, Sendable {
        /// The URL that the page requested.
        public var url: String
        /// The media type from the server's response.
        public var mediaType: String?
        /// The HTTP status; `nil` if there was no response.
        public var status: Int?
        /// The size of the decoded body in bytes; `nil` if there is none, or no web archive was requested.
        public var byteCount: Int?
        /// The reason why the page or its archive lacks the resource; `nil` if the resource is complete.
        public var missing: String?
    }

    /// The maximum length of ``text``, in UTF-16 code units; the browser sends no more.
    public static let maximumTextLength = 200_000

    /// The requested URL.
    public var requestedURL: URL
    /// The final URL, after redirects.
    public var url: URL
    /// The page's title; empty if it has none.
    public var title: String
    /// The text that the page shows, without that of its frames, cut at ``maximumTextLength``; `nil` if it wasn't read.
    public var text: String?
    /// The HTTP status; `nil` where there is none.
    public var httpStatus: Int?
    /// The size of the page's content in CSS pixels.
    public var contentSize: (width: Int, height: Int)
    /// The reason why the page was considered ready.
    public var readiness: Readiness
    /// The files, by format.
    public var data: [PageFormat: Data]
    /// The first screen as a small PNG; `nil` without ``CaptureOptions/thumbnailWidth``.
    public var thumbnail: Data?
    /// All resources that the page requested, in order, independently of the formats.
    public var resources: [Resource]
    /// The connections that the address policy refused, without duplicates.
    public var refusals: [EgressRefusal] = []
    /// The problems that users should know about.
    public var warnings: [Warning]
    /// The duration of the capture.
    public var duration: Duration
    /// The URLs of images that loaded but couldn't be decoded.
    var undecodable: Set<String> = []

    /// Whether nothing is missing from the page and its files; if not, the warnings say what is missing.
    public var isComplete: Bool { !warnings.contains { $0.kind.meansPartial } }

    package init(
        requestedURL: URL, url: URL, title: String, httpStatus: Int?, contentSize: (width: Int, height: Int),
        readiness: Readiness, data: [PageFormat: Data], thumbnail: Data? = nil, resources: [Resource],
        warnings: [Warning], duration: Duration
    ) {
        self.requestedURL = requestedURL
        self.url = url
        self.title = title
        self.httpStatus = httpStatus
        self.contentSize = contentSize
        self.readiness = readiness
        self.data = data
        self.thumbnail = thumbnail
        self.resources = resources
        self.warnings = warnings
        self.duration = duration
    }
}

extension PageCapture {
    /// The number of refusals whose allow options a summary lists.
    private static let shownRefusals = 5

    /// Summarises refusals with the options that allow them; `nil` if there are none.
    static func summary(of refusals: [EgressRefusal]) -> String? {
        guard !refusals.isEmpty else { return nil }
        let refused = "The page requested addresses that aren't public, which were blocked."
        let allowOptions = refusals.compactMap(\.allowOption)
        guard !allowOptions.isEmpty else { return refused }
        let words = allowOptions.prefix(shownRefusals).joined(separator: " ")
        let rest = allowOptions.count > shownRefusals ? " (and \(allowOptions.count - shownRefusals) more)" : ""
        return "\(refused) To allow them, use: \(words)\(rest)"
    }
}

/// The progress of a capture.
public enum CaptureProgress: Hashable, Codable, Sendable {
    /// Waiting for other captures, or for Chromium to start.
    case starting
    /// Loading: the numbers of completed requests and of all requests so far, and the number of bytes received.
    case loading(finished: Int, started: Int, bytes: Int)
    /// Waiting for lazy images, fonts and late requests after the page has loaded.
    case settling
    /// Creating a format.
    case rendering(PageFormat)
}
