// Which emoji are chosen, and the frame around them. Not kept with the board: each tab has its own.

/** How far a text that could be seen reaches from its middle, at most, as a multiple of its size. */
export const farthest = 0.75;

/** Events: `change`. */
export class Selection extends EventTarget {
    #sync;
    #glyphs;
    #ids = new Set();
    /** The emoji that the keyboard is at, or null. */
    at = null;

    /**
     * - sync: Has the board.
     * - glyphs: Knows how far emoji reach.
     */
    constructor(sync, glyphs) {
        super();
        this.#sync = sync;
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
        this.#tell();
    }

    toggle(id) {
        if (!this.#ids.delete(id)) this.#ids.add(id);
        this.#tell();
    }

    clear() {
        this.set([]);
    }

    /** Goes to an emoji by the keyboard, or to none. */
    goTo(id) {
        if (this.at === id) return;
        this.at = id;
        this.#tell();
    }

    /** Forgets what is no longer on the board. */
    prune() {
        const { emojis } = this.#sync.art;
        const gone = Array.from(this.#ids).filter((id) => !emojis.has(id));
        const isLost = this.at !== null && !emojis.has(this.at);
        if (!gone.length && !isLost) return;
        for (const id of gone) this.#ids.delete(id);
        if (isLost) this.at = null;
        this.#tell();
    }

    #tell() {
        this.dispatchEvent(new CustomEvent("change"));
    }

    /** The chosen emoji, from the back to the front. */
    get emojis() {
        return this.#ids.size ? this.#sync.art.ordered().filter(({ id }) => this.#ids.has(id)) : [];
    }

    /** What a command is about: the chosen emoji, or the one that the keyboard is at. */
    get targets() {
        if (this.#ids.size || this.at === null) return this.emojis;
        const emoji = this.#sync.art.emojis.get(this.at);
        return emoji ? [emoji] : [];
    }

    // --- Geometry, in points.

    /** How far an emoji reaches from its middle. */
    reach({ text, size }) {
        return size * this.#glyphs.reach(text);
    }

    /** The box around all that is seen of emoji; null around nothing. */
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

    /** The frame around what is chosen. */
    get frame() {
        return this.box(this.emojis);
    }

    /** The foremost emoji at a point; where there is none, the nearest one that a pointer may have missed. */
    hit(point, missed) {
        return this.#sync.hit(point, missed);
    }

    /** The emoji that a rectangle touches. */
    touching(box) {
        return this.#sync.touching(box);
    }
}
