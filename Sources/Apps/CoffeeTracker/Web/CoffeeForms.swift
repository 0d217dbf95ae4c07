import CoffeeTrackerModel
import Foundation
import HTTPTypes
import Site

// The forms of the pages, as submitted text.

/// A form whose properties are its fields.
protocol TypedForm: Decodable, Sendable {
    /// The fields when the form was loaded, if the server needs them to detect changes.
    var shown: [String: String]? { get }
}

extension TypedForm {
    var shown: [String: String]? { nil }

    /// The submitted fields by name.
    var fields: [String: String] {
        Mirror(reflecting: self).children.reduce(into: [:]) { fields, child in
            if let name = child.label, let text = child.value as? String { fields[name] = text }
        }
    }
}

/// The form for adding or editing a drink.
struct DrinkForm: TypedForm {
    var kind: String?
    var name: String?
    var emoji: String?
    var milligrams: String?
    var millilitres: String?
    var date: String?
    var time: String?
    var sip: String?
    /// The fingerprint of the drink that the page showed.
    var from: String?

    /// When drinking began.
    ///
    /// - Parameters:
    ///   - shown: The time that the form showed, to the minute. An unchanged or empty field stands for it, with its seconds. If
    ///     the clock shows a time twice, the nearer moment is used.
    ///   - now: The current time.
    ///   - settings: The owner's settings.
    /// - Returns: The moment.
    /// - Throws: ``CoffeeError`` for an invalid time.
    func start(shown: Date? = nil, now: Date, settings: CoffeeSettings) throws(CoffeeError) -> Date {
        var day = (date ?? "").trimmingCharacters(in: .whitespaces)
        var time = (time ?? "").trimmingCharacters(in: .whitespaces)
        let zone = settings.timeZone
        guard let shown else { return try TypedTime.moment(day: day, time: time, now: now, in: zone) }
        let before = LocalTime(shown, in: zone)
        if day.isEmpty { day = "\(before.day)" }
        if time.isEmpty { time = LocalTime.text(before.minutes) }
        if day == "\(before.day)", time.prefix(5) == LocalTime.text(before.minutes) { return shown }
        let moment = try TypedTime.moment(day: day, time: time, now: now, in: zone)
        guard case .twice(first: let first, second: let second) = LocalTime(moment, in: zone).resolved(in: zone) else {
            return moment
        }
        return abs(second.timeIntervalSince(shown)) < abs(first.timeIntervalSince(shown)) ? second : first
    }

    /// The drinking time, in seconds.
    var sipping: TimeInterval {
        get throws { (try FormNumber.read(sip, "Sipped for, in minutes") ?? 0) * 60 }
    }
}

/// A number in a field.
enum FormNumber {
    /// Parses the number in a labelled field, with a decimal point or comma; `nil` if the field is empty.
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

    /// Parses the number in a required field.
    static func required(_ text: String?, _ label: String) throws(Problem) -> Double {
        guard let number = try read(text, label) else {
            throw Problem(
                .unprocessableContent, title: "A number is missing", detail: "Enter a number in the field “\(label)”.")
        }
        return number
    }
}

struct SettingsForm: TypedForm {
    var zone: String?
    var dayStart: String?
    var bedtime: String?
    var threshold: String?
    var halfLife: String?
    var group: String?
    var weight: String?
    var decay: String?
    var catalogue: String?
    /// The fields when the form was loaded; without them, all fields count as changed.
    var shown: [String: String]?

    // Unchanged fields are ignored, because another tab or process may have changed those settings since.
    func applied(to settings: CoffeeSettings) throws -> CoffeeSettings {
        var settings = settings
        if let zone = changed(zone, "zone") { settings.zone = zone }
        settings.dayStart = try Self.minutes(changed(dayStart, "dayStart"), "It starts at") ?? settings.dayStart
        settings.bedtime = try Self.minutes(changed(bedtime, "bedtime"), "Bedtime") ?? settings.bedtime
        settings.threshold =
            try FormNumber.read(changed(threshold, "threshold"), "I sleep well below") ?? settings.threshold
        settings.halfLife =
            try FormNumber.read(changed(halfLife, "halfLife"), "Half of it is gone after") ?? settings.halfLife
        // The weight is part of the group.
        if changed(group, "group") != nil || group == "child" && changed(weight, "weight") != nil {
            let kilograms = group == "child" ? try FormNumber.required(weight, "Weight of a child") : 0
            settings.group = group.flatMap { CoffeeGroup(name: $0, kilograms: kilograms) } ?? settings.group
        }
        if let decay = changed(decay, "decay") { settings.usesSimpleDecay = decay == "simple" }
        if let choice = changed(catalogue, "catalogue").flatMap(DrinkCatalogue.Choice.init(rawValue:)) {
            settings.catalogue = choice
        }
        return settings
    }

    /// A field's text, unless it is unchanged.
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
