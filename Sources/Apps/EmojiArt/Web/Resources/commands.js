// All commands of a board: the bars, menus, keys and help sheet are made from this table.
//
// - id, label: The command's ID and label. If the label is a function, `short` is its fixed label.
// - group: The command's group in the help sheet and the menu.
// - keys: The keys; the first is the one that is shown. "Mod" is ⌘ on a Mac, and Ctrl elsewhere.
// - bar, icon: The bar that has a button for it, and the button's icon, which may be a function like the label.
// - menus: The menus that contain it: "board", "palette", and the context menus of the selection ("chosen") and of an
//   empty place ("empty").
// - isShown: Whether menus contain it now; always, if it is missing.
// - isOnBoard: Whether its keys work only while the board is focused.
// - isNative: Whether the browser handles its keys and dispatches an event of its own.
// - repeats: Whether it runs again while its key is held down.
// - isNudge: Whether it belongs to a series of moves by arrow keys, which any other command ends.
// - isEnabled, isOn: Whether it can run now; whether it is switched on.
// - list: The items of the menu beside its button.
// - run, href or download: What it does; without any of them, the model's command of the same ID.

const hasTargets = ({ selection }) => selection.targets.length > 0;
const hasEditable = ({ selection }) => selection.editable.length > 0;
const isLocked = ({ selection }) => selection.targets.length > 0 && selection.editable.length === 0;
const hasEmoji = ({ sync }) => sync.art.emojis.size > 0;
const hasContent = ({ sync, backdrop }) => sync.art.emojis.size > 0 || backdrop.shown !== null;
const hasPalette = ({ palettes }) => palettes.current !== null;
const hasBackground = ({ sync }) => sync.art.background !== null;

const [selectionMenu, boardMenu, bothMenus] = [["chosen"], ["board"], ["chosen", "board"]];
const [boardMenus, allMenus] = [["board", "empty"], ["chosen", "board", "empty"]];

const edit = inGroup("Edit", [
    {
        ...historyCommand(
            "undo", "Undo", "Undone", ({ sync }) => sync.undoNames, ({ sync }, count) => sync.undo(count)),
        keys: ["Mod+Z"],
    },
    {
        ...historyCommand(
            "redo", "Redo", "Redone", ({ sync }) => sync.redoNames, ({ sync }, count) => sync.redo(count)),
        keys: ["Mod+Shift+Z", "Ctrl+Y"],
    },
    onSelection("cut", "Cut", "Mod+X", {
        isNative: true, menus: bothMenus, run: ({ clipboard }) => clipboard.cut(),
    }),
    onSelection("copy", "Copy", "Mod+C", {
        isNative: true, menus: bothMenus, isEnabled: hasTargets, run: ({ clipboard }) => clipboard.copy(),
    }),
    {
        id: "copyPNG", label: "Copy as PNG", menus: allMenus, isEnabled: hasContent,
        run: ({ clipboard }) => void clipboard.copyPicture(),
    },
    {
        id: "paste", label: "Paste", keys: ["Mod+V"], isNative: true, menus: allMenus,
        run: ({ clipboard }) => void clipboard.paste(),
    },
    onSelection("duplicate", "Duplicate", "Mod+D", { ...button("chosen", "duplicate"), isEnabled: hasTargets }),
    {
        ...onSelection("delete", "Delete", "Delete", button("chosen", "delete")),
        keys: ["Delete", "Backspace"],
    },
]);

const select = inGroup("Select", [
    { id: "selectAll", label: "Select All", keys: ["Mod+A"], menus: allMenus, isEnabled: hasEmoji },
    { id: "selectNone", label: "Deselect All", keys: ["Escape"], isEnabled: hasTargets },
    {
        id: "next", label: "Next Emoji", keys: ["Tab"], isOnBoard: true, repeats: true,
        isEnabled: hasEmoji, run: ({ keyboard, model }) => !keyboard.isLeaving && model.run("next"),
    },
    {
        id: "previous", label: "Previous Emoji", keys: ["Shift+Tab"], isOnBoard: true, repeats: true,
        isEnabled: hasEmoji, run: ({ keyboard, model }) => !keyboard.isLeaving && model.run("previous"),
    },
    {
        id: "toggle", label: "Select or Deselect", keys: ["Enter"], isOnBoard: true,
        isEnabled: ({ selection }) => selection.cursor !== null,
    },
    {
        id: "area", label: "Box Select", keys: ["S"], ...button("tools", "area"),
        isOn: ({ viewing }) => viewing.tool === "area",
    },
]);

