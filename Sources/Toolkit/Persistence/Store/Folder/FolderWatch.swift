import Dispatch
import DurableFiles
import Futures

/// Watches the files of a folder: it compares them after each event of the system, and at an interval.
///
/// It occupies no thread, and ends with ``stop()``.
final class FolderWatch: Sendable {
    private struct State: Sendable {
        var events: FileEvents?
        var stamps: [StoreKey: FileStamp] = [:]
        var isStopped = false
    }

    /// The interval of comparisons in seconds, for a replaced folder and for systems that send no events.
    private static let interval = 2.0

    private let files: FolderFiles
    private let report: @Sendable (Set<StoreKey>) -> Void
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "meanwhile.persistence.watch", qos: .utility)

    /// Starts the watch.
    init(files: FolderFiles, listeners: ChangeListeners<StoreKey>) {
        self.files = files
        self.report = { [weak listeners] keys in listeners?.report(keys) }
        watchFolder()
        let stamps = stamps()
        state.withLock { $0.stamps = stamps }
        compareLater()
    }

    func stop() {
        let events = state.withLock { state in
            state.isStopped = true
            return state.events
        }
        events?.stop()
    }
}

extension FolderWatch {
    /// Watches the folder that currently has this path.
    private func watchFolder() {
        let events = FileEvents(of: files.path, on: queue) { [weak self] names in self?.compare(with: names) }
        let unused = state.withLock { state -> FileEvents? in
            if state.isStopped { return events }
            defer { state.events = events }
            return state.events
        }
        unused?.stop()
    }

    private func compareLater() {
        queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
            guard let self, !state.withLock({ $0.isStopped }) else { return }
            watchFolder()
            compare(with: [])
            compareLater()
        }
    }

    /// Reports the files that have changed, and those of an event, because such a file may have been removed again.
    private func compare(with names: Set<String>) {
        let stamps = stamps()
        let changed = state.withLock { state in
            defer { state.stamps = stamps }
            let before = state.stamps
            return Set(before.keys).union(stamps.keys).filter { before[$0] != stamps[$0] }
        }
        report(changed.union(names.compactMap(files.names.key)))
    }

    private func stamps() -> [StoreKey: FileStamp] {
        var stamps: [StoreKey: FileStamp] = [:]
        for key in (try? files.keys(beginningWith: "")) ?? [] {
            stamps[key] = Disk.file(files.path(of: files.names.file(key)))
        }
        return stamps
    }
}
