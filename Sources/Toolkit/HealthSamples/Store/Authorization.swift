/// Whether a source may write samples of a type.
///
/// A source is told the truth about writing, and nothing about reading: what it may not read looks as if it did not exist.
public enum WriteAuthorization: String, Hashable, Sendable, Codable {
    /// Nobody has decided.
    case notDetermined
    /// It may not write.
    case denied
    /// It may write.
    case granted
}

/// A kind of access.
public enum SampleAccess: String, Hashable, Sendable, Codable, CaseIterable {
    /// Saving samples of a type, and deleting one's own.
    case share
    /// Seeing the samples of other sources; a source always sees its own.
    case read
}

/// What a person has decided about one source and one type: for the person's own pages, never for a source.
public struct SampleAuthorization: Hashable, Sendable {
    /// The source.
    public var source: SampleSource
    /// The type.
    public var type: SampleType
    /// Whether the source may write.
    public var share: Decision?
    /// Whether the source may read what others have written.
    public var read: Decision?

    /// A decision, or the lack of one.
    public enum Decision: String, Hashable, Sendable, Codable {
        /// The source has asked, and nobody has answered.
        case asked
        /// Yes.
        case granted
        /// No, or no longer.
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

/// The permissions that a source asks for and nobody has decided about.
public struct AuthorizationRequest: Hashable, Sendable {
    /// The source that asks.
    public var source: SampleSource
    /// The types that it wants to write.
    public var share: Set<SampleType>
    /// The types of which it wants to read others' samples.
    public var read: Set<SampleType>

    /// Creates a request.
    public init(source: SampleSource, share: Set<SampleType>, read: Set<SampleType>) {
        self.source = source
        self.share = share
        self.read = read
    }

    /// Creates a request for one kind of access.
    init(_ access: SampleAccess, _ types: Set<SampleType>, _ source: SampleSource) {
        self.init(source: source, share: access == .share ? types : [], read: access == .read ? types : [])
    }

    var isEmpty: Bool { share.isEmpty && read.isEmpty }

    /// The part that fulfils a condition.
    func filtered(_ condition: (SampleType, SampleAccess) -> Bool) -> AuthorizationRequest {
        AuthorizationRequest(
            source: source, share: share.filter { condition($0, .share) }, read: read.filter { condition($0, .read) })
    }
}

/// The answer to sources that ask for permission.
public struct SampleConsent: Sendable {
    /// An answer to one request.
    public struct Answer: Hashable, Sendable {
        /// What is granted.
        public var granted: AuthorizationRequest
        /// Whether the rest is refused, or else left undecided.
        public var refusesTheRest: Bool

        /// Creates an answer.
        public init(granted: AuthorizationRequest, refusesTheRest: Bool) {
            self.granted = granted
            self.refusesTheRest = refusesTheRest
        }

        /// What is granted and refused of what is still undecided.
        func decisions(
            of open: AuthorizationRequest
        ) -> (granted: AuthorizationRequest, refused: AuthorizationRequest) {
            func isGranted(_ type: SampleType, _ access: SampleAccess) -> Bool {
                access == .share ? granted.share.contains(type) : granted.read.contains(type)
            }
            return (open.filtered(isGranted), open.filtered { refusesTheRest && !isGranted($0, $1) })
        }
    }

    let answer: @Sendable (AuthorizationRequest) async -> Answer

    /// Creates a consent from a closure that answers; it must end, at the latest when its task is cancelled.
    public init(_ answer: @escaping @Sendable (AuthorizationRequest) async -> Answer) {
        self.answer = answer
    }

    /// Leaves every request undecided: a person grants or refuses it later.
    public static let later = SampleConsent { request in
        Answer(granted: AuthorizationRequest(source: request.source, share: [], read: []), refusesTheRest: false)
    }

    /// Grants everything: for a program whose one user has started it for that.
    public static let always = SampleConsent { Answer(granted: $0, refusesTheRest: false) }

    /// Refuses everything.
    public static let never = SampleConsent { request in
        Answer(granted: AuthorizationRequest(source: request.source, share: [], read: []), refusesTheRest: true)
    }
}
