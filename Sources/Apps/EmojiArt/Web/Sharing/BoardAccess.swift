package import EmojiArtModel
import HTTPTypes
package import Persistence
package import Site

/// The right of a visitor to one board of its owner.
///
/// Pages with an access show and change this board only, whatever identifiers a request contains.
struct BoardAccess: Sendable {
    /// The board.
    let board: BoardID
    let allowsEditing: Bool
    /// Whether the visitor has a link, and not an account with which the board is shared.
    let isLink: Bool
    /// The path of the board's page.
    let path: String
    /// Distinguishes what browsers store of this board by this share; it grants nothing.
    let share: String

    /// Creates the access of a share.
    ///
    /// - Throws: A ``Problem`` if the share isn't that of a board.
    init(_ access: SharedAccess) throws(Problem) {
        guard let board = BoardID(access.item) else { throw .noSuchBoard }
        self.board = board
        (allowsEditing, isLink, path) = (access.allowsEditing, access.isLink, access.path)
        share = access.share
    }
}

extension ArtPages {
    fileprivate static let sharedPath = "/art/shared"

    /// What people can share: boards, whose owner's store has their names.
    package static func shareableBoards(in store: any BoardStoring) -> ShareableKind {
        ShareableKind(
            "board", word: ArtWords.sharedKind, allowsEditing: true, peoplePath: sharedPath,
            name: { id, owner in
                guard let id = BoardID(id) else { return nil }
                return try await store.summary(of: id, owner: owner)?.name
            }, path: { "/art/boards/\($0)" })
    }

    /// Adds the routes of shared boards: the owner's pages, restricted to the shared board.
    ///
    /// - Parameters:
    ///   - router: The site's router.
    ///   - sharing: What is shared.
    ///   - kind: The kind of boards.
    ///   - layout: The layout of pages.
    ///   - pages: Returns the pages of an owner.
    package static func addSharedRoutes(
        to router: SiteRouter, _ sharing: SiteSharing, of kind: ShareableKind, layout: Layout,
        pages: @escaping @Sendable (OwnerID) async throws -> ArtPages
    ) {
        let routes = SharedRoutes(sharing, of: kind)
        @Sendable func shared(_ access: SharedAccess) async throws -> ArtPages {
            var pages = try await pages(access.owner)
            pages.access = try BoardAccess(access)
            return pages
        }
        routes.get("", on: router) { try await shared($2).boardPage($0, $1, layout: layout) }
        routes.get("/state", on: router) { try await shared($2).state($0, $1) }
        routes.get("/entries", on: router) { try await shared($2).entries($0, $1) }
        routes.get("/events", on: router) { try await shared($2).follow($0, $1) }
        routes.get("/picture/:hash", on: router) { try await shared($2).picture($0, $1) }
        routes.get("/drawing.svg", on: router) { try await shared($2).export(as: "svg", $0, $1) }
        routes.get("/emoji.json", on: router) { request, _, _ in try ArtPages.findEmoji(request) }
        // A visitor who only looks may be seen by the others.
        routes.post("/presence", needsEditing: false, on: router) { try await shared($2).reportPresence($0, $1) }
        routes.post("/operations", on: router) { try await shared($2).apply($0, $1) }
        routes.post("/pictures", on: router) { try await shared($2).addPicture($0, $1) }
        routes.post("/background/retry", on: router) { try await shared($2).retryBackground($1) }
    }
}

/// A board that another person shares with the owner of the list.
package struct SharedBoard: Sendable {
    let id, name: String
    /// The name of the board's owner; `nil` if the owner has no account.
    let giver: String?
    let right: String
    let opens: Link

    /// Creates an entry of the list.
    package init(_ share: ReceivedShare, name: String) {
        (id, self.name, giver) = (share.id, name, share.ownerName)
        right = share.allowsEditing ? ArtWords.canEdit : ArtWords.canView
        opens = Link("\(ArtPages.sharedPath)/\(share.id)")
    }
}

extension Problem {
    static let backgroundByAddress = Problem(
        .forbidden, title: ArtWords.noBackgroundByAddress, detail: ArtWords.noBackgroundByAddressDetail)
}
