/// Tracks whether a page is ready, which means loaded and idle.
///
/// Pure: events are passed in with their time, and ``decision(at:)`` says whether to keep waiting, and until when. A
/// page is idle when at most two requests have been open for half a second since it loaded, which browsers call *almost
/// idle*. Streams, media, prefetches and beacons don't count, because they may never end. A page that has requested its
/// next document isn't idle, however long the response takes.
///
/// A document loads after its frames, except lazy ones, so a frame whose server never answers keeps the page from
/// loading until the capture's timeout. The settle limit applies only to pages that have loaded.
struct PageLoadStateMachine: Sendable {
    /// The maximum number of open requests on an idle page.
    static let idleRequestLimit = 2
    /// The time for which the page must have been idle.
    static let idlePeriod = Duration.milliseconds(500)
    /// The number of navigations after which the page is considered to be in a redirect loop.
    ///
    /// The same as Chromium's limit for redirects.
    static let navigationLimit = 20

    private var settleLimit: Duration
    private var loadedAt: Duration?
    /// The time since which few enough requests have been open; `nil` while there are more.
    private var idleSince: Duration? = .zero
    private var pendingRequests: [String: Request] = [:]

    /// The loading stage of a document.
    enum Step: Hashable, Sendable {
        case begun, loaded
    }

    private struct Request {
        var url: String
        var session: String
        /// Whether the request is for the page's next document.
        var isNavigation: Bool
        /// Whether the request ends, so that it is worth waiting for.
        var ends: Bool
    }

    /// The current document; changes when the page navigates.
    private(set) var document: String?
    /// The documents that the page has left.
    ///
    /// Late events of these documents are ignored.
    private var formerDocuments: Set<String> = []
    /// The number of documents that the page has shown.
    private(set) var navigations = 0
    /// The numbers of requests and bytes of all documents together.
    private(set) var finished = 0
    private(set) var started = 0
    private(set) var bytes = 0

    /// - Parameter settleLimit: The maximum time that a page may take to become idle after it has loaded.
    init(settleLimit: Duration) {
        self.settleLimit = settleLimit
    }

    /// The URLs of the open requests that are worth waiting for.
    var openRequests: [String] { pendingRequests.values.filter(\.ends).map(\.url).sorted() }

    /// Whether the current document has loaded.
    var isLoaded: Bool { loadedAt != nil }
}

// MARK: - Events

extension PageLoadStateMachine {
    /// Registers the empty document that the page is opened with, which isn't waited for.
    mutating func opened(with document: String) {
        formerDocuments.insert(document)
    }

    /// Handles the loading stage of a document.
    ///
    /// The first event of a new document counts as the navigation to it, because the events that announce a navigation
    /// are sometimes lost when the page moves to another process.
    mutating func reached(_ step: Step, of document: String, at now: Duration) {
        guard !formerDocuments.contains(document) else { return }
        if document != self.document {
            if let old = self.document { formerDocuments.insert(old) }
            self.document = document
            navigations += 1
            loadedAt = nil
            updateIdleTime(at: now)
        }
        switch step {
        case .begun:
            break
        case .loaded:
            loadedAt = loadedAt ?? now
        }
    }

    /// Whether requests of this kind end, so that they are worth waiting for.
    private static func ends(_ kind: String?) -> Bool {
        switch kind {
        case "EventSource", "WebSocket", "Ping", "Media", "Prefetch", "CSPViolationReport": false
        default: true
        }
    }

    mutating func requestStarted(
        _ id: String, url: String, kind: String?, session: String, isNavigation: Bool = false, at now: Duration
    ) {
        // A redirect starts the same request again.
        if pendingRequests[id] == nil { started += 1 }
        pendingRequests[id] = Request(url: url, session: session, isNavigation: isNavigation, ends: Self.ends(kind))
        updateIdleTime(at: now)
    }

    /// Adds to the number of received bytes; the browser may report any number.
    mutating func received(bytes count: Int) {
        let (sum, overflows) = bytes.addingReportingOverflow(max(count, 0))
        bytes = overflows ? .max : sum
    }

    mutating func requestEnded(_ id: String, at now: Duration) {
        finished += 1
        pendingRequests[id] = nil
        updateIdleTime(at: now)
    }

    /// Handles a stop of loading: the page is as complete as it will be.
    mutating func stopped(at now: Duration) {
        loadedAt = loadedAt ?? now
        pendingRequests = [:]
        updateIdleTime(at: now)
    }

    /// Removes the requests of a frame that no longer exists.
    mutating func sessionEnded(_ session: String, at now: Duration) {
        pendingRequests = pendingRequests.filter { $0.value.session != session }
        updateIdleTime(at: now)
    }

    private mutating func updateIdleTime(at now: Duration) {
        // A document's request has the document's ID. The end of a request of a former document may never
        // be reported.
        let isLeaving = pendingRequests.contains { id, request in
            request.isNavigation && id != document && !formerDocuments.contains(id)
        }
        if isLeaving || pendingRequests.values.count(where: \.ends) > Self.idleRequestLimit {
            idleSince = nil
        } else if idleSince == nil {
            idleSince = now
        }
    }
}

// MARK: - Readiness

extension PageLoadStateMachine {
    /// How to proceed.
    enum Decision: Hashable, Sendable {
        /// Wait for the next event, without a timeout.
        case wait
        /// Wait for the next event, at most until this time.
        case waitUntil(Duration)
        /// The page is ready, for this reason.
        case ready(PageCapture.Readiness)
        /// The page navigated too often.
        case tooManyNavigations
    }

    /// Whether the page is ready at that time.
    func decision(at now: Duration) -> Decision {
        if navigations > Self.navigationLimit { return .tooManyNavigations }
        guard let loadedAt else { return .wait }
        let limit = loadedAt + settleLimit
        let rest = idleSince.map { max($0, loadedAt) + Self.idlePeriod }
        if let rest, now >= rest { return .ready(.almostIdle) }
        if now >= limit { return .ready(.settleLimit) }
        return .waitUntil(min(rest ?? limit, limit))
    }
}
