import CoffeeTrackerModel
import Formats
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
    var size: String?
    var name: String?
    var emoji: String?
    var milligrams: String?
    /// The volume, in ``unit``.
    var millilitres: String?
    /// The unit of the volume, which another tab may have changed in the settings since the form was loaded.
    var unit: String?
    var date: String?
    var time: String?
    var sip: String?
    /// The fingerprint of the drink that the page showed.
    var from: String?
    /// The page to which the form returns; see ``CoffeePages/returnPath(_:)``.
    var back: String?

    /// When drinking began.
    ///
    /// - Parameters:
    ///   - shown: The exact time whose minute the form showed, if any. It is returned if the fields are unchanged or
    ///     empty. If the clock shows the typed time twice, the moment nearer to `shown` is returned.
    ///   - now: The current time.
    ///   - settings: The owner's settings.
    /// - Returns: The moment.
    /// - Throws: ``CoffeeError`` for an invalid time.
    func start(shown: Date? = nil, now: Date, settings: CoffeeSettings) throws(CoffeeError) -> Date {
        var day = (date ?? "").trimmingCharacters(in: .whitespaces)
        var time = (time ?? "").trimmingCharacters(in: .whitespaces)
        let zone = settings.timeZone
        func typed() throws(CoffeeError) -> Date {
            try TypedTime.moment(day: day, time: time, now: now, in: zone, clockFormat: settings.clockFormat)
        }
        guard let shown else { return try typed() }
        let before = LocalTime(shown, in: zone)
        if day.isEmpty { day = "\(before.day)" }
        if time.isEmpty { time = LocalTime.text(before.minutes) }
        if day == "\(before.day)", TypedTime.minutes(time) == before.minutes { return shown }
        let moment = try typed()
        guard case .twice(first: let first, second: let second) = LocalTime(moment, in: zone).resolved(in: zone) else {
            return moment
        }
        return abs(second.timeIntervalSince(shown)) < abs(first.timeIntervalSince(shown)) ? second : first
    }

    /// The volume, in millilitres; exactly the shown one if the field is unchanged.
    func volume(shown: Double? = nil) throws(Problem) -> Double? {
        let unit = unit.flatMap(VolumeUnit.init(rawValue:)) ?? .millilitres
        let text = (millilitres ?? "").trimmingCharacters(in: .whitespaces)
        if let shown, text == unit.field(shown) { return shown }
        guard let number = try FormNumber.read(text, unit.label, field: "millilitres") else { return nil }
        return number * unit.volume
    }

    /// The drinking time, in seconds.
    var sipping: TimeInterval {
        get throws { (try FormNumber.read(sip, CoffeeWords.sipField, field: "sip") ?? 0) * 60 }
    }
}

extension VolumeUnit {
    /// The label of the field for a volume.
    var label: String { CoffeeWords.volumeField(symbol) }
}

/// A number in a field.
enum FormNumber {
    /// Parses the number in a labelled field, with a decimal point or comma; `nil` if the field is empty.
    static func read(_ text: String?, _ label: String, field: String) throws(Problem) -> Double? {
        let text = (text ?? "").trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { return nil }
        guard let number = Double(text.replacing(",", with: ".")) else {
            throw Problem(
                .unprocessableContent, title: CoffeeWords.checkNumber,
                detail: CoffeeWords.notANumber(text.prefix(40), in: label), field: field)
        }
        return number
    }

    /// Parses the number in a required field.
    static func required(_ text: String?, _ label: String, field: String) throws(Problem) -> Double {
        guard let number = try read(text, label, field: field) else {
            throw Problem(
                .unprocessableContent, title: CoffeeWords.numberMissing,
                detail: CoffeeWords.enterANumber(in: label), field: field)
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
    var dailyLimit: String?
    var clockFormat: String?
    var volumeUnit: String?
    var decay: String?
    var catalogue: String?
    /// The fields when the form was loaded; without them, all fields count as changed.
    var shown: [String: String]?

    // Unchanged fields are ignored, because another tab or process may have changed those settings since.
    func applied(to settings: CoffeeSettings) throws -> CoffeeSettings {
        var settings = settings
        if let zone = changed(zone, "zone") { settings.zone = zone }
        func number(_ value: String?, _ field: String, _ label: String) throws(Problem) -> Double? {
            try FormNumber.read(changed(value, field), label, field: field)
        }
        func minutes(_ value: String?, _ field: String, _ label: String) throws(Problem) -> Int? {
            try Self.minutes(changed(value, field), label, field: field)
        }
        settings.dayStart = try minutes(dayStart, "dayStart", CoffeeWords.dayStartField) ?? settings.dayStart
        settings.bedtime = try minutes(bedtime, "bedtime", CoffeeWords.bedtimeField) ?? settings.bedtime
        settings.threshold = try number(threshold, "threshold", CoffeeWords.thresholdField) ?? settings.threshold
        settings.halfLife = try number(halfLife, "halfLife", CoffeeWords.halfLifeField) ?? settings.halfLife
        // The weight is part of the group.
        if changed(group, "group") != nil || group == "child" && changed(weight, "weight") != nil {
            let kilograms =
                group == "child" ? try FormNumber.required(weight, CoffeeWords.weightField, field: "weight") : 0
            settings.group = group.flatMap { CoffeeGroup(name: $0, kilograms: kilograms) } ?? settings.group
        }
        // If the field was emptied, the group's limit applies again.
        if let limit = changed(dailyLimit, "dailyLimit") {
            settings.dailyLimit = try FormNumber.read(limit, CoffeeWords.dailyLimitField, field: "dailyLimit")
        }
        if let format = changed(clockFormat, "clockFormat").flatMap(ClockFormat.init(rawValue:)) {
            settings.clockFormat = format
        }
        if let unit = changed(volumeUnit, "volumeUnit").flatMap(VolumeUnit.init(rawValue:)) {
            settings.volumeUnit = unit
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

    private static func minutes(_ text: String?, _ label: String, field: String) throws(Problem) -> Int? {
        guard let text, !text.isEmpty else { return nil }
        guard let minutes = TypedTime.minutes(text) else {
            throw Problem(
                .unprocessableContent, title: CoffeeWords.checkTime,
                detail: CoffeeWords.notATime(text.prefix(20), in: label), field: field)
        }
        return minutes
    }
}
