/// Whether a source may write samples of a type.
///
/// A source can't find out whether it may read: samples that it may not read look as if they didn't exist.
public enum WriteAuthorization: String, Hashable, Sendable, Codable {
    /// The user hasn't decided yet.
    case notDetermined
    /// The source may not write.
    case denied
    /// The source may write.
    case granted
}

/// A kind of access.
public enum SampleAccess: String, Hashable, Sendable, Codable, CaseIterable {
    /// Saving samples of a type, and deleting the source's own.
    case share
    /// Reading other sources' samples; a source can always read its own.
    case read
}

/// The user's decisions about one source and one type, for the user's own pages and never for a source.
public struct SampleAuthorization: Hashable, Sendable {
    /// The source.
    public var source: SampleSource
    /// The type.
    public var type: SampleType
    /// Whether the source may write; `nil` if it hasn't asked, and the user hasn't decided.
    public var share: Decision?
    /// Whether the source may read other sources' samples; `nil` as for ``share``.
    public var read: Decision?

    /// A decision, or the lack of one.
    public enum Decision: String, Hashable, Sendable, Codable {
        /// The source has asked, and the user hasn't answered.
        case asked
        /// Access is granted.
        case granted
        /// Access was refused or revoked.
        case denied
    }

    /// Creates an authorization.
    public init(source: SampleSource, type: SampleType, share: Decision?, read: Decision?) {
        self.source = source
        self.type = type
        self.share = share
        self.read = read
    }
}

/// The permissions that a source requests and the user hasn't decided about.
public struct AuthorizationRequest: Hashable, Sendable {
    /// The source that makes the request.
    public var source: SampleSource
    /// The types that it wants to write.
    public var share: Set<SampleType>
    /// The types of which it wants to read other sources' samples.
    public var read: Set<SampleType>

    /// Creates a request.
    public init(source: SampleSource, share: Set<SampleType>, read: Set<SampleType>) {
        self.source = source
        self.share = share
        self.read = read
    }

    init(_ access: SampleAccess, _ types: Set<SampleType>, _ source: SampleSource) {
        self.init(source: source, share: access == .share ? types : [], read: access == .read ? types : [])
    }

    var isEmpty: Bool { share.isEmpty && read.isEmpty }

    /// The types and kinds of access that satisfy a condition.
    func filtered(_ condition: (SampleType, SampleAccess) -> Bool) -> AuthorizationRequest {
        AuthorizationRequest(
            source: source, share: share.filter { condition($0, .share) }, read: read.filter { condition($0, .read) })
    }
}

/// Answers requests for permission.
public struct SampleConsent: Sendable {
    /// An answer to one request.
    public struct Answer: Hashable, Sendable {
        /// The permissions to grant.
        public var granted: AuthorizationRequest
        /// Whether all other requested permissions are refused; otherwise they stay undecided.
        public var refusesOthers: Bool

        /// Creates an answer.
        public init(granted: AuthorizationRequest, refusesOthers: Bool) {
            self.granted = granted
            self.refusesOthers = refusesOthers
        }

        /// Splits the still undecided permissions into those that this answer grants and those that it refuses.
        func decisions(
            of open: AuthorizationRequest
        ) -> (granted: AuthorizationRequest, refused: AuthorizationRequest) {
            func isGranted(_ type: SampleType, _ access: SampleAccess) -> Bool {
                access == .share ? granted.share.contains(type) : granted.read.contains(type)
            }
            return (open.filtered(isGranted), open.filtered { refusesOthers && !isGranted($0, $1) })
        }
    }

    let answer: @Sendable (AuthorizationRequest) async -> Answer

    /// Creates a consent from a closure, which must return at the latest when its task is cancelled.
    public init(_ answer: @escaping @Sendable (AuthorizationRequest) async -> Answer) {
        self.answer = answer
    }

    /// Leaves every request undecided, so that the user can grant or refuse it later.
    public static let later = SampleConsent { request in
        Answer(granted: AuthorizationRequest(source: request.source, share: [], read: []), refusesOthers: false)
    }

    /// Grants every request: for a program whose only user starts it for that purpose.
    public static let always = SampleConsent { Answer(granted: $0, refusesOthers: false) }

    /// Refuses every request.
    public static let never = SampleConsent { request in
        Answer(granted: AuthorizationRequest(source: request.source, share: [], read: []), refusesOthers: true)
    }
}
