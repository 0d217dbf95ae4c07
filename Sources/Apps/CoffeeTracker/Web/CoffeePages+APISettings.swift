import CoffeeTrackerModel
import Foundation
import HTTPTypes
import Hummingbird
import Persistence
import Site

// The kinds of drinks and the settings, for scripts.

extension CoffeePages {
    func addSettingsAPIRoutes(to api: RouterGroup<SiteContext>) {
        api.post("/kinds") { request, context in
            let new = try await APIJSON.decode(NewKind.self, from: request, context)
            let kind = try await documents.use(owner) { document in
                let kind = try await document.data.keepKind(
                    name: new.name, emoji: new.emoji ?? "☕️", milligrams: new.milligrams, millilitres: new.millilitres)
                return KindJSON(kind, document.data.settings)
            }
            return try APIJSON.response(
                kind, status: .created, headers: [.location: "\(Self.api.path)/kinds/\(kind.id)"])
        }
        // The id of an own kind begins with `own/`, so that its path ends with its id.
        let own = api.group("/kinds/own/:id")
        own.get { request, context in
            _ = try APIQuery(request)
            return try APIJSON.response(
                try await documents.use(owner) { KindJSON(try Self.ownKind(context, $0.data), $0.data.settings) })
        }
        own.patch { request, context in
            let change = try await APIJSON.decode(KindChange.self, from: request, context)
            let kind = try await documents.use(owner) { document in
                let before = try Self.ownKind(context, document.data)
                let after = try await change.apply(to: before, in: document.data)
                return KindJSON(after, document.data.settings)
            }
            return try APIJSON.response(kind)
        }
        own.delete { _, context in
            try await documents.use(owner) { document in
                try await document.data.removeKind(try Self.ownKind(context, document.data).id)
            }
            return Response(status: .noContent)
        }
        api.get("/favourites") { request, _ in
            _ = try APIQuery(request)
            return try await favourites()
        }
        api.patch("/favourites") { request, context in
            let change = try await APIJSON.decode(FavouriteChange.self, from: request, context)
            try await documents.use(owner) {
                try await $0.data.changeFavourites(adding: change.add ?? [], removing: change.remove ?? [])
            }
            return try await favourites()
        }
        api.get("/settings") { request, _ in
            _ = try APIQuery(request)
            return try APIJSON.response(try await documents.use(owner) { SettingsJSON($0.data.settings) })
        }
        api.patch("/settings") { request, context in
            let change = try await APIJSON.decode(SettingsChange.self, from: request, context)
            let settings = try await documents.use(owner) { document in
                try await document.data.choose { change.apply(to: &$0) }
                return document.data.settings
            }
            return try APIJSON.response(SettingsJSON(settings))
        }
    }

    private func favourites() async throws -> Response {
        let kinds = try await documents.use(owner) { document in
            document.data.favourites.map { KindJSON($0, document.data.settings) }
        }
        return try APIJSON.response(try APIList(kinds))
    }

    @MainActor
    private static func ownKind(_ context: SiteContext, _ data: CoffeeData) throws(CoffeeError) -> DrinkKind {
        let id = context.parameters.get("id").map { "own/\($0)" }
        guard let kind = data.settings.kinds.first(where: { $0.id == id }) else { throw .notFound }
        return kind
    }
}

// MARK: - Kinds

private struct NewKind: Decodable, Sendable {
    var name: String
    var emoji: String?
    var milligrams: Double
    var millilitres: Double?
}

/// The properties of a kind that change.
private struct KindChange: Decodable, Sendable {
    private enum CodingKeys: CodingKey {
        case name, emoji, milligrams, millilitres
    }

    private let name, emoji: String?
    private let milligrams: Double?
    /// A volume, or `null` to remove it; `nil` for no change.
    private let millilitres: Double??

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.value(.name)
        emoji = try container.value(.emoji)
        milligrams = try container.value(.milligrams)
        millilitres =
            container.contains(.millilitres)
            ? .some(try container.decodeIfPresent(Double.self, forKey: .millilitres)) : nil
    }

    @MainActor
    func apply(to kind: DrinkKind, in data: CoffeeData) async throws(CoffeeError) -> DrinkKind {
        var volume = kind.millilitres
        if let millilitres { volume = millilitres }
        return try await data.keepKind(
            kind.id, name: name ?? kind.name, emoji: emoji ?? kind.emoji, milligrams: milligrams ?? kind.milligrams,
            millilitres: volume)
    }
}

private struct FavouriteChange: Decodable, Sendable {
    /// The identifiers of kinds.
    var add, remove: [String]?
}

