/// The permissions of all sources, with the rules that every store shares.
struct SampleGrants: Sendable {
    struct Grant: Hashable, Sendable {
        var share: SampleAuthorization.Decision?
        var read: SampleAuthorization.Decision?
        /// The change since which the source may read other sources' samples; 0 if it never could.
        var readSince: Int64 = 0
    }

    /// Keyed by source identifier.
    var grants: [String: [SampleType: Grant]] = [:]

    subscript(source: String, type: SampleType) -> Grant {
        get { grants[source]?[type] ?? Grant() }
        set { grants[source, default: [:]][type] = newValue }
    }
}

extension SampleGrants.Grant {
    /// Records a decision made in the change `sequence`, and returns whether it lets the source see more samples.
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

    func isUndecided(_ access: SampleAccess) -> Bool {
        let decision = access == .share ? share : read
        return decision == nil || decision == .asked
    }

    var writeAuthorization: WriteAuthorization {
        switch share {
        case .granted: .granted
        case .denied: .denied
        case .asked, nil: .notDetermined
        }
    }

    /// Throws `notAuthorized` if the source may not write.
    func checkShare(_ type: SampleType, _ source: SampleSource) throws(SampleStoreError) {
        switch writeAuthorization {
        case .granted: break
        case .denied:
            throw SampleStoreError(
                .notAuthorized,
                "\(source.name) isn't allowed to write \(type). Allow it in the permissions.")
        case .notDetermined:
            throw SampleStoreError(
                .notAuthorized,
                "\(source.name) isn't allowed to write \(type) yet. Request access, or allow it in the permissions.")
        }
    }
}

extension SampleGrants {
    /// Whether a reader may see samples of a type from a source, which may be the reader itself.
    func shows(_ type: SampleType, of source: String, to reader: SampleSource) -> Bool {
        source == reader.identifier || self[reader.identifier, type].read == .granted
    }

    /// The latest change that made more samples of a query visible to a reader; 0 if none did.
    func visibleSince(_ query: SampleQuery, _ reader: SampleSource) -> Int64 {
        if case .only(let sources) = query.sources, sources.isSubset(of: [reader.identifier]) { return 0 }
        return query.types.map { self[reader.identifier, $0] }.filter { $0.read == .granted }.map(\.readSince).max()
            ?? 0
    }

    /// All decisions, sorted by source and type.
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
}
