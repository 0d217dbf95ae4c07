import CoffeeTrackerModel
import HealthSamples
import Site

// Who may write and read what in the health store.

extension CoffeeTemplates {
    /// The page of what sources may do.
    ///
    /// - Parameters:
    ///   - authorizations: All that was asked for, allowed and refused.
    ///   - isAvailable: Whether there is a health store.
    ///   - notice: What everybody who comes should be told.
    /// - Returns: The HTML.
    func health(_ authorizations: [SampleAuthorization], isAvailable: Bool, notice: String?) -> HTML {
        var values = Self.head(.health, notice: notice)
        values["isUnavailable"] = !isAvailable
        values["isEmpty"] = authorizations.isEmpty
        var sources: [(source: SampleSource, types: [SampleAuthorization])] = []
        for authorization in authorizations {
            if sources.last?.source == authorization.source {
                sources[sources.count - 1].types.append(authorization)
            } else {
                sources.append((authorization.source, [authorization]))
            }
        }
        values["sources"] = sources.enumerated().map { number, entry in
            [
                "number": "\(number)", "name": entry.source.name, "identifier": entry.source.identifier,
                "types": entry.types.map(Self.values(of:)),
            ] as [String: Any]
        }
        return render("health", values)
    }

    private static func values(of authorization: SampleAuthorization) -> [String: Any] {
        let type = authorization.type.label
        let source = authorization.source.name
        return [
            "key": authorization.type.rawValue, "label": type,
            "directions": SampleAccess.allCases.map { access -> [String: Any] in
                let decision = access == .share ? authorization.share : authorization.read
                return [
                    "source": authorization.source.identifier, "type": authorization.type.rawValue,
                    "direction": access.rawValue, "status": "\(access.verb): \(decision.label)",
                    "badge": decision.badge, "canGrant": decision != .granted, "canRevoke": decision != .denied,
                    "grantWord": "Allow", "grantLabel": "Allow \(source) to \(access.verb) \(type)",
                    "revokeWord": decision == .granted ? "Take back" : "Refuse",
                    "revokeLabel": "Do not let \(source) \(access.verb) \(type)",
                ]
            },
        ]
    }
}

extension SampleAccess {
    /// What it is to do so.
    var verb: String {
        switch self {
        case .share: "write"
        case .read: "read"
        }
    }
}

extension SampleAuthorization.Decision? {
    /// What was said, in a word.
    fileprivate var label: String {
        switch self {
        case .granted: "allowed"
        case .denied: "refused"
        case .asked: "asked for"
        case nil: "not asked"
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

extension SampleType {
    /// What people call it: `Dietary caffeine`.
    fileprivate var label: String {
        let words = rawValue.reduce(into: "") { words, character in
            words += character.isUppercase ? " \(character.lowercased())" : "\(character)"
        }
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
