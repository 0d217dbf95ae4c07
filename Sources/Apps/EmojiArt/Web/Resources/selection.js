// The selected emoji and their frame. Each tab has its own selection, which isn't stored with the board.

import { boundingFactor } from "./art.js";

/** The maximum reach of a drawn text from its middle, as a multiple of its size. */
export const maximumReach = 0.75;

/** Events: `change`. */
export class Selection extends EventTarget {
    #art;
    #glyphs;
    #ids = new Set();
    /** The ID of the emoji at the keyboard's cursor, or null. */
    cursor = null;

    /**
     * - art: Returns the board.
     * - glyphs: Measures emoji.
     */
    constructor(art, glyphs) {
        super();
        this.#art = art;
        this.#glyphs = glyphs;
    }

    get ids() {
        return this.#ids;
    }

    get size() {
        return this.#ids.size;
    }

    has(id) {
        return this.#ids.has(id);
    }

    set(ids) {
        const next = new Set(ids);
        if (next.size === this.#ids.size && Array.from(next).every((id) => this.#ids.has(id))) return;
        this.#ids = next;
        this.#dispatchChange();
    }

    toggle(id) {
        if (!this.#ids.delete(id)) this.#ids.add(id);
        this.#dispatchChange();
    }

    clear() {
        this.set([]);
    }

    /** Moves the keyboard's cursor to an emoji; null removes it. */
    moveCursor(id) {
        if (this.cursor === id) return;
        this.cursor = id;
        this.#dispatchChange();
    }

    /** Deselects emoji that are no longer on the board. */
    prune() {
        const { emojis } = this.#art();
        const goneIDs = Array.from(this.#ids).filter((id) => !emojis.has(id));
        const isCursorGone = this.cursor !== null && !emojis.has(this.cursor);
        if (!goneIDs.length && !isCursorGone) return;
        for (const id of goneIDs) this.#ids.delete(id);
        if (isCursorGone) this.cursor = null;
        this.#dispatchChange();
    }

    #dispatchChange() {
        this.dispatchEvent(new CustomEvent("change"));
    }

    /** The selected emoji, from back to front. */
    get emojis() {
        return this.#ids.size ? this.#art().ordered().filter(({ id }) => this.#ids.has(id)) : [];
    }

    /** The emoji that a command applies to: the selected ones, or else the one at the keyboard's cursor. */
    get targets() {
        if (this.#ids.size || this.cursor === null) return this.emojis;
        const emoji = this.#art().emojis.get(this.cursor);
        return emoji ? [emoji] : [];
    }

    /** The targets that aren't locked, which commands change. */
    get editable() {
        return this.targets.filter(isUnlocked);
    }

    /** The selected emoji that aren't locked, which drags and pinches change. */
    get movable() {
        return this.emojis.filter(isUnlocked);
    }

    // --- Geometry, in points.

    /** The distance from an emoji's middle to its farthest edge, horizontally or vertically. */
    reach({ text, size, angle }) {
        return size * this.#glyphs.reach(text) * boundingFactor(angle);
    }

    /** The bounding box of emoji as drawn; null if there are none. */
    box(emojis) {
        const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
        for (const emoji of emojis) {
            const reach = this.reach(emoji);
            box.left = Math.min(box.left, emoji.x - reach);
            box.right = Math.max(box.right, emoji.x + reach);
            box.bottom = Math.min(box.bottom, emoji.y - reach);
            box.top = Math.max(box.top, emoji.y + reach);
        }
        return box.left <= box.right ? box : null;
    }

    /** The bounding box of the selected emoji. */
    get frame() {
        return this.box(this.emojis);
    }

    /** The frontmost emoji at a point; if there is none, the nearest one within the tolerance. */
    hit(point, tolerance) {
        let nearest = null;
        let smallestDistance = tolerance;
        const ordered = this.#art().ordered();
        for (let index = ordered.length - 1; index >= 0; index -= 1) {
            const emoji = ordered[index];
            const reach = emoji.size * 0.55;
            const [dx, dy] = unrotated(point.x - emoji.x, point.y - emoji.y, emoji.angle);
            const distance = Math.max(Math.abs(dx), Math.abs(dy)) - reach;
            if (distance <= 0) return emoji;
            if (distance < smallestDistance) [nearest, smallestDistance] = [emoji, distance];
        }
        return nearest;
    }

    /** The unlocked emoji that a rectangle touches, from back to front. */
    touching({ left, right, bottom, top }) {
        return this.#art().ordered().filter(({ x, y, size, angle, locked }) => {
            const half = (size * boundingFactor(angle)) / 2;
            return !locked && x + half >= left && x - half <= right && y + half >= bottom && y - half <= top;
        });
    }
}

const isUnlocked = ({ locked }) => !locked;

/** An offset from an emoji's middle in the emoji's own axes: rotated back by its angle. */
function unrotated(dx, dy, angle) {
    if (angle === 0) return [dx, dy];
    const radians = (angle * Math.PI) / 180;
    const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
    return [dx * cos - dy * sin, dx * sin + dy * cos];
}
