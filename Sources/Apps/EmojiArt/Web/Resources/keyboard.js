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
function handlesKeys(target) {
    return target instanceof Element
        && target.closest("input, textarea, select, [contenteditable], dialog, [popover]") !== null;
}

export class Keyboard {
    #board;
    /** Whether the Tab key leaves the board. */
    #isLeaving = false;
    /** Whether Space is held, and whether the board was pressed since it was, which moves the view. */
    #isSpaceHeld = false;
    #isSpaceUsed = false;

    constructor(board) {
        this.#board = board;
        document.addEventListener("keydown", (event) => this.#down(event));
        document.addEventListener("keyup", (event) => this.#up(event));
        window.addEventListener("blur", () => this.#holdSpace(false));
        board.stage.addEventListener("pointerdown", () => {
            this.#isSpaceUsed = true;
            this.#isLeaving = false;
        });
        board.stage.addEventListener("focus", () => (this.#isLeaving = false));
    }

    get #isOnBoard() {
        return document.activeElement === this.#board.stage || document.activeElement === document.body;
    }

    #down(event) {
        const board = this.#board;
        if (event.defaultPrevented || event.isComposing || board.isGone) return;
        if (event.key === "Escape" && board.cancel()) {
            event.preventDefault();
            return;
        }
        if (handlesKeys(event.target) || board.gestures.isActive) return;
        if (event.key === "Escape") {
            // Escape lets the Tab key leave the board, however many emoji there are.
            this.#isLeaving = true;
            board.model.run("selectNone");
        } else if (event.key === " " && this.#isOnBoard) {
            event.preventDefault();
            if (!event.repeat) this.#holdSpace(true);
        } else {
            const command = commands.find(({ keys, isNative, isOnBoard }) =>
                !isNative && (!isOnBoard || this.#isOnBoard) && keys.some((keys) => matches(keys, event)));
            if (command) this.#run(command, event);
        }
    }

    #run({ id, direction, repeats }, event) {
        const { model, stage, sync } = this.#board;
        // Tab goes from emoji to emoji, and leaves the board after the last one.
        if (id === "next" || id === "previous") {
            if (document.activeElement !== stage || this.#isLeaving) return;
            if (this.#board.run(id)) event.preventDefault();
            return;
        }
        event.preventDefault();
        if (direction && !sync.availability.targets) {
            // Without a selection, arrows move the view.
            model.moveViewByKey(-direction[0], direction[1], event.shiftKey);
        } else if (!event.repeat || repeats) {
            this.#board.run(id);
        }
    }

    #up(event) {
        if (event.key.startsWith("Arrow")) this.#board.model.restNudge();
        if (event.key !== " ") return;
        // Pressed alone, Space toggles the selection, as in other controls.
        const isToggling = this.#isSpaceHeld && !this.#isSpaceUsed && this.#isOnBoard;
        this.#holdSpace(false);
        if (isToggling) this.#board.run("toggle");
    }

    #holdSpace(isHeld) {
        if (this.#isSpaceHeld === isHeld) return;
        this.#isSpaceHeld = isHeld;
        this.#isSpaceUsed = false;
        this.#board.model.holdSpace(isHeld);
    }
}
