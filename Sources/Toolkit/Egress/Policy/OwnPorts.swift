import Futures

/// The ports on this machine that the program itself listens on.
///
/// Nothing that is loaded for a page may connect to them, even if a policy allows it: a captured page could read what
/// the program shows its user. Can be used from any thread.
public final class OwnPorts: Sendable {
    private let ports: Lock<Set<Int>>

    /// Creates a set of ports.
    public init(_ ports: Set<Int> = []) {
        self.ports = Lock(ports)
    }

    /// Adds a port that the program starts to listen on.
    public func insert(_ port: Int) {
        ports.withLock { _ = $0.insert(port) }
    }

    /// Removes a port that the program stopped listening on.
    public func remove(_ port: Int) {
        ports.withLock { _ = $0.remove(port) }
    }

    func contains(_ port: Int) -> Bool {
        ports.withLock { $0.contains(port) }
    }
}
