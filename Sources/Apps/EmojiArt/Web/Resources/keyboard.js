// Keyboard input: the keys of commands, and keys that are held down.

import { commands } from "./commands.js";
import { controlKey, deleteKey, escapeKey } from "./words.js";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
/** How keys are labelled on this platform, if not by their names. */
const labels = {
    ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓",
    Escape: escapeKey, Backspace: "⌫", Delete: deleteKey,
    ...(isMac ? { Mod: "⌘", Ctrl: "⌃", Shift: "⇧" } : { Mod: controlKey }),
};
/** The physical key of a character that Shift changes. */
const shiftedKeyCodes = { "[": "BracketLeft", "]": "BracketRight" };

/** The parts of keys such as "Mod+Shift+Z"; the last one may be "+" itself. */
const partsOf = (keys) => keys.split(/\+(?=.)/);

/** Formats keys such as "Mod+Shift+Z" as they are labelled on this platform. */
export function formatKeys(keys) {
    return partsOf(keys).map((part) => labels[part] ?? part).join(isMac ? "" : "+");
}

/** Formats keys for `aria-keyshortcuts`. */
export function ariaKeys(keys) {
    return keys?.replace("Mod", isMac ? "Meta" : "Control");
}

/** Whether an event matches keys. */
function matches(keys, event) {
    const parts = partsOf(keys);
    const key = parts.pop();
    const wants = (name) => parts.includes(name);
    const isLetter = /^[A-Z]$/.test(key);
    const [hasMod, hasOther] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
    const mod = wants("Mod") ? hasMod && !hasOther
        : wants("Ctrl") ? event.ctrlKey && !event.metaKey
        : !event.metaKey && (!event.ctrlKey || event.getModifierState("AltGraph"));
    if (!mod) return false;
    // For a symbol, `event.key` already reflects Shift and AltGr, whose use depends on the keyboard layout.
    const isSymbol = key.length === 1 && !isLetter;
    if ((!isSymbol || wants("Shift")) && (event.shiftKey !== wants("Shift") || event.altKey)) return false;
    // On non-Latin layouts, the physical key of the letter counts.
    if (isLetter) return event.key.toUpperCase() === key || (!/^[a-z]$/i.test(event.key) && event.code === `Key${key}`);
    return event.key === key || (wants("Shift") && event.code === shiftedKeyCodes[key]);
}

/** Whether the focused element handles keys itself: a field, a dialog, a menu. */
const handlesKeys = (target) =>
    target.closest("input, textarea, select, [contenteditable], dialog, [popover]") !== null;

/** Runs commands by their keys, and tells the model which keys are held down. */
export function handleKeys(board) {
    const { gestures, model, stage, sync } = board;
    /** Whether the Tab key leaves the board. */
    let isLeaving = false;
    /** Whether Space is held, and whether the board was pressed since it was, which moves the view. */
    let isSpaceHeld = false;
    let isSpaceUsed = false;

    const isOnBoard = () => document.activeElement === stage || document.activeElement === document.body;

    const holdSpace = (isHeld) => {
        if (isSpaceHeld === isHeld) return;
        isSpaceHeld = isHeld;
        isSpaceUsed = false;
        model.holdSpace(isHeld);
    };

    const run = ({ id, direction, repeats }, event) => {
        // Tab goes from emoji to emoji, and leaves the board after the last one.
        const isTab = id === "next" || id === "previous";
        if (isTab && (document.activeElement !== stage || isLeaving || !board.run(id))) return;
        event.preventDefault();
        if (isTab) return;
        // Without a selection, arrows move the view.
        if (direction && !sync.availability.targets) model.moveViewByKey(-direction[0], direction[1], event.shiftKey);
        else if (!event.repeat || repeats) board.run(id);
    };

    document.addEventListener("keydown", (event) => {
        if (event.defaultPrevented || event.isComposing || board.isGone) return;
        const isEscape = event.key === "Escape";
        if (isEscape && board.cancel()) {
            event.preventDefault();
        } else if (handlesKeys(event.target) || gestures.isActive) {
            return;
        } else if (isEscape) {
            // Escape lets the Tab key leave the board, however many emoji there are.
            isLeaving = true;
            model.run("selectNone");
        } else if (event.key === " " && isOnBoard()) {
            event.preventDefault();
            if (!event.repeat) holdSpace(true);
        } else {
            const command = commands.find((command) => !command.isNative && (!command.isOnBoard || isOnBoard())
                && command.keys.some((keys) => matches(keys, event)));
            if (command) run(command, event);
        }
    });
    document.addEventListener("keyup", (event) => {
        if (event.key.startsWith("Arrow")) model.restNudge();
        if (event.key !== " ") return;
        // Pressed alone, Space toggles the selection, as in other controls.
        const isToggling = isSpaceHeld && !isSpaceUsed && isOnBoard();
        holdSpace(false);
        if (isToggling) board.run("toggle");
    });
    window.addEventListener("blur", () => holdSpace(false));
    stage.addEventListener("pointerdown", () => {
        isSpaceUsed = true;
        isLeaving = false;
    });
    stage.addEventListener("focus", () => (isLeaving = false));
}
