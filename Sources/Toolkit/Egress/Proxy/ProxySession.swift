import Digests
import Futures
import NIOCore

/// A session as its connections know it: its credentials, what it may, and what it has done.
final class ProxySession: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// The connections to servers, of which one may be left over from a client that has gone.
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

    /// Takes a connection in; returns whether the session has room for it, and has not ended.
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

    /// Takes note of a connection to a server; returns whether the session has not ended meanwhile.
    func opened(_ channel: any Channel) -> Bool {
        let goesOn = state.withLock { state in
            if !state.isEnded { state.upstreams[ObjectIdentifier(channel)] = channel }
            return !state.isEnded
        }
        guard goesOn else { return false }
        channel.closeFuture.whenComplete { [weak self, id = ObjectIdentifier(channel)] _ in
            self?.state.withLock { $0.upstreams[id] = nil }
        }
        return true
    }

    /// Takes note that an address of a host has answered.
    ///
    /// - Returns: The address that has answered first, and is the host's only one until the session ends.
    func answered(_ address: IPAddress, for host: String) -> IPAddress {
        guard case .name(let name)? = EgressHost(host) else { return address }
        return names.pin(address, for: name)
    }

    /// Counts bytes that pass; returns whether they may.
    func pass(bytes: Int) -> Bool {
        state.withLock { state in
            state.bytes += bytes
            return state.bytes <= limits.bytesPerSession && !state.isEnded
        }
    }

    func failed(_ error: EgressError, host: String, port: Int) {
        state.withLock { state in
            if state.failures.count >= limits.failures { state.failures.removeFirst() }
            state.failures.append(.init(host: host, port: port, error: error))
        }
    }

    /// Admits no more connections; returns those that are to be closed, those to servers too.
    func end() -> [any Channel] {
        state.withLock { state in
            state.isEnded = true
            return Array(state.channels.values) + Array(state.upstreams.values)
        }
    }
}
