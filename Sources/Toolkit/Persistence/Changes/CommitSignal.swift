import Dispatch
import Foundation
import Futures
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tells the processes that share a data folder that one of them has committed something.
///
/// It is a file, `NAME.changed`, into which a process writes a mark of its own after its commit, and which the others watch (inotify;
/// on Apple's systems a dispatch source). The database's own files are of no use for this: they change before the commit can be read.
/// A signal is only a hint: one is lost when a process dies between its commit and the signal, so watchers also look at an interval.
package final class CommitSignal: Sendable {
    /// What the file contains: the sender, and how many signals it has sent; 16 bytes.
    private struct Mark: Equatable {
        var sender: UInt64
        var number: UInt64
    }

    private struct State {
        var descriptor: CInt?
        var sent: UInt64 = 0
        /// The last mark of another process that was reported.
        var reported: Mark?
        var watchers: [Int: @Sendable () -> Void] = [:]
        var lastWatcher = 0
        /// Looks at the file while there are watchers.
        var watch: ChangeWatch?
    }

    /// How often watchers are told to look although no signal came.
    package static let fallbackInterval = Duration.seconds(5)
    /// How often they are, where the system can't watch the file.
    private static let pollingInterval = Duration.milliseconds(200)

    private let path: String
    private let clock: any Clock<Duration>
    private let sender = UInt64.random(in: 1 ... .max)
    private let state = Lock(State())

    /// Creates a signal; the file is created when it is first used.
    ///
    /// - Parameters:
    ///   - folder: The data folder that the processes share.
    ///   - name: What the signal is about, in lower-case letters.
    ///   - clock: The clock of the fallback.
    package init(in folder: DataFolder, name: String, clock: any Clock<Duration> = ContinuousClock()) {
        path = folder.path(of: "\(name).changed")
        self.clock = clock
    }

    deinit {
        let (descriptor, watch) = state.withLock { ($0.descriptor, $0.watch) }
        watch?.stop()
        if let descriptor { close(descriptor) }
    }
}

extension CommitSignal {
    /// Tells the watchers of all other signals of this file, and the other watchers of this one.
    ///
    /// - Parameter watcher: The watcher that sends it, and needn't be told.
    /// - Returns: Whether another process has sent a signal that the watchers weren't told of, and may not be, because this one has
    ///   replaced it: the sender looks for itself then.
    @discardableResult
    package func send(from watcher: Int? = nil) -> Bool {
        let (isMissingOne, others) = state.withLock { state -> (Bool, [@Sendable () -> Void]) in
            let isMissingOne = writeMark(&state)
            return (isMissingOne, state.watchers.filter { $0.key != watcher }.map(\.value))
        }
        for report in others { report() }
        return isMissingOne
    }

    /// Replaces the mark in the file.
    ///
    /// - Returns: Whether the mark before was another process's that wasn't reported yet, or may have been.
    private func writeMark(_ state: inout State) -> Bool {
        if state.descriptor == nil { state.descriptor = try? Disk.openFile(path, O_RDWR | O_CREAT) }
        // Without it the watchers look at their interval.
        guard let descriptor = state.descriptor else { return true }
        // So that no mark comes between reading the old one and writing this one. Never waited for: its owner may be stopped.
        let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        defer { if isLocked { flock(descriptor, LOCK_UN) } }
        let old = Self.mark(in: descriptor)
        state.sent += 1
        let new = Mark(sender: sender, number: state.sent)
        _ = withUnsafeBytes(of: new) { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        return !isLocked || isNews(old, &state)
    }

    /// Whether a mark is another process's that wasn't reported yet; it counts as reported from then on.
    private func isNews(_ mark: Mark?, _ state: inout State) -> Bool {
        guard let mark, mark.sender != sender, mark != state.reported else { return false }
        state.reported = mark
        return true
    }

    private static func mark(in file: CInt) -> Mark? {
        var mark = Mark(sender: 0, number: 0)
        let count = withUnsafeMutableBytes(of: &mark) { pread(file, $0.baseAddress, $0.count, 0) }
        return count == MemoryLayout<Mark>.size ? mark : nil
    }
}

extension CommitSignal {
    /// Calls a closure after each signal of others, and at an interval; several signals may be one call.
    ///
    /// - Parameter report: The closure; it must return soon.
    /// - Returns: A number for ``send(from:)``, and what ends it.
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
        let source = startSource()
        // What was sent before needs no report: the watchers look when they begin.
        if let source { state.reported = Self.mark(in: source.file) }
        let stopwatch = Stopwatch(clock)
        let interval = source == nil ? Self.pollingInterval : Self.fallbackInterval
        let ticking = Task { [weak self] in await stopwatch.tick(every: interval) { self?.reportToAll() } }
        return ChangeWatch {
            ticking.cancel()
            source?.source.cancel()
        }
    }

    // Unchecked: a dispatch source may be resumed and cancelled from any thread, and no more is done with it.
    private struct Source: @unchecked Sendable {
        var source: any DispatchSourceProtocol
        var file: CInt
    }

    /// A source that reports signals of others; `nil` where the system has none to give.
    private func startSource() -> Source? {
        guard let file = try? Disk.openFile(path, O_RDWR | O_CREAT) else { return nil }
        let reportOthers: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            let watchers = state.withLock { state in
                isNews(Self.mark(in: file), &state) ? Array(state.watchers.values) : []
            }
            for report in watchers { report() }
        }
        #if canImport(Darwin)
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: file, eventMask: .write, queue: .global(qos: .userInitiated))
            source.setEventHandler(handler: reportOthers)
            source.setCancelHandler { close(file) }
        #else
            let events = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
            guard events >= 0, inotify_add_watch(events, path, UInt32(IN_MODIFY)) >= 0 else {
                if events >= 0 { close(events) }
                close(file)
                return nil
            }
            let source = DispatchSource.makeReadSource(
                fileDescriptor: events, queue: .global(qos: .userInitiated))
            source.setEventHandler {
                // What the events say is of no interest: only that there was a signal.
                var buffer = [UInt8](repeating: 0, count: 4_096)
                while read(events, &buffer, buffer.count) > 0 {}
                reportOthers()
            }
            source.setCancelHandler {
                close(events)
                close(file)
            }
        #endif
        source.resume()
        return Source(source: source, file: file)
    }
}
