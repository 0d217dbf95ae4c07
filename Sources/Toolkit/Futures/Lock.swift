#if !MEANWHILE_THREAD_SANITIZER
    public import Synchronization
#endif

/// A value that one thread at a time may access.
///
/// The libraries use it and no other lock. It is a `Mutex`; built with `MEANWHILE_THREAD_SANITIZER` it is a pthread
/// mutex, because the thread sanitizer doesn't see the ordering that a `Mutex` establishes and reports false races.
///
/// Never call back, resume or log inside ``withLock(_:)``: return the work to do, and do it afterwards.
@usableFromInline
package struct Lock<Value: Sendable>: ~Copyable {
    #if MEANWHILE_THREAD_SANITIZER
        private let mutex = SystemMutex()
        private let value: UnsafeMutablePointer<Value>

        /// Creates a lock around a value.
        @usableFromInline
        package init(_ value: Value) {
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
        }

        /// Runs a closure with exclusive access to the value.
        @usableFromInline
        package borrowing func withLock<Outcome: Sendable, Failure: Error>(
            _ transition: (inout Value) throws(Failure) -> Outcome
        ) throws(Failure) -> Outcome {
            mutex.lock()
            defer { mutex.unlock() }
            return try transition(&value.pointee)
        }
    #else
        @usableFromInline let mutex: Mutex<Value>

        /// Creates a lock around a value.
        @inlinable
        package init(_ value: Value) {
            self.mutex = Mutex(value)
        }

        /// Runs a closure with exclusive access to the value.
        @inlinable
        @inline(__always)
        package borrowing func withLock<Outcome: Sendable, Failure: Error>(
            _ transition: (inout Value) throws(Failure) -> Outcome
        ) throws(Failure) -> Outcome {
            try mutex.withLock { (value) throws(Failure) -> Outcome in
                try transition(&value)
            }
        }
    #endif
}

#if MEANWHILE_THREAD_SANITIZER
    // Unchecked: `value` is accessed only while the mutex is held.
    extension Lock: @unchecked Sendable {}
#else
    extension Lock: Sendable {}
#endif
