import Dispatch
import DurableFiles
import Foundation
import Futures

/// Notifies the processes that share a data folder when one of them has committed changes.
///
/// It uses a file, `NAME.changed`: a process writes its own mark to it after each commit, and the others watch it (inotify; on
/// Apple platforms a dispatch source). The database's own files are unsuitable, because they change before the commit can be
/// read. A signal is only a hint: it is lost if the process dies between its commit and the signal. Therefore watchers also
/// look for changes at an interval.
package final class CommitSignal: ChangeSignal {
    /// The content of the file, two marks of 16 bytes each: the sender, and the number of signals it has sent.
    ///
    /// A sender that holds the lock replaces the first mark; one that doesn't get it replaces the second, which the holder never
    /// overwrites.
    private struct Mark: Equatable {
        var sender: UInt64
        var number: UInt64
    }

    private struct State {
        /// The file; it is locked while its first mark is replaced.
        var file: FileLock?
        var sent: UInt64 = 0
        /// The marks that were read last; watchers have been notified of those of other processes.
        var reported: [Mark] = []
        var watchers: [Int: @Sendable () -> Void] = [:]
        var lastWatcher = 0
        /// Watches the file while there are watchers.
        var watch: ChangeWatch?
    }

    /// The interval at which watchers are called without a signal.
    package static let fallbackInterval = Duration.seconds(5)
    /// The same interval if the system can't watch the file.
    private static let pollingInterval = Duration.milliseconds(200)

    private let path: String
    private let clock: any Clock<Duration>
    private let sender = UInt64.random(in: 1 ... .max)
    private let state = Lock(State())

    /// Creates a signal; the file is created when it is first used.
    package init(in folder: DataFolder, name: String, clock: any Clock<Duration> = ContinuousClock()) {
        path = folder.path(of: "\(name).changed")
        self.clock = clock
    }

    deinit {
        state.withLock { $0.watch }?.stop()
    }
}

extension CommitSignal {
    /// Notifies the watchers of all other signals of this file, and the other watchers of this one.
    ///
    /// - Parameter watcher: The watcher that sends the signal, and isn't notified.
    /// - Returns: Whether this signal has replaced one of another process that may never be reported to the watchers; if so, the
    ///   sender must look for changes itself.
    @discardableResult
    package func send(from watcher: Int?) -> Bool {
        let (isMissingOne, others) = state.withLock { state -> (Bool, [@Sendable () -> Void]) in
            let isMissingOne = writeMark(&state)
            return (isMissingOne, state.watchers.filter { $0.key != watcher }.map(\.value))
        }
        for report in others { report() }
        return isMissingOne
    }

    /// Replaces a mark in the file.
    ///
    /// - Returns: Whether the previous marks included, or may have included, an unreported one of another process.
    private func writeMark(_ state: inout State) -> Bool {
        if state.file == nil { state.file = try? FileLock(at: path) }
        // Without the file, the watchers of other processes notice the commit only at their interval.
        guard let file = state.file else { return true }
        // Unlocked, another process may write the same mark between this read and write. Never wait: the holder may be suspended.
        let isLocked = (try? file.tryAcquire(.exclusive)) == true
        defer { if isLocked { file.release() } }
        let old = Self.marks(in: file.file)
        state.sent += 1
        withUnsafeBytes(of: Mark(sender: sender, number: state.sent)) {
            file.file.overwrite($0, at: isLocked ? 0 : $0.count)
        }
        return !isLocked || recordAsReported(old, &state)
    }

    /// Records marks as reported; returns whether one of them was an unreported mark of another process.
    private func recordAsReported(_ marks: [Mark], _ state: inout State) -> Bool {
        defer { state.reported = marks }
        return marks.contains { $0.sender != sender && !state.reported.contains($0) }
    }

    private static func marks(in file: OpenFile) -> [Mark] {
        let size = MemoryLayout<Mark>.size
        guard let data = try? file.read(2 * size) else { return [] }
        return data.withUnsafeBytes { bytes in
            (0..<bytes.count / size).map { bytes.loadUnaligned(fromByteOffset: $0 * size, as: Mark.self) }
        }
    }
}

extension CommitSignal {
    /// Calls a closure after each signal of other senders, and at an interval; several signals may result in one call.
    ///
    /// - Parameter report: The closure; it must return quickly.
    /// - Returns: A number for ``send(from:)``, and the watch, to be stopped.
    package func watch(_ report: @escaping @Sendable () -> Void) -> (watcher: Int, watch: ChangeWatch) {
        let number = state.withLock { state in
            state.lastWatcher += 1
            state.watchers[state.lastWatcher] = report
            if state.watch == nil { state.watch = startWatching(&state) }
            return state.lastWatcher
        }
        return (number, ChangeWatch { [weak self] in self?.remove(number) })
    }

    private func remove(_ watcher: Int) {
        let watch = state.withLock { state -> ChangeWatch? in
            state.watchers[watcher] = nil
            guard state.watchers.isEmpty else { return nil }
            defer { state.watch = nil }
            return state.watch
        }
        watch?.stop()
    }

    private func reportToAll() {
        for report in state.withLock({ Array($0.watchers.values) }) { report() }
    }

    private func startWatching(_ state: inout State) -> ChangeWatch {
        let events = startEvents(&state)
        let stopwatch = Stopwatch(clock)
        let interval = events == nil ? Self.pollingInterval : Self.fallbackInterval
        let ticking = Task { [weak self] in await stopwatch.tick(every: interval) { self?.reportToAll() } }
        return ChangeWatch {
            ticking.cancel()
            events?.stop()
        }
    }

    /// The file's events; `nil` if the system can't provide any.
    private func startEvents(_ state: inout State) -> FileEvents? {
        guard let file = try? OpenFile(path, .creating) else { return nil }
        let events = FileEvents(of: path, on: .global(qos: .userInitiated)) { [weak self] _ in
            guard let self else { return }
            let watchers = self.state.withLock { state in
                recordAsReported(Self.marks(in: file), &state) ? Array(state.watchers.values) : []
            }
            for report in watchers { report() }
        }
        // Earlier signals need no report, because watchers look when they start.
        if events != nil { state.reported = Self.marks(in: file) }
        return events
    }
}
