/// How deep callbacks are nested on this thread, so that no chain of futures is longer than the stack.
///
/// Callbacks run inside the call that settles their future, and may settle others. Down to ``limit`` levels they nest; what would go
/// deeper is put off, and run by the outermost of the nested calls, in order, before that one returns.
@usableFromInline
enum CallDepth {
    /// Far below what the smallest stacks carry (musl's threads have 128 KB, Dispatch's 512 KB), and above what a program
    /// nests on purpose; deeper nesting is no faster, because processors remember 16 to 32 return addresses.
    @inlinable static var limit: Int { 12 }

    /// A thread's own.
    @usableFromInline
    struct Level {
        @usableFromInline var depth = 0
        @usableFromInline var putOff: [@Sendable () -> Void] = []
    }

    @usableFromInline typealias Pointer = UnsafeMutablePointer<Level>

    /// Begins to call back.
    ///
    /// - Returns: What ``leave(_:)`` takes after the callbacks; `nil` if none may be called now: see ``putOff(_:)``.
    @inlinable
    static func enter() -> Pointer? {
        let level = level
        if level.pointee.depth >= limit { return nil }
        level.pointee.depth += 1
        return level
    }

    /// Ends what ``enter()`` began, on the same thread; the outermost call runs what was put off.
    @inlinable
    static func leave(_ level: Pointer) {
        if level.pointee.depth == 1, !level.pointee.putOff.isEmpty { runWhatWasPutOff(level) }
        level.pointee.depth -= 1
    }

    @usableFromInline
    static func runWhatWasPutOff(_ level: Pointer) {
        while !level.pointee.putOff.isEmpty {
            // Taken out first: each may put off more.
            var jobs: [@Sendable () -> Void] = []
            swap(&jobs, &level.pointee.putOff)
            for job in jobs { job() }
        }
    }

    /// Runs a job after all callbacks that run now.
    @usableFromInline
    static func putOff(_ job: @escaping @Sendable () -> Void) {
        level.pointee.putOff.append(job)
    }
}
