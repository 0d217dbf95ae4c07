import Digests
import Foundation
import Futures
import NIOCore

/// The state that all connections of a proxy share: sessions and client connections.
final class ProxyCore: Sendable {
    private struct State {
        var sessions: [String: ProxySession] = [:]
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    let limits: PinningProxy.Limits
    private let resolver: any NameResolver
    private let ownPorts: OwnPorts
    private let state = Lock(State())

    init(limits: PinningProxy.Limits, resolver: any NameResolver, ownPorts: OwnPorts) {
        self.limits = limits
        self.resolver = resolver
        self.ownPorts = ownPorts
    }

    // MARK: Sessions

    func session(policy: AddressPolicy) -> ProxySession {
        let session = ProxySession(policy: policy, resolver: resolver, ownPorts: ownPorts, limits: limits)
        let isClosed = state.withLock { state in
            if !state.isClosed { state.sessions[session.userName] = session }
            return state.isClosed
        }
        if isClosed { _ = session.end() }
        return session
    }

    /// The session with these credentials.
    func session(authorized authorization: String) -> ProxySession? {
        guard let (name, password) = ProxyCredentials.parse(authorization),
            let session = state.withLock({ $0.sessions[name] }),
            password.isEqualInConstantTime(to: session.password)
        else { return nil }
        return session
    }

    /// Ends a session and starts closing its connections, which it returns.
    @discardableResult
    func end(_ session: ProxySession) -> [any Channel] {
        state.withLock { $0.sessions[session.userName] = nil }
        let channels = session.end()
        for channel in channels { channel.close(promise: nil) }
        return channels
    }

    var sessionCount: Int { state.withLock { $0.sessions.count } }

    // MARK: Connections

    /// Registers a new connection; returns whether the limit allows it.
    func admit(_ channel: any Channel) -> Bool {
        let isAdmitted = state.withLock { state in
            guard !state.isClosed, state.channels.count < limits.connections else { return false }
            state.channels[ObjectIdentifier(channel)] = channel
            return true
        }
        guard isAdmitted else { return false }
        channel.closeFuture.whenComplete { [weak self, id = ObjectIdentifier(channel)] _ in
            self?.state.withLock { $0.channels[id] = nil }
        }
        return true
    }

    /// Ends all sessions and starts closing all connections, which it returns.
    ///
    /// The first call removes the port from ``OwnPorts`` while the port is still bound: once it's free, another proxy
    /// of this program may bind and register it.
    @discardableResult
    func close(port: Int) -> [any Channel] {
        let (isFirst, sessions, clients) = state.withLock { state in
            defer { (state.isClosed, state.sessions) = (true, [:]) }
            return (!state.isClosed, Array(state.sessions.values), Array(state.channels.values))
        }
        if isFirst { ownPorts.remove(port) }
        let channels = clients + sessions.flatMap { $0.end() }
        for channel in channels { channel.close(promise: nil) }
        return channels
    }
}

/// The credentials of sessions, in the `Basic` scheme.
///
/// https://www.rfc-editor.org/rfc/rfc7617
enum ProxyCredentials {
    static func parse(_ authorization: String) -> (name: String, password: String)? {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1])),
            let text = String(data: data, encoding: .utf8), let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}
