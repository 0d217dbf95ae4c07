import Dispatch
import GRDB
import HuntSupport
import Interleaving
import Testing

/// GRDB with an in-memory database: synchronous accesses by several tasks, and observations of values.
@Suite struct DatabaseQueueHunts {
    @Test func concurrentWritesLoseNothing() {
        hunt("DatabaseQueue", "concurrent writes lose nothing", preemptsAtLocks: true) {
            let database = try counterDatabase()
            async let first: Void = increment(database)
            async let second: Void = increment(database)
            _ = try await (first, second)
            let count = try value(database)
            check(count == 2, "counted \(count)")
        }
    }

    @Test func everyAsynchronousWriteCompletesOnce() {
        hunt("DatabaseQueue", "every asyncWrite completes once, in order", preemptsAtLocks: true) {
            let database = try counterDatabase()
            let completions = Log<Int>()
            for number in 1...3 {
                database.asyncWrite({ try $0.execute(sql: "UPDATE counter SET value = value + 1") }) { _, result in
                    if case .success = result { completions.append(number) }
                }
            }
            async let other: Void = increment(database)
            try await other
            let count = try value(database)
            check(count == 4, "counted \(count)")
            check(completions.elements == [1, 2, 3], "completed \(completions.elements)")
        }
    }

    @Test func observationDeliversTheLastValue() {
        hunt("ValueObservation", "the last value arrives, and values never go back", preemptsAtLocks: true) {
            let database = try counterDatabase()
            let values = Log<Int>()
            let observer = observer(of: observation.values(in: database), values)
            async let first: Void = increment(database)
            async let second: Void = increment(database)
            _ = try await (first, second)
            await waitForOtherTasks()
            observer.cancel()
            _ = await observer.result
            let received = values.elements
            check(received == received.sorted() && received.last == 2, "received \(received)")
        }
    }

    @Test func cancelledObservationEnds() {
        hunt("ValueObservation", "cancellation ends the iteration, while writes go on", preemptsAtLocks: true) {
            let database = try counterDatabase()
            let values = Log<Int>()
            let observer = observer(of: observation.values(in: database), values)
            async let written: Void = increment(database)
            async let cancelled: Void = { observer.cancel() }()
            _ = try await (written, cancelled)
            _ = await observer.result
        }
    }

    @Test func sharedObservationDeliversTheLastValueToEveryone() {
        hunt(
            "SharedValueObservation", "every subscriber receives the last value last",
            expecting: .bug("received [1, 0]", report: "grdb-shared-observation-ends-with-a-stale-value"),
            preemptsAtLocks: true
        ) {
            let database = try counterDatabase()
            let shared = observation.shared(
                in: database, scheduling: .async(onQueue: DispatchQueue(label: "values")))
            let values = [Log<Int>(), Log<Int>()]
            let first = observer(of: shared.values(), values[0])
            let second = observer(of: shared.values(), values[1])
            async let written: Void = increment(database)
            try await written
            await waitForOtherTasks()
            for observer in [first, second] {
                observer.cancel()
                _ = await observer.result
            }
            for received in values.map(\.elements) {
                check(received == received.sorted() && received.last == 1, "received \(received)")
            }
        }
    }
}

// MARK: - Parts

private let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT value FROM counter") ?? -1 }

private func counterDatabase() throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try database.write { database in
        try database.execute(sql: "CREATE TABLE counter (value INTEGER); INSERT INTO counter VALUES (0)")
    }
    return database
}

/// Increments the counter: asynchronous, so that `async let` can call it, but the access to the database isn't.
private func increment(_ database: DatabaseQueue) async throws { try incrementNow(database) }

private func incrementNow(_ database: DatabaseQueue) throws {
    try database.write { try $0.execute(sql: "UPDATE counter SET value = value + 1") }
}

private func value(_ database: DatabaseQueue) throws -> Int {
    try database.read { try Int.fetchOne($0, sql: "SELECT value FROM counter") ?? -1 }
}

/// Creates a task that appends all values to a list.
private func observer(of sequence: AsyncValueObservation<Int>, _ values: Log<Int>) -> Task<Void, any Error> {
    Task { for try await value in sequence { values.append(value) } }
}
