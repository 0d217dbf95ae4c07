import BrowserDriver
import EmojiArtModel
import Foundation
import Persistence

@testable import EmojiArtWeb

// A board's page: its bars, the palette and the dialogs. The palette, the commands for selected emoji, and undo
// and redo are in ArtControls+Drawing.

extension ArtControls {
    /// The parts of a board's page; their many controls are tested at the same time, in several tabs.
    enum BoardPart: CaseIterable {
        case barsAndBackground, palette, selection

        var scenes: [Scene] {
            switch self {
            case .barsAndBackground: withoutScripts + head + view + background
            case .palette: paletteBar + paletteMenu + paletteDialogs
            case .selection: ArtControls.selection
            }
        }
    }

    static let board: [Scene] = BoardPart.allCases.flatMap(\.scenes)

    static let needsScripts = Row.Browsers.scriptsOnly("A board is drawn by scripts.")
    private static let zoom = "parseInt(document.querySelector('[data-command=actualSize]').textContent)"

    /// A board with three emoji in a row that touch each other, the cow at the center of the window.
    static func scene(_ title: String, background: Background = .blank, _ rows: [Row]) -> Scene {
        Scene(
            title, page: "/art/boards/[^/]+", ready: "document.getElementById('stage').dataset.ready === ''",
            at: { server in
                let texts: [(String, String, Double)] = [("ant", "🐜", -45), ("cow", "🐄", 0), ("bee", "🐝", 45)]
                let emojis = texts.enumerated().compactMap {
                    index, emoji in
                    EmojiID(emoji.0).map {
                        Emoji(id: $0, text: emoji.1, x: emoji.2, y: 0, size: 60, z: Double(index))
                    }
                }
                try await server.createBoard(art: try EmojiArt(background: background, emojis: emojis))
                return "/art/boards/beach"
            }, rows: rows)
    }

    /// The background's fetch has failed, and the page says so.
    private static let hasProblem = "!document.getElementById('background-problem').hidden"

    /// A command of the board's menu.
    private static func entry(
        _ title: String, _ id: String, alike: String? = nil, after steps: [Row.Step] = [], shows change: String,
        stores stored: (@Sendable (BoardServer) async throws -> Bool)? = nil
    ) -> Row {
        Row(
            title, "#menu [data-command=\(id)]", alike: alike, after: steps + [.click("#board-menu")], shows: change,
            in: needsScripts, stores: stored)
    }

    private static func hasLoaded(_ path: String) -> String {
        "performance.getEntriesByType('resource').some((entry) => entry.name.endsWith('\(path)') && entry.responseStatus === 200)"
    }

    private static let withoutScripts: [Scene] = [
        scene(
            "a board",
            [
                Row(
                    "the board is renamed with the Enter key", "#board-name", use: .enter,
                    after: [.write("Harbour", in: "#board-name")],
                    // Without scripts, the server redirects to the list after the form.
                    shows: """
                        document.title.startsWith('Harbour') \
                        || location.pathname === '/art/' && document.body.innerText.includes('Harbour')
                        """,
                    stores: { try await $0.state().name == "Harbour" })
            ])
    ]

    // MARK: - The head and its menu

    private static let head: [Scene] = [
        scene(
            "a board's head",
            [
                Row(
                    "the dialog of the background opens", "[data-bar=head] [data-command=background]",
                    shows: "document.getElementById('background-dialog').open", in: needsScripts),
                Row(
                    "every command is listed", "[data-bar=head] [data-command=help]",
                    shows: "document.getElementById('help').open", in: needsScripts),
                Row(
                    "the list of commands is closed", "#help button",
                    after: [.click("[data-bar=head] [data-command=help]")],
                    shows: "!document.getElementById('help').open", in: needsScripts),
                Row(
                    "the choices for an export are opened", "[data-bar=head] [data-command=export]",
                    shows: "location.pathname === '/art/boards/beach/export'", in: needsScripts),
                entry(
                    "the choices for an export are opened", "export",
                    shows: "location.pathname === '/art/boards/beach/export'"),
                Row("the board's menu opens", "#board-menu", shows: isShown("#menu"), in: needsScripts),
                entry(
                    "the dialog of the background opens", "background",
                    shows: "document.getElementById('background-dialog').open"),
                entry("the name field is focused", "rename", shows: "document.activeElement.id === 'board-name'"),
                entry(
                    "the board is downloaded", "exportSVG", alike: "#menu a[download]", shows: hasLoaded("/export.svg")
                ),
                entry(
                    "copying the board needs a renderer of pictures", "copyPNG",
                    // None is available here.
                    after: [.ignoreComplaints(containing: "/export.png")],
                    shows: "document.getElementById('alerts').innerText.includes('was not copied')"),
                entry(
                    "a board is imported", "import",
                    shows: "document.getElementById('toasts').innerText.includes('Imported')",
                    stores: { try await $0.names == ["Beach", "Harbour"] }),
                Row(
                    "a message is closed", ".toast-close",
                    after: [
                        .click("#board-menu"), .click("#menu [data-command=import]"),
                        .wait(until: "document.querySelector('.toast')"),
                    ],
                    shows: "document.getElementById('toasts').childElementCount === 0", in: needsScripts),
                entry("the list of boards is opened", "boards", shows: "location.pathname === '/art/'"),
                entry("every command is listed", "help", shows: "document.getElementById('help').open"),
                entry(
                    "all emoji are selected", "selectAll",
                    shows: "document.getElementById('chosen-count').textContent === '3 selected'"),
                entry("the view shows everything", "fit", shows: "\(zoom) > 100"),
                entry(
                    "the view shows emoji", "content", after: awayFromContent,
                    shows: "document.getElementById('back-to-content').hidden"),
                Row(
                    "the deleted board is restored", "#restore",
                    after: [
                        // The page may request the deleted board once more before it shows that the board is deleted.
                        .ignoreComplaints(containing: "/art/boards/beach"),
                        .meanwhile { server in
                            guard let id = BoardID("beach") else { return }
                            try await server.store.delete(id, owner: .local)
                        },
                        .wait(until: "!document.getElementById('gone').hidden"),
                    ],
                    shows: "document.getElementById('gone').hidden", in: needsScripts,
                    stores: { try await $0.names == ["Beach"] }),
            ])
    ]

