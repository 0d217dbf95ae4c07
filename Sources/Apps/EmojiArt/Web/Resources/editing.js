// What the commands do to emoji, and what is said of it.

import { newSize } from "./palette-drag.js";
import { named } from "./speech.js";

export class Editing {
    #board;

    constructor(board) {
        this.#board = board;
    }

    // --- More and fewer.

    /**
     * Adds emoji around a place of the board.
     *
     * - isChosen: Whether they are chosen then. What a finger drops is not: its next pinch would make it larger.
     */
    add(texts, place, { verb = "Add", isChosen = true } = {}) {
        this.#added(verb, texts, isChosen, () => this.#board.sync.add(verb, texts, place, this.#newSize));
        this.#board.palettes.remember(texts[0]);
    }

    /** Adds an emoji where it is seen: a tap or a key names no place. */
    addInMiddle(text) {
        const { sync, camera, palettes } = this.#board;
        this.#added("Add", [text], false, () => sync.addNear("Add", text, camera.middle, this.#newSize));
        palettes.remember(text);
    }

    /** Adds copies of emoji at a distance from them. */
    paste(verb, emojis, dx, dy) {
        const texts = emojis.map(({ text }) => text);
        this.#added(verb, texts, true, () => this.#board.sync.paste(verb, emojis, dx, dy));
    }

    /** As large on the page whatever the zoom. */
    get #newSize() {
        return newSize / this.#board.camera.zoom;
    }

    #added(verb, texts, isChosen, add) {
        this.#board.settle();
        const ids = add();
        if (!ids.length) return;
        if (isChosen) this.#board.selection.set(ids);
        this.#board.speech.say(named(verb.replace(/e?$/, "ed"), texts));
    }

    duplicate() {
        const { selection, camera } = this.#board;
        const offset = 24 / camera.zoom;
        this.paste("Duplicate", selection.targets, offset, -offset);
    }

    remove(verb = "Delete") {
        const { selection, speech, sync } = this.#board;
        const emojis = selection.targets;
        const ordered = sync.art.ordered();
        const after = ordered.slice(ordered.findIndex(({ id }) => id === selection.at) + 1);
        const wasAt = selection.at !== null;
        sync.remove(verb, emojis);
        speech.say(named(verb === "Cut" ? "Cut" : "Deleted", emojis.map(({ text }) => text)));
        // Whoever goes by the keyboard goes on from there.
        const next = after.find(({ id }) => sync.art.emojis.has(id));
        if (wasAt && next) selection.goTo(next.id);
    }

    // --- Larger, smaller, in front, behind.

    /** Makes emoji larger or smaller, with the middle of all of them where it is. */
    scale(factor) {
        const { selection, sync } = this.#board;
        const emojis = selection.targets;
        const box = selection.box(emojis);
        const middle = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 };
        sync.scale(emojis, factor, middle);
    }

    reorder(way, verb, end) {
        const { selection, speech, sync } = this.#board;
        const emojis = selection.targets;
        const isDone = sync.reorder(verb, end, emojis, way);
        speech.say(isDone ? named(verb, emojis.map(({ text }) => text)) + end : "There is nothing to pass");
    }

    /** Begins to move emoji by keys. */
    beginNudge() {
        const { camera, selection, speech, sync } = this.#board;
        const emojis = selection.targets;
        const gesture = sync.gesture("Move", emojis);
        const first = () => sync.art.emojis.get(emojis[0]?.id);
        return {
            update(dx, dy) {
                gesture.move(dx, dy);
                if (first()) camera.reveal(selection.box([first()]));
            },
            end() {
                gesture.end();
                if (first()) speech.describe(first());
            },
            cancel: () => gesture.cancel(),
        };
    }

    // --- Choosing.

    selectAll() {
        const { selection, speech, sync } = this.#board;
        selection.set(sync.art.emojis.keys());
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

    /** Goes to the next emoji by the keyboard; false beyond the last one. */
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
