// Edits emoji for the commands, and announces the result.

import {
    additions, alignments, copies, deletions, distributions, flips, freePlace, largestSize, locks, moves, named,
    reorderings, rotations, scalings, smallestSize,
} from "./edits.js";
import { newSize } from "./palette-drag.js";

export class Editing {
    #board;

    constructor(board) {
        this.#board = board;
    }

    // --- Adding and deleting.

    /** Adds emoji around a place of the board, and selects them. */
    add(texts, place, verb = "Add") {
        const operations = additions(this.#board.sync.art, texts, place, this.newSize);
        this.addAll(operations, named(verb, texts.map((text) => ({ text }))));
        this.#board.palettes.remember(texts[0]);
    }

    /** Adds an emoji near the middle of the view, where it covers no other: a tap or a key gives no place. */
    addInMiddle(text) {
        const { sync, camera } = this.#board;
        this.add([text], freePlace(sync.art, camera.view, this.newSize));
    }

    /** The size of a new emoji: the median of the board's emoji, unless it is hardly visible or fills the view. */
    get newSize() {
        const { camera, sync } = this.#board;
        const sizes = Array.from(sync.art.emojis.values(), ({ size }) => size).sort((one, other) => one - other);
        const usual = sizes[Math.floor(sizes.length / 2)] ?? newSize / camera.zoom;
        const [least, most] = [newSize / 4, Math.min(camera.size.width, camera.size.height) / 2];
        const visible = Math.min(Math.max(usual, least / camera.zoom), most / camera.zoom);
        return Math.min(Math.max(visible, smallestSize), largestSize);
    }

    /** Applies operations that add emoji, as one step, and selects the emoji. */
    addAll(operations, name) {
        const { selection, speech, sync } = this.#board;
        this.#board.settle();
        if (!sync.change(name, operations)) return;
        const ids = operations.map(({ emoji }) => emoji.id).filter((id) => sync.art.emojis.has(id));
        selection.set(ids);
        speech.say(name.replace(/^(\w+?)e?(?= )/, "$1ed"));
    }

    duplicate() {
        const { selection, camera, sync } = this.#board;
        const emojis = selection.targets;
        const offset = 24 / camera.zoom;
        this.addAll(copies(sync.art, emojis, offset, -offset), named("Duplicate", emojis));
    }

    remove(verb = "Delete") {
        const { selection, speech, sync } = this.#board;
        const emojis = selection.editable;
        const ordered = sync.art.ordered();
        const after = ordered.slice(ordered.findIndex(({ id }) => id === selection.at) + 1);
        const wasAt = selection.at !== null;
        sync.change(named(verb, emojis), deletions(emojis));
        speech.say(named(verb === "Cut" ? "Cut" : "Deleted", emojis));
        // Keyboard navigation continues from the next emoji.
        const next = after.find(({ id }) => sync.art.emojis.has(id));
        if (wasAt && next) selection.goTo(next.id);
    }

    // --- Size and order.

    /** Scales the selected emoji around their common middle. */
    scale(factor) {
        const { selection, sync } = this.#board;
        const emojis = selection.editable;
        const box = selection.box(emojis);
        const middle = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 };
        sync.change(named("Resize", emojis), scalings(emojis, factor, middle));
    }

    reorder(way, verb, end) {
        const { selection, speech, sync } = this.#board;
        const emojis = selection.editable;
        const operations = reorderings(sync.art, new Set(emojis.map(({ id }) => id)), way);
        if (operations.length) sync.change(named(verb, emojis, end), operations);
        speech.say(operations.length ? named(verb, emojis, end) : "Already in that position");
    }

    // --- Rotating, mirroring, locking and aligning.

    /** Rotates the selected emoji clockwise around their common middle. */
    rotate(degrees) {
        const { selection, speech, sync } = this.#board;
        const emojis = selection.editable;
        sync.change(named("Rotate", emojis), rotations(emojis, degrees));
        const now = sync.art.emojis.get(emojis[0].id);
        speech.say(emojis.length === 1 ? `Rotated to ${Math.round(now.angle)}°` : named("Rotated", emojis));
    }

    /** Mirrors the selected emoji within their common box. */
    flip(isAcross) {
        const { selection, speech, sync } = this.#board;
        const emojis = selection.editable;
        sync.change(named("Flip", emojis), flips(emojis, selection.box(emojis), isAcross));
        speech.say(named("Flipped", emojis));
    }

    /** Locks the selected emoji, or unlocks them if all of them are locked. */
    toggleLock() {
        const { selection, speech, sync } = this.#board;
        const isLocking = selection.editable.length > 0;
        const emojis = isLocking ? selection.editable : selection.targets;
        sync.change(named(isLocking ? "Lock" : "Unlock", emojis), locks(emojis, isLocking));
        speech.say(named(isLocking ? "Locked" : "Unlocked", emojis));
    }

    align(label, side) {
        const { selection } = this.#board;
        this.#arrange(label, alignments(selection.editable, (emojis) => selection.box(emojis), side));
    }

    distribute(label, isAcross) {
        const { selection } = this.#board;
        this.#arrange(label, distributions(selection.editable, (emojis) => selection.box(emojis), isAcross));
    }

    #arrange(label, operations) {
        const { speech, sync } = this.#board;
        speech.say(sync.change(label, operations) ? label : "Already in that position");
    }

    /** Begins a move by the arrow keys. */
    beginNudge() {
        const { camera, selection, speech, sync } = this.#board;
        const emojis = selection.editable;
        const gesture = sync.gesture(named("Move", emojis));
        const first = () => sync.art.emojis.get(emojis[0]?.id);
        return {
            update(dx, dy) {
                gesture.update(moves(emojis.filter(({ id }) => sync.art.emojis.has(id)), dx, dy));
                if (first()) camera.reveal(selection.box([first()]));
            },
            end() {
                gesture.end();
                if (first()) speech.describe(first());
            },
            cancel: () => gesture.cancel(),
        };
    }

    // --- Selecting.

    /** Selects all emoji that aren't locked. */
    selectAll() {
        const { selection, speech, sync } = this.#board;
        selection.set(sync.art.ordered().filter(({ locked }) => !locked).map(({ id }) => id));
        speech.describeSelection();
    }

    selectNone() {
        const { selection } = this.#board;
        selection.clear();
        selection.goTo(null);
    }

    toggle() {
        const { selection, speech, sync } = this.#board;
        selection.toggle(selection.at);
        speech.describe(sync.art.emojis.get(selection.at));
    }

    /** Moves the keyboard's cursor to the next emoji; returns false beyond the last one. */
    goToNext(step) {
        const { camera, keyboard, selection, speech, sync } = this.#board;
        const ordered = sync.art.ordered();
        if (keyboard.isLeaving || !ordered.length) return false;
        const index = ordered.findIndex(({ id }) => id === selection.at);
        const next = ordered.at(index < 0 && step < 0 ? -1 : index + step);
        const isBeyond = index >= 0 ? !ordered[index + step] : false;
        selection.goTo(isBeyond ? null : next.id);
        if (isBeyond) return false;
        camera.reveal(selection.box([next]), 40);
        speech.describe(next);
        return true;
    }
}
