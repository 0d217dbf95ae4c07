import CoffeeTrackerModel
import Foundation
import HTTPTypes
import Hummingbird
import Persistence
import Site

// What the pages can do, for scripts.

extension CoffeePages {
    /// The app's part of the API.
    static let api = SiteAPI(name: "coffee", description: PackageResources.api_json)

    func addAPIRoutes(to router: some RouterMethods<SiteContext>) {
        let api = router.api(Self.api)
        api.get("/drinks") { request, _ in try await listDrinks(request) }
        api.post("/drinks") { request, context in
            let new = try await APIJSON.decode(NewDrink.self, from: request, context)
            let drink = try await documents.use(owner) { try await new.add(to: $0.data) }
            return try Self.created(drink)
        }
        api.get("/kinds") { request, _ in
            _ = try APIQuery(request)
            let kinds = try await documents.use(owner) { document in
                document.data.kinds.map { KindJSON($0, document.data.settings) }
            }
            return try APIJSON.response(try APIList(kinds))
        }
        api.get("/level") { request, _ in
            _ = try APIQuery(request)
            return try APIJSON.response(try await documents.use(owner) { LevelJSON($0.data) })
        }
        api.post("/undo") { request, context in
            let step = try await APIJSON.decode(UndoneStep.self, from: request, context).step
            let name = try await documents.use(owner) { try await $0.data.undo(step) }
            return try APIJSON.response(["undone": name])
        }
        addSettingsAPIRoutes(to: api)
        addOverviewAPIRoutes(to: api)
        addHealthAPIRoutes(to: api)
        let drink = api.group("/drinks/:id")
        drink.get { request, context in
            _ = try APIQuery(request)
            let id = try Self.drink(in: context)
            let drink = try await documents.use(owner) { try await $0.drink(id) }
            return try APIVersion(tag: drink.fingerprint).response(to: request, with: DrinkJSON(drink))
        }
        drink.patch { request, context in
            let id = try Self.drink(in: context)
            let change = try await APIJSON.decode(DrinkChange.self, from: request, context)
            let changed = try await documents.use(owner) { document in
                let before = try await document.drink(id)
                try APIVersion(tag: before.fingerprint).check(request)
                return try await document.data.edit(change.applied(to: before), over: before)
            }
            return try APIJSON.response(
                DrinkJSON(changed), headers: [.eTag: APIVersion(tag: changed.fingerprint).text])
        }
        drink.delete { request, context in
            let id = try Self.drink(in: context)
            try await documents.use(owner) { document in
                let before = try await document.drink(id)
                try APIVersion(tag: before.fingerprint).check(request)
                try await document.data.delete(before)
            }
            return Response(status: .noContent)
        }
        drink.post("/duplicate") { _, context in
            let id = try Self.drink(in: context)
            let copy = try await documents.use(owner) { try await $0.data.duplicate(try await $0.drink(id)) }
            return try Self.created(copy)
        }
    }

    private static func created(_ drink: Drink) throws -> Response {
        try APIJSON.response(
            DrinkJSON(drink), status: .created,
            headers: [
                .location: "\(api.path)/drinks/\(drink.id.uuidString)", .eTag: APIVersion(tag: drink.fingerprint).text,
            ])
    }

    // MARK: Lists

    /// Where a part of the list of drinks begins: after a drink.
    private struct Position: Codable {
        var start: Double
        var id: String

        init(_ drink: Drink) {
            (start, id) = (drink.start.timeIntervalSince1970, drink.id.uuidString)
        }

        /// The times that drinks can have: the years 1 to 9999.
        private static let times = -62_135_596_800.0...253_402_300_799

        var isValid: Bool { Self.times.contains(start) }

        func isBefore(_ drink: Drink) -> Bool {
            let time = drink.start.timeIntervalSince1970
            return time < start || time == start && drink.id.uuidString > id
        }
    }

    private func listDrinks(_ request: Request) async throws -> Response {
        let query = try APIQuery(request, known: ["id", "from", "to", "limit", "cursor"])
        let (from, to) = (try query.date("from") ?? .distantPast, try query.date("to") ?? .distantFuture)
        let limit = try query.limit
        let prefix = try query.value("id", takes: CoffeeWords.idPrefix) { text in
            (1...36).contains(text.utf8.count) && text.allSatisfy { $0.isHexDigit && $0.isASCII || $0 == "-" }
                ? text : nil
        }
        if let prefix {
            let found = try await documents.use(owner) { try await $0.data.drinks(withIDPrefix: prefix) }
            return try APIJSON.response(try APIList(found.prefix(limit).map { DrinkJSON($0) }))
        }
        let position = try query.cursor(Position.self)
        if let position, !position.isValid { throw CoffeeError.notFound }
        let end = position.map { min(to, Date(timeIntervalSince1970: $0.start + 0.001)) } ?? to
        let now = try await documents.use(owner) { $0.data.now }
        // An owner may have 100,000 drinks: read as few as possible, without knowing how many there are in a time.
        var (span, drinks): (TimeInterval, [Drink]) = (30 * 24 * 3_600, [])
        while true {
            let start = span > 100_000 * 24 * 3_600 ? from : max(from, min(end, now).addingTimeInterval(-span))
            drinks = try await documents.use(owner) { try await $0.data.drinks(from: start, to: end) }
                .filter { position?.isBefore($0) ?? true }
            if drinks.count > limit || start <= from { break }
            span *= 10
        }
        let part = drinks.prefix(limit)
        return try APIJSON.response(
            try APIList(part.map { DrinkJSON($0) }, next: drinks.count > limit ? part.last.map { Position($0) } : nil))
    }
}

