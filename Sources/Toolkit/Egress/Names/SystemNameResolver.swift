import Foundation
import Futures

/// Looks names up as every program of this machine does: `getaddrinfo`, with the hosts file and all.
///
/// The call cannot be cut short, so that it runs on threads of its own, a few at a time; a task that is cancelled, or has
/// waited long enough, leaves it to end by itself.
public struct SystemNameResolver: NameResolver {
    private let limit: Duration

    /// Creates a resolver.
    ///
    /// - Parameter limit: How long a name may take.
    public init(limit: Duration = .seconds(15)) {
        self.limit = limit
    }

    /// Looks a name up, away from the threads of Swift's concurrency.
    public func addresses(of host: String) async throws -> [IPAddress] {
        let addresses = Promise<[IPAddress], EgressError>(
            onAbandon: { EgressError(.cancelled, "The search for the addresses of \(host) was dropped.") })
        Self.threads.addOperation {
            // The caller may have given up while others were looked up.
            if addresses.future.isComplete { return }
            // All of `.localhost` is this machine, whether its resolver knows or not, as in browsers:
            // https://www.rfc-editor.org/rfc/rfc6761#section-6.3
            addresses.settle(Self.lookUp(host.hasSuffix(".localhost") ? "localhost" : host))
        }
        let late = EgressError(
            .resolutionFailed,
            "The addresses of \(host) were not found in time. Check that this machine is online, then try again.")
        do throws(EgressError) {
            return try await addresses.future.timeout(after: limit, error: late)
                .value(onCancel: EgressError(.cancelled, "The search for the addresses of \(host) was cancelled."))
        } catch {
            addresses.reject(error)
            throw error
        }
    }

    private static let threads: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "meanwhile.egress.names"
        queue.maxConcurrentOperationCount = 16
        return queue
    }()

    private static func lookUp(_ host: String) -> Result<[IPAddress], EgressError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        // No IPv6 addresses on a machine without IPv6, nor the other way round.
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else { return .failure(failure(status, host: host)) }
        var addresses: [IPAddress] = []
        var entry = list
        while let current = entry {
            if let address = current.pointee.ai_addr.flatMap({ IPAddress($0) }), !addresses.contains(address) {
                addresses.append(address)
            }
            entry = current.pointee.ai_next
        }
        return addresses.isEmpty ? .failure(failure(EAI_NONAME, host: host)) : .success(addresses)
    }

    private static func failure(_ status: CInt, host: String) -> EgressError {
        let reason = gai_strerror(status).map { String(cString: $0) } ?? "error \(status)"
        var isUnknown = status == EAI_NONAME
        #if canImport(Glibc)
            // EAI_NODATA, a name without an address, which the header has for GNU's own programs only.
            isUnknown = isUnknown || status == -5
        #endif
        return isUnknown
            ? EgressError(
                .nameNotFound,
                "No host named \(host) was found. Check the address, and that this machine is online. (\(reason))")
            : EgressError(
                .resolutionFailed,
                "The addresses of \(host) could not be asked for. Check that this machine is online, then try again. (\(reason))"
            )
    }
}
