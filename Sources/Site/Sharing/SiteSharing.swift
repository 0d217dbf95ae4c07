public import Accounts
public import Foundation
public import Persistence

/// How the site shares boards and pages.
public struct SiteSharing: Sendable {
    /// What is shared.
    public let store: any ShareStore
    /// Returns the current time.
    public let now: @Sendable () -> Date

    /// Creates the configuration.
    ///
    /// - Parameters:
    ///   - store: What is shared.
    ///   - now: Returns the current time.
    public init(_ store: any ShareStore, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.store, self.now) = (store, now)
    }
}

/// A kind of thing that people can share.
public struct ShareableKind: Sendable {
    /// The word for the kind in paths, such as `board`.
    public let kind: String
    /// The word for the kind on pages, such as `board`.
    public let word: String
    /// Whether it can be shared for editing.
    public let allowsEditing: Bool
    /// The path of the pages on which a person sees what others share, such as `/art/shared`; `nil` if it can only be
    /// shared by a link.
    public let peoplePath: String?
    /// Returns the name of an owner's thing; `nil` if there is no such thing.
    public let name: @Sendable (_ id: String, _ owner: OwnerID) async throws -> String?
    /// Returns the path of the owner's page about a thing.
    public let path: @Sendable (_ id: String) -> String

    /// Creates a kind.
    ///
    /// - Parameters:
    ///   - kind: The word for the kind in paths.
    ///   - word: The word for the kind on pages.
    ///   - allowsEditing: Whether it can be shared for editing.
    ///   - peoplePath: The path of the pages on which a person sees what others share, if it can be shared with people.
    ///   - name: Returns the name of an owner's thing; `nil` if there is no such thing.
    ///   - path: Returns the path of the owner's page about a thing.
    public init(
        _ kind: String, word: String, allowsEditing: Bool, peoplePath: String? = nil,
        name: @escaping @Sendable (_ id: String, _ owner: OwnerID) async throws -> String?,
        path: @escaping @Sendable (_ id: String) -> String
    ) {
        (self.kind, self.word, self.allowsEditing, self.peoplePath) = (kind, word, allowsEditing, peoplePath)
        (self.name, self.path) = (name, path)
    }
}

/// The right by which a request reaches a shared thing.
public struct SharedAccess: Sendable {
    /// Identifies the share; it grants nothing.
    public let share: String
    /// The owner of the shared thing.
    public let owner: OwnerID
    /// The identifier of the one thing of the owner that the request may reach.
    public let item: String
    /// Whether the request may change it.
    public let allowsEditing: Bool
    /// Whether the request comes by a link, and not from a person with whom the thing is shared.
    public let isLink: Bool
    /// The path of the shared thing, which the paths of its pages and files begin with.
    public let path: String

    init(_ share: Share, path: String) {
        (self.share, owner, item) = (share.id, share.owner, share.item.id)
        (allowsEditing, isLink, self.path) = (share.allowsEditing, share.person == nil, path)
    }
}

/// A thing that another person shares with a person who has an account.
public struct ReceivedShare: Sendable {
    /// Identifies the share; it grants nothing without the person's session.
    public let id: String
    /// The owner of the thing.
    public let owner: OwnerID
    /// The name of the owner; `nil` if the owner has no account.
    public let ownerName: String?
    /// The identifier of the thing.
    public let item: String
    /// Whether the person may change it.
    public let allowsEditing: Bool
}

extension SiteSharing {
    /// What others share with a person.
    ///
    /// - Parameters:
    ///   - person: The person.
    ///   - kind: The kind of things.
    /// - Returns: The shares that haven't ended, the newest first.
    /// - Throws: ``Accounts/ShareError``.
    public func received(by person: OwnerID, of kind: ShareableKind) async throws -> [ReceivedShare] {
        try await store.shares(with: person, at: now()).filter { $0.share.item.kind == kind.kind }.map {
            ReceivedShare(
                id: $0.share.id, owner: $0.share.owner, ownerName: $0.ownerName, item: $0.share.item.id,
                allowsEditing: $0.share.allowsEditing)
        }
    }
}

extension SiteContext {
    /// The name of the signed-in person's account; `nil` if there is none.
    public var personName: String? { person?.account.name.description }
}

/// The paths of links, which need no session: `/shared/TOKEN/…`.
enum SharedPath {
    static let prefix = "/shared/"

    /// A path without the token of a link, for logs.
    static func redacted(_ path: String) -> String {
        path.hasPrefix(prefix) ? prefix + "…" : path
    }
}
