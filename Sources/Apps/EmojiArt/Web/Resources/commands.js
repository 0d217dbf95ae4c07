// All commands of a board: the bars, menus, keys and help sheet are made from this table.
//
// - id, label: The command's ID and label. If the label is a function, `short` is its fixed label.
// - group: The command's group in the help sheet and the menu.
// - keys: The keys; the first is the one that is shown. "Mod" is ⌘ on a Mac, and Ctrl elsewhere.
// - bar, icon: The bar that has a button for it, and the button's icon.
// - menus: The menus that contain it: "board", "palette", and "chosen" for the context menu of the selection.
// - isOnBoard: Whether its keys work only while the board has the focus.
// - isNative: Whether the browser handles its keys and dispatches an event of its own.
// - repeats: Whether it runs again while its key is held down.
// - isNudge: Whether it belongs to a series of moves by arrow keys, which any other command ends.
// - isEnabled, isOn: Whether it can run now; whether it is switched on.
// - list: The items of the menu beside its button.
// - run, href or download: What it does; without any of them, the model's command of this ID.

const hasTargets = ({ selection }) => selection.targets.length > 0;
const hasEmoji = ({ sync }) => sync.art.emojis.size > 0;
const hasContent = ({ sync, backdrop }) => sync.art.emojis.size > 0 || backdrop.shown !== null;
const hasPalette = ({ palettes }) => palettes.current !== null;
const hasBackground = ({ sync }) => sync.art.background !== null;

const [chosen, menu, both] = [["chosen"], ["board"], ["chosen", "board"]];

const edit = inGroup("Edit", [
    {
        ...stepping("undo", "Undo", "Undone", ({ sync }) => sync.undoNames, ({ model }, count) => model.undo(count)),
        keys: ["Mod+Z"],
    },
    {
        ...stepping("redo", "Redo", "Redone", ({ sync }) => sync.redoNames, ({ model }, count) => model.redo(count)),
        keys: ["Mod+Shift+Z", "Ctrl+Y"],
    },
    onChosen("cut", "Cut", "Mod+X", ({ clipboard }) => clipboard.cut(), { isNative: true, menus: both }),
    onChosen("copy", "Copy", "Mod+C", ({ clipboard }) => clipboard.copy(), { isNative: true, menus: both }),
    {
        id: "paste", label: "Paste", keys: ["Mod+V"], isNative: true, menus: both,
        run: ({ clipboard }) => void clipboard.paste(),
    },
    onChosen("duplicate", "Duplicate", "Mod+D", null, button("chosen", "duplicate")),
    {
        ...onChosen("delete", "Delete", "Delete", null, button("chosen", "delete")),
        keys: ["Delete", "Backspace"],
    },
]);

const select = inGroup("Select", [
    {
        id: "selectAll", label: "Select All", keys: ["Mod+A"], menus: both, isEnabled: hasEmoji,
    },
    {
        id: "selectNone", label: "Select Nothing", keys: ["Escape"],
        isEnabled: hasTargets,
    },
    {
        id: "next", label: "Next Emoji", keys: ["Tab"], isOnBoard: true, repeats: true,
        isEnabled: hasEmoji,
    },
    {
        id: "previous", label: "Emoji Before", keys: ["Shift+Tab"], isOnBoard: true, repeats: true,
        isEnabled: hasEmoji,
    },
    {
        id: "toggle", label: "Select the Emoji, or Not", keys: ["Enter"], isOnBoard: true,
        isEnabled: ({ selection }) => selection.at !== null,
    },
    {
        id: "area", label: "Select Around with a Finger", keys: ["S"], ...button("tools", "area"),
        isOn: ({ viewing }) => viewing.tool === "area",
    },
]);

const arrange = inGroup("Arrange", [
    ...arrows("nudge", 1, ""),
    ...arrows("push", 10, "Shift+"),
    onChosen("larger", "Larger", ">", null, button("chosen", "larger")),
    onChosen("smaller", "Smaller", "<", null, button("chosen", "smaller")),
    ordering("forward", "Bring", "Forward", ["]"], button("chosen", "forward")),
    ordering("backward", "Send", "Backward", ["["], button("chosen", "backward")),
    ordering("front", "Bring", "to Front", ["Shift+]", "}"]),
    ordering("back", "Send", "to Back", ["Shift+[", "{"]),
]);

const view = inGroup("View", [
    {
        id: "zoomOut", label: "Zoom Out", keys: ["-"], repeats: true, ...button("view", "minus"),
    },
    {
        id: "actualSize", short: "Zoom to 100 %", label: ({ camera }) => `${camera.percent}: zoom to 100 %`, keys: ["0"],
        bar: "view",
    },
    {
        id: "zoomIn", label: "Zoom In", keys: ["+", "="], repeats: true, ...button("view", "plus"),
    },
    {
        id: "fit", label: "Fit Everything", keys: ["1"], ...button("view", "fit"), menus: menu, isEnabled: hasContent,
    },
    onChosen("fitChosen", "Fit the Selection", "2", null, { menus: both }),
    {
        id: "content", label: "Back to Content", keys: ["3"], menus: menu, isEnabled: hasContent,
    },
    {
        id: "hand", label: "Move the View by Dragging", keys: ["H"], ...button("tools", "hand"),
        isOn: ({ viewing }) => viewing.tool === "hand",
    },
]);

