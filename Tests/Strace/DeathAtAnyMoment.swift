import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Kills the process that calls this, wherever it is by then: for a process of its own that a test has started.
///
/// The one place in tests where time passes on purpose: nobody waits for it, and whenever it is, what is left must be whole.
///
/// - Parameter microseconds: When, from now.
public func die(afterMicroseconds microseconds: UInt32) {
    Thread.detachNewThread {
        usleep(microseconds)
        _ = kill(getpid(), SIGKILL)
    }
}
