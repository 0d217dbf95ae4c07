// The only file of this library that imports the system's C library.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Android)
    import Android
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension CallDepth {
    /// The thread-specific key of the level; a thread's level is freed when the thread ends.
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

    /// The calling thread's level, created on first use.
    @usableFromInline static var level: Pointer {
        if let level = pthread_getspecific(key) { return level.assumingMemoryBound(to: Level.self) }
        let level = Pointer.allocate(capacity: 1)
        level.initialize(to: Level())
        pthread_setspecific(key, level)
        return level
    }
}

#if MEANWHILE_THREAD_SANITIZER
    /// A pthread mutex.
    struct SystemMutex: ~Copyable {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>

        init() {
            mutex = .allocate(capacity: 1)
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        borrowing func lock() { pthread_mutex_lock(mutex) }
        borrowing func unlock() { pthread_mutex_unlock(mutex) }
    }
#endif
