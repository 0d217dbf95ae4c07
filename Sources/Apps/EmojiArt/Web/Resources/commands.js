// All commands of a board: the bars, menus, keys and help sheet are made from this table.
//
// - id, label: The command's ID and label. If the label is a function, `short` is its fixed label.
// - group: The command's group in the help sheet and the menu.
// - keys: The keys; the first is the one that is shown. "Mod" is ⌘ on a Mac, and Ctrl elsewhere.
// - bar, icon: The bar that has a button for it, and the button's icon, which may be a function like the label.
// - menus: The menus that contain it: "board", "palette", and the context menus of the selection ("chosen") and of an
//   empty place ("empty").
// - isOptional: Whether menus contain the command only while it can run.
// - isOnBoard: Whether its keys work only while the board is focused.
// - isNative: Whether the browser handles its keys and dispatches an event of its own.
// - repeats: Whether it runs again while its key is held down.
// - isNudge: Whether it belongs to a series of moves by arrow keys, which any other command ends.
// - isEnabled: A condition for running it, in addition to the model's.
// - isOn: Whether it is switched on.
// - list, listLabel: The items of the menu beside its button, and the label of that menu.
// - run, href or download: What it does; without any of them, the model's command of the same ID.

import {
    addHelp, addHow, alignBottom, alignCenter, alignGroup, alignLeft, alignMiddle, alignRight, alignTop, allBoards,
    arrangeGroup, backgroundHelp, backgroundHow, backToContent, boardGroup, boxSelect, bringForward, bringToFront,
    copyAsPNG, copyLabel, cutLabel, deleteLabel, deletePaletteMenu, deselectAll, distributeLeftToRight,
    distributeTopToBottom, downloadDocument, downloadJSON, downloadPNG, downloadSVG, dragToMoveView, duplicateLabel,
    editGroup, editPalette, exportMenu, findEmoji, fitEverything, fitHelp, fitHow, fitSelection, flipLeftToRight,
    flipTopToBottom, importMenu, keyboardShortcuts, larger, leaveHelp, leaveHow, listPalettes, lockLabel, lockOrUnlock,
    moveDown, moveHelp, moveHow, moveLeft, moveRight, moveUp, moveViewHelp, moveViewHow, newPalette, nextEmoji,
    nextPalette, nothingToRedo, nothingToUndo, palettesGroup, pasteLabel, previousEmoji, previousPalette, redoLabel,
    redone, redoSeveral, redoStep, removeBackground, renameMenu, resizeHelp, resizeHow, rotateAndFlipGroup, rotateHelp,
    rotateHow, rotateLeft, rotateRight, selectAll, selectGroup, selectHelp, selectHow, selectOrDeselect,
    selectSeveralHelp, selectSeveralHow, sendBackward, sendToBack, setBackgroundMenu, severalSteps, smaller, undoLabel,
    undone, undoSeveral, undoStep, unlockLabel, viewGroup, zoomFrom, zoomHelp, zoomHow, zoomIn, zoomOut,
    zoomToActualSize,
} from "./words.js";

const hasPalette = ({ palettes }) => palettes.current !== null;
const isLocked = ({ sync }) => sync.availability.isLocked;

const [selectionMenu, boardMenu, bothMenus] = [["chosen"], ["board"], ["chosen", "board"]];
const [boardMenus, allMenus] = [["board", "empty"], ["chosen", "board", "empty"]];

const undoWords = {
    label: undoLabel, step: undoStep, several: undoSeveral, nothing: nothingToUndo, done: undone,
};
const redoWords = {
    label: redoLabel, step: redoStep, several: redoSeveral, nothing: nothingToRedo, done: redone,
};

const edit = inGroup(editGroup, [
    {
        ...historyCommand(
            "undo", undoWords, ({ sync }) => sync.undoNames, ({ sync }, count) => sync.undo(count)),
        keys: ["Mod+Z"],
    },
    {
        ...historyCommand(
            "redo", redoWords, ({ sync }) => sync.redoNames, ({ sync }, count) => sync.redo(count)),
        keys: ["Mod+Shift+Z", "Ctrl+Y"],
    },
    onSelection("cut", cutLabel, "Mod+X", {
        isNative: true, menus: bothMenus, run: ({ clipboard }) => clipboard.execute("cut"),
    }),
    onSelection("copy", copyLabel, "Mod+C", {
        isNative: true, menus: bothMenus, run: ({ clipboard }) => clipboard.execute("copy"),
    }),
    {
        id: "copyPNG", label: copyAsPNG, menus: allMenus, run: ({ clipboard }) => void clipboard.copyPicture(),
    },
    {
        id: "paste", label: pasteLabel, keys: ["Mod+V"], isNative: true, menus: allMenus,
        run: ({ clipboard }) => void clipboard.paste(),
    },
    onSelection("duplicate", duplicateLabel, "Mod+D", button("chosen", "duplicate")),
    {
        ...onSelection("delete", deleteLabel, "Delete", button("chosen", "delete")),
        keys: ["Delete", "Backspace"],
    },
]);

