import BrowserDriver
import Foundation

@testable import EmojiArtWeb

// The palette below a board, the commands for selected emoji, and undo and redo.

extension ArtControls {
    private static let name = "document.getElementById('palette-name').innerText"
    private static let saved: Row.Step = .wait(until: "document.getElementById('saving').textContent === 'Saved'")

    // MARK: - The palette

    static let paletteBar: [Scene] = [
        scene(
            "the palette of a board",
            [
                Row(
                    "the next palette is shown", "#palette-name", shows: "\(name) === 'Sports'", in: needsScripts,
                    stores: { try await $0.palettes().cursor == 1 }),
                Row("the palette's menu opens", "#palette-menu", shows: isShown("#menu"), in: needsScripts),
                Row(
                    "an emoji is added", "#palette-emoji button",
                    shows: "document.querySelector('[data-command=undo]').title.startsWith('Undo Add')",
                    in: needsScripts, stores: { try await $0.state().art.emojis.count == 4 }),
                Row(
                    "the search field opens", "[data-command=search]", shows: isShown("#palette-search"),
                    in: needsScripts),
                Row(
                    "an emoji that was found is added", "#palette-emoji [data-emoji='🌈']",
                    after: [.click("[data-command=search]"), .write("rainbow", in: "#palette-search")],
                    shows: "document.querySelector('[data-command=undo]').title.startsWith('Undo Add')",
                    in: needsScripts, stores: { try await $0.state().art.emojis.contains { $0.text == "🌈" } }),
            ])
    ]

    private static let openMenu: [Row.Step] = [.click("#palette-menu")]
    private static let isEditorOpen = "document.getElementById('palette-editor').open"
    private static let isQuestionOpen = "document.getElementById('question').open"
    private static let askToDelete: [Row.Step] =
        openMenu + [
            .click("#menu [data-command=deletePalette]"), .wait(until: isQuestionOpen),
        ]
    private static let closeQuestion: [Row.Step] = [
        .click("#question [data-close]"), .wait(until: "!\(isQuestionOpen)"),
    ]

    static let paletteMenu: [Scene] = [
        scene(
            "the palette's menu",
            [
                Row(
                    "the emoji that were used last are shown", "#menu [role=menuitemradio]:first-of-type",
                    after: openMenu,
                    shows: "\(name) === 'Recent'", in: needsScripts),
                Row(
                    "another palette is shown", "#menu [role=menuitemradio]:nth-of-type(4)",
                    alike: "#menu [role=menuitemradio]:not(:first-of-type):not(a ~ *)", after: openMenu,
                    shows: "\(name) === 'Music'", in: needsScripts,
                    stores: { try await $0.palettes().cursor == 2 }),
                Row(
                    "a palette is created", "#menu [data-command=newPalette]", after: openMenu, shows: isEditorOpen,
                    in: needsScripts, stores: { try await $0.palettes().palettes.count == 10 }),
                Row(
                    "the palette's editor opens", "#menu [data-command=editPalette]", after: openMenu,
                    shows: isEditorOpen, in: needsScripts),
                Row(
                    "deleting the palette asks for confirmation", "#menu [data-command=deletePalette]", after: openMenu,
                    shows: isQuestionOpen, in: needsScripts),
                Row(
                    "the page of the palettes is opened", "#menu [data-command=listPalettes]", after: openMenu,
                    shows: "location.pathname === '/art/palettes'", in: needsScripts),
                Row(
                    "the palettes of another store are used", "#menu a ~ [role=menuitemradio]:not([aria-checked=true])",
                    alike: "#menu a ~ [role=menuitemradio]", after: openMenu,
                    shows: "localStorage.getItem('art-palette-store') === 'Alternate'", in: needsScripts),
            ])
    ]

