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
/// A signal is only a hint: one can be lost when a process dies between its commit and the signal, so watchers also look at an
/// interval.
package final class CommitSignal: Sendable {
    private let path: String
    private let descriptor = Lock<CInt?>(nil)
    /// What the file contains after this signal was sent and until another is; 16 bytes.
    private let mark = withUnsafeBytes(of: UUID().uuid) { Array($0) }

    /// Creates a signal; the file is created when it is first used.
    ///
    /// - Parameters:
    ///   - folder: The data folder that the processes share.
    ///   - name: What the signal is about, in lower-case letters.
    package init(in folder: DataFolder, name: String) {
        path = folder.path(of: "\(name).changed")
    }

    deinit {
        descriptor.withLock { _ = $0.map { close($0) } }
    }

    /// Tells the watchers of all other signals of this file.
    ///
    /// The caller tells its own listeners after this call, not before: this mark may replace that of another process before anyone
    /// has read it, and the listeners then read the commits of both.
    package func send() {
        descriptor.withLock { descriptor in
            if descriptor == nil { descriptor = try? Disk.openFile(path, O_RDWR | O_CREAT) }
            // Without it the watchers look at their interval.
            if let descriptor { _ = pwrite(descriptor, mark, mark.count, 0) }
        }
    }

    /// Calls a closure after each signal of others, and at an interval; several signals may be one call.
    ///
    /// - Parameters:
    ///   - interval: The interval.
    ///   - clock: The clock that measures the interval.
    ///   - report: The closure; it must return soon.
    /// - Returns: What ends it.
    package func watch(
        fallback interval: Duration, clock: any Clock<Duration>, _ report: @escaping @Sendable () -> Void
    ) -> ChangeWatch {
        let stopwatch = Stopwatch(clock)
        let ticking = Task { await stopwatch.tick(every: interval) { report() } }
        let source = source(report)
        source?.source.resume()
        return ChangeWatch {
            ticking.cancel()
            source?.source.cancel()
        }
    }

    // Unchecked: a dispatch source may be resumed and cancelled from any thread, and no more is done with it.
    private struct Source: @unchecked Sendable {
        var source: any DispatchSourceProtocol
    }

    /// A source that reports signals of others; `nil` where the system has none to give.
    private func source(_ report: @escaping @Sendable () -> Void) -> Source? {
        guard let file = try? Disk.openFile(path, O_RDWR | O_CREAT) else { return nil }
        let reportOthers: @Sendable () -> Void = { [mark] in
            var last = [UInt8](repeating: 0, count: mark.count)
            let count = pread(file, &last, last.count, 0)
            if count != mark.count || last != mark { report() }
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
        return Source(source: source)
    }
}
