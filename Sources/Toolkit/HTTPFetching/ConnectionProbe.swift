public import Egress
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
public struct ConnectionProbe: Sendable {
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
    /// - Parameters:
    ///   - host: The host's name or address.
    ///   - port: The port.
    /// - Returns: Whether it takes a connection. A host that answers that it does not has been reached all the same: then
    ///   there is a network, and fetching says what is wrong.
    /// - Throws: ``FetchError``: `blocked` if a rule does not allow it, `cancelled` if the task was.
    public func reaches(_ host: String, port: Int) async throws(FetchError) -> Bool {
        let found: [IPAddress]
        do throws(EgressError) {
            found = try await addresses.addresses(of: host, port: port)
        } catch {
            switch error.code {
            case .refused: throw FetchError(.blocked, error.message, underlying: error)
            case .cancelled: throw .cancelled
            default: return false
            }
        }
        for address in found {
            if Task.isCancelled { throw .cancelled }
            if await connects(to: address, port: port) { return true }
        }
        return false
    }

    private func connects(to address: IPAddress, port: Int) async -> Bool {
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
