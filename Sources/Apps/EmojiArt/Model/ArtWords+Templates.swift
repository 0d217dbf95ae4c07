// The words of templates.

extension ArtWords {
    private static let important = "Important"
    private static let allBoards = "All boards"
    private static let retry = "Retry"
    private static let restore = "Restore"
    private static let restored = "Restored."
    private static let undo = "Undo"
    private static let delete = "Delete"
    private static let rename = "Rename"
    private static let renamed = "Renamed."
    private static let download = "Download"
    private static let done = "Done"
    private static let cancel = "Cancel"
    private static let set = "Set"
    private static let remove = "Remove"
    private static let openBoard = "Open the board"
    private static let addEmoji = "Add emoji"
    private static let nameField = "Name"
    private static let importBoard = "Import"
    private static let actionsForName = "Actions for “{{name}}”"

    /// The words of each template, which contains them as `{{word.key}}`.
    package static let templates: [String: [String: String]] = [
        "board": [
            "important": important,
            "boards": allBoards,
            "name": "Board name",
            "share": "Share",
            "people": "Others who look at this board",
            "noLongerShared": "You can’t see this board anymore",
            "noLongerSharedDetail": "It was deleted, or isn’t shared with you anymore. Changes are no longer saved.",
            "saved": "Saved",
            "steps": "Undo and redo",
            "board": "Board",
            "more": "More",
            "kind": "emoji board",
            "help": """
            Press Tab to go from emoji to emoji, Enter to select, the arrow keys to move, R to rotate, and ? for \
            keyboard shortcuts. To leave the board, press Escape, then Tab.
            """,
            "noScript": "Drawing needs JavaScript. Turn it on in your browser, then reload the page.",
            "pictureOnly": "This is a picture of the board.",
            "pictureOnlyDetail": """
            Changing it needs WebAssembly, which couldn't be started. Reload the page. If that doesn't help, turn \
            WebAssembly on in your browser, or use another browser.
            """,
            "drag": "Drag an emoji here",
            "orTap": "or tap one below.",
            // Shown if there is a mouse; otherwise the next text is shown.
            "dropPicture": "Drop or paste a picture to use it as the background.",
            "choosePicture": "To set a picture as the background, tap ⋯.",
            "shortcuts": "{{> key}} shows keyboard shortcuts",
            "loading": "Loading the background",
            "selection": "Selection",
            "moreForSelection": "More for the selection",
            "retry": retry,
            "tools": "Tools",
            "view": "View",
            "back": "Back to content",
            "deleted": "This board was deleted",
            "deletedDetail": "Changes are no longer saved. You can restore the board for ten minutes.",
            "restore": restore,
            "palette": "Palette",
            "palettes": palettes,
            "find": "Find",
            "findEmoji": "Find an emoji",
            "findByName": "Find an emoji by name",
            "background": setBackground,
            "address": "Web address of a picture",
            "scheme": "https://",
            "file":
                "Or choose a file of up to 20 MB and 64 megapixels. You can also drop or paste a picture on the board.",
            "chooseFile": "Choose a File…",
            "remove": remove,
            "cancel": cancel,
            "set": set,
            "ok": "OK",
            "paletteName": nameField,
            "addEmoji": addEmoji,
            "typeEmoji": "Type or paste emoji here",
            "tapToRemove": "Tap an emoji to remove it.",
            "inPalette": "Emoji in this palette",
            "done": done,
            "keyboard": "Keyboard shortcuts",
            // The help: each action of mouse and touch with its instructions.
            "mouseAndTouch": "Mouse and touch",
            "selectHelp": "Select or deselect",
            "selectHow": "Tap an emoji; hold Shift to select more",
            "selectSeveralHelp": "Select several",
            "selectSeveralHow": "Drag around them; with a finger, press and hold first",
            "moveHelp": "Move",
            "moveHow": "Drag an emoji; if it is selected, all selected ones move",
            "resizeHelp": "Resize",
            "resizeHow": "Drag a corner; hold Alt to keep the middle in place; or pinch",
            "rotateHelp": "Rotate",
            "rotateHow": "Drag the handle above the selection; hold Shift for steps of 15°; or turn two fingers",
            "moveViewHelp": "Move the view",
            "moveViewHow": "Scroll; hold Space and drag; drag with the middle button or one finger",
            "zoomHelp": "Zoom",
            "zoomHow": "Hold Ctrl and scroll; pinch while nothing is selected",
            "fitHelp": "Fit everything",
            "fitHow": "Double tap an empty place",
            "addHelp": "Add an emoji",
            "addHow": "Drag it from the palette, or tap it",
            "backgroundHelp": "Set the background",
            "backgroundHow": "Drop or paste a picture, or its address",
            "leaveHelp": "Leave the board",
            "leaveHow": "Escape, then Tab",
            "close": "Close",
        ],
        "imported": [
            "imported": "Imported {{> name}}, with these changes:",
            "open": openBoard,
            "boards": allBoards,
        ],
        "guestdialog": [
            "yourName": "Your name",
            "nameForOthers": "The name that others see beside your cursor",
            "cancel": cancel,
            "set": set,
        ],
        "guestname": [
            "guest": "Guest",
            "chooseName": "Choose the name that others see",
        ],
        "sharedboards": [
            "shared": "Shared with you",
            "from": "from {{giver}}",
            "leave": "Remove from my list",
            "leaveLabel": "Remove “{{name}}” from my list",
        ],
        "list": [
            "title": boards,
            "new": "New board",
            "import": importBoard,
            "file": "Board file",
            "fileHint": """
            A board that was exported as JSON, or an {{> emojiart}} document. You can also drop the file on this \
            page.
            """,
            "pages": "Pages of boards",
            "newer": "Newer",
            "older": "Older",
        ],
        "listboard": [
            "actions": actionsForName,
            "renamed": renamed,
            "nameLabel": "Name of “{{name}}”",
            "rename": rename,
            "duplicated": "Duplicated.",
            "duplicateLabel": "Duplicate “{{name}}”",
            "duplicate": "Duplicate",
            "exportLabel": "Export “{{name}}”",
            "export": "Export…",
            "deleted": "Deleted. You can restore it for ten minutes.",
            "deleteLabel": "Delete “{{name}}”",
            "delete": delete,
        ],
        "listdeleted": [
            "title": "Deleted boards",
            "restored": restored,
            "deleted": "Deleted “{{name}}”.",
            "undoLabel": "Undo deleting “{{name}}”",
            "undo": undo,
        ],
        "listempty": [
            "nothing": "No boards yet",
            "draw": "Tap or drag emoji onto a board. It’s saved as you go.",
            "background": "Drop, paste or choose a picture as its background.",
            "share": "Export it as a picture, or let others draw with you.",
            "create": "Create your first board",
            "beach": "Beach",
            "example": "Open an example",
        ],
        "listexport": [
            "title": "Export",
            "format": "Format",
            "formatHint":
                "PNG and SVG are pictures. A JSON or .emojiart file has the whole board, and can be imported again.",
            "size": "Size",
            "margin": "Margin",
            "background": "Background",
            "white": "White",
            "transparent": "Transparent",
            "download": download,
            "open": openBoard,
        ],
        "listhead": [
            "app": name,
            "important": important,
        ],
        "paletteeditor": [
            "done": done,
            "renamed": renamed,
            "name": nameField,
            "rename": rename,
            "addEmoji": addEmoji,
            "add": "Add",
            "addHint": "Type or paste emoji. New ones come first; other characters and duplicates are left out.",
            "count": "{{count}} emoji",
            "removeHint": "· tap one to remove it",
            "remove": "Remove {{label}}",
            "empty": "This palette is empty. Tap an emoji below to add it.",
            "find": "Find emoji by name",
            "findExample": "dog, happy, rain…",
            "tone": "Skin tone",
            "findButton": "Find",
            "groups": "Groups of emoji",
            "nothing": "No emoji found. Try a simpler word.",
            "toAdd": "Emoji to add",
            "moveLabel": "Move {{label}} to the front",
            "addLabel": "Add {{label}}",
            "recent": "Recent",
            "recentLabel": "Recent: tap an emoji to add it",
        ],
        "palettedeleted": [
            "restored": restored,
            "deleted": "Deleted “{{name}}”.",
            "undoLabel": "Undo deleting “{{name}}”",
            "undo": undo,
        ],
        "palettes": [
            "title": palettes,
            "intro": "Palettes are lists of emoji to draw with. Choose one to edit it.",
        ],
        "palettesetaside": [
            "problem": "They can’t be restored. {{.}}",
            "restored": restored,
            "download": download,
            "dismissed": "Dismissed.",
            "dismiss": "Dismiss",
            "restoreHint": """
            Restore replaces the palettes of “{{store}}” below. Those are then set aside here, so that nothing is \
            lost.
            """,
            "dismissHint": "Dismiss deletes the data that was set aside: download it first if you may need it.",
        ],
        "palettestore": [
            "same": "The same palettes as in {{store}}",
            "actions": actionsForName,
            "upLabel": "Move “{{name}}” up",
            "up": "Up",
            "downLabel": "Move “{{name}}” down",
            "down": "Down",
            "moved": "Moved.",
            "moveTo": "Move to",
            "moveToLabel": "Move “{{name}}” to {{.}}",
            "deleteMenu": "Delete…",
            "deleteMenuLabel": "Delete “{{name}}”…",
            "deleted": "Deleted.",
            "boardsStay": "Emoji on boards stay.",
            "deleteLabel": "Delete “{{name}}” with its {{count}}",
            "delete": delete,
            "newLabel": "New palette in {{name}}",
            "new": "New palette",
        ],
    ]
}
