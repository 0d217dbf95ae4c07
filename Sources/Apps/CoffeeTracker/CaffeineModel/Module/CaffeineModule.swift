#if canImport(ModelJSON)
    package import ModelJSON
#endif

/// The functions that a page calls: JSON in, JSON out, and numbers for the curve.
///
/// Each function is a case of ``Function``, from which a page gets its name. Times are in seconds since 1970, amounts
/// in milligrams. ``CaffeineSettings``, ``LoggedDrink`` and ``DrinkOutbox/Entry`` define the JSON of `settings`, of
/// `drink` and of `entry`.
package struct CaffeineModule: Sendable {
    /// The functions by their names in JavaScript, with their arguments and the value that they return, if any.
    package enum Function: String, Hashable, Sendable, CaseIterable {
        /// `open(settings, drinks, revision)`: begins with the drinks of a revision of the server's store.
        case open
        /// `setSettings(settings)`.
        case setSettings
        /// `receiveDrinks(drinks, revision)`: takes the server's drinks, unless they are older.
        case receiveDrinks

        /// `drinks()`: all drinks, the newest first. An unconfirmed drink also has `isWaiting` and, if the server
        /// refused it, the `refusal`.
        case drinks
        /// `answers(time)`: the level, its range, and the answers.
        case answers
        /// `latestTimes(amounts, time)`: for each amount, the latest start of such a drink as `time`; true if any time
        /// is allowed, and false if none is.
        ///
        /// If such a drink is advised against for the rest of the day, the `objection` says why.
        case latestTimes
        /// `cups(time)`: today's `cups` and their `colour`.
        case cups
        /// `curve(start, step, count)`: the numbers are the level at each time, then its lower and then its upper bound.
        case curve

        /// `log(drink, time)`: logs a drink without an `id`, and returns the name of what is wrong with it, or null.
        case log
        /// `edit(drink, time)`: edits a drink, and returns the name of what is wrong with it, or null.
        case edit
        /// `delete(id)`: deletes a drink, and returns the name of the reason if that fails, or null.
        case delete

        /// `restore(entries)`: restores the entries of the browser's storage, except those that can't be read.
        case restore
        /// `stored(id, version, isStored)`: whether an entry could be written.
        case stored
        /// `answered(number, status, revision, detail, retryAfter)`: the response to a request; the status is null without one.
        case answered
        /// `timerEnded()`.
        case timerEnded
        /// `retry()`: the browser is online again, or the person asks for it.
        case retry
        /// `status()`: the `kind` of the status, how many changes are `waiting` or `refused`, the server's `reason`,
        /// and `isStored`: whether the browser's storage has all these changes.
        case status
    }

    private var session = CaffeineSession(
        settings: CaffeineSettings(
            profile: CaffeineProfile(
                halfLife: CaffeineLevel.usualHalfLife, usesSimpleDecay: false, threshold: 35, group: .adult),
            days: OwnerDays(clock: ClockTable(), start: 0), bedtime: 22 * 60 + 30))
    /// The numbers of the last call.
    package private(set) var numbers: [Double] = []

    /// A module without drinks.
    package init() {}
}

extension CaffeineModule {
    /// Calls a function.
    ///
    /// - Parameters:
    ///   - function: Which one.
    ///   - arguments: Its arguments, a list.
    /// - Returns: An object with the function's `value` and the `effects` that the page has to carry out.
    /// - Throws: ``CaffeineFormatError`` for arguments that the function doesn't take.
    package mutating func call(_ function: Function, _ arguments: JSON) throws(CaffeineFormatError) -> JSON {
        numbers = []
        let value = try value(of: function, try Arguments(arguments))
        return .object([JSON.Member("value", value), JSON.Member("effects", effects())])
    }

