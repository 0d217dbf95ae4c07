// Edits emoji for the commands, and announces the result.

import {
    additions, alignments, copies, deletions, distributions, flips, freePosition, largestSize, locks, moves,
    reorderings, rotations, scalings, smallestSize, stepName,
} from "./edit-operations.js";
import { newSize } from "./palette-drag.js";
import {
    added, addStep, alreadyThere, cutDone, cutStep, deleted, deleteStep, duplicated, duplicateStep, flipped, flipStep,
    locked, lockStep, moveStep, pasted, pasteStep, resized, resizedTo, resizeStep, rotated, rotatedTo, rotateStep,
    unlocked, unlockStep,
} from "./words.js";

export class Editing {
    #board;

    constructor(board) {
        this.#board = board;
    }

    // --- Adding and deleting.

    /** Adds emoji around a position of the board, and selects them. */
    add(texts, position, isPasted = false) {
        const operations = additions(this.#board.sync.art, texts, position, this.newSize);
        const [step, done] = isPasted ? [pasteStep, pasted] : [addStep, added];
        this.addAll(operations, texts.map((text) => ({ text })), step, done);
        this.#board.palettes.addRecent(texts[0]);
    }

    /** Adds an emoji near the middle of the view, for a tap or a key, which have no position on the board. */
    addInMiddle(text) {
        const { sync, camera } = this.#board;
        this.add([text], freePosition(sync.art, camera.view, this.newSize));
    }

    /** The size of a new emoji: the median of the board's emoji, unless it is hardly visible or fills the view. */
    get newSize() {
        const { camera, sync } = this.#board;
        const sizes = Array.from(sync.art.emojis.values(), ({ size }) => size).sort((one, other) => one - other);
        const usual = sizes[Math.floor(sizes.length / 2)] ?? newSize / camera.zoom;
        const [minimum, maximum] = [newSize / 4, Math.min(camera.size.width, camera.size.height) / 2];
        const visible = Math.min(Math.max(usual, minimum / camera.zoom), maximum / camera.zoom);
        return Math.min(Math.max(visible, smallestSize), largestSize);
    }

    /**
     * Applies operations that add emoji, as one step, and selects the emoji. `step` and `done` are the words for the
     * step's name and the announcement.
     */
    addAll(operations, emojis, step, done) {
        const { selection, announcer, sync } = this.#board;
        this.#board.settle();
        if (!sync.change(stepName(step, emojis), operations)) return;
        const ids = operations.map(({ emoji }) => emoji.id).filter((id) => sync.art.emojis.has(id));
        selection.set(ids);
        announcer.announce(stepName(done, emojis));
    }

    duplicate() {
        const { selection, camera, sync } = this.#board;
        const emojis = selection.targets;
        const offset = 24 / camera.zoom;
        this.addAll(copies(sync.art, emojis, offset, -offset), emojis, duplicateStep, duplicated);
    }

    remove(isCut = false) {
        const { selection, announcer, sync } = this.#board;
        const emojis = selection.editable;
        const ordered = sync.art.ordered();
        const after = ordered.slice(ordered.findIndex(({ id }) => id === selection.cursor) + 1);
        const hadCursor = selection.cursor !== null;
        sync.change(stepName(isCut ? cutStep : deleteStep, emojis), deletions(emojis));
        announcer.announce(stepName(isCut ? cutDone : deleted, emojis));
        // Keyboard navigation continues from the next emoji.
        const next = after.find(({ id }) => sync.art.emojis.has(id));
        if (hadCursor && next) selection.moveCursor(next.id);
    }

    // --- Size and order.

    /** Scales the selected emoji around their common middle. */
    scale(factor) {
        const { selection, announcer, sync } = this.#board;
        const emojis = selection.editable;
        const box = selection.box(emojis);
        const middle = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 };
        sync.change(stepName(resizeStep, emojis), scalings(emojis, factor, middle));
        const first = sync.art.emojis.get(emojis[0].id);
        const message = emojis.length === 1 ? resizedTo({ size: Math.round(first.size) }) : stepName(resized, emojis);
        announcer.announce(message);
    }

    /** Changes the order of the selected emoji. `step` and `done` are words, as for `addAll`. */
    reorder(direction, step, done) {
        const { selection, announcer, sync } = this.#board;
        const emojis = selection.editable;
        const operations = reorderings(sync.art, new Set(emojis.map(({ id }) => id)), direction);
        if (operations.length) sync.change(stepName(step, emojis), operations);
        announcer.announce(operations.length ? stepName(done, emojis) : alreadyThere);
    }

    // --- Rotating, mirroring, locking and aligning.

    /** Rotates the selected emoji clockwise around their common middle. */
    rotate(degrees) {
        const { selection, announcer, sync } = this.#board;
        const emojis = selection.editable;
        sync.change(stepName(rotateStep, emojis), rotations(emojis, degrees));
        const first = sync.art.emojis.get(emojis[0].id);
        const message = emojis.length === 1 ? rotatedTo({ angle: Math.round(first.angle) }) : stepName(rotated, emojis);
        announcer.announce(message);
    }

    /** Mirrors the selected emoji within their common box. */
    flip(isHorizontal) {
        const { selection, announcer, sync } = this.#board;
        const emojis = selection.editable;
        sync.change(stepName(flipStep, emojis), flips(emojis, selection.box(emojis), isHorizontal));
        announcer.announce(stepName(flipped, emojis));
    }

    /** Locks the selected emoji, or unlocks them if all of them are locked. */
    toggleLock() {
        const { selection, announcer, sync } = this.#board;
        const isLocking = selection.editable.length > 0;
        const emojis = isLocking ? selection.editable : selection.targets;
        sync.change(stepName(isLocking ? lockStep : unlockStep, emojis), locks(emojis, isLocking));
        announcer.announce(stepName(isLocking ? locked : unlocked, emojis));
    }

    align(label, side) {
        const { selection } = this.#board;
        this.#arrange(label, alignments(selection.editable, (emojis) => selection.box(emojis), side));
    }

    distribute(label, isHorizontal) {
        const { selection } = this.#board;
        this.#arrange(label, distributions(selection.editable, (emojis) => selection.box(emojis), isHorizontal));
    }

    #arrange(label, operations) {
        const { announcer, sync } = this.#board;
        announcer.announce(sync.change(label, operations) ? label : alreadyThere);
    }

    /** Begins a move by the arrow keys. */
    beginNudge() {
        const { camera, selection, announcer, sync } = this.#board;
        const emojis = selection.editable;
        const gesture = sync.gesture(stepName(moveStep, emojis));
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

    /** Selects all emoji that aren't locked. */
    selectAll() {
        const { selection, announcer, sync } = this.#board;
        selection.set(sync.art.ordered().filter(({ locked }) => !locked).map(({ id }) => id));
        announcer.describeSelection();
    }

    selectNone() {
        const { selection, announcer } = this.#board;
        const hadSelection = selection.size > 0;
        selection.clear();
        selection.moveCursor(null);
        if (hadSelection) announcer.describeSelection();
    }

    toggle() {
        const { selection, announcer, sync } = this.#board;
        selection.toggle(selection.cursor);
        announcer.describe(sync.art.emojis.get(selection.cursor));
    }

    /**
     * Moves the keyboard's cursor to the next emoji, or to the previous one if the step is -1; returns false if there
     * is none, or the Tab key leaves the board.
     */
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
