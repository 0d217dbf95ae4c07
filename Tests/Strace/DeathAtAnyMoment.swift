import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Kills the calling process after a delay, whatever it is doing by then: for child processes that a test has started.
///
/// The delay is real time on purpose: no test waits for it, and the remaining data must be valid whenever the process
/// is killed.
///
/// - Parameter microseconds: The delay.
public func killThisProcess(afterMicroseconds microseconds: UInt32) {
    Thread.detachNewThread {
        usleep(microseconds)
        _ = kill(getpid(), SIGKILL)
    }
}
