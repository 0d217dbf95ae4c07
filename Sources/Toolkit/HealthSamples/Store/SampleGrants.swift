import Foundation

/// What sources may do: the same rules in every store.
struct SampleGrants: Sendable {
    struct Grant: Hashable, Sendable {
        var share: SampleAuthorization.Decision?
        var read: SampleAuthorization.Decision?
        /// The change since which the source sees what others have written; 0 if it never could.
        var readSince: Int64 = 0
    }

    /// By the identifiers of sources.
    var grants: [String: [SampleType: Grant]] = [:]

    subscript(source: String, type: SampleType) -> Grant {
        get { grants[source]?[type] ?? Grant() }
        set { grants[source, default: [:]][type] = newValue }
    }
}

extension SampleGrants.Grant {
    /// Notes a decision, which has that number if it shows more to the source than before; says whether it does.
    mutating func decide(
        _ decision: SampleAuthorization.Decision, _ access: SampleAccess, at sequence: Int64
    ) -> Bool {
        switch access {
        case .share:
            share = decision
            return false
        case .read:
            let shows = decision == .granted && read != .granted
            read = decision
            if shows { readSince = sequence }
            return shows
        }
    }

    /// Whether nobody has said yes or no.
    func isUndecided(_ access: SampleAccess) -> Bool {
        switch access == .share ? share : read {
        case nil, .asked: true
        case .granted, .denied: false
        }
    }

    /// What a source may be told of it.
    var writeAuthorization: WriteAuthorization {
        switch share {
        case .granted: .granted
        case .denied: .denied
        case .asked, nil: .notDetermined
        }
    }

    /// Refuses a source that may not write.
    func checkShare(_ type: SampleType, _ source: SampleSource) throws(SampleStoreError) {
        switch writeAuthorization {
        case .granted: break
        case .denied:
            throw SampleStoreError(
                .notAuthorized,
                "\(source.name) may not write \(type): somebody has refused that. Allow it in the permissions.")
        case .notDetermined:
            throw SampleStoreError(
                .notAuthorized,
                "\(source.name) may not write \(type) yet: nobody has allowed it. Ask for it, or allow it in the "
                    + "permissions.")
        }
    }
}

extension SampleGrants {
    func checkShare(_ type: SampleType, _ source: SampleSource) throws(SampleStoreError) {
        try self[source.identifier, type].checkShare(type, source)
    }

    /// Whether a source sees the samples of a type that another, or it itself, has written.
    func shows(_ type: SampleType, of source: String, to reader: SampleSource) -> Bool {
        source == reader.identifier || self[reader.identifier, type].read == .granted
    }

    /// The change since which a source sees all that it sees of a query now.
    func visibleSince(_ query: SampleQuery, _ reader: SampleSource) -> Int64 {
        if case .only(let sources) = query.sources, sources.isSubset(of: [reader.identifier]) { return 0 }
        return query.types.map { self[reader.identifier, $0] }.filter { $0.read == .granted }.map(\.readSince).max()
            ?? 0
    }

    /// All that was said, in the order of sources and types.
    func authorizations(of sources: [String: SampleSource]) -> [SampleAuthorization] {
        grants.flatMap { identifier, grants in
            grants.map { type, grant in
                SampleAuthorization(
                    source: sources[identifier] ?? SampleSource(identifier: identifier, name: identifier), type: type,
                    share: grant.share, read: grant.read)
            }
        }
        .sorted { ($0.source.identifier, $0.type.rawValue) < ($1.source.identifier, $1.type.rawValue) }
    }

    /// Notes a decision: see ``Grant/decide(_:_:at:)``.
    mutating func decide(
        _ decision: SampleAuthorization.Decision, _ access: SampleAccess, _ type: SampleType, _ source: SampleSource,
        at sequence: Int64
    ) -> Bool {
        self[source.identifier, type].decide(decision, access, at: sequence)
    }
}