const arrange = inGroup("Arrange", [
    ...arrowCommands("nudge", 1, ""),
    ...arrowCommands("push", 10, "Shift+"),
    onSelection("larger", "Larger", ">", button("chosen", "larger")),
    onSelection("smaller", "Smaller", "<", button("chosen", "smaller")),
    orderCommand("forward", "Bring Forward", ["]"], button("chosen", "forward")),
    orderCommand("backward", "Send Backward", ["["], button("chosen", "backward")),
    orderCommand("front", "Bring to Front", ["Shift+]", "}"]),
    orderCommand("back", "Send to Back", ["Shift+[", "{"]),
    {
        id: "lock", short: "Lock or Unlock", keys: ["L"], menus: selectionMenu,
        ...button("chosen", (board) => (isLocked(board) ? "unlock" : "lock")),
        label: (board) => (isLocked(board) ? "Unlock" : "Lock"), isEnabled: hasTargets,
    },
]);

const rotateAndFlip = inGroup("Rotate and Flip", [
    onSelection("rotate", "Rotate Right", "R", button("chosen", "rotate")),
    onSelection("rotateLeft", "Rotate Left", "Shift+R"),
    onSelection("flipHorizontal", "Flip Left to Right", "Shift+H"),
    onSelection("flipVertical", "Flip Top to Bottom", "Shift+V"),
]);

const align = inGroup("Align", [
    onSeveral(2, "alignLeft", "Align Left"),
    onSeveral(2, "alignCenter", "Align Center"),
    onSeveral(2, "alignRight", "Align Right"),
    onSeveral(2, "alignTop", "Align Top"),
    onSeveral(2, "alignMiddle", "Align Middle"),
    onSeveral(2, "alignBottom", "Align Bottom"),
    onSeveral(3, "distributeHorizontal", "Distribute Left to Right"),
    onSeveral(3, "distributeVertical", "Distribute Top to Bottom"),
]);

const view = inGroup("View", [
    {
        id: "zoomOut", label: "Zoom Out", keys: ["-"], repeats: true, ...button("view", "minus"),
        run: (board) => zoom(board, "zoomOut"),
    },
    {
        id: "actualSize", short: "Zoom to 100 %", label: ({ camera }) => `${camera.percent}: zoom to 100 %`, keys: ["0"],
        bar: "view",
    },
    {
        id: "zoomIn", label: "Zoom In", keys: ["+", "="], repeats: true, ...button("view", "plus"),
        run: (board) => zoom(board, "zoomIn"),
    },
    {
        id: "fit", label: "Fit Everything", keys: ["1"], ...button("view", "fit"), menus: boardMenus, isEnabled: hasContent,
    },
    onSelection("fitChosen", "Fit the Selection", "2", { menus: bothMenus, isEnabled: hasTargets }),
    { id: "content", label: "Back to Content", keys: ["3"], menus: boardMenu, isEnabled: hasContent },
    {
        id: "hand", label: "Drag to Move the View", keys: ["H"], ...button("tools", "hand"),
        isOn: ({ viewing }) => viewing.tool === "hand",
    },
]);

const palette = inGroup("Palettes", [
    {
        id: "nextPalette", label: "Next Palette", keys: ["."], repeats: true, isEnabled: hasPalette,
        run: ({ paletteBar }) => paletteBar.turn(1),
    },
    {
        id: "previousPalette", label: "Previous Palette", keys: [","], repeats: true, isEnabled: hasPalette,
        run: ({ paletteBar }) => paletteBar.turn(-1),
    },
    {
        id: "search", label: "Find an Emoji", keys: ["/"], ...button("palette", "search"),
        isOn: ({ paletteBar }) => paletteBar.isSearching, run: ({ paletteBar }) => paletteBar.toggleSearch(),
    },
    { id: "newPalette", label: "New", menus: ["palette"], run: ({ paletteBar }) => void paletteBar.addPalette() },
    {
        id: "editPalette", label: "Edit…", keys: ["E"], menus: ["palette"], isEnabled: hasPalette,
        run: ({ paletteBar }) => paletteBar.edit(),
    },
    {
        id: "deletePalette", label: "Delete…", menus: ["palette"], isEnabled: hasPalette,
        run: ({ paletteBar }) => void paletteBar.delete(),
    },
    { id: "listPalettes", label: "List", menus: ["palette"], href: "/art/palettes" },
]);

