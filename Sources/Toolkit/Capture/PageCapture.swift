public import Egress
public import Foundation

/// A page as it was at one moment, in every format that was asked for.
public struct PageCapture: Sendable {
    /// What ended the wait for the page to be ready.
    public enum Readiness: String, Codable, Hashable, Sendable {
        /// It loaded, and then asked the network for almost nothing for half a second.
        case almostIdle
        /// It loaded, but went on asking until ``CaptureOptions/settleLimit``.
        case settleLimit
    }

    /// Something that a person should know about the capture.
    public struct Warning: Hashable, Codable, Sendable {
        /// What kind of thing it is.
        public enum Kind: String, Codable, Hashable, Sendable {
            /// The server said that this is not the page (404, 500, …).
            case httpStatus
            /// Nothing is to be seen on the page.
            case blank
            /// The page is taller than the picture may be.
            case cut
            /// The page is taller than one page of a PDF may be, which has several for it.
            case severalPages
            /// Something that the page is made of did not load, could not be decoded, or exceeds the archive's limit.
            case missingResources
            /// Something that the page asked for is at an address that is not allowed.
            case refusedAddresses
            /// Something of the page exceeded one of the ``CaptureLimits``, and was left out.
            case limited
            /// The page never came to rest.
            case unsettled
        }

        /// What kind of thing it is.
        public var kind: Kind
        /// What it is, in words.
        public var message: String
    }

    /// Something that the page is made of: a style sheet, picture, font, script or frame.
    public struct Resource: Hashable, Sendable {
        /// The address that the page asked for.
        public var url: String
        /// The media type that the server gave.
        public var mediaType: String?
        /// The HTTP status; `nil` if there was no answer.
        public var status: Int?
        /// The size of the decoded body in bytes; `nil` if there is none, or no web archive was asked for.
        public var byteCount: Int?
        /// Why the page, or its archive, does without it; `nil` if it loaded, and is in the archive if one was asked for.
        public var missing: String?
    }

    /// The address that was asked for.
    public var requestedURL: URL
    /// The address that the page has in the end, after redirects.
    public var url: URL
    /// The page's title; empty if it has none.
    public var title: String
    /// The HTTP status; `nil` where there is none.
    public var httpStatus: Int?
    /// The size of the page's content in CSS pixels.
    public var contentSize: (width: Int, height: Int)
    /// What ended the wait.
    public var readiness: Readiness
    /// The files, by format.
    public var data: [PageFormat: Data]
    /// The page's first screen as a small PNG; `nil` unless ``CaptureOptions/thumbnailWidth`` asked for it.
    public var thumbnail: Data?
    /// Everything that the page asked for, in the order asked, whatever the formats.
    public var resources: [Resource]
    /// What the page asked for at addresses that are not allowed, by whatever means: each once.
    public var refusals: [EgressRefusal] = []
    /// What a person should know.
    public var warnings: [Warning]
    /// How long it took.
    public var duration: Duration
    /// The addresses of images that came, and that the browser couldn't decode.
    var undecodable: Set<String> = []

    /// Creates a capture, as it was made before.
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
    /// How many refusals a sentence has the words for.
    private static let shownRefusals = 5

    /// What is said of refusals, with the words that allow them; `nil` if there are none.
    static func summary(of refusals: [EgressRefusal]) -> String? {
        guard !refusals.isEmpty else { return nil }
        let refused = "The page asked for what is not at public addresses, which was refused."
        let allowances = refusals.compactMap(\.allowance)
        guard !allowances.isEmpty else { return refused }
        let words = allowances.prefix(shownRefusals).joined(separator: " ")
        let rest = allowances.count > shownRefusals ? " (and \(allowances.count - shownRefusals) more)" : ""
        return "\(refused) If it is meant to be reached, allow it with: \(words)\(rest)"
    }
}

/// How far a capture is.
public enum CaptureProgress: Hashable, Codable, Sendable {
    /// It waits for its turn, or for Chromium to start.
    case starting
    /// The page loads: how many requests are done, how many were made so far, and the bytes that have arrived.
    case loading(finished: Int, started: Int, bytes: Int)
    /// It has loaded; lazy images, fonts and late requests are waited for.
    case settling
    /// A format is being made.
    case rendering(PageFormat)
}
