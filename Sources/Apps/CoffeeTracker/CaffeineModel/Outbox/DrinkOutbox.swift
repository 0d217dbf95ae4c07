#if canImport(ModelJSON)
    import ModelJSON
#endif

/// The changes to drinks that a person made on a page, and that the server hasn't confirmed yet.
///
/// Each change is written to the browser's storage, then sent, one at a time, and retried until the server confirms or refuses it.
/// This is a pure state machine: every event is a mutating function, and ``takeEffects()`` returns what the page has to do then.
///
/// The server must treat a ``Request`` like this, in one transaction:
/// - If it never had the drink, it adds the drink. For a deletion, it also marks the drink as deleted at once, so that
///   an earlier attempt that arrives late doesn't add it again.
/// - If it has deleted the drink, it changes nothing, and confirms.
/// - If its drink equals the request's drink or one of ``Request/replaced``, it replaces or deletes it, and confirms.
/// - If its drink is another one, the drink was changed elsewhere, and the server refuses the request.
///
/// Then every attempt may arrive twice, or after a later one, and each change takes effect once. There is one
/// exception: if a drink is edited and then edited back, an attempt to send the first edit may arrive after the second
/// edit was confirmed, and undoes the second edit.
package struct DrinkOutbox: Hashable, Sendable {
    /// A drink with an unconfirmed change.
    package struct Entry: Hashable, Sendable {
        /// The drink after the change, or before its deletion.
        package internal(set) var drink: LoggedDrink
        /// Whether it was deleted.
        package internal(set) var isDeleted: Bool
        /// The version of the change; a later change of any drink has a greater one.
        package internal(set) var version: Int
        /// The versions of the drink that the server may have, the oldest first: those sent or confirmed before this
        /// change.
        package internal(set) var replaced: [LoggedDrink]
        /// Why the server has refused the change.
        package internal(set) var refusal: String?
        /// Whether this version is in the browser's storage.
        package internal(set) var isStored = false
        /// Whether the browser has stored this version, or was unable to.
        var isSettled = false
        /// Whether this version may have reached the server.
        var isExposed = false
        /// How often it was sent.
        var attempts = 0

        /// An entry of a browser's storage; it may have been sent before the page ended.
        package init(stored drink: LoggedDrink, isDeleted: Bool, version: Int, replaced: [LoggedDrink]) {
            self.init(drink, isDeleted: isDeleted, version: version, replaced: replaced)
            (isStored, isSettled, isExposed) = (true, true, true)
        }

        init(_ drink: LoggedDrink, isDeleted: Bool, version: Int, replaced: [LoggedDrink]) {
            (self.drink, self.isDeleted) = (drink, isDeleted)
            (self.version, self.replaced) = (version, replaced)
        }
    }

    /// One attempt to send a change.
    package struct Request: Hashable, Sendable {
        /// The number of the attempt, by which its outcome is reported.
        package let number: Int
        /// The drink after the change, or before its deletion.
        package let drink: LoggedDrink
        /// Whether it was deleted.
        package let isDeleted: Bool
        /// The versions of the drink that the server may have, the oldest first.
        package let replaced: [LoggedDrink]
    }

    /// A change of the browser's storage.
    package enum Storing: Hashable, Sendable {
        /// Write the entry of this drink, and report with ``DrinkOutbox/receiveStored(_:version:isStored:)``.
        case write(String)
        /// Remove the entry of this drink.
        case remove(String)

        var id: String {
            switch self {
            case .write(let id), .remove(let id): id
            }
        }
    }

    /// A change that the server has confirmed.
    package struct Confirmation: Hashable, Sendable {
        /// The drink after the change, or before its deletion.
        package let drink: LoggedDrink
        /// Whether it was deleted.
        package let isDeleted: Bool
        /// The revision of the server's store that includes it.
        package let revision: Int
    }

    /// A change that the server has refused.
    package struct Refusal: Hashable, Sendable {
        /// The drink's name.
        package let name: String
        /// The server's reason, as a sentence.
        package let reason: String
    }

    /// What the page has to do after events.
    package struct Effects: Hashable, Sendable {
        /// Changes of the browser's storage, to be made in this order and after those of earlier calls.
        package var storing: [Storing] = []
        /// What to send.
        package var request: Request?
        /// The milliseconds after which to call ``DrinkOutbox/timerEnded()``; `nil` stops the timer.
        package var timer: Double??
        /// Changes that the server has confirmed; each once.
        package var confirmed: [Confirmation] = []
        /// Changes that the server has refused; each once.
        package var refused: [Refusal] = []

        package init() {}
    }

    /// The attempt that is under way.
    private struct Attempt: Hashable, Sendable {
        var number: Int
        var id: String
        var version: Int
    }

    /// The maximum number of entries; the server accepts at most 200 drinks a day.
    package static let maximumEntries = 1_000

    /// The entries, in the order in which their drinks were changed first.
    package private(set) var entries: [Entry] = []
    /// The server's reason why the last attempt failed, if it gave one.
    package private(set) var failure: String?
    private var attempt: Attempt?
    private var lastNumber = 0
    private var lastVersion = 0
    /// How many attempts have failed one after another.
    package private(set) var failureCount = 0
    private var isWaiting = false
    private var effects = Effects()

    package init() {}
}