const board = inGroup("Board", [
    {
        id: "background", label: "Set Background…", keys: ["B"], ...button("head", "picture"), menus: boardMenus,
        run: ({ background }) => background.openDialog(),
    },
    {
        id: "removeBackground", label: "Remove Background", menus: boardMenus, isEnabled: hasBackground,
        run: ({ background }) => background.remove(),
    },
    { id: "rename", label: "Rename…", keys: ["F2"], menus: boardMenu, run: ({ header }) => header.rename() },
    {
        id: "export", label: "Export…", ...button("head", "export"), menus: boardMenus,
        run: ({ downloads }) => void downloads.openExportPage(),
    },
    { id: "exportPNG", label: "Download as PNG", menus: boardMenu, download: "export.png" },
    { id: "exportSVG", label: "Download as SVG", menus: boardMenu, download: "export.svg" },
    { id: "exportJSON", label: "Download as JSON", menus: boardMenu, download: "export.json" },
    { id: "exportCourse", label: "Download as .emojiart", menus: boardMenu, download: "export.emojiart" },
    { id: "import", label: "Import a Board…", menus: boardMenu, run: ({ importing }) => importing.openFilePicker() },
    { id: "boards", label: "All Boards", menus: boardMenu, href: "/art/" },
    {
        id: "help", label: "Keyboard Shortcuts", keys: ["?"], ...button("head", "help"), menus: boardMenu,
        run: ({ help }) => help.show(),
    },
]);

export const commands = [...edit, ...select, ...arrange, ...rotateAndFlip, ...align, ...view, ...palette, ...board];

/** The help about mouse and touch gestures, which aren't commands. */
export const pointerHelp = [
    ["Select or deselect", "Tap an emoji; hold Shift to select more"],
    ["Select several", "Drag around them; with a finger, press and hold first"],
    ["Move", "Drag an emoji; if it is selected, all selected ones move"],
    ["Resize", "Drag a corner; hold Alt to keep the middle in place; or pinch"],
    ["Rotate", "Drag the handle above the selection; hold Shift for steps of 15°; or turn two fingers"],
    ["Move the view", "Scroll; hold Space and drag; drag with the middle button or one finger"],
    ["Zoom", "Hold Ctrl and scroll; pinch while nothing is selected"],
    ["Fit everything", "Double tap an empty place"],
    ["Add an emoji", "Drag it from the palette, or tap it"],
    ["Set the background", "Drop or paste a picture, or its address"],
    ["Leave the board", "Escape, then Tab"],
];

/** Whether a command changes the selected emoji, and so does nothing if all of them are locked. */
export function changesSelection({ isEnabled }) {
    return isEnabled === hasEditable;
}

export function labelOf({ label }, board) {
    return typeof label === "function" ? label(board) : label;
}

export function iconOf({ icon }, board) {
    return typeof icon === "function" ? icon(board) : icon;
}

// --- Factories.

function inGroup(group, members) {
    return members.map(({ run, ...command }) => ({
        bar: null, menus: [], keys: [], ...command, group,
        run: run ?? (command.href || command.download ? undefined : ({ model }) => model.run(command.id)),
    }));
}

function button(bar, icon) {
    return { bar, icon };
}

function onSelection(id, label, key, more = {}) {
    return { id, label, keys: [key], menus: selectionMenu, isEnabled: hasEditable, ...more };
}

/** A command for several emoji, which menus contain only while enough of them are selected. */
function onSeveral(count, id, label) {
    const hasEnough = ({ selection }) => selection.editable.length >= count;
    return { id, label, menus: selectionMenu, isEnabled: hasEnough, isShown: hasEnough };
}

function orderCommand(id, label, keys, more = {}) {
    return { ...onSelection(id, label, keys[0], more), keys };
}

/** Zooms, and announces the zoom. */
function zoom({ announcer, camera, model }, id) {
    model.run(id);
    announcer.announce(`Zoom ${camera.percent}`);
}

function arrowCommands(id, distance, modifier) {
    /** @type {[string, number, number][]} */
    const directions = [["Left", -1, 0], ["Right", 1, 0], ["Up", 0, 1], ["Down", 0, -1]];
    return directions.map(([side, x, y]) => ({
        id: `${id}${side}`, label: `Move ${side} by ${distance}`, keys: [`${modifier}Arrow${side}`],
        isOnBoard: true, isNudge: true, repeats: true, isEnabled: hasEditable,
        run: ({ model }) => model.nudge(x * distance, y * distance),
    }));
}

/**
 * The command to undo or redo. Its button undoes one step, and the menu beside the button lists the steps.
 *
 * Each step is announced, because a screen reader doesn't notice the board's change.
 */
function historyCommand(id, verb, done, names, perform) {
    const take = (board, count) => {
        const what = count === 1 ? names(board)[0] : `${count} steps`;
        if (perform(board, count)) board.announcer.announce(`${done}: ${what}`);
    };
    return {
        id, short: verb, repeats: true, ...button("steps", id), menus: boardMenu,
        label: (board) => [verb, ...names(board).slice(0, 1)].join(" "),
        isEnabled: (board) => names(board).length > 0,
        run: (board) => void take(board, 1),
        list(board) {
            if (!names(board).length) return [{ label: `Nothing to ${verb}`, isEnabled: false }];
            return names(board).slice(0, 30).map((name, index) => ({ label: name, run: () => take(board, index + 1) }));
        },
    };
}
