import Foundation

/// The shortest time, of three calls, for which the calling thread occupies a processor.
///
/// Unlike elapsed time, it hardly depends on what else the machine does.
func shortestProcessorTime(of body: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
        // Which module the members of `timespec` belong to differs from build to build, so they aren't used.
        let words = UnsafeMutablePointer<Int>.allocate(capacity: 2)
        words.initialize(repeating: 0, count: 2)
        defer { words.deallocate() }
        _ = words.withMemoryRebound(to: timespec.self, capacity: 1) { clock_gettime(CLOCK_THREAD_CPUTIME_ID, $0) }
        return .seconds(words[0]) + .nanoseconds(words[1])
    }
    var shortest: Duration?
    for _ in 0..<3 {
        let start = now()
        try body()
        let time = now() - start
        shortest = min(shortest ?? time, time)
    }
    return shortest ?? .zero
}