extension DrinkOutbox {
    /// Returns what the page has to do since the last call.
    package mutating func takeEffects() -> Effects {
        defer { effects = Effects() }
        return effects
    }

    /// The entry of a drink.
    package func entry(_ id: String) -> Entry? { index(id).map { entries[$0] } }

    private func index(_ id: String) -> Int? { entries.firstIndex { compareBytes($0.drink.id, id) == 0 } }
}

// MARK: - What the person does

extension DrinkOutbox {
    /// Adds a new drink; `false` if too many wait already.
    package mutating func add(_ drink: LoggedDrink) -> Bool { append(drink, replaced: []) }

    /// Edits a drink.
    ///
    /// - Parameters:
    ///   - drink: The drink after the edit.
    ///   - seen: The drink as the server has it, if the outbox has no entry of it.
    /// - Returns: Whether the edit was added; `false` if the drink was deleted, or too many changes wait already.
    package mutating func edit(_ drink: LoggedDrink, over seen: LoggedDrink) -> Bool {
        guard let index = index(drink.id) else { return append(drink, replaced: [seen]) }
        guard !entries[index].isDeleted else { return false }
        if entries[index].refusal == nil, entries[index].drink == drink { return true }
        noteSeen(seen, index)
        change(index) { $0.drink = drink }
        return true
    }

    /// Deletes a drink; `false` if too many changes wait already.
    ///
    /// If the outbox has no entry of the drink, `seen` must be the server's version.
    package mutating func delete(_ seen: LoggedDrink) -> Bool {
        guard let index = index(seen.id) else { return append(seen, isDeleted: true, replaced: [seen]) }
        let entry = entries[index]
        if entry.isDeleted { return true }
        if entry.isExposed || !entry.replaced.isEmpty {
            noteSeen(seen, index)
            change(index) { $0.isDeleted = true }
        } else {
            // The server can't have it.
            remove(index)
            sendNext()
        }
        return true
    }

    /// Takes over entries of the browser's storage, in their order.
    package mutating func restore(_ stored: [Entry]) {
        entries = stored.filter { index($0.drink.id) == nil } + entries
        for entry in stored { lastVersion = max(lastVersion, entry.version) }
        sendNext()
    }

    private mutating func append(_ drink: LoggedDrink, isDeleted: Bool = false, replaced: [LoggedDrink]) -> Bool {
        guard entries.count < Self.maximumEntries, index(drink.id) == nil else { return false }
        lastVersion += 1
        entries.append(Entry(drink, isDeleted: isDeleted, version: lastVersion, replaced: replaced))
        store(.write(drink.id))
        return true
    }

    /// Records the server's version of the drink, which the person has now seen, if the server refused the last change.
    private mutating func noteSeen(_ seen: LoggedDrink, _ index: Int) {
        if entries[index].refusal != nil, !entries[index].replaced.contains(seen) {
            entries[index].replaced.append(seen)
        }
    }

    private mutating func change(_ index: Int, _ body: (inout Entry) -> Void) {
        if entries[index].isExposed, entries[index].replaced.last != entries[index].drink {
            entries[index].replaced.append(entries[index].drink)
        }
        body(&entries[index])
        lastVersion += 1
        entries[index].version = lastVersion
        (entries[index].isStored, entries[index].isSettled, entries[index].isExposed) = (false, false, false)
        (entries[index].refusal, entries[index].attempts) = (nil, 0)
        store(.write(entries[index].drink.id))
    }