    static let paletteDialogs: [Scene] = [
        scene(
            "the palette's dialogs",
            [
                Row(
                    "an emoji is removed", "#editor-emoji button",
                    after: openMenu + [.click("#menu [data-command=editPalette]")],
                    shows: "document.getElementById('editor-message').innerText.includes('was removed')",
                    in: needsScripts, stores: { try await $0.palettes().palettes[0].emojis.first != "🚙" }),
                Row(
                    "the editor is closed", "#palette-editor [data-close]",
                    after: openMenu + [.click("#menu [data-command=editPalette]")], shows: "!\(isEditorOpen)",
                    in: needsScripts),
                Row(
                    "the palette is deleted when it is confirmed, but not when the question is closed",
                    "#question [value=yes]",
                    after: askToDelete + closeQuestion + askToDelete,
                    shows: "!\(isQuestionOpen) && \(name) === 'Sports'",
                    in: needsScripts, stores: { try await $0.palettes().palettes.count == 8 }),
                Row(
                    "the question is closed", "#question [data-close]", after: askToDelete,
                    shows: "!\(isQuestionOpen)", in: needsScripts),
            ])
    ]

    // MARK: - Selected emoji

    private static let select: [Row.Step] = [
        .click("#stage"), .wait(until: "!document.getElementById('chosen').hidden"),
    ]

    private static func cow(_ server: BoardServer) async throws -> EmojiJSON {
        let cow = try await server.state().art.emojis.first { $0.id == "cow" }
        guard let cow else { throw CancellationError() }
        return cow
    }

    private static func order(_ server: BoardServer) async throws -> [String] {
        try await server.state().art.emojis.sorted { $0.z < $1.z }.map(\.id)
    }

    private static func undoIs(_ name: String) -> String {
        "document.querySelector('[data-command=undo]').title.startsWith('Undo \(name)')"
    }

    /// The commands for selected emoji: their IDs, the condition on the page afterwards, and the condition on the stored board.
    private static let commands:
        [(id: String, shows: String, stored: (@Sendable (BoardServer) async throws -> Bool)?)] = [
            ("cut", undoIs("Cut"), { try await $0.state().art.emojis.count == 2 }),
            ("copy", "document.getElementById('spoken').textContent.startsWith('Copied')", nil),
            ("copyPNG", "document.getElementById('toasts').innerText.includes('Copied as PNG')", nil),
            ("duplicate", undoIs("Duplicate"), { try await $0.state().art.emojis.count == 4 }),
            ("delete", undoIs("Delete"), { try await $0.state().art.emojis.count == 2 }),
            ("larger", undoIs("Resize"), { try await cow($0).size > 60 }),
            ("smaller", undoIs("Resize"), { try await cow($0).size < 60 }),
            ("forward", undoIs("Bring"), { try await order($0) == ["ant", "bee", "cow"] }),
            ("backward", undoIs("Send"), { try await order($0) == ["cow", "ant", "bee"] }),
            ("front", undoIs("Bring"), { try await order($0) == ["ant", "bee", "cow"] }),
            ("back", undoIs("Send"), { try await order($0) == ["cow", "ant", "bee"] }),
            ("lock", undoIs("Lock"), { try await cow($0).isLocked }),
            ("rotate", undoIs("Rotate"), { try await cow($0).angle == 15 }),
            ("rotateLeft", undoIs("Rotate"), { try await cow($0).angle == 345 }),
            ("flipHorizontal", undoIs("Flip"), { try await cow($0).isFlipped }),
            ("flipVertical", undoIs("Flip"), { try await cow($0).angle == 180 }),
            ("selectAll", "document.getElementById('chosen-count').textContent === '3 selected'", nil),
            (
                "fitChosen", "parseInt(document.querySelector('[data-command=actualSize]').textContent) > 100", nil
            ),
        ]

    static let selection: [Scene] = [
        scene("a selected emoji", buttons + entries + otherActions), scene("several selected emoji", aligning),
        scene("a deleted emoji", steps),
    ]

    private static let buttons: [Row] = commands.filter { command in
        ["duplicate", "delete", "larger", "smaller", "forward", "backward", "lock", "rotate"].contains(command.id)
    }.map { command in
        Row(
            "\(command.id) by its button", "#chosen [data-command=\(command.id)]", after: select,
            shows: command.shows, in: needsScripts, stores: command.stored)
    }

