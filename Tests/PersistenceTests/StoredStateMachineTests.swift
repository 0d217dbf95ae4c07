import Foundation
import Testing

@testable import Persistence

/// The state machine of a stored value, without concurrency: every order of events up to a certain length.
@Suite(.timeLimit(.minutes(20))) struct StoredStateMachineTests {
    @Test func everyOrderOfEventsLosesNothing() {
        var count = 0
        let problem = World().firstProblem(within: 8, counting: &count)
        #expect(problem == nil)
        #expect(count > 20_000, "\(count) orders")
    }

    @Test(arguments: [false, true])
    func foreignRecordEqualToAFailedWriteIsDecoded(isFailedWriteStored: Bool) {
        let (old, new) = (StoredContent.text("old"), StoredContent.text("new"))
        var machine = StoredStateMachine()
        machine.synchronise(with: old, "1", local: old)
        _ = machine.set()
        machine.synchronise(with: old, "1", local: new)
        if isFailedWriteStored {
            machine.synchronise(with: new, "2", local: new)
            _ = machine.storeChanged(.success(Revision("3")))
            machine.synchronise(with: .text("foreign"), "3", local: new)
        } else {
            // The change is undone.
            _ = machine.set()
            machine.synchronise(with: old, "1", local: old)
        }
        _ = machine.storeChanged(.success(Revision("4")))
        let isDecoded = machine.synchronise(with: new, "4", local: old)
        #expect(isDecoded)
    }
}

extension StoredStateMachine {
    /// Synchronises once, with a store that contains this content and fails to commit.
    ///
    /// - Returns: Whether the content was decoded.
    @discardableResult
    fileprivate mutating func synchronise(
        with content: StoredContent, _ revision: String, local: StoredContent
    ) -> Bool {
        let record = StoredRecord(content: content, revision: Revision(revision))
        var isDecoded = false
        var action = begin()
        while true {
            switch action {
            case .read: action = read(.success(record))
            case .decode:
                isDecoded = true
                action = decoded(.success(()))
            case .decodeBase: action = decodedBase()
            case .take, .takeDefault: action = shown()
            case .resolve: action = resolved(.local, losing: nil)
            case .setAside: action = setAside(.success(false))
            case .encode: action = encoded(.success(local))
            case .commit: action = committed(.failure(.temporary), of: "a")
            case .finish: return isDecoded
            }
        }
    }
}

/// A state machine, a model of the stored value around it, and a store with other writers.
private struct World: EventDriven {
    enum Event: CaseIterable {
        case set
        case othersWrite
        case othersRemove
        case othersWriteNewer
        case othersWriteNonsense
        case notice
        case begin
        /// The store performs the request, but the machine hasn't received the result yet.
        case answer
        case answerAndFail
        case fail
        /// The requested action is performed, or the store's result is passed to the machine.
        case proceed
        case proceedWithForeign
    }

    /// The result of the store.
    private enum Answer {
        case read(Result<StoredRecord?, StoreError>)
        case setAside(Result<Bool, StoreError>)
        case commit(Result<CommitResult, StoreError>)
    }

    /// The first violation.
    private(set) var problem: String?
    private var machine = StoredStateMachine()
    /// The action that the machine has requested; `nil` while it is idle.
    private var action: StoredStateMachine.Action?
    private var answer: Answer?
    private var decoded: StoredRecord?
    private var storedRecord: StoredRecord?
    private var isNoticed = true
    private var revisions = 0
    private var values = 0
    /// The value that is shown; the default is 0.
    private var local = 0
    /// The earlier values that each value is based on.
    ///
    /// As long as a value is stored, the values that it is based on aren't lost.
    private var parents: [Int: [Int]] = [:]
    /// The values that are stored under another key, or were discarded on purpose.
    private var copied: Set<Int> = []
    private var foreignChanges = 0

    init() {}

