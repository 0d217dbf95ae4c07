// The selected emoji, as the model has them. Each tab has its own selection, which isn't stored with the board.

/** Events: `change`. */
export class Selection extends EventTarget {
    ids = new Set();
    /** The ID of the emoji at the keyboard's cursor, or null. */
    cursor = null;
    #sync;

    /** - sync: Has the board and its model. */
    constructor(sync) {
        super();
        this.#sync = sync;
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

    /** Selects only these emoji. */
    set(ids) {
        this.#sync.model.select(Array.from(ids));
    }

    /** The selected emoji, from back to front. */
    get emojis() {
        return this.ids.size ? this.#sync.art.ordered().filter(({ id }) => this.ids.has(id)) : [];
    }
}
