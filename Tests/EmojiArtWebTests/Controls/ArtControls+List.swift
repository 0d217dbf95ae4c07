import BrowserDriver
import EmojiArtModel
import Persistence

@testable import EmojiArtWeb

// The list of boards, in each state that has forms of its own.

extension ArtControls {
    private static let menu = "#board-beach details"

    static let list: [Scene] = [
        Scene(
            "no boards", path: "/art/",
            rows: [
                Row(
                    "a board is created", "#new button", shows: isOnABoard,
                    stores: { try await $0.names.map(BoardName.mayBeAutomatic) == [true] }),
                Row(
                    "the first board is created", "#nothing button", shows: isOnABoard,
                    stores: { try await $0.names.map(BoardName.mayBeAutomatic) == [true] }),
                Row(
                    "the example is created", "#example button", shows: isOnABoard,
                    stores: { try await $0.names == ["Beach"] }),
                Row("the form of the import opens", "#import summary", shows: isShown("#import-form")),
                Row(
                    "a file is imported as soon as it is chosen", "#import-file",
                    after: [.click("#import summary")], shows: isOnABoard,
                    in: .scriptsOnly("Without scripts, a file is sent with the button."),
                    stores: { try await $0.names == ["Harbour"] }),
                Row(
                    "a file is imported with the button", "#import-form button",
                    after: [
                        .click("#import summary"), .click("#import-file"),
                        .wait(until: "document.querySelector('#import-file').files.length === 1"),
                    ],
                    shows: isOnABoard, in: .withoutScripts("With scripts, a file is sent as soon as it is chosen."),
                    stores: { try await $0.names == ["Harbour"] }),
                Row(
                    "the button asks for a file", "#import-form button", after: [.click("#import summary")],
                    shows: "document.activeElement.id === 'import-file'"),
                Row("the tip is dismissed", "#tip button", shows: "!document.querySelector('#tip')"),
            ]),
        Scene(
            "a board", path: "/art/", given: { try await $0.createBoard() },
            rows: [
                Row(
                    "the board's menu opens", "\(menu) summary", alike: ".board details summary",
                    shows: isShown("\(menu) .menu-body")),
                Row(
                    "the board is renamed", "\(menu) form[action$='/rename'] button",
                    alike: ".board form[action$='/rename'] button",
                    after: [.click("\(menu) summary"), .write("Harbour", in: "#name-beach")],
                    shows: "document.querySelector('#board-beach h2').innerText === 'Harbour'",
                    stores: { try await $0.names == ["Harbour"] }),
                Row(
                    "the board is duplicated", "\(menu) form[action$='/duplicate'] button",
                    alike: ".board form[action$='/duplicate'] button", after: [.click("\(menu) summary")],
                    shows: "document.querySelectorAll('.board').length === 2",
                    stores: { try await $0.names == ["Beach", "Beach copy"] }),
                Row(
                    "the export is opened", "\(menu) a[href$='/export']", alike: ".board a[href$='/export']",
                    after: [.click("\(menu) summary")], shows: exists("#export")),
                Row(
                    "the board is deleted", "\(menu) form[action$='/delete'] button",
                    alike: ".board form[action$='/delete'] button", after: [.click("\(menu) summary")],
                    shows: exists("#undo-beach"), stores: { try await $0.names == [] }),
            ]),
        Scene(
            "the export of a board", path: "/art/boards/beach/export", given: { try await $0.createBoard() },
            rows: [
                // The browser saves the file, and the page stays.
                Row(
                    "the file is downloaded", "#export button", after: [.click(".export [value=json]")],
                    shows: "document.activeElement.matches('#export button')")
            ]),
        Scene(
            "deleted boards", path: "/art/",
            given: { server in
                for id in ["beach", "forest"] {
                    let board = try await server.createBoard(id, named: id)
                    try await server.store.delete(board, owner: .local)
                }
            },
            rows: [
                Row(
                    "the last board is restored", "#undo-forest button", alike: "#deleted > form button",
                    shows: exists("#board-forest"), stores: { try await $0.names == ["forest"] }),
                Row("the others are listed", "#deleted summary", shows: isShown("#deleted .earlier")),
                Row(
                    "another board is restored", "#deleted .earlier button", after: [.click("#deleted summary")],
                    shows: exists("#board-beach"), stores: { try await $0.names == ["beach"] }),
            ]),
    ]
}
