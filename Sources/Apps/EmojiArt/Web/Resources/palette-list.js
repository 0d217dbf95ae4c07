// The palettes of a store and the recently used emoji. The server stores them, for all tabs. Which palette is shown is
// this browser's own choice.

import { post, request } from "./requests.js";

/** The storage key of the store that this browser uses. */
const storeKey = "art-palette-store";
/** The storage key of the palette that this browser shows of a store. */
const paletteKey = (store) => `art-palette/${store}`;
const maximumRecents = 40;

/** Events: `change`. */
export class PaletteList extends EventTarget {
    stores = [];
    store = "Main";
    palettes = [];
    cursor = 0;
    recents = [];
    #onError;
    /** The latest known version of the palettes. The server announces a new one after each change. */
    #version = null;
    /** The number of requests so far. Only the response to the latest one is used. */
    #requestCount = 0;

    /**
     * - state: The response of `palettes.json`, which the page embeds.
     * - onError: Called with error messages.
     */
    constructor(state, onError) {
        super();
        this.#onError = onError;
        this.#apply(state);
        const chosen = withStorage(() => localStorage.getItem(storeKey));
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
        this.#storeChoice();
        this.#dispatchChange();
        this.#post("cursor", { index });
    }

    /** Switches to another store. */
    async use(store) {
        if (!(await this.#request(() => request(addressOf(store))))) return;
        withStorage(() => localStorage.setItem(storeKey, store));
    }

    // Each of these but `restore` resolves to whether it succeeded.

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

    /** Restores a deleted palette of a store, and shows it. */
    async restore(id, store) {
        const address = `/art/palettes/${encodeURIComponent(store)}/${id}/restore`;
        if (!(await this.#request(() => post(address)))) return;
        const index = this.palettes.findIndex((palette) => palette.id === id);
        if (index >= 0) this.goTo(index);
    }

    /** Adds an emoji to the recently used ones. */
    addRecent(emoji) {
        this.recents = [emoji, ...this.recents.filter((other) => other !== emoji)].slice(0, maximumRecents);
        this.#dispatchChange();
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
        return this.#request(() => post(`/art/palettes/${encodeURIComponent(this.store)}/${path}`, fields), isChoice);
    }

    async #request(send, isChoice = false) {
        const number = (this.#requestCount += 1);
        try {
            const answer = await send();
            if (number === this.#requestCount) this.#apply(answer, isChoice);
            return true;
        } catch (error) {
            this.#onError(error.message);
            return false;
        }
    }

    /** - isChoice: Whether the response's cursor is the palette that the person chose in this tab. */
    #apply({ stores, store, palettes, cursor, recents, version }, isChoice = false) {
        const wantedID = isChoice ? null : this.#storedChoice(store);
        const chosen = palettes.findIndex(({ id }) => String(id) === wantedID);
        Object.assign(this, { stores, store, palettes, cursor: chosen < 0 ? cursor : chosen, recents });
        this.#version = version;
        this.#storeChoice();
        this.#dispatchChange();
    }

    /** The ID of the palette that this browser shows of a store; null if it hasn't shown one. */
    #storedChoice(store) {
        const shownID = store === this.store && this.current ? String(this.current.id) : null;
        return withStorage(() => localStorage.getItem(paletteKey(store))) ?? shownID;
    }

    #storeChoice() {
        const { current, store } = this;
        if (current) withStorage(() => localStorage.setItem(paletteKey(store), String(current.id)));
    }

    #dispatchChange() {
        this.dispatchEvent(new CustomEvent("change"));
    }

    /**
     * Handles a version announced by the board's stream. Palettes share this stream, because a browser opens at most
     * six connections to a server.
     */
    handleVersion(version) {
        if (version === this.#version) return;
        this.#version = version;
        this.#refresh();
    }

    async #refresh() {
        const number = this.#requestCount;
        try {
            const answer = await request(addressOf(this.store));
            // If another request was made since, its response is newer.
            if (number === this.#requestCount) this.#apply(answer);
        } catch {
            // The next version that the stream announces causes another request.
        }
    }
}

/** Reads or writes local storage. Returns null if storage is forbidden: the choice then applies only to this page. */
function withStorage(body) {
    try {
        return body() ?? null;
    } catch {
        return null;
    }
}

function addressOf(store) {
    return `/art/palettes.json?store=${encodeURIComponent(store)}`;
}