    func isPossible(_ event: Event) -> Bool {
        switch event {
        case .set: !isShowing
        case .notice: !isNoticed
        // Two changes suffice.
        case .othersWrite: foreignChanges < 2
        case .othersRemove, .othersWriteNewer, .othersWriteNonsense: foreignChanges < 2 && storedRecord != nil
        case .begin: action == nil
        case .answer, .answerAndFail, .fail: asksTheStore && answer == nil
        case .proceed: answer != nil || action != nil && !asksTheStore
        case .proceedWithForeign: if case .resolve = action { true } else { false }
        }
    }

    private var asksTheStore: Bool {
        switch action {
        case .read, .setAside, .commit: true
        case .decode, .decodeBase, .take, .takeDefault, .resolve, .encode, .finish, nil: false
        }
    }

    /// Whether a value is being shown: there is no suspension point, so no other value can be set meanwhile.
    private var isShowing: Bool {
        switch action {
        case .take, .takeDefault, .resolve: true
        case .read, .decode, .decodeBase, .setAside, .encode, .commit, .finish, nil: false
        }
    }

    mutating func handle(_ event: Event) {
        switch event {
        case .set: set()
        case .othersWrite: write(version: 1)
        case .othersWriteNewer: write(version: 2)
        case .othersWriteNonsense: write(version: 0)
        case .othersRemove:
            foreignChanges += 1
            markDiscarded()
            store(nil)
        case .notice: notice()
        case .begin: perform(machine.begin())
        case .answer: answer = askStore()
        case .answerAndFail:
            _ = askStore()
            answer = failure()
        case .fail: answer = failure()
        case .proceed: proceed(isLocalWinner: true)
        case .proceedWithForeign: proceed(isLocalWinner: false)
        }
        checkStatus()
    }

    /// Lets all operations succeed from now on, without further changes by other writers.
    mutating func drain() {
        for _ in 0..<60 {
            if !isNoticed { notice() }
            if asksTheStore, answer == nil { answer = askStore() }
            if action != nil {
                proceed(isLocalWinner: true)
            } else {
                perform(machine.begin())
                if action == nil, isNoticed { return checkEnd() }
            }
        }
        note("the machine never becomes idle")
    }

    private mutating func notice() {
        isNoticed = true
        _ = machine.storeChanged(.success(storedRecord?.revision))
    }

    private mutating func set() {
        guard machine.set() else { return }
        values += 1
        parents[values] = [local]
        local = values
    }

    private mutating func write(version: Int) {
        foreignChanges += 1
        values += 1
        if let storedRecord { parents[values] = [Self.value(storedRecord.content)] }
        // The nonsense and the value that it overwrites may be lost.
        if version == 0 { copied.insert(values) }
        if version == 0 { markDiscarded() }
        store(Self.content(values, version: version))
    }

    private mutating func markDiscarded() {
        if let storedRecord { copied.insert(Self.value(storedRecord.content)) }
    }

    private mutating func store(_ content: StoredContent?) {
        isNoticed = false
        revisions += 1
        storedRecord = content.map { StoredRecord(content: $0, revision: Revision("\(revisions)")) }
    }

    private mutating func perform(_ next: StoredStateMachine.Action) {
        action = next
        guard case .finish(let error, let isReadWanted) = next else { return }
        action = nil
        if error == nil, !isReadWanted, !machine.isLoaded { note("the machine finished before the first read") }
    }

    /// Performs the action that the machine has requested of the store.
    private mutating func askStore() -> Answer? {
        switch action {
        case .read:
            return .read(.success(storedRecord))
        case .setAside(let record, _):
            guard storedRecord?.revision == record.revision else { return .setAside(.success(false)) }
            store(nil)
            return .setAside(.success(true))
        case .commit(let write):
            guard fits(write) else { return .commit(.success(.conflict(["a": storedRecord]))) }
            for copy in write.conflictCopies {
                if let content = try? copy.encoding() { copied.insert(Self.value(content)) }
            }
            guard let content = write.content else { return .commit(.success(.committed([:]))) }
            if storedRecord?.content.version == 2 { note("a newer version was overwritten") }
            store(content)
            return .commit(.success(.committed(storedRecord.map { ["a": $0.revision] } ?? [:])))
        case .decode, .decodeBase, .take, .takeDefault, .resolve, .encode, .finish, nil:
            return nil
        }
    }

