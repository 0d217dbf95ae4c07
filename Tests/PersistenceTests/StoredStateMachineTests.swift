import Foundation
import Testing

@testable import Persistence

/// What a kept value knows of its store, without any concurrency: every order of events, up to a length.
@Suite(.timeLimit(.minutes(20))) struct StoredStateMachineTests {
    @Test func everyOrderOfEventsLosesNothing() {
        var count = 0
        let problem = World().firstProblem(within: 8, counting: &count)
        #expect(problem == nil)
        #expect(count > 20_000, "\(count) orders")
    }
}

/// A machine, what a kept value around it does, and a store that others write to.
private struct World: EventDriven {
    enum Event: CaseIterable {
        case set
        case othersWrite
        case othersRemove
        case othersWriteNewer
        case notice
        case begin
        case succeed
        case succeedForOther
        case fail
        case failAfterwards
    }

    private enum Phase {
        case idle
        case reading
        case decoding(StoredRecord)
        case committing(StoredStateMachine.Write, StoredContent?)
    }

    /// What is wrong first.
    private(set) var problem: String?
    private var machine = StoredStateMachine()
    private var phase = Phase.idle
    private var kept: StoredRecord?
    private var revisions = 0
    private var values = 0
    /// What is shown: the default is 0.
    private var local = 0
    /// What each value was made from: whoever has it has those too.
    private var parents: [Int: [Int]] = [:]
    /// What is somewhere else, or was thrown away on purpose.
    private var elsewhere: Set<Int> = []
    private var others = 0

    init() {}

    func isPossible(_ event: Event) -> Bool {
        switch (event, phase) {
        case (.set, _), (.notice, _): true
        // Twice is enough.
        case (.othersWrite, _): others < 2
        case (.othersRemove, _), (.othersWriteNewer, _): others < 2 && kept != nil
        case (.begin, .idle), (.succeed, .reading), (.succeed, .decoding), (.succeed, .committing): true
        case (.succeedForOther, .decoding), (.fail, .reading), (.fail, .committing): true
        case (.failAfterwards, .committing): true
        case (.begin, _), (.succeed, _), (.succeedForOther, _), (.fail, _), (.failAfterwards, _): false
        }
    }

    mutating func happen(_ event: Event) {
        switch event {
        case .set: set()
        case .othersWrite: write(version: 1)
        case .othersWriteNewer: write(version: 2)
        case .othersRemove:
            others += 1
            throwAway()
            kept = nil
        case .notice: _ = machine.noticed(kept?.revision)
        case .begin: begin()
        case .succeed: succeed(isLocalWinner: true)
        case .succeedForOther: succeed(isLocalWinner: false)
        case .fail: fail()
        case .failAfterwards:
            if case .committing(let write, let content) = phase, fits(write, content) { put(write, content) }
            fail()
        }
        checkStatus()
    }

    /// Lets everything go well, and others be quiet.
    mutating func drain() {
        _ = machine.noticed(kept?.revision)
        for _ in 0..<20 {
            switch phase {
            case .idle:
                begin()
                if case .idle = phase { return checkEnd() }
            case .reading, .decoding, .committing:
                succeed(isLocalWinner: true)
            }
        }
        note("it goes on for ever")
    }

    private mutating func set() {
        guard machine.set() else { return }
        values += 1
        parents[values] = [local]
        local = values
    }

    private mutating func write(version: Int) {
        others += 1
        values += 1
        if let kept { parents[values] = [Self.value(kept.content)] }
        revisions += 1
        kept = StoredRecord(content: Self.content(values, version: version), revision: Revision("\(revisions)"))
    }

    private mutating func throwAway() {
        if let kept { elsewhere.insert(Self.value(kept.content)) }
    }

    private mutating func begin() {
        switch machine.next() {
        case .read: phase = .reading
        case .write(let write):
            let content = write.number.map { _ in Self.content(local, version: 1) }
            if let number = write.number, let content, machine.isKept(content, as: number) { return begin() }
            machine.commits(write, content)
            phase = .committing(write, content)
        case .refuse(let error): machine.ended(error)
        case .done: machine.ended(nil)
        }
    }

