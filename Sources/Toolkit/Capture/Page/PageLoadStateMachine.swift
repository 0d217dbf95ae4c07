/// How far a page is on its way to being ready: loaded, and then at rest.
///
/// Pure: events go in with the time at which they happened, and ``decision(at:)`` says whether to wait on, and until when.
/// A page is at rest when at most two requests have been under way for half a second, counted from its load at the
/// earliest: what browsers call *almost idle*. Streams and beacons do not count: they never end. A page that asks for the
/// document that is to replace it is not at rest, however long the answer takes.
struct PageLoadStateMachine: Sendable {
    /// How many requests may be under way on a page at rest.
    static let requestsAtRest = 2
    /// How long it must have been so.
    static let restPeriod = Duration.milliseconds(500)
    /// How often a page may lead on to another one before that is called a circle.
    ///
    /// Chromium's own limit for redirects.
    static let navigationLimit = 20

    private var settleLimit: Duration
    private var loadedAt: Duration?
    /// Since when few enough requests are under way; `nil` while there are more.
    private var quietSince: Duration? = .zero
    private var underWay: [String: Request] = [:]

    /// How far a document is.
    enum Step: Hashable, Sendable {
        case begun, loaded
    }

    private struct Request {
        var url: String
        var session: String
        /// Whether it asks for the page's next document.
        var isNavigation: Bool
    }

    /// The document that the page shows; changes when the page leads on to another.
    private(set) var document: String?
    /// Those that it has left.
    ///
    /// What is still told of them is of no interest.
    private var left: Set<String> = []
    /// How many documents it has shown.
    private(set) var navigations = 0
    /// Requests that are done, in all, and bytes, over all documents.
    private(set) var finished = 0
    private(set) var started = 0
    private(set) var bytes = 0

    /// - Parameter settleLimit: How long after its load a page may take to come to rest.
    init(settleLimit: Duration) {
        self.settleLimit = settleLimit
    }

    /// The addresses that are asked for and not answered yet.
    var openRequests: [String] { underWay.values.map(\.url).sorted() }

    /// Whether the current document has loaded.
    var isLoaded: Bool { loadedAt != nil }
}

// MARK: - What happens

extension PageLoadStateMachine {
    /// The empty document that the page is opened with: not one to wait for.
    mutating func opened(with document: String) {
        left.insert(document)
    }

    /// A document has come so far.
    ///
    /// The first that is told of a document says that the page has gone on to it: the events that announce that are
    /// sometimes lost when the page gets another process.
    mutating func reached(_ step: Step, of document: String, at now: Duration) {
        guard !left.contains(document) else { return }
        if document != self.document {
            if let old = self.document { left.insert(old) }
            self.document = document
            navigations += 1
            loadedAt = nil
            noteQuiet(at: now)
        }
        switch step {
        case .begun:
            break
        case .loaded:
            loadedAt = loadedAt ?? now
        }
    }

    /// Whether requests of a kind end, so that they are worth waiting for.
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
        if underWay[id] == nil { started += 1 }
        guard Self.ends(kind) else { return }
        underWay[id] = Request(url: url, session: session, isNavigation: isNavigation)
        noteQuiet(at: now)
    }

    /// Adds to the received bytes; the browser's count can be any number.
    mutating func received(bytes count: Int) {
        let (sum, overflows) = bytes.addingReportingOverflow(max(count, 0))
        bytes = overflows ? .max : sum
    }

    mutating func requestEnded(_ id: String, at now: Duration) {
        finished += 1
        underWay[id] = nil
        noteQuiet(at: now)
    }

    /// Loading was stopped: the page is as loaded as it will be.
    mutating func stopped(at now: Duration) {
        loadedAt = loadedAt ?? now
        underWay = [:]
        noteQuiet(at: now)
    }

    /// A frame is gone, and with it whatever it waited for.
    mutating func sessionEnded(_ session: String, at now: Duration) {
        underWay = underWay.filter { $0.value.session != session }
        noteQuiet(at: now)
    }

    private mutating func noteQuiet(at now: Duration) {
        // The ID of a document's request is the document's. The end of one that was left may never be reported.
        let isLeaving = underWay.contains { id, request in
            request.isNavigation && id != document && !left.contains(id)
        }
        if isLeaving || underWay.count > Self.requestsAtRest {
            quietSince = nil
        } else if quietSince == nil {
            quietSince = now
        }
    }
}

// MARK: - Whether it is ready

extension PageLoadStateMachine {
    /// What to do now.
    enum Decision: Hashable, Sendable {
        /// Wait for something to happen; there is no time at which more will be known.
        case wait
        /// Wait, and ask again at that time at the latest.
        case waitUntil(Duration)
        /// The page is ready, for this reason.
        case ready(PageCapture.Readiness)
        /// Each document only leads on to another.
        case tooManyNavigations
    }

    /// Whether the page is ready.
    func decision(at now: Duration) -> Decision {
        if navigations > Self.navigationLimit { return .tooManyNavigations }
        guard let loadedAt else { return .wait }
        let limit = loadedAt + settleLimit
        let rest = quietSince.map { max($0, loadedAt) + Self.restPeriod }
        if let rest, now >= rest { return .ready(.almostIdle) }
        if now >= limit { return .ready(.settleLimit) }
        return .waitUntil(min(rest ?? limit, limit))
    }
}
