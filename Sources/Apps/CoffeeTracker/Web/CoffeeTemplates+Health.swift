import CoffeeTrackerModel
import HealthSamples
import Site

/// The page of the sources' permissions in the health store.
struct HealthView: PageView {
    static let template = "health"
    var pageTitle: String { CoffeeWords.healthData }

    struct Source: Sendable {
        let number: Int
        let name, identifier: String
        var types: [SampleTypeView]
    }

    struct SampleTypeView: Sendable {
        let key, label: String
        let directions: [Direction]

        init(_ authorization: SampleAuthorization) {
            key = authorization.type.rawValue
            label = key.asWords
            directions = SampleAccess.allCases.map { Direction($0, authorization) }
        }
    }

    struct Direction: Sendable {
        let source, type, direction, status, badge, grantLabel, revokeWord, revokeLabel: String
        let canGrant, canRevoke: Bool

        init(_ access: SampleAccess, _ authorization: SampleAuthorization) {
            let decision = access == .share ? authorization.share : authorization.read
            let isWriting = access == .share
            let change = CoffeeWords.access(
                of: authorization.source.name, isWriting: isWriting,
                to: authorization.type.rawValue.asWords.lowercased())
            source = authorization.source.identifier
            type = authorization.type.rawValue
            direction = access.rawValue
            status = decision.label(isWriting: isWriting)
            badge = decision.badge
            canGrant = decision != .granted
            canRevoke = decision != .denied
            grantLabel = CoffeeWords.allow(change)
            let isGranted = decision == .granted
            revokeWord = isGranted ? CoffeeWords.stopAllowing : CoffeeWords.doNotAllow
            revokeLabel = isGranted ? CoffeeWords.stopAllowingAccess(change) : CoffeeWords.doNotAllowAccess(change)
        }
    }

    let head: PageHead
    let isUnavailable: Bool
    /// A sentence about the drinks that wait for the permission to write them.
    let waiting: String?
    let sources: [Source]

    /// Creates the page from authorizations sorted by source.
    init(_ authorizations: [SampleAuthorization], isAvailable: Bool, withheld: Int, head: PageHead) {
        self.head = head
        waiting = withheld > 0 ? CoffeeWords.notShared(withheld) : nil
        isUnavailable = !isAvailable
        sources = authorizations.reduce(into: []) { sources, authorization in
            let (source, type) = (authorization.source, SampleTypeView(authorization))
            if sources.last?.identifier == source.identifier {
                sources[sources.count - 1].types.append(type)
            } else {
                sources.append(
                    Source(number: sources.count, name: source.name, identifier: source.identifier, types: [type]))
            }
        }
    }
}

extension SampleAuthorization.Decision? {
    fileprivate func label(isWriting: Bool) -> String {
        switch self {
        case .granted: CoffeeWords.allowed(isWriting: isWriting)
        case .denied: CoffeeWords.notAllowed(isWriting: isWriting)
        case .asked: CoffeeWords.asked(isWriting: isWriting)
        case nil: CoffeeWords.notAsked(isWriting: isWriting)
        }
    }

    fileprivate var badge: String {
        switch self {
        case .granted: "good"
        case .denied: "bad"
        case .asked: "busy"
        case nil: ""
        }
    }
}