    private mutating func succeed(isLocalWinner: Bool) {
        let before = phase
        phase = .idle
        switch before {
        case .idle: break
        case .reading: find()
        case .decoding(let record): decode(record, isLocalWinner: isLocalWinner)
        case .committing(let write, let content):
            guard fits(write, content) else {
                machine.conflicted()
                return find()
            }
            put(write, content)
            let base = content.map { StoredStateMachine.Base(content: $0, revision: kept?.revision) }
            _ = machine.committed(write, base)
        }
    }

    private mutating func find() {
        switch machine.found(kept) {
        case .nothingNew: break
        case .removed: local = 0
        case .decode: if let kept { phase = .decoding(kept) }
        }
    }

    private mutating func decode(_ record: StoredRecord, isLocalWinner: Bool) {
        guard record.content.version == 1 else {
            return machine.refused(PersistenceError(.newerVersion, "It is newer."))
        }
        switch machine.decoded(record) {
        case .take: local = Self.value(record.content)
        case .resolve where isLocalWinner:
            machine.resolved(.local, losing: loser(.foreign, Self.value(record.content)))
        case .resolve:
            machine.resolved(.foreign, losing: loser(.local, local))
            local = Self.value(record.content)
        }
    }

    private func loser(_ side: StoredStateMachine.Loser.Side, _ value: Int) -> StoredStateMachine.Loser {
        StoredStateMachine.Loser(side: side) { () throws(PersistenceError) in Self.content(value, version: 1) }
    }

    private mutating func fail() {
        switch phase {
        case .idle, .decoding: break
        case .reading: machine.readFailed()
        case .committing: machine.commitFailed()
        }
        phase = .idle
        machine.ended(.broken)
    }

    private func fits(_ write: StoredStateMachine.Write, _ content: StoredContent?) -> Bool {
        guard content != nil else { return true }
        return switch write.expectation {
        case .anything: true
        case .nothing: kept == nil
        case .revision(let revision): kept?.revision == revision
        }
    }

    private mutating func put(_ write: StoredStateMachine.Write, _ content: StoredContent?) {
        for loser in write.losers {
            if let content = try? loser.encoding() { elsewhere.insert(Self.value(content)) }
        }
        guard let content else { return }
        if let kept, kept.content.version == 2 { note("something newer is overwritten") }
        revisions += 1
        kept = StoredRecord(content: content, revision: Revision("\(revisions)"))
    }

    /// What is called saved is in the store, unless another has written since.
    private mutating func checkStatus() {
        guard machine.status.isSaved, let base = machine.base else { return }
        if let kept, kept.revision == base.revision, Self.value(kept.content) != local {
            note("\(local) is called saved, and \(kept) is kept")
        }
    }

    private mutating func checkEnd() {
        if kept?.content.version == 2 {
            if machine.status.failure?.code != .newerVersion { note("\(machine.status), and it is newer") }
            return
        }
        if !machine.status.isSaved { note("\(machine.status) at the end") }
        if local != (kept.map { Self.value($0.content) } ?? 0) {
            note("\(local) is shown, and \(String(describing: kept)) is kept")
        }
        var found = elsewhere.union([local, 0])
        var open = found
        while let value = open.popFirst() {
            for parent in parents[value, default: []] where found.insert(parent).inserted { open.insert(parent) }
        }
        let lost = Set(0...values).subtracting(found)
        if !lost.isEmpty { note("\(lost) are lost") }
    }

    private mutating func note(_ text: String) {
        if problem == nil { problem = text }
    }

    private static func content(_ value: Int, version: Int) -> StoredContent {
        StoredContent(format: "number", version: version, payload: Data("\(value)".utf8))
    }

    private static func value(_ content: StoredContent) -> Int {
        Int(String(decoding: content.payload, as: UTF8.self)) ?? 0
    }
}
