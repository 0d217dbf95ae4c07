import Futures
import OfflineLibraryModel

/// Limits how many exports are sent at once, and ends them when the server shuts down.
final class RunningExports: Sendable {
    /// The largest number at once: each reads the disk as fast as its client can receive.
    static let limit = 2

    private struct State {
        var count = 0
        var isShuttingDown = false
    }

    private let state = Lock(State())

    /// An export, which ends when it is released.
    final class Export: Sendable {
        private let exports: RunningExports

        fileprivate init(_ exports: RunningExports) { self.exports = exports }

        deinit { exports.state.withLock { $0.count -= 1 } }

        /// Throws if the server shuts down.
        func check() throws(LibraryError) {
            if exports.state.withLock(\.isShuttingDown) { throw .shuttingDown }
        }
    }

    /// The number of exports, for tests.
    var count: Int { state.withLock(\.count) }

    /// Begins an export; `nil` if there are ``limit`` already.
    func begin() -> Export? {
        let isAdmitted = state.withLock { state in
            guard state.count < Self.limit else { return false }
            state.count += 1
            return true
        }
        return isAdmitted ? Export(self) : nil
    }

    func shutDown() { state.withLock { $0.isShuttingDown = true } }
}
