#if canImport(ModelJSON)
    package import ModelJSON
#endif

// How drinks and settings are written as JSON: on the wire, and in a browser's storage.

/// The times that a page may ask for, in seconds since 1970: up to the year 33,658.
let plausibleTimes = 0...1e12

extension LoggedDrink {
    /// Reads a drink.
    ///
    /// Its numbers are in ranges that are safe to calculate with; whether it may be logged isn't checked.
    package init(_ json: JSON) throws(CaffeineFormatError) {
        let id = try json.text("id")
        guard Self.isID(id) else { throw CaffeineFormatError("It is not a UUID in capitals.", at: "id") }
        // Other programs may have written drinks that can't be logged here.
        self.init(
            id: id, name: try json.text("name"), emoji: try json.text("emoji"),
            milligrams: try json.double("milligrams", in: -1e9...1e9),
            millilitres: try json.optionalDouble("millilitres", in: -1e9...1e9),
            start: try json.double("start", in: -1e12...1e12),
            sipping: try json.optionalDouble("sipping", in: -1e9...1e9) ?? 0, timeZone: try json.text("timeZone"))
    }

    /// An object of all its properties.
    package var json: JSON {
        var members = [
            JSON.Member("id", .string(id)), JSON.Member("name", .string(name)), JSON.Member("emoji", .string(emoji)),
            JSON.Member("milligrams", .number(milligrams)),
        ]
        if let millilitres { members.append(JSON.Member("millilitres", .number(millilitres))) }
        members += [
            JSON.Member("start", .number(start)), JSON.Member("sipping", .number(sipping)),
            JSON.Member("timeZone", .string(timeZone)),
        ]
        return .object(members)
    }
}

extension CaffeineSettings {
    /// Reads settings: those that `CoffeeSettings` encodes, and `clock`, a list of [start, offset] in seconds.
    package init(_ json: JSON) throws(CaffeineFormatError) {
        let group = json["group"] ?? .null
        let kilograms = try group.optionalDouble("kilograms", in: 0...1000) ?? 0
        let profile = CaffeineProfile(
            halfLife: try json.double("halfLife", in: 0.1...1000), usesSimpleDecay: json.flag("usesSimpleDecay"),
            threshold: try json.double("threshold", in: 0...1e6),
            // An unknown group counts as adults, as on the server.
            group: group["name"]?.string.flatMap { CoffeeGroup(name: $0, kilograms: kilograms) } ?? .adult,
            dailyLimit: try json.optionalDouble("dailyLimit", in: 0...1e6))
        // The earliest first.
        let changes = try (json["clock"] ?? .array([])).list { json throws(CaffeineFormatError) in
            guard case .array(let pair) = json, pair.count == 2, let start = pair[0].number,
                let offset = pair[1].number, abs(offset) < 86_400
            else { throw CaffeineFormatError("It is not a time and an offset.", at: "clock") }
            return ClockTable.Change(start: start, offset: offset)
        }
        let minutes = 0..<1440
        self.init(
            profile: profile,
            days: OwnerDays(clock: ClockTable(changes), start: try json.int("dayStart", in: minutes)),
            bedtime: try json.int("bedtime", in: minutes))
    }
}

extension DrinkOutbox.Entry {
    /// Reads an entry of a browser's storage.
    package init(_ json: JSON) throws(CaffeineFormatError) {
        try self.init(json, version: try json.int("version", in: 0..<1_000_000_000))
    }

    fileprivate init(_ json: JSON, version: Int) throws(CaffeineFormatError) {
        let drink = try LoggedDrink(json["drink"] ?? .null)
        let replaced = try (json["replaced"] ?? .array([])).list { json throws(CaffeineFormatError) in
            try LoggedDrink(json)
        }
        self.init(
            stored: drink, isDeleted: json.flag("isDeleted"), version: version, replaced: replaced)
    }

    /// As it is written to a browser's storage.
    package var json: JSON {
        .object([
            JSON.Member("drink", drink.json), JSON.Member("isDeleted", .bool(isDeleted)),
            JSON.Member("version", .number(Double(version))),
            JSON.Member("replaced", .array(replaced.map { $0.json })),
        ])
    }
}

extension DrinkOutbox.Request {
    /// Reads what a page has sent.
    package init(_ json: JSON) throws(CaffeineFormatError) {
        let entry = try DrinkOutbox.Entry(json, version: 0)
        self.init(number: 0, drink: entry.drink, isDeleted: entry.isDeleted, replaced: entry.replaced)
    }

