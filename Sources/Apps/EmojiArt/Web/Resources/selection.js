// The selected emoji, as the model has them. Each tab has its own selection, which isn't stored with the board.

/** The maximum reach of a drawn text from its middle, as a multiple of its size. */
export const maximumReach = 0.75;

/** The side of the upright square around a rotated square, as a multiple of that square's side. */
export function boundingFactor(angle) {
    if (angle === 0) return 1;
    const radians = (angle * Math.PI) / 180;
    return Math.abs(Math.cos(radians)) + Math.abs(Math.sin(radians));
}

/** Events: `change`. */
export class Selection extends EventTarget {
    ids = new Set();
    #sync;
    #glyphs;
    /** The ID of the emoji at the keyboard's cursor, or null. */
    cursor = null;

    /**
     * - sync: Has the board and its model.
     * - glyphs: Measures emoji.
     */
    constructor(sync, glyphs) {
        super();
        this.#sync = sync;
        this.#glyphs = glyphs;
    }

    /** Applies the model's effects on the selection. */
    update({ selection, keyboard }) {
        if (!selection) return;
        this.ids = new Set(selection);
        [this.cursor] = keyboard;
        this.dispatchEvent(new CustomEvent("change"));
    }

    get size() {
        return this.ids.size;
    }

    has(id) {
        return this.ids.has(id);
    }

    /** Selects only these emoji. */
    set(ids) {
        this.#sync.model.select(Array.from(ids));
    }

    /** The selected emoji, from back to front. */
    get emojis() {
        return this.ids.size ? this.#sync.art.ordered().filter(({ id }) => this.ids.has(id)) : [];
    }

    /** The emoji that a command applies to: the selected ones, or else the one at the keyboard's cursor. */
    get targets() {
        if (this.ids.size || this.cursor === null) return this.emojis;
        const emoji = this.#sync.art.emojis.get(this.cursor);
        return emoji ? [emoji] : [];
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
}
