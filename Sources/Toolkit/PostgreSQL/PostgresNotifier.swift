import CPostgreSQL
import Dispatch
import Foundation
import Futures
import Persistence

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Exchanges signals of changes with other programs, on a connection of its own.
///
/// It uses `NOTIFY` (https://www.postgresql.org/docs/15/sql-notify.html) as a hint: never in the transaction that has changed
/// something, because all commits with notifications are serialised by a lock of the whole server; and for all parts that have
/// changed since the last notification together. After it has connected again, it reports all parts, because notifications may
/// have been missed.
final class PostgresNotifier: Sendable {
    private struct State {
        var signals: [String: PostgresSignal] = [:]
        /// The parts whose changes haven't been sent yet.
        var unsent: Set<String> = []
        /// The number of notifications that were sent.
        var sentCount = 0
        /// The end of a pipe that wakes the thread; `nil` while there is no thread.
        var wakeup: CInt?
        var isClosed = false
    }

    private let address: PostgresAddress
    private let limits: PostgresLimits
    private let channel: String
    private let clock: any Clock<Duration>
    private let sender = UUID().uuidString
    private let state = Lock(State())
    /// The thread, while there is one.
    private let threads = DispatchGroup()

    /// - Parameters:
    ///   - address: Where the database is.
    ///   - limits: How long it may take.
    ///   - channel: The name under which programs notify each other.
    ///   - clock: The clock of the interval at which watchers are called without a signal.
    init(_ address: PostgresAddress, _ limits: PostgresLimits, channel: String, clock: any Clock<Duration>) {
        (self.address, self.limits, self.channel, self.clock) = (address, limits, channel, clock)
    }
}

extension PostgresNotifier {
    /// The signal of a part; each call for the same part returns the same signal.
    func signal(_ part: String) -> PostgresSignal {
        state.withLock { state in
            if let signal = state.signals[part] { return signal }
            let signal = PostgresSignal(clock: clock) { [weak self] in self?.send(part) }
            state.signals[part] = signal
            startThread(&state)
            return signal
        }
    }

    /// The number of notifications that were sent, for tests.
    var sentCount: Int { state.withLock(\.sentCount) }

    /// Lets the thread send what is unsent, and end.
    func close() {
        state.withLock { state in
            state.isClosed = true
            Self.wake(state)
        }
    }

    /// Waits for the end of the thread, after ``close()``.
    ///
    /// The process must not exit while the thread is in libpq: the libraries below it free what the thread uses.
    func waitForEnd() {
        _ = threads.wait(timeout: .now() + limits.connecting / .seconds(1) + 1)
    }

    private func send(_ part: String) {
        state.withLock { state in
            // If there is one already, it was woken before.
            if state.unsent.insert(part).inserted { Self.wake(state) }
        }
    }

    private static func wake(_ state: State) {
        guard let wakeup = state.wakeup else { return }
        var byte: UInt8 = 0
        // The pipe is full only if many wake-ups are pending.
        _ = write(wakeup, &byte, 1)
    }

    private func startThread(_ state: inout State) {
        guard state.wakeup == nil, !state.isClosed else { return }
        var ends: [CInt] = [0, 0]
        // Without a pipe, changes are noticed only at the interval of the fallback.
        guard pipe(&ends) == 0 else { return }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        state.wakeup = ends[1]
        threads.enter()
        Thread.detachNewThread { [weak self, threads, address, limits, ends] in
            do {
                let thread = NotifierThread(wakeup: ends[0], writer: ends[1], address, limits)
                while let notifier = self, notifier.isNeeded(thread) { notifier.run(thread) }
                // The thread closes the pipe when it ends, so no other thread may write to it any more.
                self?.state.withLock { $0.wakeup = nil }
            }
            threads.leave()
        }
    }
}

// MARK: - On the thread

/// What the thread of a ``PostgresNotifier`` owns.
private final class NotifierThread {
    /// The ends of the pipe.
    let wakeup, writer: CInt
    let address: PostgresAddress
    let limits: PostgresLimits
    var connection: OpaquePointer?
    /// The number of failures since something was sent.
    var failures = 0
    var lastUse = ContinuousClock.now

    init(wakeup: CInt, writer: CInt, _ address: PostgresAddress, _ limits: PostgresLimits) {
        (self.wakeup, self.writer, self.address, self.limits) = (wakeup, writer, address, limits)
    }

    deinit {
        disconnect()
        close(wakeup)
        close(writer)
    }

    /// Whether nothing was sent for a while.
    var isQuiet: Bool { lastUse.duration(to: .now) > limits.quiet }

    /// Disconnects, and waits a while.
    func fail() {
        disconnect()
        failures += 1
        wait(Backoff(firstPause: .milliseconds(50), longestPause: .seconds(5)).pause(after: failures))
    }

    func disconnect() {
        if let connection { PQfinish(connection) }
        connection = nil
    }

