// Keyboard input: the keys of commands, and keys that are held down.

import { commands } from "./commands.js";
import { controlKey, deleteKey, escapeKey } from "./words.js";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const symbols = {
    ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓",
    Escape: escapeKey, Backspace: "⌫", Delete: deleteKey,
};
/** The physical key of a character that Shift changes. */
const shiftedKeyCodes = { "[": "BracketLeft", "]": "BracketRight" };

/** Formats keys such as "Mod+Shift+Z" as they are labelled on this platform. */
export function formatKeys(keys) {
    const parts = keys.split("+").filter(Boolean);
    if (keys.endsWith("+")) parts.push("+");
    const names = parts.map((part) => {
        if (isMac) return { Mod: "⌘", Ctrl: "⌃", Shift: "⇧", Alt: "⌥" }[part] ?? symbols[part] ?? part;
        return part === "Mod" ? controlKey : (symbols[part] ?? part);
    });
    return names.join(isMac ? "" : "+");
}

/** Whether an event matches keys. */
export function matches(keys, event) {
    const parts = keys.split("+").filter(Boolean);
    const key = keys.endsWith("+") ? "+" : parts.pop();
    const wants = (name) => parts.includes(name);
    const isLetter = /^[A-Z]$/.test(key);
    const hasMod = isMac ? event.metaKey : event.ctrlKey;
    const mod = wants("Mod") ? hasMod && !(isMac ? event.ctrlKey : event.metaKey)
        : wants("Ctrl") ? event.ctrlKey && !event.metaKey
        : !event.metaKey && (!event.ctrlKey || event.getModifierState("AltGraph"));
    if (!mod) return false;
    // For a symbol, `event.key` already reflects Shift and AltGr, whose use depends on the keyboard layout.
    const isSymbol = key.length === 1 && !isLetter;
    if (!isSymbol || wants("Shift")) {
        if (event.shiftKey !== wants("Shift") || event.altKey) return false;
    }
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
    /** Whether the Tab key leaves the board. */
    isLeaving = false;
    #board;
    /** Whether the board was pressed while Space was held, which moves the view. */
    #spaceIsUsed = false;

    constructor(board) {
        this.#board = board;
        document.addEventListener("keydown", (event) => this.#down(event));
        document.addEventListener("keyup", (event) => this.#up(event));
        window.addEventListener("blur", () => this.#release());
        board.stage.addEventListener("pointerdown", () => {
            this.#spaceIsUsed = true;
            this.isLeaving = false;
        });
        board.stage.addEventListener("focus", () => (this.isLeaving = false));
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
            this.isLeaving = true;
            board.model.run("selectNone");
            return;
        }
        if (event.key === " " && this.#isOnBoard) {
            event.preventDefault();
            if (event.repeat) return;
            this.#spaceIsUsed = false;
            board.viewing.holdSpace(true);
            return;
        }
        const command = commands.find((command) => this.#isMatch(command, event));
        if (command) this.#run(command, event);
        else if (event.key.startsWith("Arrow") && this.#isOnBoard) this.#moveView(event);
    }

    #isMatch(command, event) {
        if (command.isNative || (command.isOnBoard && !this.#isOnBoard)) return false;
        return command.keys.some((keys) => matches(keys, event));
    }

    #run(command, event) {
        const board = this.#board;
        // Tab goes from emoji to emoji, and leaves the board after the last one.
        if (command.id === "next" || command.id === "previous") {
            if (document.activeElement === board.stage && board.run(command.id)) event.preventDefault();
            return;
        }
        // Without a selection, arrows move the view.
        if (event.key.startsWith("Arrow") && !board.sync.availability.targets) {
            this.#moveView(event);
            return;
        }
        event.preventDefault();
        if (event.repeat && !command.repeats) return;
        board.run(command.id);
    }

    #moveView(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        const [x, y] = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
        this.#board.model.moveViewByKey(x, y, event.shiftKey);
    }

    #up(event) {
        if (event.key.startsWith("Arrow")) this.#board.model.restNudge();
        if (event.key !== " ") return;
        const wasHeld = this.#board.viewing.isSpaceHeld;
        this.#release();
        // Pressed alone, Space toggles the selection, as in other controls.
        if (wasHeld && !this.#spaceIsUsed && this.#isOnBoard) this.#board.run("toggle");
    }

    #release() {
        this.#board.viewing.holdSpace(false);
    }
}
