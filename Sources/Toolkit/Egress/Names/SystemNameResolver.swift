import Foundation
import Futures
import FuturesFoundation

/// Resolves names with `getaddrinfo`, which includes the hosts file.
///
/// A call can't be cancelled, and blocks its thread until a name server answers or the system gives up, so calls run on
/// threads of their own. When a task is cancelled or times out, its call finishes in the background.
public struct SystemNameResolver: NameResolver {
    private let limit: Duration

    /// Creates a resolver.
    ///
    /// - Parameter limit: The maximum time to resolve a name.
    public init(limit: Duration = .seconds(15)) {
        self.limit = limit
    }

    /// Resolves a name without blocking the threads of Swift concurrency.
    public func addresses(of host: String) async throws -> [IPAddress] {
        let addresses = Promise<[IPAddress], EgressError>(
            onAbandon: { EgressError(.cancelled, "The lookup of \(host) ended without a result. Try again.") })
        Self.threads.add {
            // The caller may have given up while this lookup was waiting for a thread.
            if addresses.future.isComplete { return }
            // All names under `.localhost` are this machine, as in browsers, even if the system's resolver doesn't know
            // that: https://www.rfc-editor.org/rfc/rfc6761#section-6.3
            addresses.settle(Self.lookUp(host.hasSuffix(".localhost") ? "localhost" : host))
        }
        let late = EgressError(
            .resolutionFailed,
            "Looking up \(host) took too long. Check that this computer is online, then try again.")
        do throws(EgressError) {
            return try await addresses.future.timeout(after: limit, error: late)
                .value(onCancel: EgressError(.cancelled, "The lookup of \(host) was cancelled."))
        } catch {
            addresses.reject(error)
            throw error
        }
    }

    private static let threads = WorkerThreads(limit: 64)

    private static func lookUp(_ host: String) -> Result<[IPAddress], EgressError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        // Leaves out IPv6 addresses on a machine without IPv6, and IPv4 addresses on one without IPv4.
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
            // EAI_NODATA: the name has no addresses. The header declares the constant only with `_GNU_SOURCE`.
            isUnknown = isUnknown || status == -5
        #endif
        return isUnknown
            ? EgressError(
                .nameNotFound,
                "The server \(host) wasn't found. Check the address, and that this computer is online. (\(reason))")
            : EgressError(
                .resolutionFailed,
                "Can't look up \(host). Check that this computer is online, then try again. (\(reason))"
            )
    }
}
