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

/// Watches the files of a folder, by what the system tells, or by looking now and then where it tells nothing.
///
/// On Linux each file that changes is named (inotify). On Apple's systems the folder is known to have changed, and its files
/// are compared with what they were.
///
/// It keeps no thread: the system's events come on a dispatch queue, and all of it ends with ``stop()``.
final class FolderWatch: Sendable {
    // Unchecked by the compiler alone: a dispatch source may be resumed and cancelled from any thread, and no more is done
    // with it.
    private struct Source: @unchecked Sendable {
        var source: any DispatchSourceProtocol
    }

    private struct State: Sendable {
        var source: Source?
        /// All names that were ever seen, for when events were lost.
        var seen: Set<StoreKey> = []
        /// What the files were, where names are not told.
        var stamps: [StoreKey: FileStamp] = [:]
        var isStopped = false
    }

    private let files: FolderFiles
    private let report: @Sendable (Set<StoreKey>) -> Void
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "meanwhile.persistence.watch", qos: .utility)

    /// How often to look where nothing is told.
    private static let interval = 0.5

    /// Begins to watch.
    init(files: FolderFiles, listeners: ChangeListeners<StoreKey>) {
        self.files = files
        self.report = { [weak listeners] keys in listeners?.report(keys) }
        begin()
    }

    /// What ends it.
    var watch: ChangeListeners<StoreKey>.Watch { ChangeListeners<StoreKey>.Watch(stop: stop) }

    func stop() {
        let source = state.withLock { state in
            state.isStopped = true
            defer { state.source = nil }
            return state.source
        }
        source?.source.cancel()
    }
}

extension FolderWatch {
    /// Installs a source unless it has been stopped meanwhile.
    private func install(_ source: any DispatchSourceProtocol) {
        let installed = Source(source: source)
        let isStopped = state.withLock { state in
            if !state.isStopped { state.source = installed }
            return state.isStopped
        }
        source.resume()
        if isStopped { source.cancel() }
    }

    /// The files as they are now.
    private func look() -> [StoreKey: FileStamp] {
        let names = files.names
        var stamps: [StoreKey: FileStamp] = [:]
        for key in (try? files.keys(beginningWith: "")) ?? [] {
            stamps[key] = try? FileStamp(at: files.path(of: names.file(key)))
        }
        return stamps
    }

    /// Says which files are not what they were.
    private func compare() {
        let stamps = look()
        let changed = state.withLock { state in
            defer { state.stamps = stamps }
            let before = state.stamps
            let names = Set(before.keys).union(stamps.keys)
            return names.filter { before[$0] != stamps[$0] }
        }
        report(changed)
    }

    /// Looks now and then.
    ///
    /// What is there when it begins is compared with, so that nothing from then on is missed.
    private func poll() {
        let stamps = look()
        state.withLock { $0.stamps = stamps }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
        timer.setEventHandler { [weak self] in self?.compare() }
        install(timer)
    }
}

#if canImport(Darwin)
    extension FolderWatch {
        private func begin() {
            guard let descriptor = try? Disk.openFile(files.path, O_EVTONLY) else { return poll() }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: [.write, .delete, .rename], queue: queue)
            source.setEventHandler { [weak self] in self?.compare() }
            source.setCancelHandler { close(descriptor) }
            install(source)
            let stamps = look()
            state.withLock { $0.stamps = stamps }
        }
    }
#else
    extension FolderWatch {
        /// What is done to a value's file: renamed to it, written in place by an editor, removed.
        private static let events = UInt32(
            IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_DELETE | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF
                | IN_ONLYDIR)
        /// What is done to the folder itself.
        private static let folderEvents = UInt32(IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR)

        private func begin() {
            let descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
            // Each account has a limited number of these.
            guard descriptor >= 0 else { return poll() }
            guard inotify_add_watch(descriptor, files.path, Self.events) >= 0 else {
                close(descriptor)
                return poll()
            }
            // The folder's own end is told only when nobody has a file of it open any more; its parent tells it at once.
            let url = URL(filePath: files.path)
            let parent = inotify_add_watch(descriptor, url.deletingLastPathComponent().path, Self.folderEvents)
            let name = url.lastPathComponent
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { [weak self] in self?.takeEvents(descriptor, goneIf: (parent, name)) }
            source.setCancelHandler { close(descriptor) }
            install(source)
            // For when the kernel loses events. Only what is removed in the next few milliseconds, among so many changes
            // that events are lost as well, is not told.
            queue.async { [weak self] in self?.see(self?.keysNow() ?? []) }
        }

        private func takeEvents(_ descriptor: CInt, goneIf folder: (parent: CInt, name: String)) {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var keys: Set<StoreKey> = []
            var isIncomplete = false
            var isGone = false
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                var rest = buffer[..<count]
                while let event = Event(&rest) {
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { isIncomplete = true }
                    if event.watch == folder.parent {
                        if event.name == folder.name { isGone = true }
                        continue
                    }
                    if event.mask & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF) != 0 { isGone = true }
                    if let key = files.names.key(event.name) { keys.insert(key) }
                }
            }
            see(keys)
            if isGone { lookForAnotherFolder() }
            if isIncomplete || isGone {
                keys.formUnion(keysNow())
                keys.formUnion(state.withLock { $0.seen })
            }
            report(keys)
        }

        /// The folder was removed or moved: another may come in its place.
        private func lookForAnotherFolder() {
            let source = state.withLock { state in
                defer { state.source = nil }
                return state.source
            }
            source?.source.cancel()
            poll()
        }

        private func see(_ keys: some Collection<StoreKey>) {
            let keys = Set(keys)
            state.withLock { $0.seen.formUnion(keys) }
        }

        private func keysNow() -> [StoreKey] {
            (try? files.keys(beginningWith: "")) ?? []
        }
    }

    /// What the kernel says: `struct inotify_event`.
    private struct Event {
        var watch: CInt
        var mask: UInt32
        var name: String

        /// Takes the first of several.
        init?(_ bytes: inout ArraySlice<UInt8>) {
            guard bytes.count >= 16 else { return nil }
            let header = Array(bytes.prefix(16))
            let words = header.withUnsafeBytes { raw in
                (0..<4).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
            }
            self.watch = CInt(bitPattern: words[0])
            self.mask = words[1]
            let name = bytes.dropFirst(16).prefix(Int(words[3]))
            self.name = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            bytes = bytes.dropFirst(16 + Int(words[3]))
        }
    }
#endif