const palette = inGroup("Palettes", [
    {
        id: "nextPalette", label: "Next Palette", keys: ["."], repeats: true, isEnabled: hasPalette,
        run: ({ palettes }) => void palettes.turn(1),
    },
    {
        id: "previousPalette", label: "Palette Before", keys: [","], repeats: true, isEnabled: hasPalette,
        run: ({ palettes }) => void palettes.turn(-1),
    },
    {
        id: "search", label: "Find an Emoji", keys: ["/"], ...button("palette", "search"),
        isOn: ({ bar }) => bar.isSearching, run: ({ bar }) => bar.toggleSearch(),
    },
    { id: "newPalette", label: "New", menus: ["palette"], run: ({ bar }) => void bar.makeNew() },
    {
        id: "editPalette", label: "Edit…", keys: ["E"], menus: ["palette"], isEnabled: hasPalette,
        run: ({ bar }) => bar.edit(),
    },
    {
        id: "deletePalette", label: "Delete…", menus: ["palette"], isEnabled: hasPalette,
        run: ({ bar }) => void bar.delete(),
    },
    { id: "listPalettes", label: "List", menus: ["palette"], href: "/art/palettes" },
]);

const whole = inGroup("Board", [
    {
        id: "background", label: "Set Background…", keys: ["B"], ...button("head", "picture"), menus: menu,
        run: ({ background }) => background.ask(),
    },
    {
        id: "removeBackground", label: "Remove Background", menus: menu, isEnabled: hasBackground,
        run: ({ background }) => background.remove(),
    },
    { id: "rename", label: "Rename…", keys: ["F2"], menus: menu, run: ({ head }) => head.rename() },
    { id: "exportPNG", label: "Download as PNG", menus: menu, download: "export.png" },
    { id: "exportSVG", label: "Download as SVG", menus: menu, download: "export.svg" },
    { id: "exportJSON", label: "Download as JSON", menus: menu, download: "export.json" },
    { id: "exportCourse", label: "Download as .emojiart", menus: menu, download: "export.emojiart" },
    { id: "import", label: "Import a Board…", menus: menu, run: ({ importing }) => importing.ask() },
    { id: "boards", label: "All Boards", menus: menu, href: "/art/" },
    {
        id: "help", label: "Every Command", keys: ["?"], ...button("head", "help"), menus: menu,
        run: ({ help }) => help.show(),
    },
]);

export const commands = [...edit, ...select, ...arrange, ...view, ...palette, ...whole];

/** The help about mouse and touch gestures, which aren't commands. */
export const pointerHelp = [
    ["Select, or not", "Tap an emoji; Shift and tap for one more"],
    ["Select several", "Drag around them; hold first with a finger"],
    ["Move", "Drag an emoji, or all that are selected by one of them"],
    ["Resize", "Drag a corner, with Alt from the middle; or pinch"],
    ["Move the view", "Wheel; Space or middle button and drag; one finger"],
    ["Zoom", "Ctrl and wheel; pinch while nothing is selected"],
    ["Fit everything", "Double tap beside the emoji"],
    ["Add an emoji", "Drag it from the palette, or tap it there"],
    ["Set the background", "Drop or paste a picture, or its address"],
    ["Leave the board", "Escape, then Tab"],
];

export function labelOf({ label }, board) {
    return typeof label === "function" ? label(board) : label;
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

function onChosen(id, label, key, run, more = {}) {
    return { id, label, keys: [key], menus: chosen, isEnabled: hasTargets, run, ...more };
}

function ordering(way, verb, where, keys, more = {}) {
    return { ...onChosen(way, `${verb} ${where}`, keys[0], null, more), keys };
}

function arrows(id, distance, modifier) {
    /** @type {[string, number, number][]} */
    const ways = [["Left", -1, 0], ["Right", 1, 0], ["Up", 0, 1], ["Down", 0, -1]];
    return ways.map(([side, x, y]) => ({
        id: `${id}${side}`, label: `Move ${side} by ${distance}`, keys: [`${modifier}Arrow${side}`],
        isOnBoard: true, isNudge: true, repeats: true, isEnabled: hasTargets,
        run: ({ model }) => model.nudge(x * distance, y * distance),
    }));
}

/**
 * Makes the command to undo or redo: its button takes one step, and the menu beside the button lists the steps. Steps are
 * announced, because a screen reader doesn't notice the board's change.
 */
function stepping(id, verb, done, names, step) {
    const take = (board, count) => {
        const what = count === 1 ? names(board)[0] : `${count} steps`;
        if (step(board, count)) board.speech.say(`${done}: ${what}`);
    };
    return {
        id, short: verb, repeats: true, ...button("steps", id), menus: menu,
        label: (board) => [verb, ...names(board).slice(0, 1)].join(" "),
        isEnabled: (board) => names(board).length > 0,
        run: (board) => void take(board, 1),
        list(board) {
            if (!names(board).length) return [{ label: `Nothing to ${verb}`, isEnabled: false }];
            return names(board).slice(0, 30).map((name, index) => ({ label: name, run: () => take(board, index + 1) }));
        },
    };
}
