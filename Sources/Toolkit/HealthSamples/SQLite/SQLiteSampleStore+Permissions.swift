import Persistence

extension SQLiteSampleStore {
    /// Whether a source may write samples of a type.
    public func authorizationStatus(
        for type: SampleType, source: SampleSource
    ) async throws(SampleStoreError) -> WriteAuthorization {
        try SampleLimits.check(source)
        return try await read { try $0.grants()[source.identifier, type].writeAuthorization }
    }

    /// Requests the permissions that the user hasn't decided about yet.
    public func requestAuthorization(
        toShare: Set<SampleType>, read: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        let request = AuthorizationRequest(source: source, share: toShare, read: read)
        let open = try await self.read { try $0.undecided(request) }
        if open.isEmpty { return }
        // Each transaction reads the undecided permissions again, because the user may have decided meanwhile.
        try await decide(source) { reader in [(.asked, try reader.undecided(open))] }
        let answer = await consent.answer(open)
        try await decide(source) { reader in
            let (granted, refused) = answer.decisions(of: try reader.undecided(open))
            return [(.granted, granted), (.denied, refused)]
        }
    }

    /// Grants a source access to types.
    public func grant(
        _ access: SampleAccess, to types: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        try await decide(source) { _ in [(.granted, AuthorizationRequest(access, types, source))] }
    }

    /// Refuses or revokes a source's access to types.
    public func revoke(
        _ access: SampleAccess, to types: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        try await decide(source) { _ in [(.denied, AuthorizationRequest(access, types, source))] }
    }

    /// All permissions requested, granted and refused.
    public func authorizations() async throws(SampleStoreError) -> [SampleAuthorization] {
        try await read { try $0.authorizations() }
    }

    private typealias Decision = (SampleAuthorization.Decision, AuthorizationRequest)

    private func decide(
        _ source: SampleSource, _ decisions: @escaping @Sendable (SampleReader) throws -> [Decision]
    ) async throws(SampleStoreError) {
        try await write(by: source, now: now()) { writer in
            let reader = try writer.reader()
            for (decision, request) in try decisions(reader) {
                for type in request.share { try writer.decide(decision, .share, type) }
                for type in request.read { try writer.decide(decision, .read, type) }
            }
        }
    }
}

extension SampleReader {
    /// The part of a request that the user hasn't decided about.
    fileprivate func undecided(_ request: AuthorizationRequest) throws -> AuthorizationRequest {
        let grants = try grants()
        return request.filtered { type, access in grants[request.source.identifier, type].isUndecided(access) }
    }
}

extension SampleWriter {
    /// Records a decision.
    fileprivate mutating func decide(
        _ decision: SampleAuthorization.Decision, _ access: SampleAccess, _ type: SampleType
    ) throws {
        let source = try sourceRowNumber()
        let series = try series(of: type).number
        let row = try connection.row(
            "SELECT share, read, read_since FROM health_grant WHERE source = ? AND series = ?", [source, series])
        var grant = SampleGrants.Grant()
        if let row {
            grant.share = try row.decision(0)
            grant.read = try row.decision(1)
            grant.readSince = try row.value(2)
        }
        // The grant takes a sequence number of its own, so that it sorts after all earlier changes.
        if grant.decide(decision, access, at: sequence + 1) { _ = nextSequence() }
        try connection.execute(
            """
            INSERT INTO health_grant (source, series, share, read, read_since) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (source, series) DO UPDATE SET share = ?3, read = ?4, read_since = ?5
            """, [source, series, grant.share?.rawValue, grant.read?.rawValue, grant.readSince])
    }
}
