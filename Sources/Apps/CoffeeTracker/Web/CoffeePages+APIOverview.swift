import CoffeeTrackerModel
import Foundation
import HTTPTypes
import HealthSamples
import Hummingbird
import Persistence
import Site

// The history, the level over time, the table of drinks and the health store's permissions, for scripts.

extension CoffeePages {
    func addOverviewAPIRoutes(to api: RouterGroup<SiteContext>) {
        api.get("/drinks.csv") { request, _ in
            _ = try APIQuery(request)
            return try await table()
        }
        api.get("/history") { request, _ in
            let query = try APIQuery(request, known: ["by", "until"])
            let span = try query.choice("by", of: DrinkHistory.Span.self) ?? .day
            let until = try query.value("until", takes: CoffeeWords.aDay) { LocalDay($0) }
            let (shown, _) = try await history(by: span, until: until)
            return try APIJSON.response(try APIList(shown.history.periods.reversed().map { PeriodJSON($0) }))
        }
        api.get("/timeline") { request, _ in
            _ = try APIQuery(request)
            return try await timeline()
        }
        addComplications(to: api)
        api.get("/events") { request, _ in
            _ = try APIQuery(request)
            return try await followChanges(request)
        }
    }

    func addHealthAPIRoutes(to api: RouterGroup<SiteContext>) {
        api.get("/health/access") { request, _ in
            _ = try APIQuery(request)
            let samples = try await documents.use(owner) { $0.samples }
            let authorizations = samples.isAvailable ? try await samples.authorizations() : []
            return try APIJSON.response(try APIList(authorizations.map { AccessJSON($0) }))
        }
        // A token can't grant access: a program would have it even after the token has been removed.
        api.post("/health/revoke") { request, context in
            let revoked = try await APIJSON.decode(RevokedAccess.self, from: request, context)
            let isKnown = try await decide(
                revoked.access, source: revoked.source, type: revoked.type, isGranted: false, context)
            guard isKnown else {
                throw Problem(.notFound, title: CoffeeWords.accessNotFound, detail: CoffeeWords.accessNotFoundDetail)
            }
            return Response(status: .noContent)
        }
    }
}

private struct PeriodJSON: Encodable, Sendable {
    /// The first and the last day.
    var first, last: String
    var start, end: Date
    /// The number of drinks.
    var count: Int
    /// Their caffeine, that of the largest of them, and the mean of a day.
    var milligrams, largest, milligramsPerDay: Double

    init(_ period: DrinkHistory.Period) {
        (first, last) = ("\(period.first)", "\(period.last)")
        (start, end, count) = (period.start, period.end, period.count)
        (milligrams, largest) = (Self.finite(period.milligrams), Self.finite(period.largest))
        milligramsPerDay = Self.finite(period.milligramsPerDay)
    }

    /// Another program may have logged any amount, and JSON has only finite numbers.
    private static func finite(_ value: Double) -> Double {
        value.isFinite ? (value * 1_000).rounded() / 1_000 : 0
    }
}

private struct AccessJSON: Encodable, Sendable {
    struct Source: Encodable, Sendable {
        var name, identifier: String
    }

    var source: Source
    var type: String
    /// `asked`, `granted` or `denied`; `nil` if the program hasn't asked.
    var share, read: SampleAuthorization.Decision?

    init(_ authorization: SampleAuthorization) {
        source = Source(name: authorization.source.name, identifier: authorization.source.identifier)
        (type, share, read) = (authorization.type.rawValue, authorization.share, authorization.read)
    }
}

private struct RevokedAccess: Decodable, Sendable {
    private enum CodingKeys: CodingKey {
        case source, type, access
    }

    let source, type: String
    let access: SampleAccess

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        source = try container.decode(String.self, forKey: .source)
        type = try container.decode(String.self, forKey: .type)
        guard let access: SampleAccess = try container.choice(.access) else {
            throw DecodingError.keyNotFound(
                CodingKeys.access, .init(codingPath: container.codingPath, debugDescription: ""))
        }
        self.access = access
    }
}
