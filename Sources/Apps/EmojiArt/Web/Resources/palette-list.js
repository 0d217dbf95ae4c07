// The palettes of a store and the recently used emoji. The server stores them, for all tabs. Which palette is shown is
// this browser's own choice.

import { post, request } from "./requests.js";

/** The storage key of the store that this browser uses. */
const storeKey = "art-palette-store";
/** The storage key of the palette that this browser shows of a store. */
const paletteKey = (store) => `art-palette/${store}`;
const mostRecents = 40;

/** Events: `change`. */
export class PaletteList extends EventTarget {
    stores = [];
    store = "Main";
    palettes = [];
    cursor = 0;
    recents = [];
    #tell;
    /** The version announced last: the server announces another one after each change. */
    #version = null;
    /** Counts requests: only the response to the latest one is used. */
    #asked = 0;

    /**
     * - state: The response of `palettes.json`, which the page embeds.
     * - tell: Called with error messages.
     */
    constructor(state, tell) {
        super();
        this.#tell = tell;
        this.#take(state);
        const chosen = kept(() => localStorage.getItem(storeKey));
        if (chosen !== this.store && this.stores.includes(chosen)) this.use(chosen);
    }

    /** The current palette; null if there is none. */
    get current() {
        return this.palettes[this.cursor] ?? null;
    }

    /** Moves on by a number of palettes, wrapping around at the ends. */
    turn(step) {
        const { length } = this.palettes;
        if (length) this.goTo((((this.cursor + step) % length) + length) % length);
    }

    /** Makes a palette the current one: in this browser, and on the server for browsers that haven't shown one yet. */
    goTo(index) {
        this.cursor = index;
        this.#choose();
        this.#changed();
        this.#post("cursor", { index });
    }

    /** Switches to another store. */
    async use(store) {
        if (!(await this.#ask(() => request(addressOf(store))))) return;
        kept(() => localStorage.setItem(storeKey, store));
    }

    // Each of these resolves to whether it succeeded.

    /** Adds a palette, which becomes the current one. */
    add(fields = {}) {
        return this.#post("new", fields, true);
    }

    rename(id, name) {
        return this.#post(`${id}/rename`, { name });
    }

    addEmoji(id, emojis) {
        return this.#post(`${id}/add`, { emojis });
    }

    removeEmoji(id, emoji) {
        return this.#post(`${id}/remove`, { emoji });
    }

    delete(id) {
        return this.#post(`${id}/delete`);
    }

    /** Adds an emoji to the recently used ones. */
    remember(emoji) {
        this.recents = [emoji, ...this.recents.filter((other) => other !== emoji)].slice(0, mostRecents);
        this.#changed();
        // A failure isn't worth a message.
        post("/art/recents", { emoji }).catch(() => {});
    }

    /** Finds emoji by words in their names, best match first: [{emoji, name}]; null if the request fails. */
    async search(text) {
        try {
            return (await request(`/art/emoji.json?q=${encodeURIComponent(text)}`)).emojis;
        } catch {
            return null;
        }
    }

    // --- The server.

    #post(path, fields, isChoice = false) {
        return this.#ask(() => post(`/art/palettes/${encodeURIComponent(this.store)}/${path}`, fields), isChoice);
    }

    async #ask(question, isChoice = false) {
        const number = (this.#asked += 1);
        try {
            const answer = await question();
            if (number === this.#asked) this.#take(answer, isChoice);
            return true;
        } catch (error) {
            this.#tell(error.message);
            return false;
        }
    }

    /** - isChoice: Whether the response's cursor is at the palette that this person wants. */
    #take({ stores, store, palettes, cursor, recents }, isChoice = false) {
        const wanted = isChoice ? null : this.#chosenIn(store);
        const chosen = palettes.findIndex(({ id }) => String(id) === wanted);
        Object.assign(this, { stores, store, palettes, cursor: chosen < 0 ? cursor : chosen, recents });
        this.#choose();
        this.#changed();
    }

    /** The ID of the palette that this browser shows of a store; null if it hasn't shown one. */
    #chosenIn(store) {
        const own = store === this.store && this.current ? String(this.current.id) : null;
        return kept(() => localStorage.getItem(paletteKey(store))) ?? own;
    }

    #choose() {
        const { current, store } = this;
        if (current) kept(() => localStorage.setItem(paletteKey(store), String(current.id)));
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("change"));
    }

    /**
     * Handles a version announced by the board's stream. Palettes share this stream, because a browser opens at most
     * six connections to a server.
     */
    hear(version) {
        // The first version is the one that the page embeds.
        const isNews = this.#version !== null && this.#version !== version;
        this.#version = version;
        if (isNews) this.#refresh();
    }

    async #refresh() {
        const number = this.#asked;
        try {
            const answer = await request(addressOf(this.store));
            // A request made meanwhile has the newer state.
            if (number === this.#asked) this.#take(answer);
        } catch {
            // The next change shows it.
        }
    }
}

/** Reads or writes local storage. Returns null if storage is forbidden: the choice then applies only to this page. */
function kept(body) {
    try {
        return body() ?? null;
    } catch {
        return null;
    }
}

function addressOf(store) {
    return `/art/palettes.json?store=${encodeURIComponent(store)}`;
}
