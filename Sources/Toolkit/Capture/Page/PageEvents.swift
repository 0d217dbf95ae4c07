/// The parameters of the DevTools events that captures use, reduced to the members that they need.
enum PageEvents {
    struct Lifecycle: Decodable {
        var frameId: String
        var loaderId: String
        var name: String
    }

    struct RequestWillBeSent: Decodable {
        struct PostDataEntry: Decodable {
            /// The content in Base64; `nil` for a file.
            var bytes: String?
        }
        struct Request: Decodable {
            var url: String
            var method: String?
            var headers: [String: String]?
            var hasPostData: Bool?
            var postDataEntries: [PostDataEntry]?
        }
        var requestId: String
        var loaderId: String
        /// In seconds since 1970.
        var wallTime: Double?
        var redirectResponse: ResponseReceived.Response?
        var redirectHasExtraInfo: Bool?
        var request: Request
        var type: String?
        var frameId: String?
    }

    struct ResponseReceived: Decodable {
        struct Response: Decodable {
            var url: String
            var status: Int
            var mimeType: String
            var headers: [String: String]?
            var statusText: String?
            var charset: String?
            var `protocol`: String?
            var fromDiskCache: Bool?
            var fromServiceWorker: Bool?
            var fromPrefetchCache: Bool?
        }
        var requestId: String
        var type: String?
        var frameId: String?
        var response: Response
        /// Whether there is a ``ResponseExtraInfo``.
        var hasExtraInfo: Bool?
    }

    /// A request's fields as they were sent.
    struct RequestExtraInfo: Decodable {
        var requestId: String
        var headers: [String: String]
    }

    /// A response's fields as they were received.
    struct ResponseExtraInfo: Decodable {
        var requestId: String
        var headers: [String: String]
        var statusCode: Int
        /// The response up to its body, for HTTP/1.
        var headersText: String?
    }

    struct ServedFromCache: Decodable {
        var requestId: String
    }

    struct DataReceived: Decodable {
        var requestId: String?
        var dataLength: Int
    }

    struct LoadingFinished: Decodable {
        var requestId: String
    }

    struct LoadingFailed: Decodable {
        var requestId: String
        var errorText: String
        var blockedReason: String?
    }

    struct DialogOpening: Decodable {
        var type: String
    }

    struct AttachedToTarget: Decodable {
        struct TargetInfo: Decodable {
            var targetId: String
            var type: String
        }
        var sessionId: String
        var targetInfo: TargetInfo
    }

    struct DetachedFromTarget: Decodable {
        var sessionId: String
    }

    struct AuthRequired: Decodable {
        struct Challenge: Decodable {
            var source: String?
            var origin: String
        }
        var requestId: String
        var authChallenge: Challenge
    }

    struct RequestPaused: Decodable {
        struct Request: Decodable {
            var url: String
            var method: String?
        }
        var requestId: String
        var request: Request
        var frameId: String
        var resourceType: String
    }
}
