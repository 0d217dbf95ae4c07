import CoffeeTrackerModel
import Foundation
import HTTPTypes
import Site

// What the forms of the pages hold: text, as it was typed, until it is understood.

/// A drink that is added or changed.
struct DrinkForm: Decodable, Sendable {
    var kind: String?
    var name: String?
    var emoji: String?
    var milligrams: String?
    var millilitres: String?
    var date: String?
    var time: String?
    var sip: String?
    /// The revision that was looked at when it was changed.
    var from: String?

    var fields: [String: String] {
        [
            "kind": kind, "name": name, "emoji": emoji, "milligrams": milligrams, "millilitres": millilitres,
            "date": date, "time": time, "sip": sip, "from": from,
        ].compactMapValues { $0 }
    }

    /// When the first of it was drunk.
    ///
    /// - Parameters:
    ///   - shown: A moment that the form had shown, to the minute: what was not changed, or emptied, is as it was, with its
    ///     seconds; and of two that the clock shows alike, the one nearer to it is meant.
    ///   - now: What time it is.
    ///   - settings: The owner's.
    /// - Returns: The moment.
    /// - Throws: ``CoffeeError``, if it is no time.
    func start(shown: Date? = nil, now: Date, settings: CoffeeSettings) throws(CoffeeError) -> Date {
        var day = (date ?? "").trimmingCharacters(in: .whitespaces)
        var time = (time ?? "").trimmingCharacters(in: .whitespaces)
        let zone = settings.timeZone
        guard let shown else { return try TypedTime.moment(day: day, time: time, now: now, in: zone) }
        let before = CoffeeTemplates.fields(of: shown, settings: settings)
        if day.isEmpty { day = before["date"] ?? "" }
        if time.isEmpty { time = before["time"] ?? "" }
        if before["date"] == day, before["time"] == String(time.prefix(5)) { return shown }
        let moment = try TypedTime.moment(day: day, time: time, now: now, in: zone)
        guard case .twice(first: let first, second: let second) = LocalTime(moment, in: zone).resolved(in: zone) else {
            return moment
        }
        return abs(second.timeIntervalSince(shown)) < abs(first.timeIntervalSince(shown)) ? second : first
    }

    /// For how long it was sipped, in seconds.
    var sipping: TimeInterval {
        get throws { (try FormNumber.read(sip, "Sipped for, in minutes") ?? 0) * 60 }
    }
}

/// A number in a field.
enum FormNumber {
    /// The number that was typed; `nil` if nothing was.
    ///
    /// - Parameters:
    ///   - text: What was typed, with a point or a comma.
    ///   - label: What the field is called.
    /// - Returns: The number.
    /// - Throws: ``Problem``, if it is no number at all. Whether it makes sense is decided elsewhere.
    static func read(_ text: String?, _ label: String) throws(Problem) -> Double? {
        let text = (text ?? "").trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { return nil }
        guard let number = Double(text.replacing(",", with: ".")) else {
            throw Problem(
                .unprocessableContent, title: "That is no number",
                detail: "“\(text.prefix(40))” in the field “\(label)” is no number. Enter one such as 80 or 62.5.")
        }
        return number
    }

    /// The number that was typed, where there must be one.
    static func required(_ text: String?, _ label: String) throws(Problem) -> Double {
        guard let number = try read(text, label) else {
            throw Problem(
                .unprocessableContent, title: "A number is missing", detail: "Enter a number in the field “\(label)”.")
        }
        return number
    }
}

/// What the form of the settings holds.
struct SettingsForm: Decodable, Sendable {
    var zone: String?
    var dayStart: String?
    var bedtime: String?
    var threshold: String?
    var halfLife: String?
    var group: String?
    var weight: String?
    var decay: String?
    var catalogue: String?
    /// What each field held when the form was loaded; without it, all fields are taken.
    var shown: [String: String]?

    var fields: [String: String] {
        [
            "zone": zone, "dayStart": dayStart, "bedtime": bedtime, "threshold": threshold, "halfLife": halfLife,
            "group": group, "weight": weight, "decay": decay, "catalogue": catalogue,
        ].compactMapValues { $0 }
    }

    /// The settings with what was typed; whether they make sense is decided by them.
    ///
    /// What is as it was shown is left alone: another tab, or another process, may have chosen something else since.
    func applied(to settings: CoffeeSettings) throws -> CoffeeSettings {
        var settings = settings
        if let zone = changed(zone, "zone") { settings.zone = zone }
        settings.dayStart = try Self.minutes(changed(dayStart, "dayStart"), "It starts at") ?? settings.dayStart
        settings.bedtime = try Self.minutes(changed(bedtime, "bedtime"), "Bedtime") ?? settings.bedtime
        settings.threshold =
            try FormNumber.read(changed(threshold, "threshold"), "I sleep well below") ?? settings.threshold
        settings.halfLife =
            try FormNumber.read(changed(halfLife, "halfLife"), "Half of it is gone after") ?? settings.halfLife
        // The weight belongs to the group.
        if changed(group, "group") != nil || group == "child" && changed(weight, "weight") != nil {
            switch group {
            case "adult": settings.group = .adult
            case "pregnant": settings.group = .pregnant
            case "nursing": settings.group = .nursing
            case "child": settings.group = .child(kilograms: try FormNumber.required(weight, "Weight of a child"))
            default: break
            }
        }
        if let decay = changed(decay, "decay") { settings.usesSimpleDecay = decay == "simple" }
        if let choice = changed(catalogue, "catalogue").flatMap(DrinkCatalogue.Choice.init(rawValue:)) {
            settings.catalogue = choice
        }
        return settings
    }

    /// What a field holds, unless it is what was shown.
    private func changed(_ value: String?, _ name: String) -> String? {
        value == shown?[name] ? nil : value
    }

    private static func minutes(_ text: String?, _ label: String) throws(Problem) -> Int? {
        guard let text, !text.isEmpty else { return nil }
        guard let minutes = LocalTime.minutes(String(text.prefix(5))) else {
            throw Problem(
                .unprocessableContent, title: "That is no time",
                detail: "“\(text.prefix(20))” in the field “\(label)” is no time. Enter one such as 22:30.")
        }
        return minutes
    }
}
