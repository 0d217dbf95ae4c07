import Dispatch
import Foundation
import Futures
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Exits a process that should have ended by itself, whatever its threads are doing.
///
/// It uses threads of its own, because all threads of Swift's concurrency may be blocked.
enum ForcedExit {
    /// Exits after a delay, unless the process has ended before.
    static func schedule(after seconds: TimeInterval, status: CInt = 1, isLogged: Bool = false) {
        let end = Date.now + seconds
        Thread.detachNewThread {
            Thread.sleep(until: end)
            if isLogged {
                Logger(label: "meanwhile.end").warning(
                    "the shutdown took too long, so the process exits now; unfinished work continues at the next start")
            }
            _exit(status)
        }
    }

    /// Exits after a delay, which begins with the first of several signals.
    ///
    /// - Parameters:
    ///   - seconds: The delay in seconds.
    ///   - signals: The signals; other handlers of them stay in effect.
    /// - Returns: An object that watches for the signals until it is deallocated.
    static func schedule(
        secondsAfterSignal seconds: TimeInterval, _ signals: [CInt] = [SIGTERM, SIGINT, SIGHUP]
    ) -> Watch {
        let queue = DispatchQueue(label: "meanwhile.forced-exit")
        let isScheduled = Lock(false)
        return Watch(
            sources: signals.map { number in
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler {
                    let isFirst = isScheduled.withLock { wasScheduled in
                        defer { wasScheduled = true }
                        return !wasScheduled
                    }
                    if isFirst { schedule(after: seconds, status: 0, isLogged: true) }
                }
                source.resume()
                return source
            })
    }

    /// Watches for signals until it is deallocated.
    final class Watch {
        private let sources: [any DispatchSourceSignal]

        fileprivate init(sources: [any DispatchSourceSignal]) {
            self.sources = sources
        }

        deinit {
            for source in sources { source.cancel() }
        }
    }
}
