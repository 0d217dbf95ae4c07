// Keys: those of the commands, and what is held down.

import { commands } from "./commands.js";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const symbols = {
    ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", Backspace: "⌫", Delete: "Del",
};
/** What a key without a shift is called, where Shift makes another sign of it. */
const codes = { "[": "BracketLeft", "]": "BracketRight" };

/** "Mod+Shift+Z" as it is written on a keyboard. */
export function written(keys) {
    const parts = keys.split("+").filter(Boolean);
    if (keys.endsWith("+")) parts.push("+");
    const names = parts.map((part) => {
        if (isMac) return { Mod: "⌘", Ctrl: "⌃", Shift: "⇧", Alt: "⌥" }[part] ?? symbols[part] ?? part;
        return part === "Mod" ? "Ctrl" : (symbols[part] ?? part);
    });
    return names.join(isMac ? "" : "+");
}

/** Whether an event is of such keys. */
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
    // A sign says itself whether it takes Shift or AltGr, which depends on the keyboard.
    const isSign = key.length === 1 && !isLetter;
    if (!isSign || wants("Shift")) {
        if (event.shiftKey !== wants("Shift") || event.altKey) return false;
    }
    // Where letters are not Latin, the key that has the letter elsewhere.
    if (isLetter) return event.key.toUpperCase() === key || (!/^[a-z]$/i.test(event.key) && event.code === `Key${key}`);
    return event.key === key || (wants("Shift") && event.code === codes[key]);
}

/** Whether a key belongs to what has the focus: a field, a dialog, a menu. */
function isTaken(target) {
    return target instanceof Element
        && target.closest("input, textarea, select, [contenteditable], dialog, [popover]") !== null;
}

export class Keyboard {
    /** Whether the Tab key goes on to what comes after the board. */
    isLeaving = false;
    #board;
    /** Whether Space has moved the view since it was pressed. */
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
        if (isTaken(event.target) || board.gestures.isActive) return;
        if (event.key === "Escape") {
            // There has to be a way out, however many emoji there are.
            this.isLeaving = true;
            board.editing.selectNone();
            return;
        }
        if (event.key === " " && this.#isOnBoard) {
            event.preventDefault();
            if (event.repeat) return;
            this.#spaceIsUsed = false;
            board.viewing.holdSpace(true);
            return;
        }
        const command = commands.find((command) => this.#isMeant(command, event));
        if (command) this.#run(command, event);
        else if (event.key.startsWith("Arrow") && this.#isOnBoard) this.#moveView(event);
    }

    #isMeant(command, event) {
        if (command.isNative || (command.isOnBoard && !this.#isOnBoard)) return false;
        return command.keys.some((keys) => matches(keys, event));
    }

    #run(command, event) {
        const board = this.#board;
        // From emoji to emoji, and beyond the last one to what comes after the board.
        if (command.id === "next" || command.id === "previous") {
            if (document.activeElement === board.stage && board.run(command.id)) event.preventDefault();
            return;
        }
        // Without one that is chosen, arrows move the view.
        if (event.key.startsWith("Arrow") && !board.selection.targets.length) {
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
        this.#board.viewing.isUntouched = false;
        const distance = event.shiftKey ? 240 : 48;
        const [x, y] = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
        this.#board.camera.moveBy(x * distance, y * distance);
    }

    #up(event) {
        if (event.key.startsWith("Arrow")) this.#board.nudging.rest();
        if (event.key !== " ") return;
        const wasHeld = this.#board.viewing.isSpaceHeld;
        this.#release();
        // Pressed alone, it chooses, as it does everywhere else.
        if (wasHeld && !this.#spaceIsUsed && this.#isOnBoard) this.#board.run("toggle");
    }

    #release() {
        this.#board.viewing.holdSpace(false);
    }
}
