public import Foundation
public import Persistence

/// A board or a page that its owner shares: by a link, or with a person who has an account.
public struct Share: Hashable, Sendable, Identifiable {
    /// Identifies the share in lists; it grants nothing without the link's token or the person's session.
    public let id: String
    /// The owner of what is shared.
    public let owner: OwnerID
    /// What is shared.
    public let item: SharedItem
    /// The person with whom it is shared; `nil` for a link.
    public let person: OwnerID?
    /// Whether it may be changed, and not only looked at.
    public var allowsEditing: Bool
    /// When the share was made.
    public let createdAt: Date
    /// When the share ends; `nil` if it doesn't end by itself.
    public var expiresAt: Date?
    /// When the share was used last, with an accuracy of ``SessionPolicy/accuracy``; `nil` if it wasn't.
    public var usedAt: Date?

    /// Creates a share.
    public init(
        id: String = UUID().uuidString.lowercased(), owner: OwnerID, item: SharedItem, person: OwnerID? = nil,
        allowsEditing: Bool, createdAt: Date, expiresAt: Date? = nil, usedAt: Date? = nil
    ) {
        (self.id, self.owner, self.item, self.person) = (id, owner, item, person)
        (self.allowsEditing, self.createdAt, self.expiresAt) = (allowsEditing, createdAt, expiresAt)
        self.usedAt = usedAt
    }
}

/// What is shared: one thing of an owner.
public struct SharedItem: Hashable, Sendable {
    /// The kind, such as `board`; a word in paths.
    public let kind: String
    /// The identifier among the owner's things of this kind.
    public let id: String

    /// Creates a reference to a thing.
    public init(kind: String, id: String) {
        (self.kind, self.id) = (kind, id)
    }
}

/// A share with the names of the accounts that it belongs to.
public struct NamedShare: Hashable, Sendable {
    /// The share.
    public let share: Share
    /// The name of the owner; `nil` if the owner has no account.
    public let ownerName: String?
    /// The name of the person with whom it is shared; `nil` for a link.
    public let personName: String?

    init(share: Share, ownerName: String?, personName: String?) {
        (self.share, self.ownerName, self.personName) = (share, ownerName, personName)
    }
}

/// Limits of shares.
public enum SharePolicy {
    /// The largest number of shares of an owner.
    public static let maximumCount = 500
}

/// Why a share can't be made or read.
public enum ShareError: Error, Hashable, Sendable {
    /// The owner has as many shares as allowed.
    case tooMany
    /// There is no such account.
    case noSuchPerson
    /// The person is the owner.
    case ownAccount
    /// The shares can't be read or changed.
    case storage(String)
}

extension ShareError: CustomStringConvertible {
    /// What failed, for people.
    public var description: String {
        switch self {
        case .tooMany: "You share \(SharePolicy.maximumCount) things already. Revoke a link that isn’t needed anymore."
        case .noSuchPerson: "There is no account with this name. Check the spelling."
        case .ownAccount: "This is your own account. Enter the name of another person."
        case .storage(let message): message
        }
    }
}
