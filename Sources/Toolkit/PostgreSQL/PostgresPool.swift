import Foundation
import Futures
import FuturesFoundation
import Persistence

/// The connections to a database, and the threads that wait for its answers.
///
/// There is a thread for each connection in use, so that no thread of Swift's concurrency pool is blocked.
final class PostgresPool: Sendable {
    private struct State {
        var idle: [PostgresConnection] = []
        var isClosed = false
        /// The timeline of the server's log, and an ID of this database in it.
        var timeline: String?
        var instanceID = UUID()
    }

    private let address: PostgresAddress
    private let limits: PostgresLimits
    private let threads: WorkerThreads
    private let state = Lock(State())

    init(_ address: PostgresAddress, _ limits: PostgresLimits) {
        self.address = address
        self.limits = limits
        threads = WorkerThreads(limit: limits.connections)
    }

    /// Runs work with a connection, on a thread that may block.
    ///
    /// The work is skipped if the task is cancelled, or the deadline passes, before it begins.
    func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant, _ work: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async -> Result<Value, any Error> {
        let request = RequestID.current
        return await threads.runUncancellable { token in
            RequestID.$current.withValue(request) {
                Result {
                    if token.isEnded { throw CancellationError() }
                    guard deadline > .now else {
                        throw StoreError(.timedOut, "\(self.address) is too busy. Try again. Nothing was written.")
                    }
                    let connection = try self.take()
                    defer { self.put(connection) }
                    return try work(connection)
                }
            }
        }
    }

    /// A random ID, which changes when a standby becomes the primary: it may lack the last changes, and give their numbers again.
    var instanceID: UUID { state.withLock(\.instanceID) }

    /// Closes the idle connections now, and those in use when their work has ended.
    func close() {
        let idle = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.idle
        }
        // They are closed when they are released, which doesn't belong into the lock.
        withExtendedLifetime(idle) {}
    }

    /// Closes the connections that aren't in use.
    func closeIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) {}
    }

    private func take() throws -> PostgresConnection {
        let (connection, isClosed) = state.withLock { ($0.idle.popLast(), $0.isClosed) }
        if isClosed { throw StoreError(.closed, "\(address) has been closed.") }
        if let connection { return connection }
        let new = try PostgresConnection(to: address, limits)
        state.withLock { state in
            if let timeline = state.timeline, timeline != new.timeline { state.instanceID = UUID() }
            state.timeline = new.timeline
            new.instanceID = state.instanceID
        }
        return new
    }

    private func put(_ connection: PostgresConnection) {
        connection.tidy()
        let released = state.withLock { state -> [PostgresConnection] in
            if connection.isBroken {
                // The server has probably ended the others too; each would fail once more.
                defer { state.idle = [] }
                return state.idle
            }
            if !state.isClosed { state.idle.append(connection) }
            return []
        }
        withExtendedLifetime(released) {}
    }
}
