import BrowserDriver
import EmojiArtModel
import Foundation
import Site

@testable import EmojiArtWeb

extension ArtPages {
    /// The path of the app's scripts on a server without other apps.
    static let scripts = StaticFiles(of: [app]).path(of: "art")
}

/// A board's page in a tab.
struct BoardTab: Sendable {
    typealias Place = BrowserTab.Place

    let tab: BrowserTab
    let board: String

    /// Opens the page, and returns once it is usable.
    init(_ tab: BrowserTab, of server: BoardServer, board: String = "beach") async throws {
        self.tab = tab
        self.board = board
        guard let url = URL(string: "\(server.origin)/art/boards/\(board)") else { throw CancellationError() }
        try await tab.runBeforePages(Self.holdMessages)
        try await tab.open(url)
        try await tab.wait(until: "document.getElementById('stage').dataset.ready === ''")
        // The module that the page has already loaded.
        _ = try await tab.evaluate(
            """
            import('\(ArtPages.scripts)/board.js').then(async (module) => {
                window.board = await module.board;
                // Convert between positions of the board and of the stage.
                window.toStage = ({ x, y }) => {
                    const { origin, zoom } = board.camera;
                    return { x: origin.x + x * zoom, y: origin.y - y * zoom };
                };
                window.toBoard = (place) => {
                    const [x, y] = board.model.boardPoint([place.x, place.y]);
                    return { x, y };
                };
                // The positions of the selection's handles on the stage: four that resize, and the one that rotates.
                window.handles = () => {
                    const [, corners, rotation] = board.model.frame();
                    return [...corners, rotation].filter(Boolean).map(([x, y]) => ({ x, y }));
                };
                return true;
            })
            """,
            as: Bool.self)
        try await settle()
    }

    /// Acts as if the pointer were over each message, which keeps it.
    ///
    /// On a busy machine, a message would disappear before a test looks for it. A test of the time itself sets
    /// `holdsMessages` to false.
    static let holdMessages = """
        window.holdsMessages = true;
        new MutationObserver((records) => {
            if (!window.holdsMessages) return;
            for (const node of records.flatMap(({ addedNodes }) => Array.from(addedNodes)))
                if (node.classList?.contains('toast')) node.dispatchEvent(new PointerEvent('pointerenter'));
        }).observe(document, { subtree: true, childList: true });
        """

    /// Runs the body with the page of a board on a separate server; fails if the page reports an error.
    static func run(
        _ emojis: [Emoji] = Self.farm, of browser: SharedBrowser = .shell, width: Int = 1280, height: Int = 800,
        colours: BrowserTab.Colours = .light, isTouch: Bool = false,
        _ body: (BoardServer, BoardTab) async throws -> Void
    ) async throws {
        try await BoardServer.run { server in
            try await server.createBoard(art: try EmojiArt(background: .blank, emojis: emojis))
            try await BrowserTab.run(of: browser, width: width, height: height, colours: colours) { tab in
                if isTouch { try await tab.emulateTouchScreen() }
                let page = try await BoardTab(tab, of: server)
                // On a slow machine, a touch could last long enough to count as a long press, which only some tests want.
                if isTouch { try await page.run("board.gestures.longPress = 600_000; return true;") }
                try await body(server, page)
                // Some tests expect resources that fail to load; none expects a script error.
                let complaints = await tab.complaints.filter { !$0.hasPrefix("Failed to load resource") }
                guard complaints.isEmpty else { throw PageComplaints(description: "\(complaints)") }
            }
        }
    }

    /// Some emoji, of which only the last two touch each other.
    static let farm: [Emoji] = [
        ("cow", "🐄", -200, 100, 80), ("pig", "🐖", 0, 100, 60), ("dog", "🐶", 200, 100, 40),
        ("tree", "🌳", -200, -100, 120),
        ("tractor", "🚜", 100, -100, 90), ("sunflower", "🌻", 140, -100, 50),
    ].enumerated().compactMap { index, emoji in
        guard let id = EmojiID(emoji.0) else { return nil }
        return Emoji(id: id, text: emoji.1, x: emoji.2, y: emoji.3, size: emoji.4, z: Double(index))
    }
}

