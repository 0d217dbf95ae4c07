package import EmojiArtModel
import Foundation
import FuturesFoundation
import HTTPTypes
package import Hummingbird
package import Persistence
package import Site

/// EmojiArt's pages.
package struct ArtPages: Sendable {
    /// The app's entry on the home page.
    package static let app: SiteApp = {
        var app = SiteApp(
            name: ArtWords.name, path: "/art/", summary: ArtWords.summary, hint: ArtWords.hint, files: files)
        app.api = api
        return app
    }()

    /// The owner of everything that the pages show and change.
    let owner: OwnerID
    let documents: OpenBoards
    let store: any BoardStoring
    let palettes: PaletteStores
    /// Exports and imports boards.
    var boardFiles: BoardFiles
    /// Parses uploaded files.
    let reading: any ArtReading
    /// The folder for uploads until they are parsed.
    let incoming: String
    /// The disk space that uploads must leave free.
    let floor: FreeDiskFloor
    let thumbnails: ListThumbnails
    let templates: Templates
    let notice: String?
    /// The one board that a visitor may see, and change if it was shared so; `nil` for the owner's own pages.
    var access: BoardAccess?
    /// The boards that others share with the owner.
    package var sharedBoards: @Sendable () async throws -> [SharedBoard] = { [] }
    /// The version of the list of them; `nil` if the owner has no account.
    package var sharedVersion: @Sendable () async throws -> String? = { nil }
    /// The threads for computations with large boards.
    var threads = WorkerThreads.computing
    let events = EventStream()

    /// Creates the pages.
    ///
    /// `incoming` is the folder for uploads until they are parsed, and `floor` the disk space that they must leave
    /// free. `notice` is a warning at the top of every page. Without a renderer, boards can't be exported as PNG.
    ///
    /// - Throws: The syntax error of a template.
    package init(
        of owner: OwnerID = .local, documents: OpenBoards, store: any BoardStoring, palettes: PaletteStores,
        fetching: any BackgroundFetching, renderer: (any BoardRendering)? = nil,
        reading: any ArtReading, incoming: String = NSTemporaryDirectory(), leaving floor: FreeDiskFloor = .automatic,
        notice: String? = nil
    ) throws {
        self.owner = owner
        self.documents = documents
        self.store = store
        self.palettes = palettes
        self.boardFiles = BoardFiles(store: store, owner: owner, fetching: fetching, renderer: renderer)
        self.reading = reading
        self.incoming = incoming
        self.floor = floor
        self.thumbnails = ListThumbnails(store: store, owner: owner)
        self.templates = try Self.parsedTemplates.get()
        self.notice = notice
    }
}

// MARK: - Routes

extension ArtPages {
    package func addRoutes(to router: some RouterMethods<SiteContext>, layout: Layout) {
        let art = router.group("/art")
        addBoardRoutes(to: art, layout: layout)
        addListRoutes(to: art, layout: layout)
        addPaletteRoutes(to: art, layout: layout)
        addFileRoutes(to: art, layout: layout)
        addAPIRoutes(to: router)
    }

    func page(
        _ layout: Layout, title: String, heading: String? = nil, _ content: HTML, styles: [String] = [],
        scripts: [String] = [], status: HTTPResponse.Status = .ok, firstPageIn visit: Request? = nil
    ) -> Response {
        layout.page(
            title: title, heading: heading, app: Self.app, content: content, styles: styles, scripts: scripts,
            status: status, firstPageIn: visit)
    }
}
