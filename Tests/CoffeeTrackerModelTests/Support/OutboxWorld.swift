import CaffeineModel

/// An outbox with one drink and its surroundings: the browser's storage, a network and the server.
///
/// The network may deliver requests late, or never. Each event that can happen next is a case of ``Event``.
struct OutboxWorld: Hashable {
    enum Event: Hashable {
        /// The person logs, edits or deletes the drink.
        case add, edit, delete
        /// The browser carries out the next change of its storage, or can't.
        case store, failToStore
        /// A request reaches the server, or never does.
        case deliver(Int)
        case lose(Int)
        /// The page receives the answer that it waits for, or stops waiting; its request may still arrive.
        case receive, giveUp
        /// The timer ends.
        case timer
        /// The page crashes, and is opened again.
        case crash
    }

    /// How many of some events may happen.
    struct Budget: Hashable {
        var changes = 3
        var timeouts = 2
        var crashes = 0
        var storageFailures = 0
    }

    /// The state of the drink on the server or on the page.
    enum Record: Hashable {
        case none
        case present(LoggedDrink)
        case deleted
    }

    private enum Write: Hashable {
        case entry(DrinkOutbox.Entry)
        case removal
    }

    private struct Sent: Hashable {
        /// The number of crashes before the request: after a crash, the page gets no answers to earlier requests.
        var crashes: Int
        var request: DrinkOutbox.Request
    }

    private struct Answer: Hashable {
        var number: Int
        var outcome: DrinkOutbox.Outcome
    }

    private static let id = "00000000-0000-4000-8000-000000000001"

    private var outbox = DrinkOutbox()
    private var stored: DrinkOutbox.Entry?
    private var writes: [Write] = []
    private var network: [Sent] = []
    private var crashes = 0
    private var awaited: Int?
    private var answer: Answer?
    private var hasTimer = false
    private var budget: Budget
    /// Whether the server applies every request, even one that its record of the drink forbids.
    private let appliesEveryRequest: Bool
    private var record = Record.none
    private var revision = 0
    private var additions = 0
    /// The drink on the server, as far as the page knows.
    private var known = Record.none
    /// What the person was shown last.
    private var shown = Record.none
    private var edits = 0
    /// How often the server's confirmation of the last change was reported.
    private var confirmations = 0
    /// What is wrong; `nil` if nothing is.
    private(set) var violation: String?

    init(_ budget: Budget, appliesEveryRequest: Bool = false) {
        (self.budget, self.appliesEveryRequest) = (budget, appliesEveryRequest)
    }
}

// MARK: - Events

extension OutboxWorld {
    /// The events that can happen next.
    var events: [Event] {
        var events: [Event] = []
        if budget.changes > 0 {
            if case .none = shown { events.append(.add) }
            if case .present = shown { events += [.edit, .delete] }
        }
        if let write = writes.first {
            events.append(.store)
            if case .entry = write, budget.storageFailures > 0 { events.append(.failToStore) }
        }
        for index in network.indices {
            events.append(.deliver(index))
            if !isAwaited(network[index]) { events.append(.lose(index)) }
        }
        if answer != nil { events.append(.receive) }
        if awaited != nil, budget.timeouts > 0 { events.append(.giveUp) }
        if hasTimer { events.append(.timer) }
        if budget.crashes > 0, shown != .none { events.append(.crash) }
        return events
    }

    mutating func happen(_ event: Event) {
        switch event {
        case .add: change(to: .present(drink)) { world in world.outbox.add(world.drink) }
        case .edit:
            edits += 1
            change(to: .present(drink)) { world in world.outbox.edit(world.drink, over: world.seen) }
        case .delete: change(to: .deleted) { world in world.outbox.delete(world.seen) }
        case .store: store(isStored: true)
        case .failToStore:
            budget.storageFailures -= 1
            store(isStored: false)
        case .deliver(let index): serve(network.remove(at: index))
        case .lose(let index): network.remove(at: index)
        case .receive:
            if let answer { receive(answer) }
        case .giveUp:
            budget.timeouts -= 1
            if let awaited {
                receive(Answer(number: awaited, outcome: .failed(nil, after: 0)))
            }
        case .timer:
            hasTimer = false
            outbox.timerEnded()
        case .crash: crash()
        }
        carryOut()
        check()
    }

    private var drink: LoggedDrink {
        // No edit restores an earlier drink: see the exception that `DrinkOutbox` describes.
        LoggedDrink(
            id: Self.id, name: "Coffee", emoji: "☕️", milligrams: Double(100 + edits), start: 1_000, timeZone: "UTC")
    }

