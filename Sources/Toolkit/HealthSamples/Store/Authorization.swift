/// Whether a source may write samples of a type.
///
/// This is the truth. Whether it may read is told to nobody: what may not be read looks as if it were not there.
public enum WriteAuthorization: String, Hashable, Sendable, Codable {
    /// Nobody has said.
    case notDetermined
    /// It may not.
    case denied
    /// It may.
    case granted
}

/// What is allowed: to write samples, or to read those of others.
public enum SampleAccess: String, Hashable, Sendable, Codable, CaseIterable {
    /// To save samples of a type, and to delete its own.
    case share
    /// To see the samples of other sources. A source's own are always seen by it.
    case read
}

/// What a person has said of one source and one type: for those who ask for the person, never for a source.
public struct SampleAuthorization: Hashable, Sendable {
    /// Whom it is about.
    public var source: SampleSource
    /// What it is about.
    public var type: SampleType
    /// Whether it may write.
    public var share: Decision?
    /// Whether it may read what others have written.
    public var read: Decision?

    /// What was said.
    public enum Decision: String, Hashable, Sendable, Codable {
        /// The source has asked, and nobody has answered.
        case asked
        /// Yes.
        case granted
        /// No, or no longer.
        case denied
    }

    /// Creates it.
    public init(source: SampleSource, type: SampleType, share: Decision?, read: Decision?) {
        self.source = source
        self.type = type
        self.share = share
        self.read = read
    }
}

/// What a source asks for, of what nobody has decided yet.
public struct AuthorizationRequest: Hashable, Sendable {
    /// Who asks.
    public var source: SampleSource
    /// What it wants to write.
    public var share: Set<SampleType>
    /// What of others it wants to read.
    public var read: Set<SampleType>

    /// Creates a request.
    public init(source: SampleSource, share: Set<SampleType>, read: Set<SampleType>) {
        self.source = source
        self.share = share
        self.read = read
    }
}

/// Who answers when a source asks for permission.
public struct SampleConsent: Sendable {
    /// What was answered; what is in neither is left open.
    public struct Answer: Hashable, Sendable {
        /// What is allowed.
        public var granted: AuthorizationRequest
        /// Whether the rest is refused; if not, it is left open.
        public var refusesTheRest: Bool

        /// Creates an answer.
        public init(granted: AuthorizationRequest, refusesTheRest: Bool) {
            self.granted = granted
            self.refusesTheRest = refusesTheRest
        }
    }

    let answer: @Sendable (AuthorizationRequest) async -> Answer

    /// Creates one who answers.
    ///
    /// - Parameter answer: Asked only for what nobody has decided yet. It must come to an end; it is given up with its task.
    public init(_ answer: @escaping @Sendable (AuthorizationRequest) async -> Answer) {
        self.answer = answer
    }

    /// Nobody: it is noted that it was asked, and a person grants or revokes it later.
    public static let later = SampleConsent { request in
        Answer(granted: AuthorizationRequest(source: request.source, share: [], read: []), refusesTheRest: false)
    }

    /// Everything is allowed: for a program whose one user has started it for that.
    public static let always = SampleConsent { Answer(granted: $0, refusesTheRest: false) }

    /// Everything is refused.
    public static let never = SampleConsent { request in
        Answer(granted: AuthorizationRequest(source: request.source, share: [], read: []), refusesTheRest: true)
    }
}

extension AuthorizationRequest {
    /// One kind of access alone.
    init(_ access: SampleAccess, _ types: Set<SampleType>, _ source: SampleSource) {
        self.init(source: source, share: access == .share ? types : [], read: access == .read ? types : [])
    }

    /// What of it fulfils a condition.
    func filtered(_ condition: (SampleType, SampleAccess) -> Bool) -> AuthorizationRequest {
        AuthorizationRequest(
            source: source, share: share.filter { condition($0, .share) }, read: read.filter { condition($0, .read) })
    }
}

extension SampleConsent.Answer {
    /// What is granted and refused of what is still open.
    func decisions(of open: AuthorizationRequest) -> (granted: AuthorizationRequest, refused: AuthorizationRequest) {
        func isGranted(_ type: SampleType, _ access: SampleAccess) -> Bool {
            access == .share ? granted.share.contains(type) : granted.read.contains(type)
        }
        return (
            open.filtered(isGranted), open.filtered { refusesTheRest && !isGranted($0, $1) }
        )
    }
}