// MARK: - Settings

private enum GroupName: String, CaseIterable {
    case adult, pregnant, nursing, child
}

/// The settings that change.
private struct SettingsChange: Decodable, Sendable {
    private let timeZone: String?
    private let dayStart, bedtime: Int?
    private let threshold, halfLifeHours: Double?
    private let group: CoffeeGroup?
    /// The weight of a child; it doesn't count in another group.
    private let kilograms: Double?
    /// A limit, or `null` for that of the group; `nil` for no change.
    private let dailyLimit: Double??
    private let clockFormat: ClockFormat?
    private let volumeUnit: VolumeUnit?
    private let usesSimpleDecay: Bool?
    private let catalogue: DrinkCatalogue.Choice?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: SettingsJSON.CodingKeys.self)
        func invalid(_ key: SettingsJSON.CodingKeys, _ detail: String) -> DecodingError {
            DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: detail)
        }
        func minutes(_ key: SettingsJSON.CodingKeys) throws -> Int? {
            guard let text: String = try container.value(key) else { return nil }
            guard text.utf8.count == 5, let minutes = LocalTime.minutes(text) else {
                throw invalid(key, CoffeeWords.aClockTime)
            }
            return minutes
        }
        timeZone = try container.value(.timeZone)
        (dayStart, bedtime) = (try minutes(.dayStart), try minutes(.bedtime))
        (threshold, halfLifeHours) = (try container.value(.threshold), try container.value(.halfLifeHours))
        kilograms = try container.value(.kilograms)
        if let kilograms, !CoffeeSettings.weights.contains(kilograms) {
            throw invalid(.kilograms, CoffeeWords.enterWeight)
        }
        let name: GroupName? = try container.choice(.group)
        group = name.flatMap { [kilograms] in CoffeeGroup(name: $0.rawValue, kilograms: kilograms ?? 0) }
        if case .child? = group, kilograms == nil { throw invalid(.kilograms, CoffeeWords.weightOfChild) }
        dailyLimit =
            container.contains(.dailyLimit)
            ? .some(try container.decodeIfPresent(Double.self, forKey: .dailyLimit)) : nil
        (clockFormat, volumeUnit) = (try container.choice(.clockFormat), try container.choice(.volumeUnit))
        (usesSimpleDecay, catalogue) = (try container.value(.usesSimpleDecay), try container.choice(.catalogue))
    }

    func apply(to settings: inout CoffeeSettings) {
        settings.zone = timeZone ?? settings.zone
        settings.dayStart = dayStart ?? settings.dayStart
        settings.bedtime = bedtime ?? settings.bedtime
        settings.threshold = threshold ?? settings.threshold
        settings.halfLife = halfLifeHours ?? settings.halfLife
        if let group {
            settings.group = group
        } else if case .child = settings.group, let kilograms {
            settings.group = .child(kilograms: kilograms)
        }
        if let dailyLimit { settings.dailyLimit = dailyLimit }
        settings.clockFormat = clockFormat ?? settings.clockFormat
        settings.volumeUnit = volumeUnit ?? settings.volumeUnit
        settings.usesSimpleDecay = usesSimpleDecay ?? settings.usesSimpleDecay
        settings.catalogue = catalogue ?? settings.catalogue
    }
}

private struct SettingsJSON: Encodable, Sendable {
    enum CodingKeys: CodingKey {
        case timeZone, dayStart, bedtime, threshold, halfLifeHours, group, kilograms, dailyLimit, clockFormat
        case volumeUnit, usesSimpleDecay, catalogue
    }

    let settings: CoffeeSettings

    init(_ settings: CoffeeSettings) { self.settings = settings }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(settings.zone, forKey: .timeZone)
        try container.encode(LocalTime.text(settings.dayStart), forKey: .dayStart)
        try container.encode(LocalTime.text(settings.bedtime), forKey: .bedtime)
        try container.encode(settings.threshold, forKey: .threshold)
        try container.encode(settings.halfLife, forKey: .halfLifeHours)
        try container.encode(settings.group.name, forKey: .group)
        if case .child(let kilograms) = settings.group { try container.encode(kilograms, forKey: .kilograms) }
        try container.encode(settings.dailyLimit, forKey: .dailyLimit)
        try container.encode(settings.clockFormat, forKey: .clockFormat)
        try container.encode(settings.volumeUnit, forKey: .volumeUnit)
        try container.encode(settings.usesSimpleDecay, forKey: .usesSimpleDecay)
        try container.encode(settings.catalogue, forKey: .catalogue)
    }
}
