// All commands of a board: the bars, menus, keys and help sheet are made from this table.
//
// - id, label: The command's ID and label. If the label is a function, `short` is its fixed label.
// - group: The command's group in the help sheet and the menu.
// - keys: The keys; the first is the one that is shown. "Mod" is ⌘ on a Mac, and Ctrl elsewhere.
// - bar, icon: The bar that has a button for it, and the button's icon: the one named by the ID unless another one is
//   given, which may be a function like the label.
// - menus: The menus that contain it: "board", "palette", and the context menus of the selection ("chosen") and of an
//   empty place ("empty").
// - isOptional: Whether menus contain the command only while it can run.
// - isOnBoard: Whether its keys work only while the board is focused.
// - isNative: Whether the browser handles its keys and dispatches an event of the clipboard, which runs it from menus.
// - repeats: Whether it runs again while its key is held down.
// - direction: The direction of a move by an arrow key, [x, y] with y upwards. Any other command ends a series of
//   moves.
// - isOn: Whether it is switched on.
// - list, listLabel: The items of the menu beside its button, and the label of that menu.
// - run: What it does; without it and a link, the model's command of the same ID.
// - href, isDownload: The address that its menu item links to, which may be a function like the label, and whether it
//   is that of a file.

import { download, openExportPage } from "./board-files.js";
import { rename } from "./board-header.js";
import {
    alignBottom, alignCenter, alignGroup, alignLeft, alignMiddle, alignRight, alignTop, allBoards, arrangeGroup,
    backToContent, boardGroup, boxSelect, bringForward, bringToFront, copyAsPNG, copyLabel, cutLabel, deleteLabel,
    deletePaletteMenu, deselectAll, distributeLeftToRight, distributeTopToBottom, downloadDocument, downloadJSON,
    downloadPNG, downloadSVG, dragToMoveView, duplicateLabel, editGroup, editPalette, exportMenu, findEmoji,
    fitEverything, fitSelection, flipLeftToRight, flipTopToBottom, importMenu, keyboardShortcuts, larger, listPalettes,
    lockLabel, lockOrUnlock, moveDown, moveLeft, moveRight, moveUp, newPalette, nextEmoji, nextPalette, nothingToRedo,
    nothingToUndo, palettesGroup, pasteLabel, previousEmoji, previousPalette, redoLabel, redone, redoSeveral, redoStep,
    removeBackground, renameMenu, rotateAndFlipGroup, rotateLeft, rotateRight, selectAll, selectGroup,
    selectOrDeselect, sendBackward, sendToBack, setBackgroundMenu, severalSteps, smaller, undoLabel, undone,
    undoSeveral, undoStep, unlockLabel, viewGroup, zoomFrom, zoomIn, zoomOut, zoomToActualSize,
} from "./words.js";

const isLocked = ({ sync }) => sync.availability.isLocked;

const [selectionMenu, boardMenu, bothMenus] = [["chosen"], ["board"], ["chosen", "board"]];
const [boardMenus, allMenus] = [["board", "empty"], ["chosen", "board", "empty"]];

const edit = inGroup(editGroup, [
    historyCommand("undo", ["Mod+Z"], {
        label: undoLabel, step: undoStep, several: undoSeveral, nothing: nothingToUndo, done: undone,
    }),
    historyCommand("redo", ["Mod+Shift+Z", "Ctrl+Y"], {
        label: redoLabel, step: redoStep, several: redoSeveral, nothing: nothingToRedo, done: redone,
    }),
    onSelection("cut", cutLabel, ["Mod+X"], { isNative: true, menus: bothMenus }),
    onSelection("copy", copyLabel, ["Mod+C"], { isNative: true, menus: bothMenus }),
    { id: "copyPNG", label: copyAsPNG, menus: allMenus, run: ({ clipboard }) => void clipboard.copyPicture() },
    { id: "paste", label: pasteLabel, keys: ["Mod+V"], isNative: true, menus: allMenus },
    onSelection("duplicate", duplicateLabel, ["Mod+D"], { bar: "chosen" }),
    onSelection("delete", deleteLabel, ["Delete", "Backspace"], { bar: "chosen" }),
]);

