import BoardModule
import EmojiArtModel
import Foundation
import Site

extension ArtPages {
    /// The pages' scripts and style sheets, by file name.
    static let files: [String: [UInt8]] = [
        "announcer.js": PackageResources.announcer_js,
        "art.css": PackageResources.art_css,
        "backdrop.js": PackageResources.backdrop_js,
        "background.js": PackageResources.background_js,
        "board-files.js": PackageResources.board_files_js,
        "board-header.js": PackageResources.board_header_js,
        "board-list.js": PackageResources.board_list_js,
        "board-sync.js": PackageResources.board_sync_js,
        "board.js": PackageResources.board_js,
        "board.wasm": Self.model,
        "boards.css": PackageResources.boards_css,
        "camera.js": PackageResources.camera_js,
        "clipboard.js": PackageResources.clipboard_js,
        "commands.js": PackageResources.commands_js,
        "data-transfer.js": PackageResources.data_transfer_js,
        "decoding.js": PackageResources.decoding_js,
        "dialogs.js": PackageResources.dialogs_js,
        "drawing.js": PackageResources.drawing_js,
        "elements.js": PackageResources.elements_js,
        "gestures.js": PackageResources.gestures_js,
        "glyphs.js": PackageResources.glyphs_js,
        "keyboard.js": PackageResources.keyboard_js,
        "menu.js": PackageResources.menu_js,
        "presence.css": PackageResources.presence_css,
        "presence.js": PackageResources.presence_js,
        "outbox.js": PackageResources.outbox_js,
        "palette-bar.js": PackageResources.palette_bar_js,
        "palette-drag.js": PackageResources.palette_drag_js,
        "palette-editor.js": PackageResources.palette_editor_js,
        "palette-list.js": PackageResources.palette_list_js,
        "palettes-page.js": PackageResources.palettes_page_js,
        "requests.js": PackageResources.requests_js,
        "sender.js": PackageResources.sender_js,
        "shown-board.js": PackageResources.shown_board_js,
        "stored-history.js": PackageResources.stored_history_js,
        "tab-liveness.js": PackageResources.tab_liveness_js,
        "toasts.js": PackageResources.toasts_js,
        "toolbars.js": PackageResources.toolbars_js,
        "viewing.js": PackageResources.viewing_js,
        "worded.js": PackageResources.worded_js,
        "model-words.js": ScriptWords.table(of: BoardWord.allCases.map { $0.rawValue }),
        "words.js": ScriptWords.module(ArtWords.scripts),
    ]

    /// The board's model as a WebAssembly module.
    private static let model = boardModule.withUTF8Buffer { text in
        Array(Data(base64Encoded: Data(text)) ?? Data())
    }

    /// The pages' templates, parsed once; an error if one of them is invalid.
    static let parsedTemplates = Result {
        try Templates(
            [
                "board": PackageResources.board_mustache,
                "emojiart": PackageResources.emojiart_mustache,
                "guestdialog": PackageResources.guestdialog_mustache,
                "guestname": PackageResources.guestname_mustache,
                "imported": PackageResources.imported_mustache,
                "key": PackageResources.key_mustache,
                "list": PackageResources.list_mustache,
                "listboard": PackageResources.listboard_mustache,
                "listdeleted": PackageResources.listdeleted_mustache,
                "listempty": PackageResources.listempty_mustache,
                "listexport": PackageResources.listexport_mustache,
                "listhead": PackageResources.listhead_mustache,
                "name": PackageResources.name_mustache,
                "palettedeleted": PackageResources.palettedeleted_mustache,
                "paletteeditor": PackageResources.paletteeditor_mustache,
                "palettes": PackageResources.palettes_mustache,
                "palettesetaside": PackageResources.palettesetaside_mustache,
                "palettestore": PackageResources.palettestore_mustache,
                "sharedboards": PackageResources.sharedboards_mustache,
            ], words: ArtWords.templates)
    }
}
