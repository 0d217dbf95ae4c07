import CoffeeTrackerModel
import Foundation
import Site

// The drinks of a server.

/// A drink, as the API describes it.
struct RemoteDrink: Decodable, Sendable {
    private struct Source: Decodable {
        var name, identifier: String
    }

    private enum CodingKeys: CodingKey {
        case id, name, emoji, milligrams, millilitres, start, sippingSeconds, timeZone, source
    }

    let drink: Drink

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let source = try container.decodeIfPresent(Source.self, forKey: .source)
        drink = Drink(
            id: try container.decode(UUID.self, forKey: .id), name: try container.decode(String.self, forKey: .name),
            emoji: try container.decode(String.self, forKey: .emoji),
            milligrams: try container.decode(Double.self, forKey: .milligrams),
            millilitres: try container.decodeIfPresent(Double.self, forKey: .millilitres),
            start: try container.decode(Date.self, forKey: .start),
            sipping: try container.decode(Double.self, forKey: .sippingSeconds),
            timeZone: try container.decode(String.self, forKey: .timeZone),
            source: source.map { .other(name: $0.name, identifier: $0.identifier) } ?? .own)
    }
}

/// A kind of drink, as the API describes it.
struct RemoteKind: Decodable, Sendable {
    var id, name, emoji: String
    var milligrams: Double
    var millilitres: Double?

    var kind: DrinkKind {
        DrinkKind(id: id, name: name, emoji: emoji, milligrams: milligrams, millilitres: millilitres)
    }
}

/// The caffeine level, as the API describes it.
struct RemoteLevel: Decodable, Sendable {
    var date: Date
    var milligrams, low, high: Double
    var colour: CaffeineColour
    var word: String
    var milligramsToday, cupsToday, threshold: Double
    var belowThresholdAt, bedtime: Date
    var atBedtime, mostNow: Double
    var timeZone: String
    /// How the owner writes times; missing in an older version.
    var clockFormat: String?
    /// When the owner's day begins, such as `04:30`; missing in an older version.
    var dayStart: String?

    /// The settings that matter for texts and for the days of a list.
    var settings: CoffeeSettings {
        var settings = CoffeeSettings(zone: timeZone)
        settings.clockFormat = clockFormat.flatMap { ClockFormat(rawValue: $0) } ?? .automatic
        settings.dayStart = dayStart.flatMap { LocalTime.minutes($0) } ?? 0
        return settings
    }

    /// The moment given by a text, on the owner's clock.
    func moment(_ text: String) throws(CoffeeError) -> Date {
        try TypedTime.moment(text, now: date, in: settings.timeZone, clockFormat: settings.clockFormat)
    }
}

/// A drink to log, or what changes of a drink.
struct RemoteDrinkChange: Encodable, Sendable {
    var kind: String?
    var size: String?
    var name: String?
    var milligrams: Double?
    var start: Date?
    var sippingSeconds: Double?
}

extension RemoteServer {
    func level() async throws -> RemoteLevel { try await send("GET", "coffee/level") }

    func kinds() async throws -> [DrinkKind] {
        try await send("GET", "coffee/kinds", as: [String: [RemoteKind]?].self)["items"]??.map(\.kind) ?? []
    }

    func drinks(from start: Date) async throws -> [Drink] {
        try await list("coffee/drinks?from=\(APIJSON.text(start))", as: RemoteDrink.self).map(\.drink)
    }

    func add(_ drink: RemoteDrinkChange) async throws -> Drink {
        try await send("POST", "coffee/drinks", drink, as: RemoteDrink.self).drink
    }

    func change(_ drink: Drink, _ change: RemoteDrinkChange) async throws -> Drink {
        try await send("PATCH", "coffee/drinks/\(drink.id.uuidString)", change, as: RemoteDrink.self).drink
    }

    func delete(_ drink: Drink) async throws { try await send("DELETE", "coffee/drinks/\(drink.id.uuidString)") }

    /// The drink whose identifier begins with a text.
    func drink(beginning text: String) async throws -> Drink {
        guard !text.isEmpty, text.utf8.count <= 36, text.utf8.allSatisfy({ Self.isOfID($0) }) else {
            throw CoffeeError.notFound
        }
        let found = try await list("coffee/drinks?id=\(text)", as: RemoteDrink.self).map(\.drink)
        guard let drink = found.first else { throw CoffeeError.notFound }
        guard found.count == 1 else {
            throw CommandFailure(
                code: "ambiguous", message: CoffeeCommandWords.severalDrinks(found.count, beginning: text))
        }
        return drink
    }

    private static func isOfID(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
    }
}

extension CoffeeOptions {
    /// Performs a command with a server, if one is chosen.
    ///
    /// - Parameter body: The operation.
    /// - Returns: Whether a server is chosen; if not, nothing was done.
    /// - Throws: `ExitCode` if the operation failed, after reporting the error.
    func runRemotely(_ body: (RemoteServer) async throws -> CoffeeReport) async throws -> Bool {
        try await folderOptions.report(remote, body) { error in
            (error as? CoffeeError).map { CommandFailure(code: $0.code, message: $0.description) }
        }
    }

    /// Refuses a command that can't use a server, if one is chosen.
    func refuseRemote() async throws {
        _ = try await runRemotely { _ in throw CommandFailure(code: "onlyLocal", message: RemoteWords.onlyLocal) }
    }
}
