import Synchronization

/// Counts connections, event streams and waiting bytes, and refuses what exceeds the limits.
final class ConnectionTable: Sendable {
    /// What is counted by the address of the client.
    enum Kind: Hashable {
        case connection, eventStream
    }

    private struct Key: Hashable {
        var kind: Kind
        var address: String
    }

    private struct State {
        var totals: [Kind: Int] = [:]
        var counts: [Key: Int] = [:]
        var waitingBytes = 0
    }

    private let limits: ConnectionLimits
    private let limitsAddresses: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limits: The limits.
    ///   - isBehindProxy: Whether all clients have the address of a proxy.
    init(limits: ConnectionLimits, isBehindProxy: Bool) {
        self.limits = limits
        limitsAddresses = !isBehindProxy
    }

    /// Counts one more, unless that exceeds a limit.
    ///
    /// - Returns: Whether it was counted; it must be removed then.
    func add(_ kind: Kind, from address: String) -> Bool {
        let (limit, limitOfAddress) =
            switch kind {
            case .connection: (limits.connections, limits.connectionsPerAddress)
            case .eventStream: (limits.eventStreams, limits.eventStreamsPerAddress)
            }
        let key = Key(kind: kind, address: address)
        return state.withLock { state in
            let (total, count) = (state.totals[kind, default: 0], state.counts[key, default: 0])
            if total >= limit { return false }
            if limitsAddresses, let limitOfAddress, count >= limitOfAddress { return false }
            state.totals[kind] = total + 1
            state.counts[key] = count + 1
            return true
        }
    }

    /// Removes one that was counted.
    func remove(_ kind: Kind, from address: String) {
        let key = Key(kind: kind, address: address)
        state.withLock { state in
            state.totals[kind, default: 0] -= 1
            let count = state.counts[key, default: 0] - 1
            state.counts[key] = count > 0 ? count : nil
        }
    }

    /// Adds bytes that wait for their reader, unless that exceeds the limit.
    func addWaiting(_ bytes: Int) -> Bool {
        state.withLock { state in
            // One response always fits, so that the limit can't make a page unreadable.
            guard state.waitingBytes == 0 || state.waitingBytes + bytes <= limits.waitingBytes else { return false }
            state.waitingBytes += bytes
            return true
        }
    }

    /// Removes bytes that were written or dropped.
    func removeWaiting(_ bytes: Int) {
        state.withLock { $0.waitingBytes -= bytes }
    }

    /// How many are counted of a kind, for the tests.
    func count(_ kind: Kind) -> Int {
        state.withLock { $0.totals[kind, default: 0] }
    }

    /// The bytes that wait, for the tests.
    var waitingBytes: Int { state.withLock { $0.waitingBytes } }
}