    /// Waits for a notification or a wake-up.
    func wait(_ pause: Duration) {
        var descriptors = [pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)]
        if let connection { descriptors.append(pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)) }
        poll(&descriptors, nfds_t(descriptors.count), CInt(pause / .milliseconds(1)))
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wakeup, &bytes, bytes.count) > 0 {}
    }

    /// Runs a statement; returns whether it succeeded.
    func query(_ sql: String, _ arguments: [String] = []) -> Bool {
        guard let connection else { return false }
        lastUse = .now
        return (try? PostgresConnection.execute(sql, arguments, on: connection, until: .now + limits.statement)) != nil
    }
}

extension PostgresNotifier {
    /// Whether the thread has something to do: once it is to end, only to send what is unsent, unless that has just failed.
    private func isNeeded(_ thread: NotifierThread) -> Bool {
        state.withLock { !$0.isClosed || !$0.unsent.isEmpty && thread.failures == 0 }
    }

    /// Connects if needed, sends what is unsent, and reports what arrives; returns from time to time.
    private func run(_ thread: NotifierThread) {
        guard let connection = thread.connection ?? connect(thread) else { return thread.fail() }
        thread.failures = 0
        let unsent = state.withLock { state in
            defer { state.unsent = [] }
            return state.unsent
        }
        if !unsent.isEmpty {
            let payload = ([sender] + unsent.sorted()).joined(separator: " ")
            if !thread.query("SELECT pg_notify($1, $2)", [channel, payload]) {
                state.withLock { $0.unsent.formUnion(unsent) }
                return thread.fail()
            }
            state.withLock { $0.sentCount += 1 }
            thread.failures = 0
        } else if thread.isQuiet, !thread.query("SELECT 1") {
            // A proxy may keep a connection open whose server has gone.
            return thread.fail()
        }
        guard PQconsumeInput(connection) == 1 else { return thread.fail() }
        var parts: Set<String> = []
        while let notification = PQnotifies(connection) {
            let words = String(cString: notification.pointee.extra).split(separator: " ").map(String.init)
            if words.first != sender { parts.formUnion(words.dropFirst()) }
            PQfreemem(notification)
        }
        report(parts)
        thread.wait(.seconds(1))
    }

    private func connect(_ thread: NotifierThread) -> OpaquePointer? {
        guard let connection = try? PostgresConnection.open(address, limits) else { return nil }
        thread.connection = connection
        // An identifier is quoted; the channel contains no quotation mark that isn't doubled.
        let name = channel.replacing("\"", with: "\"\"")
        guard thread.query("LISTEN \"\(name)\"") else { return nil }
        report(Set(state.withLock(\.signals).keys))
        return connection
    }

    private func report(_ parts: Set<String>) {
        guard !parts.isEmpty else { return }
        let signals = state.withLock { state in parts.compactMap { state.signals[$0] } }
        for signal in signals { signal.report() }
    }
}

/// The signal of changes to a part of a PostgreSQL database.
final class PostgresSignal: ChangeSignal {
    private struct State {
        var watchers: [Int: @Sendable () -> Void] = [:]
        var lastWatcher = 0
        /// Calls the watchers at an interval, while there are any.
        var ticking: Task<Void, Never>?
    }

    /// The interval at which watchers are called without a signal.
    static let fallbackInterval = Duration.seconds(5)

    private let clock: any Clock<Duration>
    private let notify: @Sendable () -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - clock: The clock of the interval.
    ///   - notify: Notifies other programs.
    init(clock: any Clock<Duration>, notify: @escaping @Sendable () -> Void) {
        (self.clock, self.notify) = (clock, notify)
    }

    deinit { state.withLock(\.ticking)?.cancel() }
}

extension PostgresSignal {
    @discardableResult
    func send(from watcher: Int?) -> Bool {
        notify()
        let others = state.withLock { state in state.watchers.filter { $0.key != watcher }.map(\.value) }
        for report in others { report() }
        return false
    }

    func watch(_ report: @escaping @Sendable () -> Void) -> (watcher: Int, watch: ChangeWatch) {
        let number = state.withLock { state in
            state.lastWatcher += 1
            state.watchers[state.lastWatcher] = report
            if state.ticking == nil {
                let stopwatch = Stopwatch(clock)
                state.ticking = Task { [weak self] in
                    await stopwatch.tick(every: Self.fallbackInterval) { self?.report() }
                }
            }
            return state.lastWatcher
        }
        return (number, ChangeWatch { [weak self] in self?.remove(number) })
    }

    private func remove(_ watcher: Int) {
        let ticking = state.withLock { state -> Task<Void, Never>? in
            state.watchers[watcher] = nil
            guard state.watchers.isEmpty else { return nil }
            defer { state.ticking = nil }
            return state.ticking
        }
        ticking?.cancel()
    }

    /// Calls all watchers, after the signal of another program.
    func report() {
        for report in state.withLock({ Array($0.watchers.values) }) { report() }
    }
}