// MARK: - State

extension BoardTab {
    /// Runs a script in which `board` is the page's board.
    @discardableResult
    func run<Value: Decodable & Sendable>(_ script: String, as type: Value.Type = Bool.self) async throws -> Value {
        try await tab.evaluate("(async () => { \(script) })()", as: type)
    }

    func wait(until condition: String) async throws {
        try await tab.wait(until: condition)
    }

    /// Returns after a frame that shows the preceding changes.
    func settle() async throws {
        _ = try await run(
            "for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame); return true;")
    }

    /// Returns once the view has stopped moving.
    func waitForView() async throws {
        try await wait(until: "!board.camera.animation")
    }

    /// An emoji of the page; `nil` if the page has none with the ID.
    func emoji(_ id: String) async throws -> EmojiJSON? {
        try await run("return [board.sync.art.emojis.get('\(id)')].filter(Boolean);", as: [EmojiJSON].self).first
    }

    /// The number of emoji.
    var count: Int {
        get async throws { try await run("return board.sync.art.emojis.size;", as: Int.self) }
    }

    /// The IDs of all emoji, from the back to the front.
    var order: [String] {
        get async throws { try await run("return board.sync.art.ordered().map(({ id }) => id);", as: [String].self) }
    }

    /// The IDs of the selected emoji, sorted.
    var selected: [String] {
        get async throws { try await run("return Array.from(board.selection.ids).sort();", as: [String].self) }
    }

    /// The names of the undoable steps, the newest first.
    var undoNames: [String] {
        get async throws { try await run("return board.sync.undoNames;", as: [String].self) }
    }

    /// The zoom and pan of the board.
    struct View: Decodable, Equatable {
        struct Pan: Decodable, Equatable {
            var x: Double
            var y: Double
        }

        var zoom: Double
        var pan: Pan
    }

    var view: View {
        get async throws { try await run("const { zoom, pan } = board.camera; return { zoom, pan };", as: View.self) }
    }

    /// The middle of an emoji in the window.
    func place(of id: String) async throws -> Place {
        try await place("toStage(board.sync.art.emojis.get('\(id)'))")
    }

    /// A point of the stage beside all emoji.
    var corner: Place {
        get async throws { try await place("({ x: 70, y: 90 })") }
    }

    /// Evaluates a JavaScript expression for a point of the stage, and converts the point to the window's coordinates.
    func place(_ script: String) async throws -> Place {
        let numbers = try await run(
            """
            const { left, top } = board.stage.getBoundingClientRect();
            const { x, y } = \(script);
            return [left + x, top + y];
            """, as: [Double].self)
        return Place(numbers[0], numbers[1])
    }

    /// The handles of the selection: upper left, upper right, lower left, lower right.
    var handles: [Place] {
        get async throws {
            var places: [Place] = []
            for index in 0..<4 { places.append(try await place("handles()[\(index)]")) }
            return places
        }
    }

    /// The handle that rotates the selection.
    var rotationHandle: Place {
        get async throws { try await place("handles()[4]") }
    }

    /// Whether an element exists and is visible.
    func isShown(_ selector: String) async throws -> Bool {
        try await run("return document.querySelector('\(selector)')?.checkVisibility() ?? false;")
    }

    /// Returns once the server has all changes.
    func waitUntilSaved() async throws {
        try await wait(until: "board.sync.status === 'saved'")
    }
}

/// Whether two numbers are equal up to rounding.
func isNear(_ one: Double?, _ other: Double?, by distance: Double = 0.6) -> Bool {
    guard let one, let other else { return false }
    return abs(one - other) <= distance
}