const select = inGroup(selectGroup, [
    { id: "selectAll", label: selectAll, keys: ["Mod+A"], menus: allMenus },
    { id: "selectNone", label: deselectAll, keys: ["Escape"] },
    { id: "next", label: nextEmoji, keys: ["Tab"], isOnBoard: true, repeats: true },
    { id: "previous", label: previousEmoji, keys: ["Shift+Tab"], isOnBoard: true, repeats: true },
    { id: "toggle", label: selectOrDeselect, keys: ["Enter"], isOnBoard: true },
    { id: "area", label: boxSelect, keys: ["S"], bar: "tools", isOn: ({ tool }) => tool === "area" },
]);

const arrange = inGroup(arrangeGroup, [
    ...arrowCommands("nudge", 1, ""),
    ...arrowCommands("push", 10, "Shift+"),
    onSelection("larger", larger, [">"], { bar: "chosen" }),
    onSelection("smaller", smaller, ["<"], { bar: "chosen" }),
    onSelection("forward", bringForward, ["]"], { bar: "chosen" }),
    onSelection("backward", sendBackward, ["["], { bar: "chosen" }),
    onSelection("front", bringToFront, ["Shift+]", "}"]),
    onSelection("back", sendToBack, ["Shift+[", "{"]),
    {
        ...onSelection("lock", (board) => (isLocked(board) ? unlockLabel : lockLabel), ["L"]), short: lockOrUnlock,
        bar: "chosen", icon: (board) => (isLocked(board) ? "unlock" : "lock"),
    },
]);

const rotateAndFlip = inGroup(rotateAndFlipGroup, [
    onSelection("rotate", rotateRight, ["R"], { bar: "chosen" }),
    onSelection("rotateLeft", rotateLeft, ["Shift+R"]),
    onSelection("flipHorizontal", flipLeftToRight, ["Shift+H"]),
    onSelection("flipVertical", flipTopToBottom, ["Shift+V"]),
]);

/** Menus contain these only while enough emoji are selected. */
const align = inGroup(alignGroup, Object.entries({
    alignLeft, alignCenter, alignRight, alignTop, alignMiddle, alignBottom,
    distributeHorizontal: distributeLeftToRight, distributeVertical: distributeTopToBottom,
}).map(([id, label]) => ({ id, label, menus: selectionMenu, isOptional: true })));

const view = inGroup(viewGroup, [
    { id: "zoomOut", label: zoomOut, keys: ["-"], repeats: true, bar: "view", icon: "minus" },
    {
        id: "actualSize", short: zoomToActualSize, label: ({ camera }) => zoomFrom({ percent: camera.percent }),
        keys: ["0"], bar: "view", icon: null,
    },
    { id: "zoomIn", label: zoomIn, keys: ["+", "="], repeats: true, bar: "view", icon: "plus" },
    { id: "fit", label: fitEverything, keys: ["1"], bar: "view", menus: boardMenus },
    onSelection("fitChosen", fitSelection, ["2"], { menus: bothMenus }),
    { id: "content", label: backToContent, keys: ["3"], menus: boardMenu },
    { id: "hand", label: dragToMoveView, keys: ["H"], bar: "tools", isOn: ({ tool }) => tool === "hand" },
]);

const palette = inGroup(palettesGroup, [
    onPalette("nextPalette", nextPalette, (paletteBar) => paletteBar.turn(1), { keys: ["."], repeats: true }),
    onPalette("previousPalette", previousPalette, (paletteBar) => paletteBar.turn(-1), { keys: [","], repeats: true }),
    onPalette("search", findEmoji, (paletteBar) => paletteBar.toggleSearch(), {
        keys: ["/"], bar: "palette", isOn: ({ paletteBar }) => paletteBar.isSearching,
    }),
    onPalette("newPalette", newPalette, (paletteBar) => void paletteBar.addPalette(), { menus: ["palette"] }),
    onPalette("editPalette", editPalette, (paletteBar) => paletteBar.edit(), { keys: ["E"], menus: ["palette"] }),
    onPalette("deletePalette", deletePaletteMenu, (paletteBar) => void paletteBar.delete(), { menus: ["palette"] }),
    { id: "listPalettes", label: listPalettes, menus: ["palette"], href: "/art/palettes" },
]);

