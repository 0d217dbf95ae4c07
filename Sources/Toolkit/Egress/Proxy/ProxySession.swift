import Digests
import Futures
import NIOCore

/// The state of a session that its connections share: credentials, policy, failures and traffic.
final class ProxySession: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// The connections to servers, which can outlive the client's connection.
        var upstreams: [ObjectIdentifier: any Channel] = [:]
        var failures: [PinningProxy.Session.Failure] = []
        var bytes = 0
        var isEnded = false
    }

    let userName = String.randomHexadecimal(bytes: 8)
    let password = String.randomHexadecimal(bytes: 32)
    let checker: AddressChecker
    private let names: PinnedNames
    private let limits: PinningProxy.Limits
    private let state = Lock(State())

    init(policy: AddressPolicy, resolver: any NameResolver, ownPorts: OwnPorts, limits: PinningProxy.Limits) {
        let names = PinnedNames(resolver)
        self.names = names
        self.checker = AddressChecker(policy: policy, resolver: names, ownPorts: ownPorts)
        self.limits = limits
    }

    var failures: [PinningProxy.Session.Failure] { state.withLock { $0.failures } }
    var bytes: Int { state.withLock { $0.bytes } }
    var channels: [any Channel] { state.withLock { Array($0.channels.values) } }
    var upstreams: [any Channel] { state.withLock { Array($0.upstreams.values) } }

    /// Registers a client connection; returns `false` if the session is full or has ended.
    func admit(_ channel: any Channel) -> Bool {
        let isAdmitted = state.withLock { state in
            guard !state.isEnded, state.channels.count < limits.connectionsPerSession,
                state.upstreams.count < limits.connectionsPerSession
            else { return false }
            state.channels[ObjectIdentifier(channel)] = channel
            return true
        }
        guard isAdmitted else { return false }
        channel.closeFuture.whenComplete { [weak self, id = ObjectIdentifier(channel)] _ in
            self?.state.withLock { $0.channels[id] = nil }
        }
        return true
    }

    /// Registers a connection to a server; returns `false` if the session has ended in the meantime.
    func opened(_ channel: any Channel) -> Bool {
        let isRegistered = state.withLock { state in
            if !state.isEnded { state.upstreams[ObjectIdentifier(channel)] = channel }
            return !state.isEnded
        }
        guard isRegistered else { return false }
        channel.closeFuture.whenComplete { [weak self, id = ObjectIdentifier(channel)] _ in
            self?.state.withLock { $0.upstreams[id] = nil }
        }
        return true
    }

    /// Pins the address of a host that accepted a connection.
    ///
    /// - Returns: The first address that was pinned, which stays the host's only one until the session ends.
    func pin(_ address: IPAddress, for host: String) -> IPAddress {
        guard case .name(let name)? = EgressHost(host) else { return address }
        return names.pin(address, for: name)
    }

    /// The address at which the proxy reaches a host; `nil` if it hasn't connected to it.
    func address(of host: String) -> IPAddress? {
        switch EgressHost(host) {
        case .address(let address): address
        case .name(let name): names.address(of: name)
        case nil: nil
        }
    }

    /// Counts bytes of traffic; returns whether they may be passed on.
    func pass(bytes: Int) -> Bool {
        state.withLock { state in
            state.bytes += bytes
            return state.bytes <= limits.bytesPerSession && !state.isEnded
        }
    }

    func failed(_ error: EgressError, host: String, port: Int) {
        state.withLock { state in
            state.failures.append(.init(host: host, port: port, error: error))
            if state.failures.count > limits.failures { state.failures.removeFirst() }
        }
    }

    /// Admits no more connections; returns those to close, including those to servers.
    func end() -> [any Channel] {
        state.withLock { state in
            state.isEnded = true
            return Array(state.channels.values) + Array(state.upstreams.values)
        }
    }
}