    private static let entries: [Row] = commands.map { command in
        Row(
            "\(command.id) by the menu", "#menu [data-command=\(command.id)]", after: select + [.click("#chosen-menu")],
            shows: command.shows, in: needsScripts, stores: command.stored)
    }

    private static let otherActions: [Row] = [
        Row(
            "a locked emoji is unlocked by the message about it", "#toasts .toast-action",
            after: select + [
                .click("#chosen [data-command=lock]"), .wait(until: undoIs("Lock")),
                // The page shows the lock before the server has it.
                .meanwhile { server in
                    try await eventually("the lock is stored") { try await cow(server).isLocked }
                },
                .press("Delete"),
            ],
            shows: undoIs("Unlock"), in: needsScripts, stores: { try await !cow($0).isLocked }),
        Row("the menu opens", "#chosen-menu", after: select, shows: isShown("#menu"), in: needsScripts),
        Row(
            "a copied emoji is pasted", "#menu [data-command=paste]",
            after: select + [
                .click("#chosen-menu"), .click("#menu [data-command=copy]"),
                .wait(until: "document.getElementById('spoken').textContent.startsWith('Copied')"),
                .click("#chosen-menu"),
            ],
            shows: undoIs("Paste"), in: needsScripts, stores: { try await $0.state().art.emojis.count == 4 }),
    ]

    private static let selectAll: [Row.Step] = [
        .click("#board-menu"), .click("#menu [data-command=selectAll]"),
        .wait(until: "document.getElementById('chosen-count').textContent === '3 selected'"), .click("#chosen-menu"),
    ]

    private static let aligning: [Row] = [
        Row(
            "emoji are aligned", "#menu [data-command=alignLeft]", alike: "#menu [data-command^=align]",
            after: selectAll, shows: undoIs("Align Left"), in: needsScripts,
            stores: { server in
                let places = try await server.state().art.emojis.map(\.x)
                return (places.max() ?? 0) - (places.min() ?? 0) < 20
            }),
        // They have equal distances already.
        Row(
            "emoji are distributed", "#menu [data-command=distributeHorizontal]",
            alike: "#menu [data-command^=distribute]", after: selectAll,
            shows: "/^(Distribute|Already)/.test(document.getElementById('spoken').textContent)", in: needsScripts),
    ]

    // MARK: - Steps

    private static let delete: [Row.Step] = select + [.click("#chosen [data-command=delete]"), saved]
    private static let undo: [Row.Step] = delete + [.click("[data-bar=steps] [data-command=undo]"), saved]

    /// Undo and redo with their buttons, with the lists beside them and with the board's menu.
    private static let steps =
        steps("undo", other: "Redo", after: delete, leaving: 3)
        + steps("redo", other: "Undo", after: undo, leaving: 2)

    private static func steps(
        _ id: String, other: String, after before: [Row.Step], leaving count: Int
    ) -> [Row] {
        let change =
            "document.querySelector('[data-command=\(other.lowercased())]').title.startsWith('\(other) Delete')"
        let stored: @Sendable (BoardServer) async throws -> Bool = { try await $0.state().art.emojis.count == count }
        return [
            Row(
                "\(id) by its button", "[data-bar=steps] [data-command=\(id)]", after: before, shows: change,
                in: needsScripts, stores: stored),
            Row(
                "the steps to \(id) are listed", "[data-list=\(id)]", after: before, shows: isShown("#menu"),
                in: needsScripts),
            Row(
                "\(id) by the list", "#menu [role=menuitem]:not([data-command])",
                after: before + [.click("[data-list=\(id)]")], shows: change, in: needsScripts, stores: stored),
            Row(
                "\(id) by the board's menu", "#menu [data-command=\(id)]", after: before + [.click("#board-menu")],
                shows: change, in: needsScripts, stores: stored),
        ]
    }
}