    /// What is sent; ``number`` is for the page only.
    package var json: JSON {
        .object([
            JSON.Member("drink", drink.json), JSON.Member("isDeleted", .bool(isDeleted)),
            JSON.Member("replaced", .array(replaced.map { $0.json })),
        ])
    }
}

extension LevelState {
    /// What a page shows of a level: the rounded number, the colour and the gauge.
    var json: JSON {
        .object([
            JSON.Member("milligrams", .number(milligrams)), JSON.Member("colour", .string(colour.rawValue)),
            JSON.Member("fraction", .number(fraction)),
            JSON.Member("marks", .array(scale.marks.map { $0.json })),
        ])
    }
}

extension LevelScale.Stop {
    /// The colour, and where it begins.
    var json: JSON {
        .object([
            JSON.Member("colour", .string(colour.rawValue)), JSON.Member("milligrams", .number(milligrams)),
            JSON.Member("fraction", .number(fraction)),
        ])
    }
}

extension CoffeeGuidance {
    /// The figures of the guidance.
    var json: JSON {
        .object([
            JSON.Member("singleDose", singleDose.map { .number($0) } ?? .null), JSON.Member("daily", .number(daily)),
            JSON.Member("today", .number(today)), JSON.Member("largestToday", .number(largestToday)),
            JSON.Member("left", .number(left)), JSON.Member("isOverDaily", .bool(isOverDaily)),
            JSON.Member("isOverSingleDose", .bool(isOverSingleDose)),
        ])
    }
}

extension LevelAnswers.Allowance {
    /// The amount, or the name of the reason why no caffeine is allowed.
    package var json: JSON {
        switch self {
        case .upTo(let milligrams): .number(milligrams)
        case .tooLate: .string("tooLate")
        case .limitReached: .string("limitReached")
        }
    }
}

extension LevelAnswers.LatestTime {
    /// The time, `true` for any and `false` for none.
    package var json: JSON {
        switch self {
        case .anyTime: .bool(true)
        case .until(let time): .number(time)
        case .never: .bool(false)
        }
    }
}

extension LevelAnswers.Objection {
    /// The name of what forbids a drink.
    package var json: JSON {
        switch self {
        case .tooLate: .string("tooLate")
        case .overLimit: .string("overLimit")
        }
    }
}

extension LevelAnswers {
    /// The answers, with the level and the guidance.
    var json: JSON {
        let times = belowThresholdTimes
        var members = [
            JSON.Member("time", .number(time)), JSON.Member("level", level.json), JSON.Member("low", .number(low)),
            JSON.Member("high", .number(high)), JSON.Member("hasRange", .bool(hasRange)),
            JSON.Member("currentMilligrams", .number(currentMilligrams)),
        ]
        if let peak {
            members.append(
                JSON.Member(
                    "peak", .object([JSON.Member("level", peak.level.json), JSON.Member("time", .number(peak.time))])))
        }
        members += [
            JSON.Member("threshold", .number(threshold)), JSON.Member("bedtime", .number(bedtime)),
            JSON.Member("isBelowThreshold", .bool(isBelowThreshold)),
            JSON.Member("belowThresholdAt", .number(belowThresholdAt)),
            JSON.Member("belowThresholdTimes", .array([.number(times.early), .number(times.late)])),
            JSON.Member("highestAsleep", .number(highestAsleep)),
            // Compares the displayed amounts: otherwise the page could say that 35 mg is below a limit of 35 mg.
            JSON.Member("excess", .number(highestAsleep.roundedForDisplay - threshold.roundedForDisplay)),
            JSON.Member(
                "isRisingOver", .bool(!isBelowThreshold && level.milligrams < threshold.roundedForDisplay)),
        ]
        members += [
            JSON.Member("largestDoseForSleep", .number(largestDoseForSleep)),
            JSON.Member("largestDose", .number(guidance.largestDoseNow)),
            JSON.Member("allowance", allowance.json), JSON.Member("guidance", guidance.json),
        ]
        return .object(members)
    }
}

extension OutboxStatus {
    /// What a page shows in its badge.
    var json: JSON {
        .object([
            JSON.Member("kind", .string(kind.rawValue)), JSON.Member("refused", .number(Double(refused))),
            JSON.Member("waiting", .number(Double(waiting))),
            JSON.Member("reason", reason.map { .string($0) } ?? .null), JSON.Member("isStored", .bool(isStored)),
        ])
    }
}