    private mutating func value(of function: Function, _ arguments: Arguments) throws(CaffeineFormatError) -> JSON {
        switch function {
        case .open:
            session = CaffeineSession(
                settings: try arguments.settings(0), drinks: try arguments.drinks(1),
                revision: try arguments.integer(2))
        case .setSettings: session.settings = try arguments.settings(0)
        case .receiveDrinks: session.receive(try arguments.drinks(0), revision: try arguments.integer(1))
        case .drinks, .answers, .latestTimes, .cups, .curve, .status: return try show(function, arguments)
        case .log, .edit, .delete: return try change(function, arguments)
        case .restore:
            guard case .array(let entries) = try arguments.json(0) else {
                throw CaffeineFormatError("It is not a list.", at: "[0]")
            }
            // An entry that can't be read can't be sent either: it was cut off, or is a newer version's.
            session.restore(entries.compactMap { try? DrinkOutbox.Entry($0) })
        case .stored:
            session.receiveStored(
                try arguments.string(0), version: try arguments.integer(1), isStored: try arguments.bool(2))
        case .answered:
            let outcome = DrinkOutbox.Outcome(
                status: arguments.optional(1)?.integer, revision: arguments.optional(2)?.integer,
                detail: arguments.optional(3)?.string, after: arguments.optional(4)?.number ?? 0)
            var generator = SystemRandomNumberGenerator()
            session.receive(outcome, of: try arguments.integer(0), using: &generator)
        case .timerEnded: session.timerEnded()
        case .retry: session.retry()
        }
        return .null
    }
}

// MARK: - Groups of functions

extension CaffeineModule {
    private mutating func show(_ function: Function, _ arguments: Arguments) throws(CaffeineFormatError) -> JSON {
        switch function {
        case .drinks: return .array(session.drinks.map { drink in shown(drink) })
        case .answers: return session.answers(at: try arguments.time(0)).json
        case .latestTimes:
            let answers = session.answers(at: try arguments.time(1))
            return .array(
                try arguments.json(0).list { (json: JSON) throws(CaffeineFormatError) -> JSON in
                    guard let amount = json.number else { throw CaffeineFormatError("It is not a number.") }
                    let latest = answers.latestTime(for: amount)
                    let objection = answers.objection(to: amount, latest: latest)
                    return .object([
                        JSON.Member("time", latest.json), JSON.Member("objection", objection.map { $0.json } ?? .null),
                    ])
                })
        case .cups:
            let cups = session.cupsToday(at: try arguments.time(0))
            return .object([
                JSON.Member("cups", .number(cups)),
                JSON.Member("colour", .string(CaffeineColour(cups: cups).rawValue)),
            ])
        case .curve: showCurve(try arguments.times(from: 0))
        default: return OutboxStatus(session.outbox).json
        }
        return .null
    }

    private func shown(_ drink: LoggedDrink) -> JSON {
        guard case .object(var members) = drink.json else { return .null }
        guard let entry = session.outbox.entry(drink.id) else { return .object(members) }
        members.append(JSON.Member("isWaiting", .bool(true)))
        if let refusal = entry.refusal { members.append(JSON.Member("refusal", .string(refusal))) }
        return .object(members)
    }

    private mutating func showCurve(_ times: LevelTimes) {
        // The oldest first, as on the server: sums of many numbers depend on their order.
        let intakes = Array(session.drinks.map { $0.intake }.reversed())
        let profile = session.settings.profile
        let band = profile.band
        numbers = profile.level.sum(of: intakes, at: times)
        numbers += band.low.sum(of: intakes, at: times)
        numbers += band.high.sum(of: intakes, at: times)
    }

    private mutating func change(_ function: Function, _ arguments: Arguments) throws(CaffeineFormatError) -> JSON {
        if function == .delete { return Self.json(of: session.delete(try arguments.string(0))) }
        let now = try arguments.time(1)
        var generator = SystemRandomNumberGenerator()
        let id = function == .edit ? nil : LoggedDrink.newID(using: &generator)
        let drink = try arguments.drink(0, id: id)
        do throws(DrinkFault) {
            if function == .edit { return Self.json(of: try session.edit(drink, now: now)) }
            return Self.json(of: try session.log(drink, now: now))
        } catch {
            return .string(error.name)
        }
    }

    private static func json(of fault: OutboxFault?) -> JSON { fault.map { .string($0.rawValue) } ?? .null }
}

// MARK: - Effects

