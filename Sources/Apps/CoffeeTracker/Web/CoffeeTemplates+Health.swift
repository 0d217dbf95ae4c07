import CoffeeTrackerModel
import HealthSamples
import Site

/// The page of the sources' permissions in the health store.
struct HealthView: PageView {
    static let template = "health"
    var pageTitle: String { "Health data" }

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
            let verb = access == .share ? "write" : "read"
            let change = "\(authorization.source.name) to \(verb) \(authorization.type.rawValue.asWords.lowercased())"
            source = authorization.source.identifier
            type = authorization.type.rawValue
            direction = access.rawValue
            status = "\(decision.label) \(verb)"
            badge = decision.badge
            canGrant = decision != .granted
            canRevoke = decision != .denied
            grantLabel = "Allow \(change)"
            revokeWord = decision == .granted ? "Stop allowing" : "Don’t allow"
            revokeLabel = "\(revokeWord) \(change)"
        }
    }

    let head: PageHead
    let isUnavailable: Bool
    /// How many drinks wait for the permission to write them.
    let waiting: String?
    let sources: [Source]

    /// Creates the page from authorizations sorted by source.
    init(_ authorizations: [SampleAuthorization], isAvailable: Bool, withheld: Int, head: PageHead) {
        self.head = head
        waiting = withheld > 0 ? withheld.counted("drink is", "drinks are") : nil
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
    fileprivate var label: String {
        switch self {
        case .granted: "Allowed to"
        case .denied: "Not allowed to"
        case .asked: "Wants to"
        case nil: "Hasn’t asked to"
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
