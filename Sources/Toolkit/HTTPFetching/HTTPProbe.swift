public import Egress
public import Foundation
public import Loading
import NIOCore
import NIOPosix
import SystemPackage

/// Finds out whether a host can be reached, by opening a connection without sending anything.
///
/// Without a daemon, Linux doesn't notify programs when the network is available again.
public struct HTTPProbe: ConnectionProbe {
    private let addresses: AddressChecker
    private let timeout: Duration

    /// Creates a probe.
    ///
    /// - Parameters:
    ///   - addresses: Resolves hosts and checks which addresses may be connected to.
    ///   - timeout: The maximum time to connect to one address of a host.
    public init(addresses: AddressChecker = AddressChecker(), timeout: Duration = .seconds(3)) {
        self.addresses = addresses
        self.timeout = timeout
    }

    /// Tries to connect to a host's checked addresses, one after the other, and closes the connection.
    ///
    /// A host that refuses the connection counts as reached. So does a host that a rule forbids: waiting doesn't help,
    /// and the fetch throws the reason.
    ///
    /// - Returns: Whether a fetch is worth trying; `false` when the task is cancelled.
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
            if await isReachable(address, port: port) { return true }
        }
        return false
    }

    private func isReachable(_ address: IPAddress, port: Int) async -> Bool {
        do {
            let target = try SocketAddress(ipAddress: "\(address)", port: port)
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(TimeAmount(timeout)).connect(to: target).get()
            try? await channel.close()
            return true
        } catch let error as IOError {
            return Errno(rawValue: error.errnoCode) == .connectionRefused
        } catch {
            return false
        }
    }
}
