import Dispatch
import DurableFiles
import Futures

/// Watches the files of a folder with file system events, and also compares all files at an interval.
///
/// It occupies no thread, and ends with ``stop()``.
final class FolderWatch: Sendable {
    private struct State: Sendable {
        var events: FileEvents?
        var stamps: [StoreKey: FileStamp] = [:]
        var isStopped = false
    }

    /// The interval of comparisons in seconds, for lost events, a replaced folder, and a folder that can't be watched.
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
        let hasNames = FileEvents.nameChangedFiles && state.withLock { $0.events != nil }
        if hasNames {
            queue.async { [weak self] in
                self?.takeStamps()
                // Comparisons replace the watch. The first one comes after the first stamps, so that the events of
                // changes before those have been read.
                self?.compareLater()
            }
        } else {
            takeStamps()
            compareLater()
        }
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
        let events = FileEvents(of: files.path, on: queue) { [weak self] names in self?.reportEvent(names) }
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
            compare()
            compareLater()
        }
    }

    /// Reports the files of an event; compares all files if it has no names.
    private func reportEvent(_ names: Set<String>) {
        guard !names.isEmpty else { return compare() }
        let keys = names.compactMap(files.names.key)
        let stamps = keys.map { ($0, stamp(of: $0)) }
        state.withLock { state in
            for (key, stamp) in stamps { state.stamps[key] = stamp }
        }
        report(Set(keys))
    }

    /// Reports the files that have changed since the last comparison.
    private func compare() {
        let before = state.withLock { $0.stamps }
        let stamps = takeStamps()
        report(Set(before.keys).union(stamps.keys).filter { before[$0] != stamps[$0] })
    }

    @discardableResult
    private func takeStamps() -> [StoreKey: FileStamp] {
        var stamps: [StoreKey: FileStamp] = [:]
        for key in (try? files.keys(beginningWith: "")) ?? [] { stamps[key] = stamp(of: key) }
        state.withLock { $0.stamps = stamps }
        return stamps
    }

    private func stamp(of key: StoreKey) -> FileStamp? {
        Disk.stamp(of: files.path(of: files.names.file(key)))
    }
}