extension CaffeineModule {
    private mutating func effects() -> JSON {
        let effects = session.takeEffects()
        var members = [JSON.Member("waiting", .number(Double(session.outbox.entries.count)))]
        func add(_ name: String, _ value: JSON) { members.append(JSON.Member(name, value)) }
        if !effects.storing.isEmpty {
            add("storing", .array(effects.storing.map { storing in json(of: storing) }))
        }
        if let request = effects.request {
            add(
                "request",
                .object([
                    JSON.Member("number", .number(Double(request.number))), JSON.Member("body", request.json),
                ]))
        }
        if let timer = effects.timer { add("timer", .array([timer.map { .number($0) } ?? .null])) }
        if !effects.confirmed.isEmpty {
            add("confirmed", .array(effects.confirmed.map { .string($0.drink.id) }))
        }
        if !effects.refused.isEmpty {
            add(
                "refused",
                .array(
                    effects.refused.map { refusal in
                        .object([
                            JSON.Member("name", .string(refusal.name)), JSON.Member("reason", .string(refusal.reason)),
                        ])
                    }))
        }
        return .object(members)
    }

    /// A change of the browser's storage: an entry's `id`, and its `version` and the `entry` if it must be written.
    private func json(of storing: DrinkOutbox.Storing) -> JSON {
        var members = [JSON.Member("id", .string(storing.id))]
        if case .write(let id) = storing, let entry = session.outbox.entry(id) {
            members.append(JSON.Member("version", .number(Double(entry.version))))
            members.append(JSON.Member("entry", entry.json))
        }
        return .object(members)
    }
}

// MARK: - Arguments

/// The arguments of a call.
private struct Arguments {
    private let values: [JSON]

    init(_ json: JSON) throws(CaffeineFormatError) {
        guard case .array(let values) = json else { throw CaffeineFormatError("It is not a list.") }
        self.values = values
    }

    func json(_ index: Int) throws(CaffeineFormatError) -> JSON {
        guard values.indices.contains(index) else { throw CaffeineFormatError("It is missing.", at: "[\(index)]") }
        return values[index]
    }

    func optional(_ index: Int) -> JSON? { values.indices.contains(index) ? values[index] : nil }

    private func value<Value>(
        _ index: Int, _ noun: String, _ read: (JSON) -> Value?
    ) throws(CaffeineFormatError) -> Value {
        guard let value = read(try json(index)) else {
            throw CaffeineFormatError("It is not \(noun).", at: "[\(index)]")
        }
        return value
    }

    func string(_ index: Int) throws(CaffeineFormatError) -> String { try value(index, "a text") { $0.string } }
    func integer(_ index: Int) throws(CaffeineFormatError) -> Int { try value(index, "an integer") { $0.integer } }
    func bool(_ index: Int) throws(CaffeineFormatError) -> Bool { try value(index, "a boolean") { $0.bool } }

    func number(_ index: Int, in range: ClosedRange<Double>) throws(CaffeineFormatError) -> Double {
        guard let number = try json(index).number, range.contains(number) else {
            throw CaffeineFormatError(JSON.expectation(of: range), at: "[\(index)]")
        }
        return number
    }

    func time(_ index: Int) throws(CaffeineFormatError) -> Double { try number(index, in: plausibleTimes) }

    /// A start, a step and a count.
    func times(from index: Int) throws(CaffeineFormatError) -> LevelTimes {
        let count = try number(index + 2, in: 1...10_000)
        return LevelTimes(
            start: try time(index), step: try number(index + 1, in: 1...1e6), count: Int(count.rounded(.down)))
    }

    private func decoded<Value>(
        _ index: Int, _ read: (JSON) throws(CaffeineFormatError) -> Value
    ) throws(CaffeineFormatError) -> Value {
        let json = try json(index)
        do throws(CaffeineFormatError) {
            return try read(json)
        } catch {
            throw error.within("[\(index)]")
        }
    }

    func settings(_ index: Int) throws(CaffeineFormatError) -> CaffeineSettings {
        try decoded(index) { json throws(CaffeineFormatError) in try CaffeineSettings(json) }
    }

    func drinks(_ index: Int) throws(CaffeineFormatError) -> [LoggedDrink] {
        try decoded(index) { json throws(CaffeineFormatError) in
            try json.list { json throws(CaffeineFormatError) in try LoggedDrink(json) }
        }
    }

    /// Reads a drink; if `id` is given, it replaces the drink's own identifier.
    func drink(_ index: Int, id: String?) throws(CaffeineFormatError) -> LoggedDrink {
        try decoded(index) { json throws(CaffeineFormatError) in
            guard let id, case .object(let members) = json else { return try LoggedDrink(json) }
            let others = members.filter { compareBytes($0.name, "id") != 0 }
            return try LoggedDrink(.object([JSON.Member("id", .string(id))] + others))
        }
    }
}
