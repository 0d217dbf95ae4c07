import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Reaps the processes that killed programs leave to the tests.
///
/// Tests with a browser of their own adopt orphans, see `ProcessTree`. While any orphan is a zombie, the thread by which
/// Swift Testing waits for exit tests occupies a processor, and doesn't notice the end of an exit test: it asks for any
/// child that has ended, and always gets the same one.
enum OrphanReaper {
    /// The sessions of running programs, which must reap their processes themselves.
    private static let runningSessions = Mutex<Set<Int32>>([])

    // Only the source itself uses it.
    nonisolated(unsafe) private static let timer: any DispatchSourceTimer = {
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now(), repeating: .milliseconds(250))
        timer.setEventHandler { reap() }
        timer.activate()
        return timer
    }()

    /// Notes a program that runs in a session of its own.
    static func programStarted(session: Int32) {
        runningSessions.withLock { _ = $0.insert(session) }
        _ = timer
    }

    /// Notes that a program has ended, and that its test has looked at what it left.
    static func programEnded(session: Int32) {
        runningSessions.withLock { _ = $0.remove(session) }
    }

    /// Reaps children of this process that another process started.
    ///
    /// Processes that this one starts are in its own session, or lead a session.
    private static func reap() {
        let own = getsid(0)
        let running = runningSessions.withLock { $0 }
        for child in children {
            guard let process = ProcessEntry(id: child), process.state == "Z", process.session != own,
                process.session != process.id, !running.contains(process.session)
            else { continue }
            var status: CInt = 0
            waitpid(child, &status, WNOHANG)
        }
    }

    /// The children of all threads of this process; see proc_tid_children(5).
    private static var children: [Int32] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return threads.flatMap { thread -> [Int32] in
            let list = FileManager.default.contents(atPath: "/proc/self/task/\(thread)/children") ?? Data()
            return String(decoding: list, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
        }
    }
}
