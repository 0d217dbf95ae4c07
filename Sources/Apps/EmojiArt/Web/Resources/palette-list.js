// The palettes of a store, and the emoji that were used last: kept by the server, the same in every tab.

import { post, request } from "./requests.js";

/** Which store this browser draws with. */
const storeKey = "art-palette-store";
const mostRecents = 40;

/** Events: `change`. */
export class PaletteList extends EventTarget {
    stores = [];
    store = "Main";
    palettes = [];
    cursor = 0;
    recents = [];
    #tell;
    /** What the server told last: it tells another one after each change. */
    #version = null;
    /** Counts what was asked: of two answers, the later question's is the newer. */
    #asked = 0;

    /**
     * - state: What `palettes.json` answers; the page brings it along.
     * - tell: Called with what went wrong, in words.
     */
    constructor(state, tell) {
        super();
        this.#tell = tell;
        this.#take(state);
        const chosen = kept(() => localStorage.getItem(storeKey));
        if (chosen !== this.store && this.stores.includes(chosen)) this.use(chosen);
    }

    /** The palette that is open; null while there is none. */
    get current() {
        return this.palettes[this.cursor] ?? null;
    }

    /** Goes on by so many palettes; after the last comes the first. */
    turn(step) {
        const { length } = this.palettes;
        if (length) this.goTo((((this.cursor + step) % length) + length) % length);
    }

    /** Opens a palette; at once, and then everywhere else. */
    goTo(index) {
        this.cursor = index;
        this.#changed();
        this.#post("cursor", { index });
    }

    /** Draws with another store. */
    async use(store) {
        if (!(await this.#ask(() => request(addressOf(store))))) return;
        kept(() => localStorage.setItem(storeKey, store));
    }

    // Each of these answers whether it was done.

    add(fields = {}) {
        return this.#post("new", fields);
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

    /** Remembers that an emoji was used. */
    remember(emoji) {
        this.recents = [emoji, ...this.recents.filter((other) => other !== emoji)].slice(0, mostRecents);
        this.#changed();
        // What does not arrive is no loss worth a message.
        post("/art/recents", { emoji }).catch(() => {});
    }

    /** Emoji with a word in their names, the best first: [{emoji, name}]; null where nobody answers. */
    async search(text) {
        try {
            return (await request(`/art/emoji.json?q=${encodeURIComponent(text)}`)).emojis;
        } catch {
            return null;
        }
    }

    // --- The server.

    #post(path, fields) {
        return this.#ask(() => post(`/art/palettes/${encodeURIComponent(this.store)}/${path}`, fields));
    }

    async #ask(question) {
        const number = (this.#asked += 1);
        try {
            const answer = await question();
            if (number === this.#asked) this.#take(answer);
            return true;
        } catch (error) {
            this.#tell(error.message);
            return false;
        }
    }

    #take({ stores, store, palettes, cursor, recents }) {
        Object.assign(this, { stores, store, palettes, cursor, recents });
        this.#changed();
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("change"));
    }

    /** The board's stream has told which palettes there are: a browser has six connections to a server, and one serves both. */
    hear(version) {
        // What the stream begins with, the page has brought along.
        const isNews = this.#version !== null && this.#version !== version;
        this.#version = version;
        if (isNews) this.#refresh();
    }

    async #refresh() {
        const number = this.#asked;
        try {
            const answer = await request(addressOf(this.store));
            // What was done here meanwhile is newer.
            if (number === this.#asked) this.#take(answer);
        } catch {
            // It is shown with the next change.
        }
    }
}

/** What a browser keeps for this site, or null where that is forbidden: then it is chosen for this page alone. */
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