    // MARK: - The view

    /// Moves the view with the arrow keys until no emoji is visible.
    private static let awayFromContent: [Row.Step] = [
        [.click("#stage"), .press("Escape")], [Row.Step](repeating: .press("ArrowLeft"), count: 30),
        [.wait(until: "!document.getElementById('back-to-content').hidden")],
    ].flatMap(\.self)

    private static let view: [Scene] = [
        scene(
            "the view of a board",
            [
                Row("the view zooms out", "[data-command=zoomOut]", shows: "\(zoom) < 100", in: needsScripts),
                Row("the view zooms in", "[data-command=zoomIn]", shows: "\(zoom) > 100", in: needsScripts),
                Row(
                    "the view zooms to 100 %", "[data-command=actualSize]",
                    after: [.click("[data-command=zoomIn]"), .wait(until: "\(zoom) > 100")], shows: "\(zoom) === 100",
                    in: needsScripts),
                Row(
                    "the view shows everything", "[data-bar=view] [data-command=fit]", shows: "\(zoom) > 100",
                    in: needsScripts),
                Row(
                    "dragging moves the view", "[data-command=hand]",
                    shows: "document.querySelector('[data-command=hand]').ariaPressed === 'true'", in: needsScripts),
                Row(
                    "the view goes back to content", "#back-to-content", after: awayFromContent,
                    shows: "document.getElementById('back-to-content').hidden", in: needsScripts),
            ])
    ]

    /// Controls that are shown on touch screens only.
    static let touchedBoard: [Scene] = [
        scene(
            "a board on a touch screen",
            [
                Row(
                    "a finger selects an area", "[data-command=area]",
                    shows: "document.querySelector('[data-command=area]').ariaPressed === 'true'", in: needsScripts)
            ])
    ]

    // MARK: - The background

    /// An address that nothing listens on.
    private static let nowhere = "http://127.0.0.1:1/none.png"
    private static let retries =
        "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/background/retry')).length"
    private static let openDialog: [Row.Step] = [.click("[data-bar=head] [data-command=background]")]
    private static let isAlertOpen = "document.getElementById('background-alert').open"

    private static let background: [Scene] = [
        scene(
            "a board without a background",
            [
                Row(
                    "the dialog is closed", "#background-dialog [data-close]", after: openDialog,
                    shows: "!document.getElementById('background-dialog').open", in: needsScripts),
                Row(
                    "the background is set", "#background-dialog [value=set]",
                    after: openDialog + [
                        .write(
                            "data:image/svg+xml;base64,\(SamplePictures.svg.base64EncodedString())",
                            in: "#background-address")
                    ],
                    shows: "!document.getElementById('background-dialog').open", in: needsScripts,
                    stores: { try await $0.state().art.background != nil }),
            ]),
        scene(
            "a board whose background cannot be fetched", background: .address(nowhere),
            [
                Row(
                    "the background is removed", "#background-remove", after: openDialog,
                    shows: "!document.getElementById('background-dialog').open", in: needsScripts,
                    stores: { try await $0.state().art.background == nil }),
                entry(
                    "the background is removed", "removeBackground", after: [.wait(until: hasProblem)],
                    shows: "!(\(hasProblem))",
                    stores: { try await $0.state().art.background == nil }),
                Row(
                    "the background is fetched again", "#background-problem [data-retry]", shows: isAlertOpen,
                    in: needsScripts),
                Row(
                    "the background is removed", "#background-problem-remove", after: [.wait(until: hasProblem)],
                    shows: "!(\(hasProblem))", in: needsScripts,
                    stores: { try await $0.state().art.background == nil }),
                Row(
                    "the failure is closed", "#background-alert [value=ok]",
                    after: [.click("#background-problem [data-retry]"), .wait(until: isAlertOpen)],
                    shows: "!\(isAlertOpen)", in: needsScripts),
                Row(
                    "the background is fetched once more", "#background-alert [data-retry]",
                    after: [.click("#background-problem [data-retry]"), .wait(until: isAlertOpen)],
                    shows: "\(retries) === 2 && \(isAlertOpen)", in: needsScripts),
            ]),
    ]
}
