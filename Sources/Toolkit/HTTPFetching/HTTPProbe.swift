public import Egress
public import Foundation
public import Loading
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Asks whether there is a way to a host, by connecting to it and nothing more.
///
/// Linux tells nobody, without a daemon, that there is a network again. What was to be fetched knows its host: when that takes
/// a connection, fetching is worth trying.
public struct HTTPProbe: ConnectionProbe {
    private let addresses: AddressChecker
    private let patience: Duration

    /// Creates a probe.
    ///
    /// - Parameters:
    ///   - addresses: What may be connected to.
    ///   - patience: For how long one address may not answer.
    public init(addresses: AddressChecker = AddressChecker(), patience: Duration = .seconds(3)) {
        self.addresses = addresses
        self.patience = patience
    }

    /// Connects to one of a host's addresses, each of which is checked, and ends the connection.
    ///
    /// A host that says that it takes no connection has been reached; so has one that a rule forbids, as far as waiting is
    /// concerned: fetching says what is wrong, and waiting would mend nothing.
    ///
    /// - Parameter url: The address.
    /// - Returns: Whether there is any use in fetching from it. When the task is cancelled, there is none.
    public func connect(to url: URL) async -> Bool {
        guard let host = url.connectedHost, let port = WebOrigin(url)?.port else { return true }
        let found: [IPAddress]
        do throws(EgressError) {
            found = try await addresses.addresses(of: host, port: port)
        } catch {
            switch error.code {
            case .nameNotFound, .resolutionFailed, .cancelled: return false
            default: return true
            }
        }
        for address in found {
            if Task.isCancelled { return false }
            if await takesConnections(address, port: port) { return true }
        }
        return false
    }

    private func takesConnections(_ address: IPAddress, port: Int) async -> Bool {
        do {
            let target = try SocketAddress(ipAddress: "\(address)", port: port)
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(TimeAmount(patience)).connect(to: target).get()
            try? await channel.close()
            return true
        } catch let error as IOError {
            return error.errnoCode == ECONNREFUSED
        } catch {
            return false
        }
    }
}
