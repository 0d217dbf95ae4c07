/// A lock on a data folder, held until it is released, dropped, or the process ends.
public final class FolderLock: Sendable {
    private let lock: FileLock

    init(_ lock: FileLock) {
        self.lock = lock
    }

    /// Gives the lock up; a second time does nothing.
    public func release() {
        lock.release()
    }
}
