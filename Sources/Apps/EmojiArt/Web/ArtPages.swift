package import EmojiArtModel
import Foundation
import FuturesFoundation
import HTTPTypes
import Hummingbird
package import Persistence
package import Site

/// EmojiArt's pages.
package struct ArtPages: Sendable {
    /// The app, as the home page names it.
    package static let app = SiteApp(
        name: "EmojiArt", path: "/art/", summary: "Boards of emoji over a picture, which never lose a stroke.",
        files: files)

    let documents: OpenBoards
    let store: any BoardStoring
    let palettes: PaletteStores
    /// Makes files of boards, and boards of files.
    var boardFiles: BoardFiles
    /// What reads the files that people bring.
    let reading: any ArtReading
    /// The folder for what comes in, until it is read.
    let incoming: String
    /// The disk space that what comes in leaves free.
    let floor: FreeDiskFloor
    let thumbnails: ListThumbnails
    let templates: Templates
    let notice: String?
    /// What computes with large boards.
    var threads = WorkerThreads.computing
    let events = EventStream()

    /// Creates the pages.
    ///
    /// The folder is for uploads until they are read, and the floor is the disk space that these leave free. The notice
    /// is a warning at the top of every page. Without a renderer there are no pictures of boards.
    ///
    /// - Throws: What is wrong with a template.
    package init(
        documents: OpenBoards, store: any BoardStoring, palettes: PaletteStores,
        fetching: any BackgroundFetching, renderer: (any BoardRendering)? = nil,
        reading: any ArtReading, incoming: String = NSTemporaryDirectory(), leaving floor: FreeDiskFloor = .automatic,
        notice: String? = nil
    ) throws {
        self.documents = documents
        self.store = store
        self.palettes = palettes
        self.boardFiles = BoardFiles(store: store, owner: .local, fetching: fetching, renderer: renderer)
        self.reading = reading
        self.incoming = incoming
        self.floor = floor
        self.thumbnails = ListThumbnails(store: store, owner: .local)
        self.templates = try Self.templates()
        self.notice = notice
    }
}

// MARK: - Routes

extension ArtPages {
    /// Adds the routes.
    package func addRoutes(to router: SiteRouter, layout: Layout) {
        let art = router.group("/art")
        addBoardRoutes(to: art, layout: layout)
        addListRoutes(to: art, layout: layout)
        addPaletteRoutes(to: art, layout: layout)
        addFileRoutes(to: art, layout: layout)
    }

    /// A page of the app.
    func page(
        _ layout: Layout, title: String, heading: String? = nil, _ content: HTML, styles: [String] = [],
        scripts: [String] = [], status: HTTPResponse.Status = .ok
    ) -> Response {
        layout.page(
            title: title, heading: heading, app: Self.app, content: content, styles: styles, scripts: scripts,
            status: status)
    }
}
