/// The nesting depth of callbacks on a thread, limited so that no chain of futures overflows the stack.
///
/// Callbacks run inside the call that settles their future, and may settle other futures. They nest up to ``limit``
/// levels. Deeper callbacks are put off: the outermost of the nested calls runs them, in order, before it returns.
@usableFromInline
enum CallDepth {
    /// The maximum depth.
    ///
    /// It is far below what the smallest stacks allow (musl's threads have 128 KB, Dispatch's 512 KB), and above what a
    /// program nests on purpose. Deeper nesting is no faster, because processors predict 16 to 32 return addresses.
    @inlinable static var limit: Int { 12 }

    /// The state of one thread.
    @usableFromInline
    struct Level {
        @usableFromInline var depth = 0
        @usableFromInline var putOff: [@Sendable () -> Void] = []
    }

    @usableFromInline typealias Pointer = UnsafeMutablePointer<Level>

    /// Enters a level before callbacks are called.
    ///
    /// - Returns: The level to pass to ``leave(_:)`` after the callbacks; `nil` at the limit, where the caller must
    ///   pass them to ``putOff(_:)`` instead.
    @inlinable
    static func enter() -> Pointer? {
        let level = level
        if level.pointee.depth >= limit { return nil }
        level.pointee.depth += 1
        return level
    }

    /// Leaves the level that ``enter()`` returned, on the same thread; the outermost call runs the jobs that were put off.
    @inlinable
    static func leave(_ level: Pointer) {
        if level.pointee.depth == 1, !level.pointee.putOff.isEmpty { runWhatWasPutOff(level) }
        level.pointee.depth -= 1
    }

    @usableFromInline
    static func runWhatWasPutOff(_ level: Pointer) {
        while !level.pointee.putOff.isEmpty {
            // Takes the jobs out first, because each of them may put off others.
            var jobs: [@Sendable () -> Void] = []
            swap(&jobs, &level.pointee.putOff)
            for job in jobs { job() }
        }
    }

    /// Runs a job after all callbacks that are running on this thread.
    @usableFromInline
    static func putOff(_ job: @escaping @Sendable () -> Void) {
        level.pointee.putOff.append(job)
    }
}