const board = inGroup(boardGroup, [
    {
        id: "background", label: setBackgroundMenu, keys: ["B"], bar: "head", icon: "picture", menus: boardMenus,
        run: ({ background }) => background.openDialog(),
    },
    {
        id: "removeBackground", label: removeBackground, menus: boardMenus,
        run: ({ background }) => background.remove(),
    },
    { id: "rename", label: renameMenu, keys: ["F2"], menus: boardMenu, run: rename },
    { id: "export", label: exportMenu, bar: "head", menus: boardMenus, run: openExportPage },
    downloadCommand("exportPNG", downloadPNG, "png"),
    downloadCommand("exportSVG", downloadSVG, "svg"),
    downloadCommand("exportJSON", downloadJSON, "json"),
    downloadCommand("exportCourse", downloadDocument, "emojiart"),
    { id: "import", label: importMenu, menus: boardMenu, run: () => document.getElementById("import-file").click() },
    { id: "boards", label: allBoards, menus: boardMenu, href: "/art/" },
    {
        id: "help", label: keyboardShortcuts, keys: ["?"], bar: "head", menus: boardMenu,
        run: (board) => board.showHelp(board),
    },
]);

export const commands = [...edit, ...select, ...arrange, ...rotateAndFlip, ...align, ...view, ...palette, ...board];

/** The commands that change nothing. */
const viewing = new Set(["zoomOut", "actualSize", "zoomIn", "fit", "content", "help"]);
/** The commands of the board's owner, about the palettes, other boards and files. */
const owning = new Set([
    "boards", "copyPNG", "deletePalette", "editPalette", "export", "exportCourse", "exportJSON", "exportPNG", "exportSVG",
    "import", "listPalettes", "newPalette", "rename",
]);

/** Whether a board's page has a command. The server refuses the others, too. */
export function isOffered({ id }, { isShared, isViewOnly }) {
    return isViewOnly ? viewing.has(id) : !isShared || !owning.has(id);
}

/** Whether a command can run now. */
export function canRun(command, board) {
    return isOffered(command, board) && !(command.id in board.sync.availability.unavailable);
}

/** The value of a label, an icon or an address, which may be a function. */
export function valueFor(board, value) {
    return typeof value === "function" ? value(board) : value;
}

// --- Factories.

function inGroup(group, members) {
    return members.map(({ id, href, ...command }) => ({
        run: href ? undefined : ({ clipboard, model }) => (command.isNative ? clipboard : model).run(id),
        bar: null, icon: id, menus: [], keys: [], ...command, id, href, group,
    }));
}

function onSelection(id, label, keys, more = {}) {
    return { id, label, keys, menus: selectionMenu, ...more };
}

/** A command that the bar of the palettes runs. */
function onPalette(id, label, run, more) {
    return { id, label, run: ({ paletteBar }) => run(paletteBar), ...more };
}

/** The command that downloads the board as a file. */
function downloadCommand(id, label, type) {
    const href = ({ address }) => `${address}/export.${type}`;
    return { id, label, menus: boardMenu, href, isDownload: true, run: (board) => void download(board, href(board)) };
}

function arrowCommands(id, distance, modifier) {
    /** @type {[string, Function, number, number][]} */
    const directions =
        [["Left", moveLeft, -1, 0], ["Right", moveRight, 1, 0], ["Up", moveUp, 0, 1], ["Down", moveDown, 0, -1]];
    return directions.map(([side, word, x, y]) => ({
        id: `${id}${side}`, label: word({ distance }), keys: [`${modifier}Arrow${side}`], direction: [x, y],
        isOnBoard: true, repeats: true, run: ({ model }) => model.nudge(x * distance, y * distance),
    }));
}

/**
 * The command to undo or redo. Its button undoes one step, and the menu beside the button lists the steps.
 *
 * Each step is announced, because a screen reader doesn't notice the board's change.
 */
function historyCommand(id, keys, { label, step, several, nothing, done }) {
    const names = ({ sync }) => sync[`${id}Names`];
    const perform = (board, count) => {
        const what = count === 1 ? names(board)[0] : severalSteps({ count });
        if (board.model[id](count)) board.announcer.announce(done({ what }));
    };
    return {
        id, keys, short: label, repeats: true, bar: "steps", menus: boardMenu, listLabel: several,
        label: (board) => (names(board).length > 0 ? step({ step: names(board)[0] }) : label),
        run: (board) => perform(board, 1),
        list(board) {
            const steps = names(board).slice(0, 30);
            if (!steps.length) return [{ label: nothing, isEnabled: false }];
            return steps.map((label, index) => ({ label, run: () => perform(board, index + 1) }));
        },
    };
}
