// The palettes of a store and the recently used emoji. The server stores them, for all tabs. Which palette is shown is
// this browser's own choice; without storage, this page's.

import { post, request } from "./requests.js";
import { withStorage } from "../site/storage.js";

/** The storage key of the store that this browser uses. */
const storeKey = "art-palette-store";
/** The storage key of the palette that this browser shows of a store. */
const paletteKey = (store) => `art-palette/${store}`;
const maximumRecents = 40;

/** Finds emoji for a board by words in their names, best match first: [{emoji, name}]. */
export async function findEmoji(text, { address, isShared }) {
    const path = isShared ? address : "/art";
    return (await request(`${path}/emoji.json?q=${encodeURIComponent(text)}`)).emojis;
}

/** Events: `change` of the palettes, or of the shown one. */
export class PaletteList extends EventTarget {
    stores = [];
    store = "";
    /** The palettes of the store; there is at least one, and each has a name. */
    palettes = [];
    cursor = 0;
    recents = [];
    /** The latest known version of the palettes. The server announces a new one after each change. */
    version = "";
    #onError;
    /** Whether the board belongs to another person, whose palettes can't be seen or changed. */
    #isShared;
    /** The number of requests so far. Only the response to the latest one is used. */
    #requestCount = 0;
    /** The number of states that the server has sent so far. */
    #responseCount = 0;

    /**
     * - state: The response of `palettes.json`, which the page embeds.
     * - onError: Called with error messages.
     * - board: {isShared}, the board.
     */
    constructor(state, onError, { isShared }) {
        super();
        this.#isShared = isShared;
        this.#onError = onError;
        this.#apply(state);
        const chosen = withStorage(() => localStorage.getItem(storeKey));
        if (chosen !== this.store && this.stores.includes(chosen)) this.use(chosen);
    }

    get current() {
        return this.palettes[this.cursor];
    }

    /** Makes a palette the current one: in this browser, and on the server for browsers that haven't shown one yet. */
    goTo(index) {
        this.#show(index);
        if (!this.#isShared) this.#post(this.store, "cursor", { index });
    }

    /** Switches to another store. */
    async use(store) {
        if (await this.#receive(fetchPalettes(store))) withStorage(() => localStorage.setItem(storeKey, store));
    }

    /** Adds a palette, which becomes the current one. Resolves to whether it succeeded. */
    add(fields = {}) {
        return this.#post(this.store, "new", fields, true);
    }

    /** Changes a palette: "rename", "add" or "remove" emoji, or "delete". Resolves to whether it succeeded. */
    change(id, action, fields = {}) {
        return this.#post(this.store, `${id}/${action}`, fields);
    }

    /** Restores a deleted palette of a store, and shows it. */
    async restore(id, store) {
        if (!(await this.#post(store, `${id}/restore`))) return;
        const index = this.palettes.findIndex((palette) => palette.id === id);
        if (index >= 0) this.goTo(index);
    }

    /** Adds an emoji to the recently used ones. */
    addRecent(emoji) {
        this.recents = [emoji, ...this.recents.filter((other) => other !== emoji)].slice(0, maximumRecents);
        // A failure isn't worth a message.
        if (!this.#isShared) post("/art/recents", { emoji }).catch(() => {});
    }

    // --- The server.

    #post(store, path, fields = {}, isChoice = false) {
        return this.#receive(post(`/art/palettes/${encodeURIComponent(store)}/${path}`, fields), isChoice);
    }

    /** Applies the response to a request. Resolves to whether it succeeded. */
    async #receive(response, isChoice = false) {
        const number = (this.#requestCount += 1);
        try {
            const state = await response;
            this.#responseCount += 1;
            if (number === this.#requestCount) this.#apply(state, isChoice);
            return true;
        } catch (error) {
            this.#onError(error.message);
            return false;
        }
    }

    /** - isChoice: Whether the response's cursor is the palette that the person chose in this tab. */
    #apply({ stores, store, palettes, cursor, recents, version }, isChoice = false) {
        const shownID = store === this.store ? String(this.current.id) : null;
        const chosenID = withStorage(() => localStorage.getItem(paletteKey(store))) ?? shownID;
        const chosen = isChoice ? -1 : palettes.findIndex(({ id }) => String(id) === chosenID);
        Object.assign(this, { stores, store, palettes, recents, version });
        this.#show(chosen < 0 ? cursor : chosen);
    }

    /** Shows a palette, here and in later pages of this browser. */
    #show(index) {
        this.cursor = index;
        withStorage(() => localStorage.setItem(paletteKey(this.store), String(this.current.id)));
        this.dispatchEvent(new Event("change"));
    }

    /**
     * Fetches the palettes if the board's stream announces another version. Palettes share this stream, because a
     * browser opens at most six connections to a server.
     */
    async handleVersion(version) {
        if (version === this.version) return;
        this.version = version;
        const [number, responses] = [this.#requestCount, this.#responseCount];
        // After a failure, the next version that the stream announces causes another request.
        const state = await fetchPalettes(this.store).catch(() => null);
        // If another request was made since, its response is newer.
        if (!state || number !== this.#requestCount) return;
        if (responses === this.#responseCount) {
            this.#responseCount += 1;
            this.#apply(state);
        } else {
            // A state that came meanwhile may be newer than this one.
            await this.handleVersion(version);
        }
    }
}

function fetchPalettes(store) {
    return request(`/art/palettes.json?store=${encodeURIComponent(store)}`);
}