    private mutating func remove(_ index: Int) {
        store(.remove(entries[index].drink.id))
        entries.remove(at: index)
    }

    /// Adds a change of the storage, which replaces earlier ones of the same entry that the page hasn't made yet.
    private mutating func store(_ storing: Storing) {
        effects.storing.removeAll { compareBytes($0.id, storing.id) == 0 }
        effects.storing.append(storing)
    }
}

// MARK: - What the browser reports

extension DrinkOutbox {
    /// A version of an entry was written to the browser's storage, or couldn't be: then it is sent nevertheless.
    package mutating func receiveStored(_ id: String, version: Int, isStored: Bool) {
        guard let index = index(id), version == entries[index].version else { return }
        entries[index].isSettled = true
        entries[index].isStored = isStored
        sendNext()
    }

    /// The timer has ended.
    package mutating func timerEnded() {
        isWaiting = false
        sendNext()
    }

    /// Sends at once what waits for the timer: the browser is online again, or the person asks for it.
    package mutating func retry() {
        if isWaiting { effects.timer = .some(nil) }
        (isWaiting, failureCount) = (false, 0)
        sendNext()
    }
}

// MARK: - Sending

extension DrinkOutbox {
    /// The outcome of an attempt; those of attempts that aren't under way are ignored.
    package mutating func receive(
        _ outcome: Outcome, of number: Int, using generator: inout some RandomNumberGenerator
    ) {
        guard let ended = attempt, ended.number == number else { return }
        attempt = nil
        switch outcome {
        case .confirmed(let revision): confirm(ended, revision)
        case .refused(let words): refuse(ended, words)
        case .failed(let words, let seconds):
            failure = words
            failureCount += 1
            isWaiting = true
            effects.timer = .some(1000 * max(Self.delay(failureCount, using: &generator), min(seconds, 3600)))
            return
        }
        (failure, failureCount) = (nil, 0)
        sendNext()
    }

    private mutating func confirm(_ ended: Attempt, _ revision: Int) {
        // A drink that was changed meanwhile is sent again, to replace what the server has now.
        guard let index = index(ended.id), entries[index].version == ended.version else { return }
        let entry = entries[index]
        effects.confirmed.append(
            Confirmation(drink: entry.drink, isDeleted: entry.isDeleted, revision: revision))
        remove(index)
    }

    private mutating func refuse(_ ended: Attempt, _ words: String) {
        guard let index = index(ended.id), entries[index].version == ended.version else { return }
        effects.refused.append(Refusal(name: entries[index].drink.name, reason: words))
        if entries[index].isDeleted {
            // The server keeps its drink.
            remove(index)
        } else {
            // It stays until the person edits or deletes it.
            entries[index].refusal = words
            entries[index].isExposed = false
        }
    }

    /// Sends the next entry, unless an attempt is under way or the timer is running.
    private mutating func sendNext() {
        guard attempt == nil, !isWaiting else { return }
        // The first of those that were sent least often: a drink that always fails doesn't keep the others waiting.
        let sendable = entries.indices.filter { entries[$0].isSettled && entries[$0].refusal == nil }
        guard let index = sendable.min(by: { entries[$0].attempts < entries[$1].attempts }) else { return }
        lastNumber += 1
        entries[index].isExposed = true
        entries[index].attempts += 1
        let entry = entries[index]
        attempt = Attempt(number: lastNumber, id: entry.drink.id, version: entry.version)
        effects.request = Request(
            number: lastNumber, drink: entry.drink, isDeleted: entry.isDeleted, replaced: entry.replaced)
    }

    /// The seconds to wait after a number of failures: 1, 2, 4 and so on up to about 5 minutes, and randomly up to half less, so
    /// that many pages don't send at the same moment.
    private static func delay(_ failures: Int, using generator: inout some RandomNumberGenerator) -> Double {
        let chance = Double(generator.next() >> 11) * 0x1p-53
        return min(300, Double(1 << min(failures - 1, 9))) * (1 - chance / 2)
    }
}
