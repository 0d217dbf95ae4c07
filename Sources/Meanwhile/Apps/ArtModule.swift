import EmojiArtModel
import EmojiArtStore
import EmojiArtWeb
import Hummingbird
import Logging
import Persistence
import Site

/// The server module of EmojiArt.
struct ArtModule: SiteModule {
    private let local: OwnerArt
    private let people: ArtOfOwners
    private let services: ServerServices
    private let shareable: ShareableKind
    private let logger = Logger(label: "meanwhile.art")

    /// - Throws: An error if a template is invalid.
    init(_ services: ServerServices) async throws {
        self.services = services
        people = await ArtOfOwners(services)
        local = try await people.of(.local)
        shareable = people.shareable
    }

    /// How often the cache of boards has had a board, and how often not.
    var cacheLookups: @Sendable () -> (hits: Int, misses: Int) {
        { [store = people.store] in store.cacheLookups }
    }

    var app: SiteApp? { ArtPages.app }
    var shareableKinds: [ShareableKind] { [shareable] }

    func samples(of owner: OwnerID) -> (any SampleData)? {
        StoredSamples(
            ArtWords.sampleSummary, key: "samples/art", of: owner, in: services.storage,
            newIDs: {
                var generator = SystemRandomNumberGenerator()
                return [BoardID(using: &generator).rawValue]
            },
            adding: { ids in
                let pages = try await people.of(owner).pages
                for id in ids.compactMap({ BoardID($0) }) { try await pages.addSample(id) }
            },
            removing: { ids in
                let pages = try await people.of(owner).pages
                for id in ids.compactMap({ BoardID($0) }) { try await pages.removeSample(id) }
            })
    }

    func overview(of owner: OwnerID) async throws -> AppOverview? { try await people.of(owner).pages.overview() }

    func addRoutes(to router: SiteRouter, layout: Layout) {
        router.addOwnerRoutes {
            local.pages.addRoutes(to: $0, layout: layout)
        } of: { owner, routes in
            try await people.of(owner).pages.addRoutes(to: routes, layout: layout)
        }
        ArtPages.addSharedRoutes(to: router, services.sharing, of: shareable, layout: layout) { owner in
            try await people.of(owner).pages
        }
    }

    func run() async {
        do {
            try await local.parts.findPictureSizes()
        } catch {
            logger.error("Could not find the sizes of older pictures", metadata: ["error": "\(error)"])
        }
    }

    func tidy() async throws {
        for art in await people.all { await art.parts.boards.tidy() }
        try await local.parts.store.tidy()
    }

    func beginShutdown() async {
        for art in await people.all { await art.parts.boards.beginShutdown() }
    }

    func shutDown() async {
        for art in await people.all { await art.parts.shutDown() }
    }
}

/// An owner's boards and palettes, with the pages that show them.
struct OwnerArt: Sendable {
    let parts: ArtParts
    let pages: ArtPages
}

/// The boards and palettes of all owners that have used them since the server was started.
@MainActor
final class ArtOfOwners {
    private let services: ServerServices
    nonisolated let store: SQLiteBoardStore
    nonisolated let shareable: ShareableKind
    private var known: [OwnerID: OwnerArt] = [:]

    init(_ services: ServerServices) {
        self.services = services
        store = SQLiteBoardStore(in: services.storage.database, blobs: services.blobs)
        shareable = ArtPages.shareableBoards(in: store)
    }

    var all: [OwnerArt] { Array(known.values) }

    /// - Throws: An error if a template is invalid.
    func of(_ owner: OwnerID) throws -> OwnerArt {
        if let art = known[owner] { return art }
        let (storage, jobs) = (services.storage, services.jobs.of(owner))
        let parts = ArtParts(of: owner, in: storage, store: store, jobs: jobs)
        var pages = try ArtPages(
            of: owner, documents: parts.boards, store: store, palettes: parts.palettes, fetching: parts.fetching,
            renderer: jobs, reading: jobs, incoming: storage.incoming, leaving: storage.folder.budget.freeDisk,
            notice: services.notice)
        pages.sharedBoards = { [sharing = services.sharing, shareable] in
            var boards: [SharedBoard] = []
            for share in try await sharing.received(by: owner, of: shareable) {
                // A board that its owner has deleted may be restored.
                guard let name = try await shareable.name(share.item, share.owner) else { continue }
                boards.append(SharedBoard(share, name: name))
            }
            return boards
        }
        if owner != .local {
            pages.sharedVersion = { [sharing = services.sharing] in try await sharing.version(for: owner) }
        }
        let art = OwnerArt(parts: parts, pages: pages)
        known[owner] = art
        return art
    }
}
