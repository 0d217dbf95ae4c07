public import Foundation
public import Persistence

/// Stores what people share.
///
/// Several processes may use it at the same time. A change is durable when its function returns.
public protocol ShareStore: Sendable {
    /// Adds a link, of whose token only the hash is stored.
    func add(_ share: Share, tokenHash: String) async throws(ShareError)
    /// Shares with the person who has a name; a share of the same thing with the same person is changed.
    func add(_ share: Share, withPersonNamed name: String) async throws(ShareError)
    /// The share of a link; `nil` if there is none, or it has ended.
    func share(tokenHash: String, at time: Date) async throws(ShareError) -> Share?
    /// A share with a person; `nil` if there is none, or it has ended.
    func share(_ id: Share.ID, with person: OwnerID, at time: Date) async throws(ShareError) -> Share?
    /// Records that a share was used.
    func use(_ id: Share.ID, at time: Date) async throws(ShareError)
    /// Whether a share hasn't ended.
    func isValid(_ id: Share.ID, at time: Date) async throws(ShareError) -> Bool
    /// An owner's shares that haven't ended, the newest first.
    func shares(of owner: OwnerID, at time: Date) async throws(ShareError) -> [NamedShare]
    /// What others share with a person, the newest first.
    func shares(with person: OwnerID, at time: Date) async throws(ShareError) -> [NamedShare]
    /// Ends a share of an owner.
    func revoke(_ id: Share.ID, of owner: OwnerID) async throws(ShareError)
    /// Ends a share with a person, who doesn't want it anymore.
    func leave(_ id: Share.ID, as person: OwnerID) async throws(ShareError)
    /// Yields after changes by this or another process, and at an interval, because shares also expire.
    func changes() -> AsyncStream<Void>
}