// MARK: - Requests

private struct UndoneStep: Decodable {
    /// The action; `nil` for the last one.
    var step: String?
}

/// A drink to log: one of a kind, or any other one.
private struct NewDrink: Decodable, Sendable {
    var kind: String?
    var size: DrinkSize?
    var name: String?
    var emoji: String?
    var milligrams: Double?
    var millilitres: Double?
    var start: Date?
    var sippingSeconds: Double?
    var timeZone: String?

    @MainActor
    func add(to data: CoffeeData) async throws -> Drink {
        var chosen: DrinkKind
        if let kind {
            chosen = try data.kind(kind).sized(size ?? .medium)
        } else {
            guard let name, let milligrams else {
                throw Problem(
                    .unprocessableContent, title: CoffeeWords.drinkIncomplete,
                    detail: CoffeeWords.drinkIncompleteDetail, field: name == nil ? "name" : "milligrams")
            }
            chosen = DrinkKind(id: "", name: name, emoji: emoji ?? "☕️", milligrams: milligrams)
        }
        if let name { chosen.name = name }
        if let emoji { chosen.emoji = emoji }
        if let milligrams { chosen.milligrams = milligrams }
        if let millilitres { chosen.millilitres = millilitres }
        return try await data.add(chosen, at: start, sipping: sippingSeconds ?? 0, timeZone: timeZone)
    }
}

/// The properties of a drink that change.
private struct DrinkChange: Decodable, Sendable {
    private var name: String?
    private var emoji: String?
    private var milligrams: Double?
    /// A volume, or `null` to remove it; `nil` for no change.
    private var millilitres: Double??
    private var start: Date?
    private var sippingSeconds: Double?

    private enum CodingKeys: CodingKey {
        case name, emoji, milligrams, millilitres, start, sippingSeconds
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
            container.contains(key) ? try container.decode(Value.self, forKey: key) : nil
        }
        (name, emoji, milligrams) = (try value(.name), try value(.emoji), try value(.milligrams))
        (start, sippingSeconds) = (try value(.start), try value(.sippingSeconds))
        if container.contains(.millilitres) {
            millilitres = .some(try container.decodeIfPresent(Double.self, forKey: .millilitres))
        }
    }

    func applied(to before: Drink) -> Drink {
        var drink = before
        drink.name = name ?? before.name
        drink.emoji = emoji ?? before.emoji
        drink.milligrams = milligrams ?? before.milligrams
        if let millilitres { drink.millilitres = millilitres }
        drink.start = start ?? before.start
        drink.sipping = sippingSeconds ?? before.sipping
        return drink
    }
}

// MARK: - Responses

private struct DrinkJSON: Encodable, Sendable {
    struct Source: Encodable, Sendable {
        var name, identifier: String
    }

    var id, name, emoji: String
    var milligrams: Double
    var millilitres: Double?
    var start: Date
    var sippingSeconds: Double
    var timeZone: String
    /// The program that logged the drink and that alone can change it, unless it is this one.
    var source: Source?

    init(_ drink: Drink) {
        let drink = drink.sanitized
        (id, name, emoji) = (drink.id.uuidString, drink.name, drink.emoji)
        (milligrams, millilitres) = (drink.milligrams, drink.millilitres)
        (start, sippingSeconds, timeZone) = (drink.start, drink.sipping, drink.timeZone)
        if case .other(let name, let identifier) = drink.source { source = Source(name: name, identifier: identifier) }
    }
}

/// A kind of drink in a response.
struct KindJSON: Encodable, Sendable {
    var id, name, emoji: String
    var milligrams: Double
    var millilitres: Double?
    var isFavourite, hasSizes: Bool

    init(_ kind: DrinkKind, _ settings: CoffeeSettings) {
        (id, name, emoji) = (kind.id, kind.name, kind.emoji)
        (milligrams, millilitres) = (kind.milligrams, kind.millilitres)
        (isFavourite, hasSizes) = (settings.favourites.contains(kind.id), kind.hasSizes)
    }
}

private struct LevelJSON: Encodable, Sendable {
    var date: Date
    var milligrams, low, high: Double
    /// `green`, `yellow` or `red`, as on the pages.
    var colour: CaffeineColour
    var word: String
    var milligramsToday, cupsToday, threshold: Double
    /// When the level falls below the threshold for good; `date` if it already has.
    var belowThresholdAt: Date
    var bedtime: Date
    var atBedtime, mostNow: Double
    var timeZone: String
    /// How the owner writes times: `auto`, `24` or `12`.
    var clockFormat: ClockFormat
    /// When the owner's day begins, such as `04:30`.
    var dayStart: String

    @MainActor
    init(_ data: CoffeeData) {
        let answers = data.answers
        (date, colour, word) = (answers.date, answers.level.colour, answers.level.word)
        (milligrams, low, high) = (
            Self.rounded(answers.currentMilligrams), Self.rounded(answers.low), Self.rounded(answers.high)
        )
        (milligramsToday, threshold) = (Self.rounded(answers.guidance.today), answers.threshold)
        cupsToday = Self.rounded(data.totalCupsToday)
        (belowThresholdAt, bedtime) = (answers.belowThresholdAt, answers.bedtime)
        (atBedtime, mostNow) = (Self.rounded(answers.atBedtime), Self.rounded(answers.largestDoseNow))
        (timeZone, clockFormat) = (data.settings.zone, data.settings.clockFormat)
        dayStart = LocalTime.text(data.settings.dayStart)
    }

    private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
}
