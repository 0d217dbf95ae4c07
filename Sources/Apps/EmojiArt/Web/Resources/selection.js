// The selected emoji, as the model has them, and the boxes around them. Each tab has its own selection.

/** The largest distance from a text's middle to what is visible of it, as a multiple of its size. */
export const farthest = 0.75;

/** Events: `change`. */
export class Selection extends EventTarget {
    ids = new Set();
    /** The emoji that the keyboard is at, or null. */
    at = null;
    #sync;
    #glyphs;

    /**
     * - sync: Has the board.
     * - glyphs: Measures emoji.
     */
    constructor(sync, glyphs) {
        super();
        this.#sync = sync;
        this.#glyphs = glyphs;
    }

    /** Takes over what the model says of the selection. */
    update({ selection, keyboard }) {
        if (!selection) return;
        this.ids = new Set(selection);
        [this.at] = keyboard;
        this.dispatchEvent(new CustomEvent("change"));
    }

    get size() {
        return this.ids.size;
    }

    /** Selects these emoji only. */
    set(ids) {
        this.#sync.model.select(Array.from(ids));
    }

    /** The selected emoji, from the back to the front. */
    get emojis() {
        return this.ids.size ? this.#sync.art.ordered().filter(({ id }) => this.ids.has(id)) : [];
    }

    /** The emoji that a command changes: the selected ones, or the one that the keyboard is at. */
    get targets() {
        if (this.ids.size || this.at === null) return this.emojis;
        const emoji = this.#sync.art.emojis.get(this.at);
        return emoji ? [emoji] : [];
    }

    /** The box around all that is visible of emoji, in points; null without any. */
    box(emojis) {
        const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
        for (const { text, x, y, size } of emojis) {
            const reach = size * this.#glyphs.reach(text);
            box.left = Math.min(box.left, x - reach);
            box.right = Math.max(box.right, x + reach);
            box.bottom = Math.min(box.bottom, y - reach);
            box.top = Math.max(box.top, y + reach);
        }
        return box.left <= box.right ? box : null;
    }
}