const select = inGroup(selectGroup, [
    { id: "selectAll", label: selectAll, keys: ["Mod+A"], menus: allMenus },
    { id: "selectNone", label: deselectAll, keys: ["Escape"] },
    {
        id: "next", label: nextEmoji, keys: ["Tab"], isOnBoard: true, repeats: true,
        run: ({ keyboard, model }) => !keyboard.isLeaving && model.run("next"),
    },
    {
        id: "previous", label: previousEmoji, keys: ["Shift+Tab"], isOnBoard: true, repeats: true,
        run: ({ keyboard, model }) => !keyboard.isLeaving && model.run("previous"),
    },
    { id: "toggle", label: selectOrDeselect, keys: ["Enter"], isOnBoard: true },
    {
        id: "area", label: boxSelect, keys: ["S"], ...button("tools", "area"),
        isOn: ({ viewing }) => viewing.tool === "area",
    },
]);

const arrange = inGroup(arrangeGroup, [
    ...arrowCommands("nudge", 1, ""),
    ...arrowCommands("push", 10, "Shift+"),
    onSelection("larger", larger, ">", button("chosen", "larger")),
    onSelection("smaller", smaller, "<", button("chosen", "smaller")),
    orderCommand("forward", bringForward, ["]"], button("chosen", "forward")),
    orderCommand("backward", sendBackward, ["["], button("chosen", "backward")),
    orderCommand("front", bringToFront, ["Shift+]", "}"]),
    orderCommand("back", sendToBack, ["Shift+[", "{"]),
    {
        id: "lock", short: lockOrUnlock, keys: ["L"], menus: selectionMenu,
        ...button("chosen", (board) => (isLocked(board) ? "unlock" : "lock")),
        label: (board) => (isLocked(board) ? unlockLabel : lockLabel),
    },
]);

const rotateAndFlip = inGroup(rotateAndFlipGroup, [
    onSelection("rotate", rotateRight, "R", button("chosen", "rotate")),
    onSelection("rotateLeft", rotateLeft, "Shift+R"),
    onSelection("flipHorizontal", flipLeftToRight, "Shift+H"),
    onSelection("flipVertical", flipTopToBottom, "Shift+V"),
]);

const align = inGroup(alignGroup, [
    onSeveral("alignLeft", alignLeft),
    onSeveral("alignCenter", alignCenter),
    onSeveral("alignRight", alignRight),
    onSeveral("alignTop", alignTop),
    onSeveral("alignMiddle", alignMiddle),
    onSeveral("alignBottom", alignBottom),
    onSeveral("distributeHorizontal", distributeLeftToRight),
    onSeveral("distributeVertical", distributeTopToBottom),
]);

const view = inGroup(viewGroup, [
    { id: "zoomOut", label: zoomOut, keys: ["-"], repeats: true, ...button("view", "minus") },
    {
        id: "actualSize", short: zoomToActualSize, label: ({ camera }) => zoomFrom({ percent: camera.percent }),
        keys: ["0"], bar: "view",
    },
    { id: "zoomIn", label: zoomIn, keys: ["+", "="], repeats: true, ...button("view", "plus") },
    { id: "fit", label: fitEverything, keys: ["1"], ...button("view", "fit"), menus: boardMenus },
    onSelection("fitChosen", fitSelection, "2", { menus: bothMenus }),
    { id: "content", label: backToContent, keys: ["3"], menus: boardMenu },
    {
        id: "hand", label: dragToMoveView, keys: ["H"], ...button("tools", "hand"),
        isOn: ({ viewing }) => viewing.tool === "hand",
    },
]);

const palette = inGroup(palettesGroup, [
    {
        id: "nextPalette", label: nextPalette, keys: ["."], repeats: true, isEnabled: hasPalette,
        run: ({ paletteBar }) => paletteBar.turn(1),
    },
    {
        id: "previousPalette", label: previousPalette, keys: [","], repeats: true, isEnabled: hasPalette,
        run: ({ paletteBar }) => paletteBar.turn(-1),
    },
    {
        id: "search", label: findEmoji, keys: ["/"], ...button("palette", "search"),
        isOn: ({ paletteBar }) => paletteBar.isSearching, run: ({ paletteBar }) => paletteBar.toggleSearch(),
    },
    { id: "newPalette", label: newPalette, menus: ["palette"], run: ({ paletteBar }) => void paletteBar.addPalette() },
    {
        id: "editPalette", label: editPalette, keys: ["E"], menus: ["palette"], isEnabled: hasPalette,
        run: ({ paletteBar }) => paletteBar.edit(),
    },
    {
        id: "deletePalette", label: deletePaletteMenu, menus: ["palette"], isEnabled: hasPalette,
        run: ({ paletteBar }) => void paletteBar.delete(),
    },
    { id: "listPalettes", label: listPalettes, menus: ["palette"], href: "/art/palettes" },
]);

