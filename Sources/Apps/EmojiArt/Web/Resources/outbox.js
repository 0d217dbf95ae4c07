// Stores pending batches in the browser, so that they survive a reload, a crash and a closed tab: the next tab of the
// board sends them.

import { historyKey } from "./stored-history.js";
import { TabLiveness } from "./tab-liveness.js";

const prefix = "meanwhile.art.outbox/";
const gonePrefix = "meanwhile.art.gone/";

/**
 * Milliseconds to wait before reading the batches of a tab that has ended: its last writes may become visible here
 * after its lock is released.
 */
const storageDelay = 100;

/**
 * Milliseconds to wait before requesting the lock of a tab that has just opened: it may store a batch before it holds
 * its lock.
 */
const lockDelay = 1000;

/**
 * Milliseconds after which the pending batches of a deleted board, and its history, are removed. The board can be
 * restored for ten minutes.
 */
const goneBoardLifetime = 3600_000;

export class Outbox {
    #board;
    #tab = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36)).join("");
    #storage = null;
    #tabs;
    #onInherit;
    #lastPlace = 0;
    /** The storage key and position of each batch, by its ID: {key, place}. */
    #stored = new Map();
    /** Batches that couldn't be stored, by their ID. */
    #unstored = new Map();
    /** The IDs of tabs whose batches this tab takes over once they end. */
    #awaited = new Set();
    /** The storage keys of batches that are still stored under the key of a tab that has ended, by the batch's ID. */
    #foreign = new Map();
    #onStorage = (event) => this.#handleStorageEvent(event);

    /**
     * - board: The board's ID.
     * - onInherit: Called with the batches of a closed tab, in order; calls `store` or `remove` for each new one.
     */
    constructor(board, onInherit) {
        this.#board = board;
        this.#onInherit = onInherit;
        try {
            this.#storage = window.localStorage;
            this.#storage.getItem(prefix);
        } catch {
            // Storage is forbidden: the board works, and warns before the tab is closed.
            this.#storage = null;
        }
        this.#tabs = new TabLiveness(`${prefix}${board}`);
    }

    /** Marks this tab as alive, and takes over the batches of tabs that have ended. */
    open() {
        this.#tabs.hold(this.#tab);
        if (!this.#storage) return;
        this.markGone(false);
        this.#removeExpired();
        this.#awaitOtherTabs();
        window.addEventListener("storage", this.#onStorage);
    }

    /** Lets other tabs take over the pending batches, because the browser leaves the page. */
    leave() {
        this.#tabs.release();
    }

    /**
     * Continues when the browser shows the page again (from its back/forward cache).
     *
     * Another tab may have sent batches since. This tab sends them again, and the server applies each once.
     */
    reopen() {
        this.#tabs.hold(this.#tab);
        if (this.#storage) this.#awaitOtherTabs();
    }

    close() {
        window.removeEventListener("storage", this.#onStorage);
        this.#tabs.close();
    }

    /** Whether all pending batches would survive the tab. */
    get isComplete() {
        return this.#unstored.size === 0;
    }

    /** Stores a batch, {id, name, operations, parts}, at the position of the batch with another ID if it is given. */
    store(batch, other = batch.id) {
        const key = `${prefix}${this.#board}/${this.#tab}/${batch.id}`;
        const { place } = this.#stored.get(other) ?? { place: (this.#lastPlace += 1) };
        const stored = this.#stored.get(batch.id) ?? { key, place };
        try {
            const { id, name, operations, parts } = batch;
            const text = JSON.stringify({ place: stored.place, parts, batch: { id, name, operations } });
            this.#storage.setItem(stored.key, text);
            this.#stored.set(batch.id, stored);
            this.#unstored.delete(batch.id);
            this.#removeForeign(batch.id);
        } catch {
            // Storage is full or forbidden. A batch of another tab stays under that tab's key.
            if (!this.#foreign.has(batch.id)) this.#unstored.set(batch.id, batch);
        }
    }

    /** Removes a batch that the server has answered, or that is discarded. */
    remove(id) {
        this.#unstored.delete(id);
        this.#removeForeign(id);
        const stored = this.#stored.get(id);
        if (!stored) return;
        this.#stored.delete(id);
        this.#storage.removeItem(stored.key);
        // Removing an item has freed storage: store another batch.
        const [left] = this.#unstored.values();
        if (left) this.store(left);
    }

    /**
     * Records whether the board is deleted. The pending batches of a board that isn't restored are removed later.
     */
    markGone(isGone) {
        const key = gonePrefix + this.#board;
        try {
            if (isGone) this.#storage.setItem(key, String(Date.now()));
            else this.#storage.removeItem(key);
        } catch {
            // Storage is full or forbidden: the batches stay a little longer.
        }
    }

    #keys(start) {
        const keys = Array.from({ length: this.#storage.length }, (_, index) => this.#storage.key(index));
        return keys.filter((key) => key?.startsWith(start));
    }

    #removeExpired() {
        for (const key of this.#keys(gonePrefix)) {
            if (Number(this.#storage.getItem(key)) + goneBoardLifetime > Date.now()) continue;
            const board = key.slice(gonePrefix.length);
            for (const left of this.#keys(`${prefix}${board}/`)) this.#storage.removeItem(left);
            this.#storage.removeItem(historyKey(board));
            this.#storage.removeItem(key);
        }
    }

    /** Waits for the end of all tabs that have stored batches. */
    #awaitOtherTabs() {
        for (const key of this.#keys(`${prefix}${this.#board}/`)) this.#await(key);
    }

    #handleStorageEvent({ key, newValue }) {
        if (newValue === null || !key?.startsWith(`${prefix}${this.#board}/`)) return;
        setTimeout(() => this.#await(key), lockDelay);
    }

    /** Waits for the end of the tab that a key belongs to. */
    #await(key) {
        const tab = key.slice(`${prefix}${this.#board}/`.length).split("/")[0];
        if (tab === this.#tab || this.#awaited.has(tab)) return;
        this.#awaited.add(tab);
        const inherit = () => {
            // Batches that the tab stores later are awaited again.
            this.#awaited.delete(tab);
            return this.#inherit(tab);
        };
        this.#tabs.whenEnded(tab, inherit).finally(() => this.#awaited.delete(tab));
    }

    /** Takes over the batches of a tab that has ended, as far as the model doesn't know them. */
    async #inherit(tab) {
        await new Promise((done) => setTimeout(done, storageDelay));
        const found = this.#keys(`${prefix}${this.#board}/${tab}/`).flatMap((key) => this.#read(key) ?? []);
        found.sort((one, other) => one.place - other.place);
        for (const { key, batch: { id } } of found) {
            if (this.#stored.has(id)) this.#storage.removeItem(key);
            else this.#foreign.set(id, key);
        }
        if (found.length) this.#onInherit(found.map(({ batch }) => batch));
    }

    #read(key) {
        try {
            const { place, parts, batch: { id, name, operations } } = JSON.parse(this.#storage.getItem(key));
            return [{ key, place, batch: { id, name, operations: operations.slice(), parts: parts.slice() } }];
        } catch {
            // The entry is truncated or invalid, and can't be sent.
            this.#storage.removeItem(key);
            return null;
        }
    }

    /** Removes a batch under the key of another tab. */
    #removeForeign(id) {
        const key = this.#foreign.get(id);
        if (key) this.#storage.removeItem(key);
        this.#foreign.delete(id);
    }
}
