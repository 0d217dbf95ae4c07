import Futures

/// The ports at which this program itself listens on this machine.
///
/// Nothing that it loads for a page may reach them, whatever a policy allows: a page that is captured could read what the
/// program shows its user. May be used from any thread.
public final class OwnPorts: Sendable {
    private let ports: Lock<Set<Int>>

    /// Creates a set of ports.
    public init(_ ports: Set<Int> = []) {
        self.ports = Lock(ports)
    }

    /// Adds a port, which the program listens at from now on.
    public func insert(_ port: Int) {
        ports.withLock { _ = $0.insert(port) }
    }

    /// Removes a port, which the program no longer listens at.
    public func remove(_ port: Int) {
        ports.withLock { _ = $0.remove(port) }
    }

    func contains(_ port: Int) -> Bool {
        ports.withLock { $0.contains(port) }
    }
}
