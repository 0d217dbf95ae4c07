// Edits emoji for the commands, and announces the result.

import {
    additions, copies, deletions, freePosition, largestSize, moves, stepName, reorderings, scalings, smallestSize,
} from "./edit-operations.js";
import { newSize } from "./palette-drag.js";

export class Editing {
    #board;

    constructor(board) {
        this.#board = board;
    }

    // --- Adding and deleting.

    /**
     * Adds emoji around a position of the board.
     *
     * - selectsAdded: Whether to select the new emoji. Those dropped by a finger aren't selected, so that the next pinch
     *   doesn't resize them.
     */
    add(texts, position, { verb = "Add", selectsAdded = true } = {}) {
        const operations = additions(this.#board.sync.art, texts, position, this.#newSize);
        this.addAll(operations, stepName(verb, texts.map((text) => ({ text }))), selectsAdded);
        this.#board.palettes.addRecent(texts[0]);
    }

    /** Adds an emoji in the middle of the view, for a tap or a key, which have no position on the board. */
    addInMiddle(text) {
        const { sync, camera } = this.#board;
        this.add([text], freePosition(sync.art, camera.middle, this.#newSize), { selectsAdded: false });
    }

    /** The size of a new emoji on the board, which looks the same at any zoom. */
    get #newSize() {
        return Math.min(Math.max(newSize / this.#board.camera.zoom, smallestSize), largestSize);
    }

    /** Applies operations that add emoji, as one step. */
    addAll(operations, name, selectsAdded = true) {
        const { selection, announcer, sync } = this.#board;
        this.#board.settle();
        if (!sync.change(name, operations)) return;
        const ids = operations.map(({ emoji }) => emoji.id).filter((id) => sync.art.emojis.has(id));
        if (selectsAdded) selection.set(ids);
        announcer.announce(name.replace(/^(\w+?)e?(?= )/, "$1ed"));
    }

    duplicate() {
        const { selection, camera, sync } = this.#board;
        const emojis = selection.targets;
        const offset = 24 / camera.zoom;
        this.addAll(copies(sync.art, emojis, offset, -offset), stepName("Duplicate", emojis));
    }

    remove(verb = "Delete") {
        const { selection, announcer, sync } = this.#board;
        const emojis = selection.targets;
        const ordered = sync.art.ordered();
        const after = ordered.slice(ordered.findIndex(({ id }) => id === selection.cursor) + 1);
        const hadCursor = selection.cursor !== null;
        sync.change(stepName(verb, emojis), deletions(emojis));
        announcer.announce(stepName(verb === "Cut" ? "Cut" : "Deleted", emojis));
        // Keyboard navigation continues from the next emoji.
        const next = after.find(({ id }) => sync.art.emojis.has(id));
        if (hadCursor && next) selection.moveCursor(next.id);
    }

    // --- Size and order.

    /** Scales the selected emoji around their common middle. */
    scale(factor) {
        const { selection, sync } = this.#board;
        const emojis = selection.targets;
        const box = selection.box(emojis);
        const middle = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 };
        sync.change(stepName("Resize", emojis), scalings(emojis, factor, middle));
    }

    reorder(direction, verb, end) {
        const { selection, announcer, sync } = this.#board;
        const emojis = selection.targets;
        const operations = reorderings(sync.art, new Set(emojis.map(({ id }) => id)), direction);
        if (operations.length) sync.change(stepName(verb, emojis, end), operations);
        announcer.announce(operations.length ? stepName(verb, emojis, end) : "Already in that position");
    }

    /** Begins a move by the arrow keys. */
    beginNudge() {
        const { camera, selection, announcer, sync } = this.#board;
        const emojis = selection.targets;
        const gesture = sync.gesture(stepName("Move", emojis));
        const first = () => sync.art.emojis.get(emojis[0]?.id);
        return {
            update(dx, dy) {
                gesture.update(moves(emojis.filter(({ id }) => sync.art.emojis.has(id)), dx, dy));
                if (first()) camera.reveal(selection.box([first()]));
            },
            end() {
                gesture.end();
                if (first()) announcer.describe(first());
            },
            cancel: () => gesture.cancel(),
        };
    }

    // --- Selecting.

    selectAll() {
        const { selection, announcer, sync } = this.#board;
        selection.set(sync.art.emojis.keys());
        announcer.describeSelection();
    }

    selectNone() {
        const { selection } = this.#board;
        selection.clear();
        selection.moveCursor(null);
    }

    toggle() {
        const { selection, announcer, sync } = this.#board;
        selection.toggle(selection.cursor);
        announcer.describe(sync.art.emojis.get(selection.cursor));
    }

    /** Moves the keyboard's cursor to the next emoji; returns false beyond the last one. */
    goToNext(step) {
        const { camera, keyboard, selection, announcer, sync } = this.#board;
        const ordered = sync.art.ordered();
        if (keyboard.isLeaving || !ordered.length) return false;
        const index = ordered.findIndex(({ id }) => id === selection.cursor);
        const next = ordered.at(index < 0 && step < 0 ? -1 : index + step);
        const isBeyond = index >= 0 ? !ordered[index + step] : false;
        selection.moveCursor(isBeyond ? null : next.id);
        if (isBeyond) return false;
        camera.reveal(selection.box([next]), 40);
        announcer.describe(next);
        return true;
    }
}
