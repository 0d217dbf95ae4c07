import Foundation
import Persistence
import ServiceLifecycle
import Site

#if PostgreSQL
    import PostgreSQL
#endif

/// A server's part in a cluster of servers that share a database.
///
/// It runs as a service, so that the process ends if other servers have taken over.
struct ServerCluster: Service, CustomStringConvertible {
    let description = "ServerCluster"
    /// Sends requests to the servers of their owners.
    let forwarding: any RequestForwarding
    /// Whether no other server can have taken over.
    let isCurrent: @Sendable () -> Bool
    /// Whether an owner's data may be in this server's memory.
    let isHere: @Sendable (OwnerID) async -> Bool
    /// Changes where other servers reach this one.
    let setAddress: @Sendable (String) async -> Void
    private let report: @Sendable () async throws(StoreError) -> Void
    private let leaving: @Sendable () async -> Void

    /// Joins the servers that use a database.
    ///
    /// Other servers forward requests to this one once it has an address.
    ///
    /// - Parameter storage: The storage of this server.
    /// - Returns: `nil` if the database is in the data folder, which only one server uses.
    /// - Throws: ``StoreError`` if the database can't be written.
    static func join(_ storage: Storage) async throws(StoreError) -> ServerCluster? {
        #if PostgreSQL
            guard let database = storage.postgreSQL else { return nil }
            return ServerCluster(try await ClusterMember.join(database, address: ""), storage)
        #else
            return nil
        #endif
    }

    #if PostgreSQL
        private init(_ member: ClusterMember, _ storage: Storage) {
            let forwarder = RequestForwarder(
                member, incoming: storage.incoming, leaving: storage.folder.budget.freeDisk)
            forwarding = forwarder
            isCurrent = { member.isCurrent }
            isHere = { owner in (try? await member.place(of: owner)) == .here }
            setAddress = { await member.setAddress($0) }
            report = { () async throws(StoreError) in try await member.run() }
            leaving = {
                await forwarder.shutDown()
                await member.leave()
            }
        }
    #endif

    /// Reports that this server is alive until it is shut down.
    ///
    /// - Throws: ``StoreError`` with the code `inUse` if other servers have taken over.
    func run() async throws {
        try await cancelWhenGracefulShutdown { try await report() }
    }

    /// Lets other servers take over, after all work has ended.
    func leave() async { await leaving() }
}
