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
/// Tests with a browser of their own adopt orphans, see `ProcessTree`. While any child that Swift Testing doesn't wait for
/// is a zombie, its thread that waits for exit tests occupies a processor, and doesn't notice the end of an exit test: it
/// asks for any child that has ended, and always gets the same one. That remains so while a test goes on after it has
/// killed its program, which is reaped at the end of ``Workspace/run(_:input:environment:sourceLocation:while:)``.
enum OrphanReaper {
    private struct State {
        /// The sessions of programs whose tests haven't looked yet at what they left.
        var openSessions: Set<Int32> = []
        /// How many times orphans have been reaped.
        var rounds = 0
    }

    private static let state = Mutex(State())

    /// How many times orphans have been reaped.
    static var rounds: Int { state.withLock(\.rounds) }

    // Created once, and never changed.
    nonisolated(unsafe) private static let timer: any DispatchSourceTimer = {
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now(), repeating: .milliseconds(250))
        timer.setEventHandler { reap() }
        timer.activate()
        return timer
    }()

    /// Leaves alone the orphans of a program that runs in a session of its own, until ``programEnded(session:)``.
    static func programStarted(session: Int32) {
        state.withLock { _ = $0.openSessions.insert(session) }
        _ = timer
    }

    /// Notes that a program has ended, and that its test has looked at what it left.
    static func programEnded(session: Int32) {
        state.withLock { _ = $0.openSessions.remove(session) }
    }

    /// Reaps zombies whose session has lost its leader.
    ///
    /// Processes that this one starts are in its own session, or lead a session.
    private static func reap() {
        let own = getsid(0)
        for child in children {
            // A leader is reaped only after its session is open. Read the open sessions after the leader.
            guard let process = ProcessEntry(id: child), process.state == "Z", process.session != own,
                process.session != process.id, ProcessEntry(id: process.session) == nil,
                !state.withLock({ $0.openSessions.contains(process.session) })
            else { continue }
            var status: CInt = 0
            waitpid(child, &status, WNOHANG)
        }
        state.withLock { $0.rounds += 1 }
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