const board = inGroup(boardGroup, [
    {
        id: "background", label: setBackgroundMenu, keys: ["B"], ...button("head", "picture"), menus: boardMenus,
        run: ({ background }) => background.openDialog(),
    },
    {
        id: "removeBackground", label: removeBackground, menus: boardMenus,
        run: ({ background }) => background.remove(),
    },
    { id: "rename", label: renameMenu, keys: ["F2"], menus: boardMenu, run: ({ header }) => header.rename() },
    {
        id: "export", label: exportMenu, ...button("head", "export"), menus: boardMenus,
        run: ({ files }) => void files.openExportPage(),
    },
    { id: "exportPNG", label: downloadPNG, menus: boardMenu, download: "export.png" },
    { id: "exportSVG", label: downloadSVG, menus: boardMenu, download: "export.svg" },
    { id: "exportJSON", label: downloadJSON, menus: boardMenu, download: "export.json" },
    { id: "exportCourse", label: downloadDocument, menus: boardMenu, download: "export.emojiart" },
    { id: "import", label: importMenu, menus: boardMenu, run: () => document.getElementById("import-file").click() },
    { id: "boards", label: allBoards, menus: boardMenu, href: "/art/" },
    {
        id: "help", label: keyboardShortcuts, keys: ["?"], ...button("head", "help"), menus: boardMenu,
        run: ({ help }) => help.show(),
    },
]);

export const commands = [...edit, ...select, ...arrange, ...rotateAndFlip, ...align, ...view, ...palette, ...board];

/** The help about mouse and touch gestures, which aren't commands. */
export const pointerHelp = [
    [selectHelp, selectHow],
    [selectSeveralHelp, selectSeveralHow],
    [moveHelp, moveHow],
    [resizeHelp, resizeHow],
    [rotateHelp, rotateHow],
    [moveViewHelp, moveViewHow],
    [zoomHelp, zoomHow],
    [fitHelp, fitHow],
    [addHelp, addHow],
    [backgroundHelp, backgroundHow],
    [leaveHelp, leaveHow],
];

/** Whether a command can run now. */
export function canRun({ id, isEnabled }, board) {
    return !(id in board.sync.availability.unavailable) && (isEnabled?.(board) ?? true);
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
    return { id, label, keys: [key], menus: selectionMenu, ...more };
}

/** A command for several emoji, which menus contain only while enough of them are selected. */
function onSeveral(id, label) {
    return { id, label, menus: selectionMenu, isOptional: true };
}

function orderCommand(id, label, keys, more = {}) {
    return { ...onSelection(id, label, keys[0], more), keys };
}

function arrowCommands(id, distance, modifier) {
    /** @type {[string, Function, number, number][]} */
    const directions =
        [["Left", moveLeft, -1, 0], ["Right", moveRight, 1, 0], ["Up", moveUp, 0, 1], ["Down", moveDown, 0, -1]];
    return directions.map(([side, word, x, y]) => ({
        id: `${id}${side}`, label: word({ distance }), keys: [`${modifier}Arrow${side}`],
        isOnBoard: true, isNudge: true, repeats: true,
        run: ({ model }) => model.nudge(x * distance, y * distance),
    }));
}

/**
 * The command to undo or redo. Its button undoes one step, and the menu beside the button lists the steps.
 *
 * Each step is announced, because a screen reader doesn't notice the board's change.
 */
function historyCommand(id, words, names, perform) {
    const performSteps = (board, count) => {
        const what = count === 1 ? names(board)[0] : severalSteps({ count });
        if (perform(board, count)) board.announcer.announce(words.done({ what }));
    };
    return {
        id, short: words.label, repeats: true, ...button("steps", id), menus: boardMenu, listLabel: words.several,
        label: (board) => names(board).length > 0 ? words.step({ step: names(board)[0] }) : words.label,
        run: (board) => void performSteps(board, 1),
        list(board) {
            if (!names(board).length) return [{ label: words.nothing, isEnabled: false }];
            return names(board).slice(0, 30).map((name, index) =>
                ({ label: name, run: () => performSteps(board, index + 1) }));
        },
    };
}