    private var seen: LoggedDrink {
        if let entry = outbox.entry(Self.id) { return entry.drink }
        if case .present(let drink) = known { return drink }
        return drink
    }

    private mutating func change(to record: Record, _ body: (inout OutboxWorld) -> Bool) {
        budget.changes -= 1
        if !body(&self) { violation = "A change was not taken." }
        (shown, confirmations) = (record, 0)
    }

    private mutating func store(isStored: Bool) {
        switch writes.removeFirst() {
        case .entry(let entry):
            if isStored { stored = entry }
            outbox.receiveStored(entry.drink.id, version: entry.version, isStored: isStored)
        case .removal: stored = nil
        }
    }

    private mutating func receive(_ answer: Answer) {
        var generator = ConstantGenerator()
        (self.answer, awaited) = (nil, nil)
        outbox.receive(answer.outcome, of: answer.number, using: &generator)
    }

    private mutating func crash() {
        budget.crashes -= 1
        crashes += 1
        (outbox, writes, awaited, answer, hasTimer, confirmations) = (DrinkOutbox(), [], nil, nil, false, 0)
        // The page opens with the server's drinks and with what the storage has.
        (known, shown) = (record, record)
        guard let stored else { return }
        shown = stored.isDeleted ? .deleted : .present(stored.drink)
        outbox.restore([
            DrinkOutbox.Entry(
                stored: stored.drink, isDeleted: stored.isDeleted, version: stored.version, replaced: stored.replaced)
        ])
    }

    /// Carries out the outbox's effects.
    private mutating func carryOut() {
        let effects = outbox.takeEffects()
        for storing in effects.storing {
            switch storing {
            case .write(let id):
                if let entry = outbox.entry(id) { writes.append(.entry(entry)) }
            case .remove: writes.append(.removal)
            }
        }
        if let request = effects.request {
            if awaited != nil { violation = "Two attempts are under way." }
            network.append(Sent(crashes: crashes, request: request))
            awaited = request.number
        }
        if let timer = effects.timer { hasTimer = timer != nil }
        for confirmation in effects.confirmed {
            confirmations += 1
            known = confirmation.isDeleted ? .deleted : .present(confirmation.drink)
        }
        if !effects.refused.isEmpty { violation = "A change was refused." }
    }
}

// MARK: - The server

extension OutboxWorld {
    private func isAwaited(_ sent: Sent) -> Bool { sent.crashes == crashes && sent.request.number == awaited }

    /// The server's transaction, as `DrinkOutbox` describes it.
    private mutating func serve(_ sent: Sent) {
        let request = sent.request
        var outcome = DrinkOutbox.Outcome.confirmed(revision: revision + 1)
        switch record {
        case .none:
            additions += 1
            record = request.isDeleted ? .deleted : .present(request.drink)
        case .deleted:
            if appliesEveryRequest, !request.isDeleted {
                additions += 1
                record = .present(request.drink)
            }
        case .present(let drink):
            if appliesEveryRequest || drink == request.drink || request.replaced.contains(drink) {
                record = request.isDeleted ? .deleted : .present(request.drink)
            } else {
                outcome = .refused("It was changed elsewhere.")
            }
        }
        revision += 1
        if isAwaited(sent) { answer = Answer(number: request.number, outcome: outcome) }
    }
}

// MARK: - What must be true

extension OutboxWorld {
    private mutating func check() {
        if additions > 1 { violation = "The drink was added twice." }
        if confirmations > 1 { violation = "A change was confirmed twice." }
        guard writes.isEmpty, network.isEmpty, awaited == nil, !hasTimer, shown != .none else { return }
        if !outbox.entries.isEmpty { violation = "A change waits for ever." }
        if stored != nil { violation = "The storage has a change that is confirmed." }
        if record != shown, !(record == .none && shown == .deleted) { violation = "The server has another drink." }
    }
}

/// A generator that always returns 0.
private struct ConstantGenerator: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
}

// MARK: - Exploring

/// Explores every order of events, beginning with a given world.
struct OutboxExploration {
    /// The worlds that were reached, each once.
    private(set) var worlds: Set<OutboxWorld> = []
    /// The first violation, with the events that lead to it.
    private(set) var violation: String?
    private(set) var path: [OutboxWorld.Event] = []

    init(_ world: OutboxWorld) {
        var steps: [(world: OutboxWorld, path: [OutboxWorld.Event])] = [(world, [])]
        while let step = steps.popLast() {
            if let fault = step.world.violation {
                (violation, path) = (fault, step.path)
                return
            }
            guard worlds.insert(step.world).inserted else { continue }
            for event in step.world.events {
                var next = step.world
                next.happen(event)
                steps.append((next, step.path + [event]))
            }
        }
    }
}
