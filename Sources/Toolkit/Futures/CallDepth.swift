#if canImport(Darwin)
    import Darwin
#elseif canImport(Android)
    import Android
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How deep callbacks are nested on this thread, so that no chain of futures is longer than the stack.
///
/// Callbacks run inside the call that settles their future, and may settle others. Down to ``limit`` levels they simply
/// nest; what would go deeper is put off, and run by the outermost of the nested calls, in order, before that one returns.
@usableFromInline
enum CallDepth {
    /// Far below what the smallest stacks carry (musl's threads have 128 KB, Dispatch's 512 KB), and far above what a
    /// program nests on purpose.
    private static let limit = 32

    private struct Level {
        var depth = 0
        var putOff: [@Sendable () -> Void] = []
    }

    /// Each thread's own level; freed when the thread ends.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { pointer in
            #if canImport(Darwin)
                let level = pointer.assumingMemoryBound(to: Level.self)
            #else
                guard let level = pointer?.assumingMemoryBound(to: Level.self) else { return }
            #endif
            level.deinitialize(count: 1)
            level.deallocate()
        }
        precondition(status == 0, "This process has no thread-specific key left.")
        return key
    }()

    private static var level: UnsafeMutablePointer<Level> {
        if let level = pthread_getspecific(key) { return level.assumingMemoryBound(to: Level.self) }
        let level = UnsafeMutablePointer<Level>.allocate(capacity: 1)
        level.initialize(to: Level())
        pthread_setspecific(key, level)
        return level
    }

    /// Begins to call back.
    ///
    /// - Returns: Whether callbacks may be called now, and ``leave()`` after them; if not, ``putOff(_:)``.
    @usableFromInline
    static func enter() -> Bool {
        let level = level
        if level.pointee.depth >= limit { return false }
        level.pointee.depth += 1
        return true
    }

    /// Ends what ``enter()`` began; the outermost call runs what was put off.
    @usableFromInline
    static func leave() {
        let level = level
        if level.pointee.depth == 1 {
            while !level.pointee.putOff.isEmpty {
                // Taken out first: each may put off more.
                var jobs: [@Sendable () -> Void] = []
                swap(&jobs, &level.pointee.putOff)
                for job in jobs { job() }
            }
        }
        level.pointee.depth -= 1
    }

    /// Does something after all that is being called now.
    @usableFromInline
    static func putOff(_ job: @escaping @Sendable () -> Void) {
        level.pointee.putOff.append(job)
    }
}