    private func failure() -> Answer? {
        switch action {
        case .read: .read(.failure(.temporary))
        case .setAside: .setAside(.failure(.temporary))
        case .commit: .commit(.failure(.temporary))
        case .decode, .decodeBase, .take, .takeDefault, .resolve, .encode, .finish, nil: nil
        }
    }

    private mutating func proceed(isLocalWinner: Bool) {
        switch answer {
        case .read(let result): perform(machine.read(result))
        case .setAside(let result): perform(machine.setAside(result))
        case .commit(let result): perform(machine.committed(result, of: "a"))
        case nil: act(isLocalWinner: isLocalWinner)
        }
        answer = nil
    }

    private mutating func act(isLocalWinner: Bool) {
        switch action {
        case .decode(let record):
            decoded = record
            perform(machine.decoded(Self.decode(record)))
        case .decodeBase:
            perform(machine.decodedBase())
        case .take:
            if let decoded { local = Self.value(decoded.content) }
            perform(machine.shown())
        case .takeDefault:
            local = 0
            perform(machine.shown())
        case .resolve(let record) where isLocalWinner:
            perform(machine.resolved(.local, losing: copy(.foreign, Self.value(record.content))))
        case .resolve(let record):
            let conflictCopy = copy(.local, local)
            local = Self.value(record.content)
            perform(machine.resolved(.foreign, losing: conflictCopy))
        case .encode:
            perform(machine.encoded(.success(Self.content(local, version: 1))))
        case .read, .setAside, .commit, .finish, nil:
            break
        }
    }

    private func copy(_ side: StoredStateMachine.ConflictCopy.Side, _ value: Int) -> StoredStateMachine.ConflictCopy {
        StoredStateMachine.ConflictCopy(side: side) { () throws(StoreError) in Self.content(value, version: 1) }
    }

    private func fits(_ write: StoredStateMachine.Write) -> Bool {
        guard write.content != nil else { return true }
        return switch write.expectation {
        case .anything: true
        case .nothing: storedRecord == nil
        case .revision(let revision): storedRecord?.revision == revision
        }
    }

    /// Checks that a value with the status `saved` is stored, unless another writer has changed it since.
    private mutating func checkStatus() {
        guard machine.status.isSaved, action == nil, let base = machine.base else { return }
        if let storedRecord, storedRecord.revision == base.revision, Self.value(storedRecord.content) != local {
            note("the status of \(local) is saved, but \(storedRecord) is stored")
        }
    }

    private mutating func checkEnd() {
        if storedRecord?.content.version == 2 {
            if machine.status.failure?.code != .newerVersion {
                note("\(machine.status), but the stored version is newer")
            }
            return
        }
        if !machine.status.isSaved { note("\(machine.status) at the end") }
        if local != (storedRecord.map { Self.value($0.content) } ?? 0) {
            note("\(local) is shown, but \(String(describing: storedRecord)) is stored")
        }
        var found = copied.union([local, 0])
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

    private static func decode(_ record: StoredRecord) -> Result<Void, StoreError> {
        switch record.content.version {
        case 0: .failure(StoreError(.notDecodable, "It is nonsense."))
        case 1: .success(())
        default: .failure(StoreError(.newerVersion, "It is newer."))
        }
    }

    private static func content(_ value: Int, version: Int) -> StoredContent {
        StoredContent(format: "number", version: version, payload: Data("\(value)".utf8))
    }

    private static func value(_ content: StoredContent) -> Int {
        Int(String(decoding: content.payload, as: UTF8.self)) ?? 0
    }
}
